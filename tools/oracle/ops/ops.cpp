#include "ops/ops.h"

namespace tenon::oracle {

std::span<const OpRow> op_rows() {
  static constexpr OpRow kRows[] = {
      {"add", "ADD", capture_add},
      {"add_id", "ADD_ID", capture_add_id},
      {"argsort", "ARGSORT", capture_argsort},
      {"clamp", "CLAMP", capture_clamp},
      {"concat", "CONCAT", capture_concat},
      {"cont", "CONT", capture_cont},
      {"cpy", "CPY", capture_cpy},
      {"div", "DIV", capture_div},
      {"flash_attn_ext", "FLASH_ATTN_EXT", capture_flash_attn_ext},
      {"gated_delta_net", "GATED_DELTA_NET", capture_gated_delta_net},
      {"geglu", "GEGLU", capture_geglu},
      {"gelu", "GELU", capture_gelu},
      {"gelu_erf", "GELU_ERF", capture_gelu_erf},
      {"gelu_quick", "GELU_QUICK", capture_gelu_quick},
      {"get_rows", "GET_ROWS", capture_get_rows},
      {"get_rows_batched", "GET_ROWS", capture_get_rows_batched},
      {"mul", "MUL", capture_mul},
      {"mul_mat", "MUL_MAT", capture_mul_mat},
      {"mul_mat_id", "MUL_MAT_ID", capture_mul_mat_id},
      {"mul_mat_id_types", "MUL_MAT_ID", capture_mul_mat_id_types},
      {"mul_mat_types", "MUL_MAT", capture_mul_mat_types},
      {"permute", "PERMUTE", capture_permute},
      {"reshape", "RESHAPE", capture_reshape},
      {"rms_norm", "RMS_NORM", capture_rms_norm},
      {"rope", "ROPE", capture_rope},
      {"rope_multi", "ROPE", capture_rope_multi},
      {"scale", "SCALE", capture_scale},
      {"set_rows", "SET_ROWS", capture_set_rows},
      {"sigmoid", "SIGMOID", capture_sigmoid},
      {"silu", "SILU", capture_silu},
      {"soft_max", "SOFT_MAX", capture_soft_max},
      {"softplus", "SOFTPLUS", capture_softplus},
      {"ssm_conv", "SSM_CONV", capture_ssm_conv},
      {"ssm_scan", "SSM_SCAN", capture_ssm_scan},
      {"sub", "SUB", capture_sub},
      {"sum_rows", "SUM_ROWS", capture_sum_rows},
      {"swiglu", "SWIGLU", capture_swiglu},
      {"swiglu_oai", "SWIGLU_OAI", capture_swiglu_oai},
      {"tanh", "TANH", capture_tanh},
      {"top_k", "TOP_K", capture_top_k},
      {"transpose", "TRANSPOSE", capture_transpose},
      {"view", "VIEW", capture_view},
  };
  return kRows;
}

}  // namespace tenon::oracle
