#include <algorithm>

#include "tenon/plan/border.h"
#include "tenon/plan/memory.h"
#include "tenon/plan/prologue.h"
#include "tenon/plan/step_builder.h"
#include "tenon/plan/views.h"

namespace tenon::plan {

namespace {

std::string token_symbol_of(const ir::Model& model) {
  for (const ir::Node* node : model.parameters()) {
    const auto& parameter = node->attributes_as<ir::ParameterAttributes>();
    if (parameter.role == ir::ParameterRole::kTokens)
      return parameter.type.dim(-1).symbol_name().value_or("");
  }
  return "";
}

// One token, a few, many: a kernel may differ, a plan list may too.
std::vector<TokenRange> token_classes(int64_t max_tokens) {
  std::vector<TokenRange> out;
  for (const TokenRange range : {TokenRange{1, 1}, TokenRange{2, 8}, TokenRange{9, INT64_MAX}}) {
    if (range.min <= max_tokens) out.push_back({range.min, std::min(range.max, max_tokens)});
  }
  return out;
}

// Those of the inputs: a session asks for the value of each.
SymbolBounds symbol_bounds(const ir::Model& model, const SymbolBounds& overrides) {
  std::vector<std::string> mentioned;
  for (const ir::Node* node : border_inputs(model)) {
    for (const Axis& axis : node->port_type(0).axes) axis.extent.collect_symbols(mentioned);
    const std::string gives_value_to = input_attributes(*node).value_symbol;
    if (!gives_value_to.empty()) mentioned.push_back(gives_value_to);
  }
  SymbolBounds bounds;
  for (const std::string& name : mentioned) {
    const auto given = overrides.find(name), declared = model.symbols().find(name);
    bounds[name] = given != overrides.end()            ? given->second
                   : declared != model.symbols().end() ? declared->second
                                                       : Bounds{};
  }
  return bounds;
}

int add_storage(Plan& plan, StorageKind kind, const std::string& name, const TensorType& type) {
  Storage storage;
  storage.kind = kind;
  storage.name = name;
  storage.bytes = packed_bytes(type);
  const Bounds bounds = storage.bytes.bounds(plan.symbols);
  storage.max_bytes = bounds.max == INT64_MAX ? 0 : static_cast<size_t>(bounds.max);  // the caller's memory
  plan.storages.push_back(std::move(storage));
  return static_cast<int>(plan.storages.size()) - 1;
}

void add_border(const ir::Model& model, Plan& plan) {
  for (const ir::Node* node : border_inputs(model)) {
    const ir::ParameterAttributes parameter = input_attributes(*node);
    plan.inputs.push_back(
        {parameter, add_storage(plan, StorageKind::kInput, parameter.name, parameter.type), false});
  }
  for (const ir::Node* node : border_outputs(model)) {
    const std::string& name = output_name(*node);
    const TensorType& type = node->input(0).type();
    plan.outputs.push_back({name, type, add_storage(plan, StorageKind::kOutput, name, type), false});
  }
}

void mark_read_inputs(Plan& plan) {
  for (const StepList& list : plan.lists) {
    for (const Step& step : list.steps) {
      for (const StepPart& part : step.parts) {
        for (const Operand& operand : part.inputs) {
          for (InputBinding& input : plan.inputs) input.read |= input.storage == operand.storage;
        }
      }
    }
  }
}

}  // namespace

Result<std::shared_ptr<const Plan>> make_plan(const ir::Model& model, const Target& target,
                                              const PlanOptions& options) {
  auto plan = std::make_shared<Plan>();
  plan->target = target.name;
  plan->symbols = symbol_bounds(model, options.symbols);
  plan->token_symbol = token_symbol_of(model);
  add_border(model, *plan);

  const int64_t max_tokens =
      plan->token_symbol.empty() ? 1 : Dim::symbol(plan->token_symbol).bounds(plan->symbols).max;
  if (max_tokens == INT64_MAX) {
    return Error{ErrorCode::kInvalidArgument, "symbol " + plan->token_symbol, "an upper bound", "none", ""};
  }
  for (const TokenRange tokens : token_classes(max_tokens)) {
    SymbolBounds symbols = plan->symbols;
    if (!plan->token_symbol.empty()) symbols[plan->token_symbol] = {tokens.min, tokens.max};
    const Limits limits{std::move(symbols), options.workers};
    TENON_ASSIGN(StepList list, StepBuilder(model, target, limits, tokens, *plan).build());
    absorb_prologues(list, target, plan->storages);
    plan->arena_bytes = std::max(plan->arena_bytes, assign_arena(list, plan->storages));
    place_barriers(list, plan->storages);
    for (const Step& step : list.steps)
      plan->scratch_bytes = std::max(plan->scratch_bytes, step.scratch_bytes);
    plan->lists.push_back(std::move(list));
  }
  mark_read_inputs(*plan);
  return std::shared_ptr<const Plan>(std::move(plan));
}

}  // namespace tenon::plan
