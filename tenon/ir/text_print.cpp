#include <algorithm>

#include "tenon/ir/text.h"

namespace tenon::ir {

namespace {

std::string print_bound(int64_t bound) { return bound == INT64_MAX ? "inf" : std::to_string(bound); }

std::string print_node(const Node& node) {
  std::string out = "  %" + node.name() + " = " + std::string(node.op()) + "(";
  for (int i = 0; i < node.input_count(); ++i) {
    const Value input = node.input(i);
    out += (i > 0 ? ", %" : "%") + input.node().name() + ":" + std::to_string(input.port());
  }
  out += ")";
  const std::string attributes = print_attributes(node.attributes(), *node.schema().make_attributes());
  if (!attributes.empty()) out += " " + attributes;
  if (node.is("Parameter") || node.is("Constant")) return out + "\n";  // their type is an attribute
  for (int port = 0; port < node.port_count(); ++port) {
    out += (port == 0 ? " : " : ", ") + node.port_type(port).to_string();
  }
  return out + "\n";
}

}  // namespace

std::string print(const Model& model) {
  std::string title = printable(model.name());  // may come from a file; the text form knows no quoted quotes
  std::replace(title.begin(), title.end(), '"', '\'');
  std::string out = "model \"" + title + "\" {\n";
  for (const auto& [name, bounds] : model.symbols()) {
    out += "  symbol " + name + " in [" + print_bound(bounds.min) + ", " + print_bound(bounds.max) + "]\n";
  }
  for (const Node* node : model.topological_order()) out += print_node(*node);
  return out + "}\n";
}

}  // namespace tenon::ir
