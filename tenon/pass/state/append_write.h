// Cache writes as make_stateful sees them: a SetRows whose destination is an input, checked.
#pragma once

#include <vector>

#include "tenon/ir/pass_manager.h"
#include "tenon/pass/state/stateful.h"

namespace tenon::pass {

struct AppendWrite {
  ir::Node* parameter = nullptr;
  ir::Node* write = nullptr;
  std::vector<ir::Node*> results;  // that return what was written
  int axis = 1;                    // along which rows are appended
};

struct StateUpdate {
  ir::Node* parameter = nullptr;
  ir::Node* result = nullptr;  // its next value
};

// Everything that can be wrong is found here.
Result<std::vector<AppendWrite>> collect_append_writes(ir::Model& model, ir::PassContext& context,
                                                       const StatefulOptions& options);
Result<std::vector<StateUpdate>> collect_state_updates(ir::Model& model);

}  // namespace tenon::pass
