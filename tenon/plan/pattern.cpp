#include "tenon/plan/pattern.h"

#include <cctype>
#include <iterator>
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

std::vector<Match> Pattern::matches(ir::Node& root) const {
  Match empty;
  empty.operands.resize(operand_count_);
  std::vector<Match> out;
  match_node(root_, root, std::move(empty), out);
  return out;
}

// Adds to `out` every way in which `so_far` goes on with `node`.
void Pattern::match_node(const Tree& tree, ir::Node& node, Match so_far, std::vector<Match>& out) {
  if (tree.op != "*" && !node.is(tree.op)) return;
  so_far.nodes.push_back(&node);
  if (tree.any_inputs) {
    so_far.operands.insert(so_far.operands.end(), node.inputs().begin(), node.inputs().end());
    out.push_back(std::move(so_far));
    return;
  }
  if (node.input_count() != static_cast<int>(tree.inputs.size())) return;
  const bool commutative = node.is("Add") || node.is("Multiply");
  for (const bool swapped : {false, true}) {
    if (swapped && !commutative) break;
    std::vector<Match> partial = {so_far};
    for (size_t i = 0; i < tree.inputs.size(); ++i) {
      const size_t from = swapped ? tree.inputs.size() - 1 - i : i;
      std::vector<Match> longer;
      for (Match& each : partial)
        match_value(tree.inputs[i], node.input(static_cast<int>(from)), std::move(each), longer);
      partial = std::move(longer);
    }
    out.insert(out.end(), std::make_move_iterator(partial.begin()), std::make_move_iterator(partial.end()));
  }
}

void Pattern::match_value(const Tree& tree, ir::Value value, Match so_far, std::vector<Match>& out) {
  if (tree.operand < 0) {
    if (value.port() == 0) match_node(tree, value.node(), std::move(so_far), out);
    return;
  }
  if (!tree.op.empty() && !value.node().is(tree.op)) return;
  ir::Value& operand = so_far.operands[static_cast<size_t>(tree.operand)];
  if (operand && operand != value) return;
  operand = value;
  out.push_back(std::move(so_far));
}

}  // namespace tenon::plan
