#include "tenon/plan/plan.h"

#include <algorithm>

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

std::string print_operand(const Plan& plan, const Operand& operand) {
  if (operand.storage < 0) return "(not read)";
  const Storage& storage = plan.storages[static_cast<size_t>(operand.storage)];
  std::string out = storage.name + " " + std::string(name(operand.element)) + "[";
  for (size_t i = 0; i < operand.extents.size(); ++i)
    out += (i > 0 ? "," : "") + operand.extents[i].to_string();
  return out + "]";
}

}  // namespace

std::string print(const Plan& plan) {
  std::string out = "plan for " + plan.target + "\n";
  for (const StepList& list : plan.lists) {
    out += "\nsteps for " + std::to_string(list.tokens.min) + " to " + std::to_string(list.tokens.max) +
           " tokens: " + std::to_string(list.steps.size()) + "\n";
    for (const Step& step : list.steps) {
      out += (step.barrier_before ? "  | " : "    ") + std::string(step.row) + "  " + step.name + "\n";
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
  out += "\nmemory: arena " + std::to_string(plan.arena_bytes) + " bytes, scratch " +
         std::to_string(plan.scratch_bytes) + " bytes\n";
  if (!plan.refusals.empty()) out += "\nnot fused:\n";
  for (const Refusal& refusal : plan.refusals) {
    out += "  " + refusal.row + " at " + refusal.node + ": " + refusal.reason + "\n";
  }
  return out;
}

}  // namespace tenon::plan
