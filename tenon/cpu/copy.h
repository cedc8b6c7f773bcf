// Moving elements between views of any strides.
#pragma once

#include "tenon/base/thread_pool.h"
#include "tenon/type/tensor_ref.h"

namespace tenon::cpu {

// Copies `from` to `to`, tensors of equal extents and of one plain element type. All workers call it
// together.
void copy_elements(const TensorRef& from, const TensorRef& to, const Worker& worker);

}  // namespace tenon::cpu
