// The table "avx512fp16": that of AVX-512 with another attention.
#pragma once

#include "tenon/cpu/kernel_table.h"

namespace tenon::cpu {

// With SumOrder::kFixed nothing is summed in f16.
const KernelTable& half_attention_table(SumOrder order);

// Whether its attention of many rows is the faster one here, by a measurement of about a millisecond: that a
// CPU has the instructions does not say that it has two units for them. Only where it has them.
bool half_attention_is_faster();

}  // namespace tenon::cpu
