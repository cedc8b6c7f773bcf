#include "tests/contracts/forms.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "tenon/op/op.h"
#include "tenon/pass/pipeline.h"
#include "tests/conform/runtimes.h"

namespace tenon::contracts {

ir::Pass fault_pass(std::function<void(ir::Model&)> put_in) {
  return {"fault", [put_in = std::move(put_in)](ir::Model& model, ir::PassContext&) -> Result<bool> {
            put_in(model);
            return true;
          }};
}

ir::Model converted(const decoder::Decoder& decoder, std::vector<ir::Pass> passes) {
  pass::ConvertOptions options;
  options.extensions = std::move(passes);
  Result<ir::Model> model = pass::convert(decoder, options);
  if (!model.ok()) throw std::runtime_error(model.error().message());
  return std::move(model).value();
}

Status retype(ir::Model& model, const std::map<std::string, std::string>& types) {
  std::vector<std::pair<ir::Value, ir::Value>> moves;
  for (const auto& [name, type] : types) {
    ir::Node* const old = model.find_parameter(name);
    ir::ParameterAttributes attributes = old->attributes_as<ir::ParameterAttributes>();
    TENON_ASSIGN(attributes.type, TensorType::parse(type));
    TENON_ASSIGN(const ir::Value made, model.replace_parameter(*old, std::move(attributes)));
    moves.emplace_back(old->output(0), made);
  }
  TENON_RETURN_IF_ERROR(model.replace_uses(moves));
  for (const auto& [old, made] : moves) model.erase(old.node());
  return {};
}

Status decompose(ir::Model& model, std::string_view op) {
  for (ir::Node* const node : model.topological_order()) {
    if (!node->is(op)) continue;
    TENON_ASSIGN(const std::vector<ir::Value> values, op::find_op(op)->decomposition(model, *node));
    std::vector<std::pair<ir::Value, ir::Value>> moves;
    for (size_t port = 0; port < values.size(); ++port)
      moves.emplace_back(node->output(static_cast<int>(port)), values[port]);
    TENON_RETURN_IF_ERROR(model.replace_uses(moves));
  }
  model.erase_unreachable();
  return {};
}

ir::Node& with_attributes(ir::Model& model, ir::Node& node, std::unique_ptr<ir::Attributes> attributes) {
  const std::vector<ir::Value> inputs(node.inputs().begin(), node.inputs().end());
  const Result<ir::Node*> made = model.add_in_place_of(node, node.schema(), inputs, std::move(attributes));
  if (!made.ok()) throw std::runtime_error(made.error().message());
  std::vector<std::pair<ir::Value, ir::Value>> moves;
  for (int port = 0; port < node.port_count(); ++port)
    moves.emplace_back(node.output(port), (*made)->output(port));
  const Status moved = model.replace_uses(moves);
  if (!moved.ok()) throw std::runtime_error(moved.error().message());
  model.erase(node);
  return **made;
}

void expect_numbers(const ir::Model& model, const op::HostTensors& inputs, const Expected& expected,
                    const SymbolValues& symbols) {
  for (const std::string& runtime : conform::runtimes()) {
    SCOPED_TRACE(runtime);
    const Result<conform::RunResult> run = conform::run_on(runtime, model, inputs, symbols);
    if (!run.ok()) {
      ADD_FAILURE() << run.error().message();
      continue;
    }
    const op::HostTensor& found = run->outputs.at(expected.output);
    EXPECT_EQ(found.extents, expected.extents);
    EXPECT_EQ(found.values(), expected.values);
  }
}

std::vector<double> numbers(int64_t count, double first) {
  std::vector<double> out;
  for (int64_t i = 0; i < count; ++i) out.push_back(first + static_cast<double>(i));
  return out;
}

}  // namespace tenon::contracts
