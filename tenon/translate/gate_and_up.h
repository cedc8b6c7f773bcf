// The operands of ggml's gated linear units.
#pragma once

#include "tenon/translate/node_context.h"

namespace tenon::translate {

// Gate and up of a node: its two inputs, or the halves of its one input's last axis.
Result<std::vector<ir::Value>> gate_and_up(NodeContext& context, const decoder::GluAttributes& glu);

}  // namespace tenon::translate
