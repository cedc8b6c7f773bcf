#include "tenon/op/elementwise.h"
#include "tenon/translate/translators.h"

namespace tenon::translate {

namespace {

// Sorted by op.
constexpr TranslatorRow kTranslators[] = {
    {"ADD", translate_one_to_one<op::add_op, 2>},
    {"ARGSORT", translate_argsort},
    {"CONT", translate_cont},
    {"FLASH_ATTN_EXT", translate_flash_attn_ext},
    {"GELU", translate_gelu},
    {"GELU_ERF", translate_gelu_erf},
    {"GELU_QUICK", translate_gelu_quick},
    {"GET_ROWS", translate_get_rows},
    {"MUL", translate_one_to_one<op::multiply_op, 2>},
    {"MUL_MAT", translate_mul_mat},
    {"PERMUTE", translate_permute},
    {"RESHAPE", translate_reshape},
    {"RMS_NORM", translate_rms_norm},
    {"ROPE", translate_rope},
    {"SCALE", translate_scale},
    {"SET_ROWS", translate_set_rows},
    {"SILU", translate_one_to_one<op::swish_op, 1>},
    {"SWIGLU", translate_swiglu},
    {"TOP_K", translate_top_k},
    {"VIEW", translate_view},
};

}  // namespace

std::span<const TranslatorRow> translators() { return kTranslators; }

}  // namespace tenon::translate
