// The catalogue of ops. An op is one file: attributes, schema, shape and role rule, reference, decomposition.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "tenon/ir/model.h"
#include "tenon/type/tensor_ref.h"

namespace tenon::op {

// Tensors of one evaluation. Inputs may be strided views; outputs are contiguous and already have their
// extents. After the ports come the inputs that the op writes (OpDefinition::written_inputs).
struct ReferenceCall {
  const ir::Attributes& attributes;
  std::span<const TensorRef> inputs;
  std::span<const TensorRef> outputs;
};

// Slow and obvious; sums in double. Errors are data that the types could not rule out (an index out of
// range).
using Reference = Status (*)(const ReferenceCall&);

// Builds the same function of `node`'s inputs from simpler ops and returns a value for each of its ports.
// The node itself stays; the caller replaces its uses.
using Decomposition = Result<std::vector<ir::Value>> (*)(ir::Model&, ir::Node& node);

struct OpDefinition {
  ir::OpSchema schema;
  Reference reference = nullptr;          // null for ops at the border and for SetRows' like that never run
  Decomposition decomposition = nullptr;  // null for primitive ops
  // Whether the elements of an input are read at all, given the attributes; null: all inputs are.
  bool (*reads)(const ir::Attributes& attributes, int input) = nullptr;
  // Inputs whose memory, the caller's own, the op writes: caches that lie in blocks.
  std::span<const int> written_inputs = {};
};

// Sorted by name.
std::span<const OpDefinition* const> all_ops();
const OpDefinition* find_op(std::string_view name);
// The schemas of all ops, for ir::parse.
ir::SchemaTable all_schemas();

}  // namespace tenon::op
