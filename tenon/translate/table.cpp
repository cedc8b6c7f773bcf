#include "tenon/op/elementwise.h"
#include "tenon/op/ssm_conv.h"
#include "tenon/translate/cases.h"
#include "tenon/translate/translators.h"

namespace tenon::translate {

namespace {

// Sorted by op.
constexpr TranslatorRow kTranslators[] = {
    {"ADD", translate_one_to_one<op::add_op, 2>, kOneCase},
    {"ADD_ID", translate_add_id, kOneCase},
    {"ARGSORT", translate_argsort, kArgsortCases},
    {"CLAMP", translate_clamp, kOneCase},
    {"CONCAT", translate_concat, kOneCase},
    {"CONT", translate_cont, kOneCase},
    {"CPY", translate_cpy, kOneCase},
    {"DIV", translate_one_to_one<op::divide_op, 2>, kOneCase},
    {"FLASH_ATTN_EXT", translate_flash_attn_ext, kAttentionCases},
    {"GATED_DELTA_NET", translate_gated_delta_net, kOneCase},
    {"GEGLU", translate_geglu, kGluCases},
    {"GELU", translate_gelu, kOneCase},
    {"GELU_ERF", translate_gelu_erf, kOneCase},
    {"GELU_QUICK", translate_gelu_quick, kOneCase},
    {"GET_ROWS", translate_get_rows, kOneCase},
    {"MUL", translate_one_to_one<op::multiply_op, 2>, kOneCase},
    {"MUL_MAT", translate_mul_mat, kOneCase},
    {"MUL_MAT_ID", translate_mul_mat_id, kOneCase},
    {"PERMUTE", translate_permute, kPermuteCases},
    {"RESHAPE", translate_reshape, kRegroupCases},
    {"RMS_NORM", translate_rms_norm, kOneCase},
    {"ROPE", translate_rope, kRopeCases},
    {"SCALE", translate_scale, kOneCase},
    {"SET_ROWS", translate_set_rows, kOneCase},
    {"SIGMOID", translate_one_to_one<op::sigmoid_op, 1>, kOneCase},
    {"SILU", translate_one_to_one<op::swish_op, 1>, kOneCase},
    {"SOFTPLUS", translate_one_to_one<op::softplus_op, 1>, kOneCase},
    {"SOFT_MAX", translate_soft_max, kOneCase},
    {"SSM_CONV", translate_one_to_one<op::ssm_conv_op, 2>, kOneCase},
    {"SSM_SCAN", translate_ssm_scan, kOneCase},
    {"SUB", translate_one_to_one<op::subtract_op, 2>, kOneCase},
    {"SUM_ROWS", translate_sum_rows, kOneCase},
    {"SWIGLU", translate_swiglu, kGluCases},
    {"SWIGLU_OAI", translate_swiglu_oai, kGluCases},
    {"TANH", translate_one_to_one<op::tanh_op, 1>, kOneCase},
    {"TOP_K", translate_top_k, kOneCase},
    {"TRANSPOSE", translate_transpose, kOneCase},
    {"VIEW", translate_view, kRegroupCases},
};

}  // namespace

std::span<const TranslatorRow> translators() { return kTranslators; }

}  // namespace tenon::translate
