#include "tenon/plan/prologue.h"

#include <algorithm>

namespace tenon::plan {

namespace {

bool is_same_view(const Operand& a, const Operand& b) {
  return a.storage == b.storage && a.element == b.element && a.extents == b.extents &&
         a.strides == b.strides && a.offset == b.offset;
}

// The row by which `step` takes a prologue, or null.
const TargetRow* row_with_prologue(const Target& target, const Step& step) {
  const auto found = std::find_if(target.rows.begin(), target.rows.end(), [&](const TargetRow& row) {
    return row.id == step.row && !row.prologue.empty();
  });
  return found != target.rows.end() && (!found->takes_prologue || found->takes_prologue(step)) ? &*found
                                                                                               : nullptr;
}

size_t times_read(const StepList& list, int storage) {
  size_t count = 0;
  for (const Step& step : list.steps) {
    for (const StepPart& part : step.parts) {
      count += static_cast<size_t>(
          std::count_if(part.inputs.begin(), part.inputs.end(),
                        [&](const Operand& operand) { return operand.storage == storage; }));
    }
  }
  return count;
}

bool makes_first_operand_of(const Step& maker, const Step& reader, const StepList& list,
                            const std::vector<Storage>& storages) {
  if (maker.parts.size() != 1 || maker.parts[0].outputs.size() != 1) return false;
  const Operand& made = maker.parts[0].outputs[0];
  return storages[static_cast<size_t>(made.storage)].kind == StorageKind::kArena &&
         std::all_of(reader.parts.begin(), reader.parts.end(),
                     [&](const StepPart& part) { return is_same_view(part.inputs[0], made); }) &&
         times_read(list, made.storage) == reader.parts.size();
}

void absorb(const Step& maker, Step& step) {
  const std::vector<Operand>& inputs = maker.parts[0].inputs;
  for (StepPart& part : step.parts) part.inputs[0] = inputs[0];
  step.parts[0].inputs.insert(step.parts[0].inputs.end(), inputs.begin() + 1, inputs.end());
  step.attributes.insert(step.attributes.end(), maker.attributes.begin(), maker.attributes.end());
  step.prologue = maker.row;
  step.prologue_inputs = inputs.size() - 1;
}

}  // namespace

void absorb_prologues(StepList& list, const Target& target, const std::vector<Storage>& storages) {
  std::vector<bool> absorbed(list.steps.size());
  for (size_t i = 0; i < list.steps.size(); ++i) {
    const TargetRow* row = row_with_prologue(target, list.steps[i]);
    if (!row) continue;
    for (size_t maker = 0; maker < i; ++maker) {
      if (list.steps[maker].row != row->prologue || absorbed[maker] ||
          !makes_first_operand_of(list.steps[maker], list.steps[i], list, storages))
        continue;
      absorb(list.steps[maker], list.steps[i]);
      absorbed[maker] = true;
      break;
    }
  }
  size_t kept = 0;
  for (size_t i = 0; i < list.steps.size(); ++i) {
    if (absorbed[i]) continue;
    if (kept != i) list.steps[kept] = std::move(list.steps[i]);
    ++kept;
  }
  list.steps.resize(kept);
}

}  // namespace tenon::plan
