#include "tenon/pass/state/stateful.h"

#include "tenon/op/assign.h"
#include "tenon/op/build.h"
#include "tenon/op/concat.h"
#include "tenon/op/gather.h"
#include "tenon/op/read_value.h"
#include "tenon/pass/cache_rows.h"
#include "tenon/pass/state/append_write.h"

namespace tenon::pass {

namespace {

constexpr const char* kPassName = "make_stateful";
constexpr const char* kBatch = "B";           // sequences of this step
constexpr const char* kPastBatch = "B_past";  // sequences that the variables hold

// An input of that name that is there already must be able to be it.
Result<ir::Node*> find_beam(const ir::Model& model, const std::string& name) {
  ir::Node* const found = model.find_parameter(name);
  if (!found) return found;
  const TensorType& type = found->port_type(0);
  if (type.element == ElementType::kI32 && type.rank() == 1) return found;
  return Error{ErrorCode::kInvalidGraph, std::string(kPassName) + ": input '" + name + "'",
               "i32 of rank 1, as the beam index is", type.to_string(), "give another beam_name"};
}

// `given` in its role, or a new one.
Result<ir::Value> beam_input(ir::Model& model, const std::string& name, ir::Node* given) {
  ir::ParameterAttributes beam;
  beam.name = name;
  beam.type = {ElementType::kI32, {Dim::symbol(kBatch)}};
  if (given) beam = given->attributes_as<ir::ParameterAttributes>();
  beam.role = ir::ParameterRole::kBeamIndices;
  beam.type.axes[0].role = AxisRole::kBatch;
  if (!given) return model.add_parameter(std::move(beam));
  TENON_ASSIGN(const ir::Value input, model.replace_parameter(*given, std::move(beam)));
  TENON_RETURN_IF_ERROR(model.replace_uses(given->output(0), input));
  model.erase(*given);
  return input;
}

ir::Value zeros(ir::Model& model, const TensorType& type, const std::string& name) {
  auto constant = std::make_unique<ir::ConstantAttributes>();
  constant->type = type;
  const auto bytes =
      std::make_shared<std::vector<std::byte>>(bytes_for(type.element, type.element_count().value()));
  constant->data = {bytes, bytes->data(), bytes->size()};
  return model.add_constant(std::move(constant), name);
}

Status rewrite(ir::Model& model, const AppendWrite& cache, ir::Value beam, bool dynamic_batch) {
  const ir::ParameterAttributes attributes = cache.parameter->attributes_as<ir::ParameterAttributes>();
  const auto axis = static_cast<size_t>(cache.axis);
  const Dim appended = cache.write->input(1).type().element_count();
  op::ReadValueAttributes variable;
  variable.variable = attributes.name;
  variable.type = attributes.type;
  variable.layer = attributes.layer;
  Dim& past = variable.type.axes[axis].extent;
  if (past.is_constant()) {
    past = Dim::symbol(attributes.name + ".past");  // starts at 0, whatever room the declared cache had
  } else {
    past = past - appended;
  }
  TensorType empty = attributes.type;
  empty.axes[axis].extent = 0;
  if (dynamic_batch) variable.type.axes[0] = Axis(Dim::symbol(kPastBatch), AxisRole::kBatch);

  const std::string prefix = base_name(*cache.write);
  op::Builder build(model, prefix);
  TENON_ASSIGN(const ir::Value rows,
               rows_in_layout(model, cache.write->input(0), attributes.type, cache.axis, prefix));
  TENON_ASSIGN(const ir::Value before,
               build.add(op::read_value_op(), {zeros(model, empty, attributes.name + ".empty")}, variable));
  TENON_ASSIGN(const ir::Value gathered, build.add(op::gather_op(), {before, beam}, op::GatherAttributes()));
  op::ConcatAttributes along;
  along.axis = cache.axis;
  TENON_ASSIGN(const ir::Value after, build.add(op::concat_op(), {gathered, rows}, along));
  op::AssignAttributes assign;
  assign.variable = attributes.name;
  TENON_RETURN_IF_ERROR(build.add_node(op::assign_op(), {after}, assign));

  for (ir::Node* const result : cache.results) model.erase(*result);
  TENON_RETURN_IF_ERROR(model.replace_uses(cache.write->output(0), after));
  model.erase(*cache.write);
  TENON_RETURN_IF_ERROR(model.replace_uses(cache.parameter->output(0), gathered));
  model.erase(*cache.parameter);
  return {};
}

Status rewrite(ir::Model& model, const StateUpdate& state) {
  const ir::ParameterAttributes attributes = state.parameter->attributes_as<ir::ParameterAttributes>();
  op::ReadValueAttributes variable;
  variable.variable = attributes.name;
  variable.type = attributes.type;
  variable.role = attributes.role;
  variable.layer = attributes.layer;
  op::Builder build(model, attributes.name);
  TENON_ASSIGN(
      const ir::Value before,
      build.add(op::read_value_op(), {zeros(model, attributes.type, attributes.name + ".zero")}, variable));
  op::AssignAttributes assign;
  assign.variable = attributes.name;
  TENON_RETURN_IF_ERROR(build.add_node(op::assign_op(), {state.result->input(0)}, assign));
  model.erase(*state.result);
  TENON_RETURN_IF_ERROR(model.replace_uses(state.parameter->output(0), before));
  model.erase(*state.parameter);
  return {};
}

// Row indices that nothing reads any more.
Status mark_unused(ir::Model& model, const std::set<ir::Node*>& indices) {
  for (ir::Node* const index : indices) {
    if (!index->port_uses(0).empty()) continue;
    ir::ParameterAttributes attributes = index->attributes_as<ir::ParameterAttributes>();
    attributes.unused = true;
    TENON_RETURN_IF_ERROR(model.replace_parameter(*index, std::move(attributes)));
    model.erase(*index);
  }
  return {};
}

Result<bool> run(ir::Model& model, ir::PassContext& context, const StatefulOptions& options) {
  TENON_ASSIGN(const std::vector<AppendWrite> caches, collect_append_writes(model, context, options));
  TENON_ASSIGN(const std::vector<StateUpdate> states, collect_state_updates(model));
  if (caches.empty() && states.empty()) {
    context.explain(model.name(), "no cache is written by a SetRows, and there is no recurrent state");
    return false;
  }
  if (!caches.empty()) {
    TENON_ASSIGN(ir::Node* const given, find_beam(model, options.beam_name));
    const int64_t declared = caches.front().parameter->port_type(0).dim(0).value();
    std::set<ir::Node*> indices;
    for (const AppendWrite& cache : caches) {
      ir::Node& index = cache.write->input(1).node();
      if (index.is("Parameter")) indices.insert(&index);
    }
    TENON_ASSIGN(const ir::Value beam, beam_input(model, options.beam_name, given));
    const std::optional<std::string> batch = beam.type().dim(0).symbol_name();
    if (batch && !options.dynamic_batch) model.symbols()[*batch] = {declared, declared};
    if (batch && options.dynamic_batch) model.symbols()[*batch] = {.min = 1};
    for (const AppendWrite& cache : caches)
      TENON_RETURN_IF_ERROR(rewrite(model, cache, beam, options.dynamic_batch));
    TENON_RETURN_IF_ERROR(mark_unused(model, indices));
  }
  for (const StateUpdate& state : states) TENON_RETURN_IF_ERROR(rewrite(model, state));
  return true;
}

}  // namespace

ir::Pass make_stateful(StatefulOptions options) {
  return {kPassName, [options = std::move(options)](ir::Model& model, ir::PassContext& context) {
            return run(model, context, options);
          }};
}

}  // namespace tenon::pass
