// Runs a graph by the ops' references in host memory: the ground truth of tests.
#pragma once

#include "tenon/ir/model.h"
#include "tenon/op/host_tensor.h"

namespace tenon::op {

// `inputs` by parameter name, one for each, and by variable id: a variable that is not given holds its
// initial value. Outputs by result name, variables that are assigned by their id, parameters that an op
// writes by their name. Symbols get their values from the extents of what is given, from the elements of
// parameters that carry a value_symbol, and from `symbols`. Errors: a missing, unknown or wrongly typed
// input; two values for one symbol; an op without reference; whatever a reference reports, with the node's
// name.
Result<HostTensors> evaluate(const ir::Model& model, const HostTensors& inputs, SymbolValues symbols = {});

// The values that the symbols of such a run get.
Result<SymbolValues> symbol_values(const ir::Model& model, const HostTensors& inputs,
                                   SymbolValues symbols = {});

}  // namespace tenon::op
