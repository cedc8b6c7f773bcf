// What a plan shows to its caller. A variable is an input that the graph reads and an output of the same name
// that it assigns: whoever holds the state binds both.
#pragma once

#include <string>
#include <vector>

#include "tenon/ir/model.h"

namespace tenon::plan {

// Parameter, ReadValue, Result, Assign or Constant: bound, not run.
bool is_border(const ir::Node& node);

// Parameters, then variables that are read; in the model's order.
std::vector<ir::Node*> border_inputs(const ir::Model& model);
// Results, then variables that are assigned.
std::vector<ir::Node*> border_outputs(const ir::Model& model);

// Of a Parameter or ReadValue: what the caller binds.
ir::ParameterAttributes input_attributes(const ir::Node& input);
// Of a Result or Assign: the name that the caller binds.
const std::string& output_name(const ir::Node& output);

}  // namespace tenon::plan
