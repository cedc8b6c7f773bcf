// The ops that are captured: one function per op fills its cases.
#pragma once

#include <span>
#include <string_view>

#include "capture.h"

namespace tenon::oracle {

void capture_add(Capture&);
void capture_add_id(Capture&);
void capture_argsort(Capture&);
void capture_clamp(Capture&);
void capture_concat(Capture&);
void capture_cont(Capture&);
void capture_cpy(Capture&);
void capture_div(Capture&);
void capture_flash_attn_ext(Capture&);
void capture_gated_delta_net(Capture&);
void capture_geglu(Capture&);
void capture_gelu(Capture&);
void capture_gelu_erf(Capture&);
void capture_gelu_quick(Capture&);
void capture_get_rows(Capture&);
void capture_get_rows_batched(Capture&);
void capture_mul(Capture&);
void capture_mul_mat(Capture&);
void capture_mul_mat_id(Capture&);
void capture_mul_mat_id_types(Capture&);  // every weight type but F32
void capture_mul_mat_types(Capture&);     // every weight type but F32
void capture_permute(Capture&);
void capture_reshape(Capture&);
void capture_rms_norm(Capture&);
void capture_rope(Capture&);
void capture_rope_multi(Capture&);  // positions of four components
void capture_scale(Capture&);
void capture_set_rows(Capture&);
void capture_sigmoid(Capture&);
void capture_silu(Capture&);
void capture_soft_max(Capture&);
void capture_softplus(Capture&);
void capture_ssm_conv(Capture&);
void capture_ssm_scan(Capture&);
void capture_sub(Capture&);
void capture_sum_rows(Capture&);
void capture_swiglu(Capture&);
void capture_swiglu_oai(Capture&);
void capture_tanh(Capture&);
void capture_top_k(Capture&);
void capture_transpose(Capture&);
void capture_view(Capture&);

struct OpRow {
  std::string_view file;  // name of the capture without .gguf
  std::string_view op;    // ggml's name
  void (*fill)(Capture&);
};

std::span<const OpRow> op_rows();  // sorted by file

}  // namespace tenon::oracle
