// Which steps the CPU has kernels for, and under which conditions.
#pragma once

#include "tenon/cpu/kernel_table.h"
#include "tenon/plan/target.h"

namespace tenon::cpu {

plan::Target make_target(const KernelTable& kernels);

}  // namespace tenon::cpu
