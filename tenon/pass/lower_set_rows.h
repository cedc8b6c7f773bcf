#pragma once

#include "tenon/ir/pass_manager.h"

namespace tenon::pass {

// SetRows(rows, index, cache) -> ScatterUpdate(cache, index, rows) along the same axis: the stateless form of
// every write that no earlier pass took. Flattened rows are reshaped to the cache's layout. Runs after the
// caller's passes.
ir::Pass lower_set_rows();

}  // namespace tenon::pass
