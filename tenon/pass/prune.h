#pragma once

#include "tenon/ir/pass_manager.h"

namespace tenon::pass {

// Removes what no Result needs. Parameters stay: they are the model's interface. Runs last.
ir::Pass prune();

}  // namespace tenon::pass
