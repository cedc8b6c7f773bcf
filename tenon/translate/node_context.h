// What a translator sees of the node that it translates.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tenon/decoder/decoder.h"
#include "tenon/ir/model.h"
#include "tenon/op/build.h"

namespace tenon::translate {

// The values of the nodes translated so far: [node][port].
using NodeValues = std::vector<std::vector<ir::Value>>;

class NodeContext {
 public:
  NodeContext(const decoder::Decoder& decoder, const decoder::NodeView& node, ir::Model& model,
              const NodeValues& values);

  const decoder::NodeView& node() const { return node_; }
  ir::Model& model() { return model_; }
  // Adds ops of the catalogue, named after this node.
  op::Builder& build() { return builder_; }

  // All input values, at least `min` and at most `max` (as many as `min` when it is left out).
  Result<std::vector<ir::Value>> inputs(int min, int max = 0) const;
  // The type that the decoder declares for an input's producer, of exactly the port that is read.
  Result<TensorType> declared_input(int input) const;
  // The type that the decoder declares for an output port.
  Result<TensorType> declared_output(int port) const;
  // The leaf that an input reads directly; nullptr where a computed value or nothing is read.
  const decoder::Leaf* input_leaf(int input) const;
  // The value of another edge that the decoder mentions (a mask's positions).
  Result<ir::Value> value(decoder::Edge edge) const;

  template <class A>
  Result<A> attributes() const {
    if (const A* found = std::get_if<A>(&node_.attributes)) return *found;
    return invalid("the attributes of this op", "those of another");
  }

  // Whether the decoder tells how many heads there are, and how long: an error otherwise.
  Status check_heads(int64_t heads, int64_t head_size) const;

  // Errors that name ggml op and node.
  Error invalid(std::string wanted, std::string found) const;
  Error unsupported(std::string wanted, std::string found) const;
  Error unknown_case() const;  // of a node whose attributes name a case that the translator does not have

 private:
  const decoder::Decoder& decoder_;
  const decoder::NodeView& node_;
  ir::Model& model_;
  const NodeValues& values_;
  op::Builder builder_;
  std::vector<decoder::NodeView> producers_;  // of the inputs
};

}  // namespace tenon::translate
