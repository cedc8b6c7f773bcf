// All kernels of one instruction set.
#pragma once

#include "tenon/cpu/kernel_table.h"
#include "tenon/cpu/kernels/attention.h"
#include "tenon/cpu/kernels/convert.h"
#include "tenon/cpu/kernels/elementwise.h"
#include "tenon/cpu/kernels/gather_rows.h"
#include "tenon/cpu/kernels/matmul.h"
#include "tenon/cpu/kernels/recurrent.h"
#include "tenon/cpu/kernels/rms_norm.h"
#include "tenon/cpu/kernels/rope.h"
#include "tenon/cpu/kernels/softmax.h"

namespace tenon::cpu {

template <class V, SumOrder kOrder>
constexpr KernelTable kernel_table() {
  return {
      .isa = V::kName,
      .order = kOrder,
      .matmul_workspace_bytes = &Matmul<V, kOrder>::workspace_bytes,
      .matmul = &Matmul<V, kOrder>::run,
      .attention_workspace_bytes = &Attention<V, kOrder>::workspace_bytes,
      .attention = &Attention<V, kOrder>::run,
      .rope = &rope<V>,
      .rms_norm = &rms_norm<V>,
      .binary = &binary<V>,
      .unary = &unary<V>,
      .geglu = &geglu<V>,
      .swiglu = &swiglu<V>,
      .clamped_glu = &clamped_glu<V>,
      .softmax = &softmax<V>,
      .convert = &convert<V>,
      .gather_rows = &gather_rows<V>,
      .ssm_conv = &ssm_conv<V>,
      .ssm_scan = &ssm_scan<V>,
      .gated_delta_net = &gated_delta_net<V>,
  };
}

}  // namespace tenon::cpu
