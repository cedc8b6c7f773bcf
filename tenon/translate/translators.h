// The translators, one for each ggml op; table.cpp lists them. Each is in the file of its op's name.
#pragma once

#include "tenon/translate/convert.h"
#include "tenon/translate/node_context.h"

namespace tenon::translate {

using Translation = Result<std::vector<ir::Value>>;

// For an op that is one op of the catalogue without attributes: the same inputs in the same order.
template <const op::OpDefinition& (*definition)(), int input_count>
Translation translate_one_to_one(NodeContext& context) {
  TENON_ASSIGN(std::vector<ir::Value> inputs, context.inputs(input_count));
  TENON_ASSIGN(const ir::Value result, context.build().add(definition(), std::move(inputs)));
  return std::vector{result};
}

Translation translate_add_id(NodeContext& context);
Translation translate_argsort(NodeContext& context);
Translation translate_clamp(NodeContext& context);
Translation translate_concat(NodeContext& context);
Translation translate_cont(NodeContext& context);
Translation translate_cpy(NodeContext& context);
Translation translate_flash_attn_ext(NodeContext& context);
Translation translate_gated_delta_net(NodeContext& context);
Translation translate_geglu(NodeContext& context);
Translation translate_gelu(NodeContext& context);
Translation translate_gelu_erf(NodeContext& context);
Translation translate_gelu_quick(NodeContext& context);
Translation translate_get_rows(NodeContext& context);
Translation translate_mul_mat(NodeContext& context);
Translation translate_mul_mat_id(NodeContext& context);
Translation translate_permute(NodeContext& context);
Translation translate_reshape(NodeContext& context);
Translation translate_rms_norm(NodeContext& context);
Translation translate_rope(NodeContext& context);
Translation translate_scale(NodeContext& context);
Translation translate_set_rows(NodeContext& context);
Translation translate_soft_max(NodeContext& context);
Translation translate_ssm_scan(NodeContext& context);
Translation translate_sum_rows(NodeContext& context);
Translation translate_swiglu(NodeContext& context);
Translation translate_swiglu_oai(NodeContext& context);
Translation translate_top_k(NodeContext& context);
Translation translate_transpose(NodeContext& context);
Translation translate_view(NodeContext& context);

}  // namespace tenon::translate
