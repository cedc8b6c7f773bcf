#include "tenon/plan/plan.h"

#include <algorithm>
#include <utility>

namespace tenon::plan {

const InputBinding* Plan::find_input(std::string_view name) const {
  const auto found = std::find_if(inputs.begin(), inputs.end(),
                                  [&](const InputBinding& input) { return input.parameter.name == name; });
  return found == inputs.end() ? nullptr : &*found;
}

const OutputBinding* Plan::find_output(std::string_view name) const {
  const auto found = std::find_if(outputs.begin(), outputs.end(),
                                  [&](const OutputBinding& output) { return output.name == name; });
  return found == outputs.end() ? nullptr : &*found;
}

OutputBinding* Plan::find_output(std::string_view name) {
  return const_cast<OutputBinding*>(std::as_const(*this).find_output(name));
}

const StepList* Plan::list_for(int64_t tokens) const {
  const auto found = std::find_if(lists.begin(), lists.end(), [&](const StepList& list) {
    return list.tokens.min <= tokens && tokens <= list.tokens.max;
  });
  return found == lists.end() ? nullptr : &*found;
}

int Plan::count(std::string_view row, const StepList& list) const {
  return static_cast<int>(
      std::count_if(list.steps.begin(), list.steps.end(), [&](const Step& step) { return step.row == row; }));
}

namespace {

std::string print_extents(const std::vector<Dim>& extents) {
  std::string out = "[";
  for (size_t i = 0; i < extents.size(); ++i) out += (i > 0 ? "," : "") + extents[i].to_string();
  return out + "]";
}

// "cache_k_l0 f16[1,KV,2,16] +1024": the storage's name, the view, its offset in bytes.
std::string print_operand(const Plan& plan, const Operand& operand) {
  if (operand.storage < 0) return "(not read)";
  const Storage& storage = plan.storages[static_cast<size_t>(operand.storage)];
  std::string out =
      printable(storage.name) + " " + std::string(name(operand.element)) + print_extents(operand.extents);
  if (operand.offset != Dim(0)) out += " +" + operand.offset.to_string();
  return out;
}

void print_list(const Plan& plan, const StepList& list, std::string& out) {
  out += "\nsteps for " + std::to_string(list.tokens.min) + " to " + std::to_string(list.tokens.max) +
         " tokens: " + std::to_string(list.steps.size()) + "\n";
  for (const Step& step : list.steps) {
    out += (step.barrier_before ? "  | " : "    ") + std::string(step.row) + "  " + printable(step.name) +
           (step.prologue.empty() ? "" : "  after " + std::string(step.prologue)) + "\n";
    for (const StepPart& part : step.parts) {
      out += "        ";
      for (size_t i = 0; i < part.inputs.size(); ++i)
        out += (i > 0 ? ", " : "") + print_operand(plan, part.inputs[i]);
      out += " ->";
      for (const Operand& output : part.outputs) out += " " + print_operand(plan, output);
      out += "\n";
    }
  }
}

void print_border(const Plan& plan, std::string& out) {
  out += "\ninputs:\n";
  for (const InputBinding& input : plan.inputs) {
    out += "  " + printable(input.parameter.name) + " " + input.parameter.type.to_string() +
           (input.read ? "" : " (not read)") + "\n";
  }
  out += "\noutputs:\n";
  for (const OutputBinding& output : plan.outputs) {
    out += "  " + printable(output.name) + " " + output.type.to_string() +
           (output.in_place ? " in place" : "") + "\n";
  }
}

// How each weight lies in memory: "file" are the model file's own bytes.
void print_weights(const Plan& plan, std::string& out) {
  out += "\nweights:\n";
  for (const Storage& storage : plan.storages) {
    if (storage.kind != StorageKind::kConstant || storage.constant->weight.empty()) continue;
    const TensorType& type = storage.constant->type;
    out += "  " + printable(storage.constant->weight) + " " + std::string(name(type.element)) +
           print_extents(type.dims()) + " " + std::string(storage.layout) + "\n";
  }
}

}  // namespace

std::string print(const Plan& plan) {
  std::string out = "plan for " + plan.target + "\n";
  for (const StepList& list : plan.lists) print_list(plan, list, out);
  print_border(plan, out);
  print_weights(plan, out);
  out += "\nmemory: arena " + std::to_string(plan.arena_bytes) + " bytes, scratch " +
         std::to_string(plan.scratch_bytes) + " bytes\n";
  if (!plan.refusals.empty()) out += "\nnot fused:\n";
  for (const Refusal& refusal : plan.refusals) {
    out += "  " + refusal.row + " at " + printable(refusal.node) + ": " + printable(refusal.reason) + "\n";
  }
  return out;
}

}  // namespace tenon::plan
