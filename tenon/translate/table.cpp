#include "tenon/op/elementwise.h"
#include "tenon/translate/cases.h"
#include "tenon/translate/translators.h"

namespace tenon::translate {

namespace {

// Sorted by op.
constexpr TranslatorRow kTranslators[] = {
    {"ADD", translate_one_to_one<op::add_op, 2>, kOneCase},
    {"ARGSORT", translate_argsort, kArgsortCases},
    {"CONT", translate_cont, kOneCase},
    {"FLASH_ATTN_EXT", translate_flash_attn_ext, kAttentionCases},
    {"GEGLU", translate_geglu, kGluCases},
    {"GELU", translate_gelu, kOneCase},
    {"GELU_ERF", translate_gelu_erf, kOneCase},
    {"GELU_QUICK", translate_gelu_quick, kOneCase},
    {"GET_ROWS", translate_get_rows, kOneCase},
    {"MUL", translate_one_to_one<op::multiply_op, 2>, kOneCase},
    {"MUL_MAT", translate_mul_mat, kOneCase},
    {"PERMUTE", translate_permute, kPermuteCases},
    {"RESHAPE", translate_reshape, kRegroupCases},
    {"RMS_NORM", translate_rms_norm, kOneCase},
    {"ROPE", translate_rope, kRopeCases},
    {"SCALE", translate_scale, kOneCase},
    {"SET_ROWS", translate_set_rows, kOneCase},
    {"SILU", translate_one_to_one<op::swish_op, 1>, kOneCase},
    {"SWIGLU", translate_swiglu, kGluCases},
    {"TANH", translate_one_to_one<op::tanh_op, 1>, kOneCase},
    {"TOP_K", translate_top_k, kOneCase},
    {"VIEW", translate_view, kRegroupCases},
};

}  // namespace

std::span<const TranslatorRow> translators() { return kTranslators; }

}  // namespace tenon::translate
