// Resolves the graph's values to views of storages.
#pragma once

#include <optional>

#include "tenon/plan/plan.h"

namespace tenon::plan {

// Packed strides for a type, innermost axis last.
std::vector<Dim> contiguous_strides(const TensorType& type);
// Bytes of a packed tensor. A block type's rows hold whole blocks.
Dim packed_bytes(const TensorType& type);
bool is_contiguous(const Operand& operand);

// Ops that are strides of their first input wherever strides can say it.
bool is_view(const ir::Node& node);

// The view that Reshape, Transpose, Squeeze, Unsqueeze or VariadicSplit makes of `source`, or nullopt when
// the node is none of these or strides cannot express it (then it must be copied).
std::optional<Operand> view_of(const ir::Node& node, int port, const Operand& source);

}  // namespace tenon::plan
