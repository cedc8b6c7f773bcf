// A step by its op's reference function: how target "ref" runs everything, and any other target what it has
// no kernel for.
#pragma once

#include "tenon/op/op.h"
#include "tenon/runtime/backend.h"

namespace tenon::runtime {

// The definition that runs `step`, or an error naming an op without a reference.
Result<const op::OpDefinition*> reference_of(const plan::Step& step);

Status run_reference(const op::OpDefinition& definition, const BoundStep& step, Traffic* traffic);

// StatelessKV's reference: rows go to the cache's own memory, at the given indices of axis 1, rounded to its
// type. Part: inputs cache [1, ctx, heads, size], index i64 (one per row), rows [1, T, heads, size], … An
// index outside the cache is an error.
Status run_stateless_kv(const BoundStep& step, Traffic* traffic);

}  // namespace tenon::runtime
