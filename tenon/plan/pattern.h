// Patterns of fusions, written as the expression that they match:
//
//   "Attention"                      any node of that op; its operands are the node's inputs
//   "Add(MatMul(x, w:Constant), r)"  a tree; lower-case names are operands, in order of first mention, and
//                                    may be asked to come from an op
//   "SwiGLU(MatMul(x, g), MatMul(x, u))"
//                                    the same name twice means the same value
//   "*"                              any op
//
// Inputs of Add and Multiply are taken both ways.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/ir/model.h"

namespace tenon::plan {

// One place where a pattern fits.
struct Match {
  std::vector<ir::Node*> nodes;     // those that the fusion replaces; the root comes first
  std::vector<ir::Value> operands;  // in the order of first mention
  ir::Node& root() const { return *nodes.front(); }
  // The replaced node of that op (the first one); throws std::logic_error when there is none.
  ir::Node& node(std::string_view op) const;
};

class Pattern {
 public:
  // Throws std::invalid_argument naming the text: patterns are written by us, not by users.
  static Pattern parse(std::string_view text);

  // The ways in which the tree fits at `root`, by ops and equal operands alone; the inputs' own order first.
  std::vector<Match> matches(ir::Node& root) const;

  const std::string& root_op() const { return root_.op; }
  size_t node_count() const { return node_count_; }  // of the nodes that it replaces

 private:
  struct Tree {
    std::string op;           // of a node, or the op asked of an operand ("" for any)
    int operand = -1;         // >= 0: this is an operand
    bool any_inputs = false;  // "Attention" without parentheses
    std::vector<Tree> inputs;
  };
  struct Reader;
  static void match_node(const Tree& tree, ir::Node& node, Match so_far, std::vector<Match>& out);
  static void match_value(const Tree& tree, ir::Value value, Match so_far, std::vector<Match>& out);

  Tree root_;
  size_t node_count_ = 0;
  size_t operand_count_ = 0;
};

}  // namespace tenon::plan
