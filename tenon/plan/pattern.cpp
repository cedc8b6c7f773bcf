#include "tenon/plan/pattern.h"

#include <cctype>
#include <stdexcept>

namespace tenon::plan {

ir::Node& Match::node(std::string_view op) const {
  for (ir::Node* node : nodes) {
    if (node->is(op)) return *node;
  }
  throw std::logic_error("[Match::node] the match at " + root().name() + " has no " + std::string(op));
}

struct Pattern::Reader {
  std::string_view text;
  size_t at = 0;
  size_t nodes = 0;
  std::vector<std::string> operands;

  [[noreturn]] void fail(const std::string& wanted) const {
    throw std::invalid_argument("[Pattern::parse] '" + std::string(text) + "' at " + std::to_string(at) +
                                ": wanted " + wanted);
  }

  bool accept(char c) {
    while (at < text.size() && text[at] == ' ') ++at;
    if (at >= text.size() || text[at] != c) return false;
    ++at;
    return true;
  }

  std::string word() {
    while (at < text.size() && text[at] == ' ') ++at;
    const size_t start = at;
    while (at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) || text[at] == '_')) ++at;
    if (at == start) fail("a name");
    return std::string(text.substr(start, at - start));
  }

  Tree tree() {
    Tree out;
    if (accept('*')) {
      out.op = "*";
      out.any_inputs = true;
      ++nodes;
      return out;
    }
    const std::string name = word();
    if (std::islower(static_cast<unsigned char>(name[0]))) {
      size_t index = 0;
      while (index < operands.size() && operands[index] != name) ++index;
      if (index == operands.size()) operands.push_back(name);
      out.operand = static_cast<int>(index);
      if (accept(':')) out.op = word();
      return out;
    }
    out.op = name;
    ++nodes;
    if (!accept('(')) {
      out.any_inputs = true;
      return out;
    }
    do out.inputs.push_back(tree());
    while (accept(','));
    if (!accept(')')) fail("')'");
    return out;
  }
};

Pattern Pattern::parse(std::string_view text) {
  Reader reader{text, 0, 0, {}};
  Pattern out;
  out.root_ = reader.tree();
  if (reader.at != text.size()) reader.fail("the end");
  if (out.root_.operand >= 0) reader.fail("an op at the root");
  out.node_count_ = reader.nodes;
  out.operand_count_ = reader.operands.size();
  return out;
}

bool Pattern::match(ir::Node& root, Match& out) const {
  out = {};
  out.operands.resize(operand_count_);
  return match_node(root_, root, out);
}

bool Pattern::match_node(const Tree& tree, ir::Node& node, Match& out) const {
  if (tree.op != "*" && !node.is(tree.op)) return false;
  out.nodes.push_back(&node);
  if (tree.any_inputs) {
    out.operands.insert(out.operands.end(), node.inputs().begin(), node.inputs().end());
    return true;
  }
  if (node.input_count() != static_cast<int>(tree.inputs.size())) return false;
  const Match before = out;
  const auto try_order = [&](bool swapped) {
    out = before;
    for (size_t i = 0; i < tree.inputs.size(); ++i) {
      const size_t from = swapped ? tree.inputs.size() - 1 - i : i;
      if (!match_value(tree.inputs[i], node.input(static_cast<int>(from)), out)) return false;
    }
    return true;
  };
  const bool commutative = node.is("Add") || node.is("Multiply");
  return try_order(false) || (commutative && try_order(true));
}

bool Pattern::match_value(const Tree& tree, ir::Value value, Match& out) const {
  if (tree.operand < 0) return value.port() == 0 && match_node(tree, value.node(), out);
  if (!tree.op.empty() && !value.node().is(tree.op)) return false;
  ir::Value& operand = out.operands[static_cast<size_t>(tree.operand)];
  if (operand && operand != value) return false;
  operand = value;
  return true;
}

}  // namespace tenon::plan
