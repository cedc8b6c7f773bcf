#include "tenon/runtime/session.h"

#include <algorithm>

namespace tenon::runtime {

namespace {

Error not_bound(std::string_view kind, const std::string& name, size_t wanted, size_t found) {
  return {ErrorCode::kInvalidArgument, std::string(kind) + " '" + name + "'",
          "a binding of " + std::to_string(wanted) + " bytes or more",
          found == 0 ? "none" : std::to_string(found) + " bytes", ""};
}

Error unknown(std::string_view kind, std::string_view name) {
  return {ErrorCode::kInvalidArgument, std::string(kind) + " '" + std::string(name) + "'",
          "a name that the plan has", "none such", ""};
}

}  // namespace

Session::Session(std::shared_ptr<Backend> backend, std::shared_ptr<const plan::Plan> plan)
    : backend_(std::move(backend)), plan_(std::move(plan)) {
  for (const auto& [name, bounds] : plan_->symbols) symbols_.push_back(name);
  values_.assign(symbols_.size(), -1);
}

Result<std::unique_ptr<Session>> Session::create(std::shared_ptr<Backend> backend,
                                                 std::shared_ptr<const plan::Plan> plan) {
  if (plan->symbols.size() > kMaxSymbols) {
    return Error{ErrorCode::kUnsupported, "plan", "at most " + std::to_string(kMaxSymbols) + " symbols",
                 std::to_string(plan->symbols.size()), ""};
  }
  std::unique_ptr<Session> out(new Session(std::move(backend), std::move(plan)));
  TENON_ASSIGN(out->program_, out->backend_->load(out->plan_));
  TENON_RETURN_IF_ERROR(out->prepare_memory());
  out->prepare_lists();
  return out;
}

Status Session::prepare_memory() {
  TENON_ASSIGN(Buffer arena, backend_->allocate(plan_->arena_bytes + plan_->scratch_bytes));
  in_place_outputs_.resize(plan_->outputs.size());
  for (const plan::Storage& storage : plan_->storages) {
    Memory memory;
    if (storage.kind == plan::StorageKind::kArena) {
      memory = {arena.data + storage.arena_offset, storage.max_bytes};
    } else if (storage.kind == plan::StorageKind::kConstant) {
      TENON_ASSIGN(Buffer buffer, backend_->prepare(*storage.constant, storage.layout));
      memory = {buffer.data, buffer.size};
      owned_.push_back(std::move(buffer));
    }
    storages_.push_back(memory);
    storage_bytes_.emplace_back(storage.bytes, symbols_);
  }
  scratch_ = arena.data + plan_->arena_bytes;
  owned_.push_back(std::move(arena));
  return {};
}

void Session::prepare_lists() {
  for (const plan::StepList& list : plan_->lists) {
    BoundList bound;
    bound.values = values_;
    for (const plan::Step& step : list.steps) {
      BoundStep bound_step;
      bound_step.step = &step;
      bound_step.scratch = scratch_;
      std::vector<PartViews> views;
      uint64_t mentions = 0;
      for (const plan::StepPart& part : step.parts) {
        PartViews& part_views = views.emplace_back();
        for (const plan::Operand& operand : part.inputs)
          part_views.inputs.push_back(view_of(operand, mentions));
        for (const plan::Operand& operand : part.outputs)
          part_views.outputs.push_back(view_of(operand, mentions));
        BoundPart& bound_part = bound_step.parts.emplace_back();
        bound_part.inputs.resize(part.inputs.size());
        bound_part.outputs.resize(part.outputs.size());
      }
      bound.steps.push_back(std::move(bound_step));
      bound.views.push_back(std::move(views));
      bound.mentions.push_back(mentions);
    }
    lists_.push_back(std::move(bound));
  }
}

Session::View Session::view_of(const plan::Operand& operand, uint64_t& mentions) const {
  View out;
  out.storage = operand.storage;
  if (operand.storage < 0) return out;
  out.element = operand.element;
  out.offset = Extent(operand.offset, symbols_);
  mentions |= out.offset.mentions();
  for (size_t axis = 0; axis < operand.extents.size(); ++axis) {
    mentions |= out.extents.emplace_back(operand.extents[axis], symbols_).mentions();
    mentions |= out.strides.emplace_back(operand.strides[axis], symbols_).mentions();
  }
  return out;
}

Status Session::bind_input(std::string_view name, std::byte* data, size_t bytes) {
  const plan::InputBinding* input = plan_->find_input(name);
  return input ? set_storage(input->storage, name, data, bytes) : unknown("input", name);
}

Status Session::bind_output(std::string_view name, std::byte* data, size_t bytes) {
  const plan::OutputBinding* output = plan_->find_output(name);
  if (!output) return unknown("output", name);
  if (!output->in_place) return set_storage(output->storage, name, data, bytes);
  in_place_outputs_[static_cast<size_t>(output - plan_->outputs.data())] = data;
  return {};
}

Status Session::set_storage(int storage, std::string_view name, std::byte* data, size_t bytes) {
  if (!data && bytes > 0) {
    return Error{ErrorCode::kInvalidArgument, "tensor '" + std::string(name) + "'", "memory",
                 "a null pointer", ""};
  }
  Memory& memory = storages_[static_cast<size_t>(storage)];
  if (memory.data != data) {
    for (BoundList& list : lists_) list.valid = false;
  }
  memory = {data, bytes};
  return {};
}

Status Session::set_symbols(std::span<const SymbolValue> symbols) {
  std::fill(values_.begin(), values_.end(), -1);
  for (const SymbolValue& symbol : symbols) {
    const auto found = std::find(symbols_.begin(), symbols_.end(), symbol.name);
    if (found == symbols_.end()) continue;  // a caller may know more symbols than this model uses
    const Bounds& bounds = plan_->symbols.find(symbol.name)->second;
    if (symbol.value < bounds.min || symbol.value > bounds.max) {
      return Error{ErrorCode::kInvalidArgument, "symbol " + std::string(symbol.name),
                   std::to_string(bounds.min) + " to " + std::to_string(bounds.max),
                   std::to_string(symbol.value), ""};
    }
    values_[static_cast<size_t>(found - symbols_.begin())] = symbol.value;
  }
  for (size_t i = 0; i < values_.size(); ++i) {
    if (values_[i] < 0) {
      return Error{ErrorCode::kInvalidArgument, "symbol " + symbols_[i], "a value for this run", "none", ""};
    }
  }
  return {};
}

Status Session::check_bindings() const {
  const auto wanted = [&](int storage) {
    return static_cast<size_t>(storage_bytes_[static_cast<size_t>(storage)].evaluate(values_));
  };
  const auto bound = [&](int storage) { return storages_[static_cast<size_t>(storage)]; };
  for (const plan::InputBinding& input : plan_->inputs) {
    if (!input.read || bound(input.storage).size >= wanted(input.storage)) continue;
    return not_bound("input", input.parameter.name, wanted(input.storage), bound(input.storage).size);
  }
  for (size_t i = 0; i < plan_->outputs.size(); ++i) {
    const plan::OutputBinding& output = plan_->outputs[i];
    if (output.in_place && in_place_outputs_[i] && in_place_outputs_[i] != bound(output.storage).data) {
      return Error{ErrorCode::kInvalidArgument, "output '" + output.name + "'",
                   "the memory of its input, which the plan writes in place", "a second buffer",
                   "bind one buffer to both, or the input alone"};
    }
    if (bound(output.storage).size < wanted(output.storage)) {
      return not_bound("output", output.name, wanted(output.storage), bound(output.storage).size);
    }
  }
  return {};
}

TensorRef Session::bind(const View& view) const {
  TensorRef out;
  if (view.storage < 0) return out;
  out.element = view.element;
  out.rank = static_cast<int>(view.extents.size());
  out.data = storages_[static_cast<size_t>(view.storage)].data + view.offset.evaluate(values_);
  for (size_t axis = 0; axis < view.extents.size(); ++axis) {
    out.extent[axis] = view.extents[axis].evaluate(values_);
    out.stride[axis] = view.strides[axis].evaluate(values_);
  }
  return out;
}

void Session::bind_steps(BoundList& list) {
  uint64_t changed = list.valid ? 0 : ~uint64_t{0};
  for (size_t i = 0; i < values_.size(); ++i) {
    if (list.values[i] != values_[i]) changed |= uint64_t{1} << i;
  }
  for (size_t i = 0; i < list.steps.size(); ++i) {
    if (list.valid && (list.mentions[i] & changed) == 0) continue;
    for (size_t p = 0; p < list.views[i].size(); ++p) {
      BoundPart& part = list.steps[i].parts[p];
      const PartViews& views = list.views[i][p];
      for (size_t k = 0; k < views.inputs.size(); ++k) part.inputs[k] = bind(views.inputs[k]);
      for (size_t k = 0; k < views.outputs.size(); ++k) part.outputs[k] = bind(views.outputs[k]);
    }
  }
  list.values = values_;
  list.valid = true;
}

Status Session::run(std::span<const SymbolValue> symbols) {
  TENON_RETURN_IF_ERROR(set_symbols(symbols));
  TENON_RETURN_IF_ERROR(check_bindings());
  int64_t tokens = 1;
  for (size_t i = 0; i < symbols_.size(); ++i) {
    if (symbols_[i] == plan_->token_symbol) tokens = values_[i];
  }
  const plan::StepList* list = plan_->list_for(tokens);
  if (!list) {
    return Error{ErrorCode::kInvalidArgument, "run", "a token count that the plan was made for",
                 std::to_string(tokens), ""};
  }
  const auto index = static_cast<size_t>(list - plan_->lists.data());
  bind_steps(lists_[index]);
  return program_->run(index, lists_[index].steps, traffic_);
}

}  // namespace tenon::runtime
