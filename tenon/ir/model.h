// A graph: nodes in the order of their making, the parameters and results at its border, the bounds of its
// symbols.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tenon/ir/leaves.h"
#include "tenon/ir/node.h"

namespace tenon::ir {

class Model {
 public:
  explicit Model(std::string name = "model");
  Model(Model&&) noexcept;
  Model& operator=(Model&&) noexcept;
  ~Model();

  const std::string& name() const { return name_; }

  // Adds a node and infers its output types. The name is made unique by a suffix; an empty one becomes the
  // op's. Errors: the schema's arity or the shape rule's own words.
  Result<Node*> add(const OpSchema& schema, std::vector<Value> inputs, std::unique_ptr<Attributes> attributes,
                    std::string name = "");
  Result<Value> add_parameter(ParameterAttributes attributes);
  // Adds a node that takes over the name of `old`. Who reads `old` still does, until the caller has moved
  // them and erases it.
  Result<Node*> add_in_place_of(Node& old, const OpSchema& schema, std::vector<Value> inputs,
                                std::unique_ptr<Attributes> attributes);
  // Adds a parameter that takes over the input name, the node name and the place of `old`. Who reads `old`
  // still does, until the caller has moved them and erases it.
  Result<Value> replace_parameter(Node& old, ParameterAttributes attributes);
  Value add_constant(std::unique_ptr<ConstantAttributes> attributes, std::string name = "");
  // `state` names the recurrent state whose next value it is.
  Node& add_result(Value value, std::string name, std::string state = "");

  // Makes every user of `from` read `to`; types downstream are inferred anew, once all have moved. After an
  // error (a shape rule's own) types are in part the old ones.
  Status replace_uses(Value from, Value to);
  // The same for several values at once: no rule sees one that has moved beside one that has not.
  Status replace_uses(const std::vector<std::pair<Value, Value>>& moves);
  // The same, and what no Result and no sink reaches any more goes before types are inferred: for moves after
  // which it would not fit.
  Status rewire(const std::vector<std::pair<Value, Value>>& moves);
  // The same for one input slot.
  Status set_input(Node& node, int input, Value to);
  // Removes a node that no one reads; throws std::logic_error otherwise.
  void erase(Node& node);
  // Removes all nodes from which neither a Result nor a sink is reached, except Parameters. Returns how many.
  int erase_unreachable();

  size_t node_count() const { return nodes_.size(); }
  // All nodes, producers before users; stable for equal graphs. Throws std::logic_error on a cycle.
  std::vector<Node*> topological_order() const;
  // In the order of their making.
  const std::vector<Node*>& parameters() const { return parameters_; }
  const std::vector<Node*>& results() const { return results_; }
  Node* find(std::string_view name) const;
  Node* find_parameter(std::string_view input_name) const;
  Node* find_result(std::string_view output_name) const;
  // How many nodes are of that op.
  int count(std::string_view op) const;

  SymbolBounds& symbols() { return symbols_; }
  const SymbolBounds& symbols() const { return symbols_; }

 private:
  std::string unique_name(std::string name) const;
  static Result<std::vector<TensorType>> infer(const Node& node);
  static bool carries_extents(Node& node);
  Status infer_again(const std::vector<Node*>& nodes);
  void unlink(Node& node, int input);
  void relink(Node& node, int input, Value to);
  std::vector<Node*> relink_uses(const std::vector<std::pair<Value, Value>>& moves);

  std::string name_;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::map<std::string, Node*, std::less<>> by_name_;
  std::vector<Node*> parameters_;
  std::vector<Node*> results_;
  SymbolBounds symbols_;
};

// The elements of an integer value as extents, where conversion can know them: small constants, parameters
// that carry a symbol, and Concat, ShapeOf, Gather, Squeeze, Unsqueeze, Convert, Reshape of such, and sums,
// differences and products of single ones.
std::optional<std::vector<Dim>> value_as_dims(Value value);

}  // namespace tenon::ir
