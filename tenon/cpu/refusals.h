// The conditions of the target's rows: why a match is not for a kernel of the CPU, or "" when it is.
#pragma once

#include <string>

#include "tenon/plan/pattern.h"

namespace tenon::cpu {

std::string refuse_attention(const plan::Match& match);
std::string refuse_binary(const plan::Match& match);
std::string refuse_cache_rows(const plan::Match& match);
std::string refuse_concat(const plan::Match& match);
std::string refuse_convert(const plan::Match& match);
std::string refuse_experts(const plan::Match& match);
std::string refuse_experts_swiglu(const plan::Match& match);
std::string refuse_gate(const plan::Match& match);
std::string refuse_gated_delta_net(const plan::Match& match);
std::string refuse_gather(const plan::Match& match);
std::string refuse_gelu(const plan::Match& match);
std::string refuse_matmul(const plan::Match& match);
std::string refuse_matmul_bias(const plan::Match& match);
std::string refuse_matmul_bias_residual(const plan::Match& match);
std::string refuse_matmul_residual(const plan::Match& match);
std::string refuse_matmul_swiglu(const plan::Match& match);
std::string refuse_paged_attention(const plan::Match& match);
std::string refuse_rope(const plan::Match& match);
std::string refuse_softmax(const plan::Match& match);
std::string refuse_ssm_conv(const plan::Match& match);
std::string refuse_ssm_scan(const plan::Match& match);
std::string refuse_topk(const plan::Match& match);
std::string refuse_unless_f32(const plan::Match& match);
std::string refuse_weighted_norm(const plan::Match& match);

}  // namespace tenon::cpu
