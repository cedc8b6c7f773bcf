#include "tenon/plan/step_builder.h"

#include <algorithm>

#include "tenon/op/reshape.h"
#include "tenon/plan/border.h"
#include "tenon/plan/views.h"

namespace tenon::plan {

namespace {

Operand whole(int storage, const TensorType& type) {
  return {storage, type.element, type.dims(), contiguous_strides(type), Dim(0)};
}

}  // namespace

StepBuilder::StepBuilder(const ir::Model& model, const Target& target, const Limits& limits,
                         TokenRange tokens, Plan& plan)
    : model_(model), target_(target), limits_(limits), plan_(plan) {
  list_.tokens = tokens;
}

Result<StepList> StepBuilder::build() {
  const RowChoice choice = choose_rows(model_, target_, list_.tokens, plan_.refusals);
  for (ir::Node* node : model_.topological_order()) {
    if (const auto found = choice.by_root.find(node); found != choice.by_root.end()) {
      TENON_RETURN_IF_ERROR(emit(*node, found->second));
    } else if (choice.is_left_over(*node)) {
      return Error{ErrorCode::kUnsupported, std::string(node->op()) + " '" + node->name() + "'",
                   "an op that target " + std::string(target_.name) + " runs", node->output(0).describe(),
                   node->is("SetRows") ? "run the lowering of SetRows before planning" : "try --device ref"};
    }
  }
  for (const ir::Node* output : border_outputs(model_)) TENON_RETURN_IF_ERROR(emit_output(*output));
  return std::move(list_);
}

const TargetRow* StepBuilder::wildcard() const {
  const auto found = std::find_if(target_.rows.begin(), target_.rows.end(),
                                  [](const TargetRow& row) { return row.pattern == "*"; });
  return found == target_.rows.end() ? nullptr : &*found;
}

const TargetRow* StepBuilder::copy_row() const { return target_.copy ? &*target_.copy : wildcard(); }

Status StepBuilder::emit(ir::Node& root, const Chosen& chosen) {
  StepPart part;
  for (const ir::Value& operand : chosen.match.operands) {
    Operand input;
    if (is_read(chosen.match, operand)) {
      TENON_ASSIGN(input, operand.node().is("Constant") ? constant(operand, chosen.row->weight_layout)
                                                        : resolve(operand));
    }
    part.inputs.push_back(std::move(input));
  }
  if (chosen.row->shared) {
    TENON_ASSIGN(Operand table, shared_table(chosen));
    part.inputs.push_back(std::move(table));
  }
  TENON_ASSIGN(part.outputs, make_outputs(root, chosen, part));

  const auto& operands = chosen.match.operands;
  const bool joins =
      !chosen.row->group.empty() &&
      std::all_of(operands.begin() + 1, operands.end(), [](ir::Value v) { return v.node().is("Constant"); });
  if (joins) {
    const auto [group, first] = groups_.emplace(GroupKey{chosen.row->group, operands[0]}, list_.steps.size());
    if (!first) {
      list_.steps[group->second].parts.push_back(std::move(part));
      return {};
    }
  }

  Step step;
  step.row = chosen.row->id;
  step.op = root.op();
  step.name = root.name();
  for (const ir::Node* node : chosen.match.nodes) step.attributes.push_back(node->shared_attributes());
  if (chosen.row->scratch_bytes) {
    for (const ir::Value& operand : chosen.match.operands) {
      TENON_RETURN_IF_ERROR(largest(packed_bytes(operand.type()), operand.node().name()));
    }
    step.scratch_bytes = chosen.row->scratch_bytes(chosen.match, limits_);
    step.scratch_bytes_of_one = chosen.row->scratch_bytes(chosen.match, {limits_.symbols, 1});
  }
  step.parts.push_back(std::move(part));
  list_.steps.push_back(std::move(step));
  return {};
}

Result<std::vector<Operand>> StepBuilder::make_outputs(ir::Node& root, const Chosen& chosen,
                                                       const StepPart& part) {
  std::vector<Operand> outputs;
  if (chosen.row->in_place_operand >= 0) {
    const Operand& whole_tensor = part.inputs[static_cast<size_t>(chosen.row->in_place_operand)];
    const ir::Value written = written_value(chosen.match);
    outputs.push_back(whole_tensor);
    operands_[written] = whole_tensor;
    written_in_place_.insert(written);
    for (int port = 0; port < root.port_count() && root.output(port) != written; ++port) {
      std::optional<Operand> view = view_of(root, port, whole_tensor);
      if (!view || root.port_uses(port).empty()) continue;
      operands_[root.output(port)] = *view;
      outputs.push_back(std::move(*view));
    }
    return outputs;
  }
  for (int port = 0; port < root.port_count(); ++port) {
    const ir::Value value = root.output(port);
    if (const ir::Node* result = result_of(value)) {
      outputs.push_back(whole(output_storage(output_name(*result)), value.type()));
    } else {
      TENON_ASSIGN(Operand made, new_storage(StorageKind::kArena, value.type(), root.name()));
      outputs.push_back(std::move(made));
    }
    operands_[value] = outputs.back();
  }
  for (const int input : op::find_op(root.op())->written_inputs) {
    TENON_ASSIGN(Operand written, resolve(root.input(input)));
    outputs.push_back(std::move(written));
  }
  return outputs;
}

Result<Operand> StepBuilder::shared_table(const Chosen& chosen) {
  const SharedTable& shared = *chosen.row->shared;
  const ir::Node& root = chosen.match.root();
  Step step;
  std::string key =
      std::string(shared.id) + print_attributes(root.attributes(), *root.schema().make_attributes());
  StepPart part;
  for (const int index : shared.operands) {
    if (static_cast<size_t>(index) >= chosen.match.operands.size()) continue;
    const ir::Value operand = chosen.match.operands[static_cast<size_t>(index)];
    key += " " + operand.node().name() + ":" + std::to_string(operand.port());
    TENON_ASSIGN(Operand input, resolve(operand));
    part.inputs.push_back(std::move(input));
  }
  if (const auto found = shared_.find(key); found != shared_.end()) return found->second;
  TENON_ASSIGN(Operand table,
               new_storage(StorageKind::kArena, shared.type(chosen.match), std::string(shared.id)));
  part.outputs.push_back(table);
  step.row = shared.id;
  step.op = root.op();
  step.name = std::string(shared.id) + " of " + root.name();
  step.parts.push_back(std::move(part));
  step.attributes.push_back(root.shared_attributes());
  list_.steps.push_back(std::move(step));
  shared_[key] = table;
  return table;
}

// An output whose value is not made by a step that writes it directly gets a copy.
Status StepBuilder::emit_output(const ir::Node& output) {
  const ir::Value value = output.input(0);
  TENON_ASSIGN(Operand source, resolve(value));
  const std::string& name = output_name(output);
  OutputBinding* binding = plan_.find_output(name);
  if (written_in_place_.count(value) != 0) {
    binding->storage = source.storage;
    binding->in_place = true;
    return {};
  }
  if (source.storage == binding->storage) return {};
  const TargetRow* row = copy_row();
  if (!row) {
    return Error{ErrorCode::kUnsupported, std::string(output.op()) + " '" + name + "'",
                 "a value that a kernel writes", value.describe(), ""};
  }
  Step step;
  step.row = row->id;
  step.op = "Reshape";  // of equal extents: a copy
  step.name = output.name();
  step.parts.push_back({{source}, {whole(binding->storage, value.type())}});
  step.attributes.push_back(std::make_shared<op::ReshapeAttributes>());
  list_.steps.push_back(std::move(step));
  return {};
}

Result<Operand> StepBuilder::resolve(ir::Value value) {
  if (const auto found = operands_.find(value); found != operands_.end()) return found->second;
  ir::Node& node = value.node();
  if (node.is("Parameter") || node.is("ReadValue")) {
    return operands_[value] = whole(input_storage(input_attributes(node).name), value.type());
  }
  if (node.is("Constant")) return constant(value, Storage().layout);
  if (!is_view(node)) {
    return Error{ErrorCode::kInvalidGraph, value.describe(), "a value that a step has made",
                 "none before its reader", ""};
  }
  TENON_ASSIGN(Operand source, resolve(node.input(0)));
  if (std::optional<Operand> view = view_of(node, value.port(), source)) return operands_[value] = *view;

  // Strides cannot say it: copy.
  const TargetRow* row = copy_row();
  if (!row) {
    return Error{ErrorCode::kUnsupported, std::string(node.op()) + " '" + node.name() + "'",
                 "a view that strides can express", node.input(0).describe(), ""};
  }
  TENON_RETURN_IF_ERROR(emit(node, Chosen{row, Pattern::parse(row->pattern).matches(node).front()}));
  return operands_[value];
}

// One storage for each layout that some row wants.
Result<Operand> StepBuilder::constant(ir::Value value, std::string_view layout) {
  const ir::Node& node = value.node();
  for (size_t i = 0; i < plan_.storages.size(); ++i) {
    const Storage& storage = plan_.storages[i];
    if (storage.constant.get() == &node.attributes() && storage.layout == layout)
      return whole(static_cast<int>(i), value.type());
  }
  TENON_ASSIGN(Operand made, new_storage(StorageKind::kConstant, value.type(), node.name()));
  plan_.storages.back().constant =
      std::dynamic_pointer_cast<const ir::ConstantAttributes>(node.shared_attributes());
  plan_.storages.back().layout = layout;
  return made;
}

Result<Operand> StepBuilder::new_storage(StorageKind kind, const TensorType& type, const std::string& name) {
  Storage storage;
  storage.kind = kind;
  storage.name = name;
  storage.bytes = packed_bytes(type);
  TENON_ASSIGN(storage.max_bytes, largest(storage.bytes, name));
  plan_.storages.push_back(std::move(storage));
  return whole(static_cast<int>(plan_.storages.size()) - 1, type);
}

Result<size_t> StepBuilder::largest(const Dim& bytes, const std::string& name) const {
  const Bounds bounds = bytes.bounds(limits_.symbols);
  if (bounds.max == INT64_MAX) {
    return Error{ErrorCode::kInvalidArgument, "tensor '" + name + "'", "bounded extents",
                 bytes.to_string() + " bytes", "give an upper bound for each symbol"};
  }
  return static_cast<size_t>(bounds.max);
}

int StepBuilder::input_storage(std::string_view name) const { return plan_.find_input(name)->storage; }
int StepBuilder::output_storage(std::string_view name) const { return plan_.find_output(name)->storage; }

}  // namespace tenon::plan
