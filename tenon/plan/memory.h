// Where arena storages lie, and where steps must wait for each other.
#pragma once

#include "tenon/plan/plan.h"

namespace tenon::plan {

// Gives every arena storage of `list` an offset such that storages whose lives overlap do not; returns the
// bytes taken.
size_t assign_arena(const StepList& list, std::vector<Storage>& storages);

// Sets Step::barrier_before. The scratch is one region that all steps share.
void place_barriers(StepList& list, const std::vector<Storage>& storages);

}  // namespace tenon::plan
