#include "tenon/cpu/target.h"

#include <algorithm>

#include "tenon/cpu/refusals.h"
#include "tenon/cpu/steps.h"
#include "tenon/op/attention.h"
#include "tenon/op/paged_attention.h"
#include "tenon/op/rope.h"
#include "tenon/plan/plan.h"

namespace tenon::cpu {

namespace {

using plan::Limits;
using plan::Match;

TensorType rope_table_type(const Match& match) {
  const int64_t rotated = match.root().attributes_as<op::RopeAttributes>().n_rot;
  const TensorType& x = match.operands[0].type();  // [1,T,H,D] or [T,1,H,D]
  return {ElementType::kF32, plain({x.dim(0) * x.dim(1), Dim(rotated)})};
}

const plan::SharedTable kRopeTable{"rope_table", {1, 2}, rope_table_type};

// A product of block weights quantises x row by row and normalises it on the way; of floats it reads x as it
// lies.
bool has_block_weights_alone(const plan::Step& step) {
  return std::all_of(step.parts.begin(), step.parts.end(),
                     [](const plan::StepPart& part) { return is_block(part.inputs[1].element); });
}

}  // namespace

plan::Target make_target(const KernelTable& kernels) {
  const auto matmul_scratch = [&kernels](const Match& match, const Limits& limits) {
    const TensorType& x = match.operands[0].type();
    const int64_t depth = x.dim(-1).value();
    return kernels.matmul_workspace_bytes(limits.largest(x.element_count()) / depth, depth, limits.workers);
  };
  const auto attention_scratch = [&kernels](const Match& match, const Limits& limits) {
    const TensorType &q = match.operands[0].type(), &k = match.operands[1].type();
    const auto& attributes = match.node("Attention").attributes_as<op::AttentionAttributes>();
    // A ring stands for keys without end, of which a window shows some.
    const int64_t keys = attributes.ring > 0 ? attributes.window : limits.largest(k.dim(2));
    return kernels.attention_workspace_bytes(limits.largest(q.dim(2)), keys, q.dim(1).value(),
                                             k.dim(1).value(), q.dim(3).value(), limits.workers);
  };
  const auto paged_scratch = [&kernels](const Match& match, const Limits& limits) {
    const TensorType &q = match.operands[op::kPagedQ].type(),
                     &keys = match.operands[op::kPagedKeyCache].type();
    const int64_t heads = keys.dim(1).value(), size = keys.dim(3).value(), tokens = limits.largest(q.dim(0));
    const int64_t blocks = limits.largest(match.operands[op::kPagedBlockIndices].type().dim(0));
    return paged_places_bytes(tokens, heads) +
           kernels.attention_workspace_bytes(tokens, blocks * keys.dim(2).value(), q.dim(1).value() / size,
                                             heads, size, limits.workers);
  };
  // Operands x, a weight, ids.
  const auto experts_scratch = [&kernels](const Match& match, const Limits& limits) {
    const TensorType &w = match.operands[1].type(), &ids = match.operands[2].type();
    const int64_t used = ids.dim(-1).value();
    return experts_scratch_bytes({limits.largest(ids.element_count()) / used, used, w.dim(0).value(),
                                  w.dim(1).value(), w.dim(2).value()},
                                 kernels, limits.workers);
  };
  plan::Target target{
      "cpu",
      {
          {.id = "matmul_experts_swiglu",
           .pattern = "SwiGLU(MatMulExperts(x, g:Constant, ids), MatMulExperts(x, u:Constant, ids))",
           .refuse = refuse_experts_swiglu,
           .scratch_bytes = experts_scratch},
          {.id = "matmul_experts",
           .pattern = "MatMulExperts(x, w:Constant, ids)",
           .refuse = refuse_experts,
           .scratch_bytes = experts_scratch},
          {.id = "matmul_swiglu",
           .pattern = "SwiGLU(MatMul(x, g:Constant), MatMul(x, u:Constant))",
           .refuse = refuse_matmul_swiglu,
           .scratch_bytes = matmul_scratch,
           .prologue = "rms_norm",
           .takes_prologue = has_block_weights_alone},
          {.id = "matmul_bias_residual",
           .pattern = "Add(Add(MatMul(x, w:Constant), b:Constant), r)",
           .refuse = refuse_matmul_bias_residual,
           .scratch_bytes = matmul_scratch},
          {.id = "matmul",
           .pattern = "Add(MatMul(x, w:Constant), b:Constant)",
           .refuse = refuse_matmul_bias,
           .group = "matmul",
           .scratch_bytes = matmul_scratch},
          {.id = "matmul_residual",
           .pattern = "Add(MatMul(x, w:Constant), r)",
           .refuse = refuse_matmul_residual,
           .scratch_bytes = matmul_scratch},
          {.id = "matmul",
           .pattern = "MatMul(x, w:Constant)",
           .refuse = refuse_matmul,
           .group = "matmul",
           .scratch_bytes = matmul_scratch,
           .prologue = "rms_norm",
           .takes_prologue = has_block_weights_alone},
          {.id = "rms_norm", .pattern = "Multiply(RMSNorm(x), w:Constant)", .refuse = refuse_weighted_norm},
          {.id = "rms_norm", .pattern = "RMSNorm", .refuse = refuse_unless_f32},
          {.id = "rope", .pattern = "Rope", .refuse = refuse_rope, .shared = &kRopeTable},
          {.id = "StatelessKV",
           .pattern = "VariadicSplit(ScatterUpdate(cache:Parameter, index, Convert(rows)), lengths)",
           .refuse = refuse_cache_rows,
           .in_place_operand = 0},
          {.id = "StatelessKV",
           .pattern = "VariadicSplit(ScatterUpdate(cache:Parameter, index, rows), lengths)",
           .refuse = refuse_cache_rows,
           .in_place_operand = 0},
          {.id = "scatter_rows",
           .pattern = "ScatterUpdate(cache, index, Convert(rows))",
           .refuse = refuse_cache_rows},
          {.id = "scatter_rows", .pattern = "ScatterUpdate(cache, index, rows)", .refuse = refuse_cache_rows},
          {.id = "attention",
           .pattern = "Attention(Convert(q), k, v, mask, positions, sinks)",
           .refuse = refuse_attention,
           .scratch_bytes = attention_scratch},
          {.id = "attention",
           .pattern = "Attention(Convert(q), k, v, mask, positions)",
           .refuse = refuse_attention,
           .scratch_bytes = attention_scratch},
          {.id = "attention",
           .pattern = "Attention(Convert(q), k, v, mask)",
           .refuse = refuse_attention,
           .scratch_bytes = attention_scratch},
          {.id = "attention",
           .pattern = "Attention(q, k, v, mask, positions, sinks)",
           .refuse = refuse_attention,
           .scratch_bytes = attention_scratch},
          {.id = "attention",
           .pattern = "Attention(q, k, v, mask, positions)",
           .refuse = refuse_attention,
           .scratch_bytes = attention_scratch},
          {.id = "attention",
           .pattern = "Attention(q, k, v, mask)",
           .refuse = refuse_attention,
           .scratch_bytes = attention_scratch},
          {.id = "paged_attention",
           .pattern = "PagedAttention(q, Convert(k), Convert(v), key_cache:Parameter, value_cache:Parameter, "
                      "past, begins, blocks, block_begins, longest, sinks)",
           .refuse = refuse_paged_attention,
           .scratch_bytes = paged_scratch},
          {.id = "paged_attention",
           .pattern = "PagedAttention(q, Convert(k), Convert(v), key_cache:Parameter, value_cache:Parameter, "
                      "past, begins, blocks, block_begins, longest)",
           .refuse = refuse_paged_attention,
           .scratch_bytes = paged_scratch},
          {.id = "paged_attention",
           .pattern = "PagedAttention(q, k, v, key_cache:Parameter, value_cache:Parameter, past, begins, "
                      "blocks, block_begins, longest, sinks)",
           .refuse = refuse_paged_attention,
           .scratch_bytes = paged_scratch},
          {.id = "paged_attention",
           .pattern = "PagedAttention(q, k, v, key_cache:Parameter, value_cache:Parameter, past, begins, "
                      "blocks, block_begins, longest)",
           .refuse = refuse_paged_attention,
           .scratch_bytes = paged_scratch},
          {.id = "topk",
           .pattern = "TopK(data, k)",
           .refuse = refuse_topk,
           .scratch_bytes =
               [](const Match& match, const Limits& limits) {
                 return topk_scratch_bytes(limits.largest(match.operands[0].type().dim(-1)), limits.workers);
               }},
          {.id = "add", .pattern = "Add(a, b)", .refuse = refuse_binary},
          {.id = "divide", .pattern = "Divide(a, b)", .refuse = refuse_binary},
          {.id = "swiglu", .pattern = "Multiply(Swish(gate), up)", .refuse = refuse_gate},
          {.id = "multiply", .pattern = "Multiply(a, b)", .refuse = refuse_binary},
          {.id = "gelu", .pattern = "Gelu", .refuse = refuse_gelu},
          {.id = "geglu", .pattern = "GeGLU(gate, up)", .refuse = refuse_unless_f32},
          {.id = "softmax", .pattern = "Softmax(x)", .refuse = refuse_softmax},
          {.id = "swiglu_oai", .pattern = "SwiGLUOai(gate, up)", .refuse = refuse_unless_f32},
          {.id = "swiglu", .pattern = "SwiGLU(gate, up)", .refuse = refuse_unless_f32},
          {.id = "sigmoid", .pattern = "Sigmoid", .refuse = refuse_unless_f32},
          {.id = "silu", .pattern = "Swish", .refuse = refuse_unless_f32},
          {.id = "softplus", .pattern = "SoftPlus", .refuse = refuse_unless_f32},
          {.id = "tanh", .pattern = "Tanh(x)", .refuse = refuse_unless_f32},
          {.id = "gather_rows", .pattern = "Convert(Gather(table:Constant, ids))", .refuse = refuse_gather},
          {.id = "gather_rows", .pattern = "Gather(table, ids)", .refuse = refuse_gather},
          {.id = "concat", .pattern = "Concat", .refuse = refuse_concat},
          {.id = "ssm_conv", .pattern = "SsmConv", .refuse = refuse_ssm_conv},
          {.id = "ssm_scan", .pattern = "SsmScan", .refuse = refuse_ssm_scan},
          {.id = "gated_delta_net", .pattern = "GatedDeltaNet", .refuse = refuse_gated_delta_net},
          {.id = "convert", .pattern = "Convert(x)", .refuse = refuse_convert},
          {.id = "reference", .pattern = "*"},
      },
      plan::TargetRow{.id = "copy", .pattern = "*"}};
  return target;
}

}  // namespace tenon::cpu
