// Runs a graph by the ops' references in host memory: the ground truth of tests.
#pragma once

#include "tenon/ir/model.h"
#include "tenon/op/host_tensor.h"

namespace tenon::op {

// `inputs` by parameter name, one for each; outputs by result name. Symbols get their values from the inputs'
// extents, from the elements of parameters that carry a value_symbol, and from `symbols`. Errors: a missing,
// unknown or wrongly typed input; two values for one symbol; an op without reference; whatever a reference
// reports, with the node's name.
Result<HostTensors> evaluate(const ir::Model& model, const HostTensors& inputs, SymbolValues symbols = {});

}  // namespace tenon::op
