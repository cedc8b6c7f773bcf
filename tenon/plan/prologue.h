// Steps that make another step's first operand become a part of it.
#pragma once

#include "tenon/plan/plan.h"

namespace tenon::plan {

// Where a row has a prologue and its step alone reads what a step of that row makes, as the first operand of
// every part, the two become one: the parts read the prologue's first operand instead, its other operands
// come last among the first part's inputs, its attributes last in the step's. Saves the barrier between them
// and the value's way through memory.
void absorb_prologues(StepList& list, const Target& target, const std::vector<Storage>& storages);

}  // namespace tenon::plan
