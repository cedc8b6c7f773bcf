// Window caches as rings, which keep the rows that a later step can see and let newer ones take the place of
// the others.
#pragma once

#include <cstdint>
#include <vector>

#include "tenon/pass/state/cache_write.h"

namespace tenon::pass {

// Rows that the caches of a window need while steps bring at most `step` tokens: every query of a step sees
// its window and the step's own rows; whole groups of op::kRingRows. 0 where the `context` (0: without end)
// is no longer than that, so that nothing is ever evicted.
int64_t ring_rows(int64_t window, int64_t step, int64_t context);

// Why `caches`, all of one window, cannot be rings, or nothing: one is read otherwise than by Attention under
// a mask of that window, which says by position what is seen, or their index places rows of other caches,
// too.
std::string refuse_ring(const std::vector<CacheWrite>& caches);

// Makes the Attentions that read one of `splits` (VariadicSplits of whole caches) read a ring, and tells the
// parameter `index`, which places the rows, of it.
Status read_as_ring(ir::Model& model, const std::vector<ir::Node*>& splits, ir::Node& index, int64_t ring);

}  // namespace tenon::pass
