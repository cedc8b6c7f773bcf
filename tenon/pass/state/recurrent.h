#pragma once

#include "tenon/ir/model.h"

namespace tenon::pass {

// Whether a variable of the model is a recurrent state: such a model runs one sequence at a time.
bool has_recurrent_state(const ir::Model& model);

}  // namespace tenon::pass
