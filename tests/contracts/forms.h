// One graph in several forms: its inputs retyped, its ops decomposed, and run everywhere.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tenon/decoder/decoder.h"
#include "tenon/ir/pass_manager.h"
#include "tenon/op/host_tensor.h"

namespace tenon::contracts {

// A pass that puts a breaker's fault in. `put_in` is told to throw when the fault itself fails.
ir::Pass fault_pass(std::function<void(ir::Model&)> put_in);

// The stateless model of a decoder, after `passes`. Throws std::runtime_error with the error's message.
ir::Model converted(const decoder::Decoder& decoder, std::vector<ir::Pass> passes = {});

// Gives inputs other types, as a pass that moves the token axis does. Nothing else is changed: shapes and
// roles are inferred anew from the same nodes.
Status retype(ir::Model& model, const std::map<std::string, std::string>& types);

// Puts every op of that name into its opset form.
Status decompose(ir::Model& model, std::string_view op);

// The node with other attributes, under the same name. Throws std::runtime_error when its rule refuses.
ir::Node& with_attributes(ir::Model& model, ir::Node& node, std::unique_ptr<ir::Attributes> attributes);

// Runs the model on the references and on every instruction set of this machine and compares one output,
// element by element.
struct Expected {
  std::string output;
  std::vector<int64_t> extents;
  std::vector<double> values;
};
void expect_numbers(const ir::Model& model, const op::HostTensors& inputs, const Expected& expected,
                    const SymbolValues& symbols = {});

// first, first + 1, …
std::vector<double> numbers(int64_t count, double first = 0);

}  // namespace tenon::contracts
