#include "tenon/runtime/session.h"

#include <algorithm>

namespace tenon::runtime {

namespace {

std::vector<std::string> mentioned_symbols(const plan::Step& step) {
  std::vector<std::string> out;
  const auto collect = [&](const std::vector<plan::Operand>& operands) {
    for (const plan::Operand& operand : operands) {
      for (const Dim& extent : operand.extents) extent.collect_symbols(out);
      for (const Dim& stride : operand.strides) stride.collect_symbols(out);
      operand.offset.collect_symbols(out);
    }
  };
  for (const plan::StepPart& part : step.parts) collect(part.inputs), collect(part.outputs);
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

Error not_bound(std::string_view kind, const std::string& name, size_t wanted, size_t found) {
  return {ErrorCode::kInvalidArgument, std::string(kind) + " '" + name + "'",
          "a binding of " + std::to_string(wanted) + " bytes or more",
          found == 0 ? "none" : std::to_string(found) + " bytes", ""};
}

}  // namespace

Session::Session(std::shared_ptr<Backend> backend, std::shared_ptr<const plan::Plan> plan)
    : backend_(std::move(backend)), plan_(std::move(plan)) {}

Result<std::unique_ptr<Session>> Session::create(std::shared_ptr<Backend> backend,
                                                 std::shared_ptr<const plan::Plan> plan) {
  std::unique_ptr<Session> out(new Session(std::move(backend), std::move(plan)));
  const plan::Plan& p = *out->plan_;
  TENON_ASSIGN(out->program_, out->backend_->load(out->plan_));
  TENON_ASSIGN(Buffer arena, out->backend_->allocate(p.arena_bytes + p.scratch_bytes));
  out->storages_.resize(p.storages.size());
  out->in_place_outputs_.resize(p.outputs.size());
  for (size_t i = 0; i < p.storages.size(); ++i) {
    const plan::Storage& storage = p.storages[i];
    if (storage.kind == plan::StorageKind::kArena) {
      out->storages_[i] = {arena.data + storage.arena_offset, storage.max_bytes};
    } else if (storage.kind == plan::StorageKind::kConstant) {
      TENON_ASSIGN(Buffer buffer, out->backend_->prepare(*storage.constant, storage.layout));
      out->storages_[i] = {buffer.data, buffer.size};
      out->owned_.push_back(std::move(buffer));
    }
  }
  out->scratch_ = arena.data + p.arena_bytes;
  out->owned_.push_back(std::move(arena));
  for (const plan::StepList& list : p.lists) {
    BoundList bound;
    for (const plan::Step& step : list.steps) {
      BoundStep bound_step;
      bound_step.step = &step;
      bound_step.scratch = out->scratch_;
      for (const plan::StepPart& part : step.parts) {
        bound_step.parts.push_back(
            {std::vector<TensorRef>(part.inputs.size()), std::vector<TensorRef>(part.outputs.size())});
      }
      bound.steps.push_back(std::move(bound_step));
      bound.symbols.push_back(mentioned_symbols(step));
    }
    out->lists_.push_back(std::move(bound));
  }
  return out;
}

Status Session::bind_input(std::string_view name, std::byte* data, size_t bytes) {
  const plan::InputBinding* input = plan_->find_input(name);
  if (!input) {
    return Error{ErrorCode::kInvalidArgument, "input '" + std::string(name) + "'", "an input of the plan",
                 "none of that name", ""};
  }
  return set_storage(input->storage, name, data, bytes);
}

Status Session::bind_output(std::string_view name, std::byte* data, size_t bytes) {
  const plan::OutputBinding* output = plan_->find_output(name);
  if (!output) {
    return Error{ErrorCode::kInvalidArgument, "output '" + std::string(name) + "'", "an output of the plan",
                 "none of that name", ""};
  }
  if (output->in_place) {
    in_place_outputs_[static_cast<size_t>(output - plan_->outputs.data())] = data;
    return {};
  }
  return set_storage(output->storage, name, data, bytes);
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

Status Session::check(const SymbolValues& symbols, const plan::StepList*& list) const {
  for (const auto& [name, value] : symbols) {
    const auto bounds = plan_->symbols.find(name);
    if (bounds == plan_->symbols.end()) continue;
    if (value < bounds->second.min || value > bounds->second.max) {
      return Error{ErrorCode::kInvalidArgument, "symbol " + name,
                   std::to_string(bounds->second.min) + " to " + std::to_string(bounds->second.max),
                   std::to_string(value), ""};
    }
  }
  const auto tokens = symbols.find(plan_->token_symbol);
  list = plan_->list_for(tokens == symbols.end() ? 1 : tokens->second);
  if (!list) {
    return Error{ErrorCode::kInvalidArgument, "run", "a token count that the plan was made for",
                 tokens == symbols.end() ? "none" : std::to_string(tokens->second), ""};
  }
  for (const plan::InputBinding& input : plan_->inputs) {
    if (!input.read) continue;
    const auto index = static_cast<size_t>(input.storage);
    const auto wanted = static_cast<size_t>(plan_->storages[index].bytes.evaluate(symbols));
    if (storages_[index].size < wanted)
      return not_bound("input", input.parameter.name, wanted, storages_[index].size);
  }
  for (size_t i = 0; i < plan_->outputs.size(); ++i) {
    const plan::OutputBinding& output = plan_->outputs[i];
    const std::byte* bound = in_place_outputs_[i];
    if (output.in_place && bound && bound != storages_[static_cast<size_t>(output.storage)].data) {
      return Error{ErrorCode::kInvalidArgument, "output '" + output.name + "'",
                   "the memory of its input, which the plan writes in place", "a second buffer",
                   "bind one buffer to both, or the input alone"};
    }
    const auto index = static_cast<size_t>(output.storage);
    const auto wanted = static_cast<size_t>(plan_->storages[index].bytes.evaluate(symbols));
    if (storages_[index].size < wanted)
      return not_bound("output", output.name, wanted, storages_[index].size);
  }
  return {};
}

TensorRef Session::bind(const plan::Operand& operand, const SymbolValues& symbols) const {
  TensorRef out;
  out.element = operand.element;
  out.rank = static_cast<int>(operand.extents.size());
  out.data = storages_[static_cast<size_t>(operand.storage)].data + operand.offset.evaluate(symbols);
  for (size_t axis = 0; axis < operand.extents.size(); ++axis) {
    out.extent[axis] = operand.extents[axis].evaluate(symbols);
    out.stride[axis] = operand.strides[axis].evaluate(symbols);
  }
  return out;
}

void Session::bind_steps(size_t list_index, const SymbolValues& symbols) {
  BoundList& list = lists_[list_index];
  const auto changed = [&](const std::vector<std::string>& names) {
    return !list.valid || std::any_of(names.begin(), names.end(), [&](const std::string& name) {
      return list.values.find(name)->second != symbols.find(name)->second;
    });
  };
  for (size_t i = 0; i < list.steps.size(); ++i) {
    if (!changed(list.symbols[i])) continue;
    const plan::Step& step = *list.steps[i].step;
    for (size_t p = 0; p < step.parts.size(); ++p) {
      BoundPart& bound = list.steps[i].parts[p];
      const plan::StepPart& part = step.parts[p];
      for (size_t k = 0; k < part.inputs.size(); ++k) bound.inputs[k] = bind(part.inputs[k], symbols);
      for (size_t k = 0; k < part.outputs.size(); ++k) bound.outputs[k] = bind(part.outputs[k], symbols);
    }
  }
  list.values = symbols;
  list.valid = true;
}

Status Session::run(const SymbolValues& symbols) {
  const plan::StepList* list = nullptr;
  TENON_RETURN_IF_ERROR(check(symbols, list));
  const auto index = static_cast<size_t>(list - plan_->lists.data());
  bind_steps(index, symbols);
  return program_->run(index, lists_[index].steps);
}

}  // namespace tenon::runtime
