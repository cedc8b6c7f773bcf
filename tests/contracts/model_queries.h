// What contract tests ask of a converted model.
#pragma once

#include <string>
#include <vector>

#include "tenon/ir/model.h"

namespace tenon::contracts {

// In the model's order.
std::vector<std::string> input_names(const ir::Model& model);
// The first node of that op in topological order; nullptr when there is none.
ir::Node* find_op(const ir::Model& model, std::string_view op);

}  // namespace tenon::contracts
