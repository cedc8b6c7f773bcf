// What the shape rules of several ops share.
#pragma once

#include <vector>

#include "tenon/ir/schema.h"

namespace tenon::op {

using InferredTypes = Result<std::vector<TensorType>>;

// A plain number: not a block type.
inline bool is_plain(ElementType element) { return !is_block(element); }

// `axis` counted from the front; an error when it is outside of [-rank, rank).
Result<int> normalize_axis(const ir::Inference& node, int64_t axis, int rank);
// Several of them, none twice; in the order given.
Result<std::vector<int>> normalize_axes(const ir::Inference& node, const std::vector<int64_t>& axes,
                                        int rank);

// Errors that name the input.
Status require_rank(const ir::Inference& node, int input, int rank);
Status require_float(const ir::Inference& node, int input);  // f32, f16, bf16, f64
Status require_plain(const ir::Inference& node, int input);  // no block type
Status require_same_element(const ir::Inference& node, int a, int b);
// The constant extent of one axis of an input; an error for a symbolic one.
Result<int64_t> require_static(const ir::Inference& node, int input, int axis);

// The role of an axis that two inputs share: the one that is not none or unknown; a head's size for it and a
// channel; kUnknown for two other ones.
AxisRole join_roles(AxisRole a, AxisRole b);
// Numpy broadcasting of two axis lists, aligned at the right; roles as elementwise.h says. Extents must be
// equal, or one of them 1.
Result<std::vector<Axis>> broadcast_axes(const ir::Inference& node, const std::vector<Axis>& a,
                                         const std::vector<Axis>& b);

// The rule of ops whose output has the type of their first input.
InferredTypes infer_same_type(const ir::Inference& node);

}  // namespace tenon::op
