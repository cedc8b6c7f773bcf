#include "tenon/pass/prune.h"

namespace tenon::pass {

ir::Pass prune() {
  return {"prune",
          [](ir::Model& model, ir::PassContext&) -> Result<bool> { return model.erase_unreachable() > 0; }};
}

}  // namespace tenon::pass
