#include "tenon/cpu/target.h"

#include <algorithm>

#include "tenon/cpu/steps.h"
#include "tenon/op/attention.h"
#include "tenon/op/gather.h"
#include "tenon/op/gelu.h"
#include "tenon/op/matmul.h"
#include "tenon/op/paged_attention.h"
#include "tenon/op/rope.h"
#include "tenon/op/scatter_update.h"
#include "tenon/op/softmax.h"
#include "tenon/op/topk.h"

namespace tenon::cpu {

namespace {

constexpr int64_t kKeysOfABlock = 16;  // attention takes so many keys at once

using plan::Limits;
using plan::Match;

std::string wants(std::string_view what, ir::Value value) {
  return "wants " + std::string(what) + ", has " + value.describe();
}

bool is_f32(ir::Value value) { return value.type().element == ElementType::kF32; }
bool is_f32_or_f16(ir::Value value) { return is_f32(value) || value.type().element == ElementType::kF16; }

std::string refuse_unless_f32(const Match& match) {
  for (const ir::Value& operand : match.operands) {
    if (!is_f32(operand)) return wants("f32", operand);
  }
  return "";
}

// x [.., K] f32 and a weight [N, K].
std::string refuse_product(const ir::Node& product) {
  const ir::Value x = product.input(0), w = product.input(1);
  if (!product.attributes_as<op::MatMulAttributes>().transpose_b || w.type().rank() != 2)
    return wants("a weight [N, K]", w);
  if (!is_f32(x)) return wants("f32", x);
  return "";
}

std::string refuse_matmul(const Match& match) { return refuse_product(match.node("MatMul")); }

std::string refuse_bias(ir::Value bias, const ir::Node& product) {
  const Dim rows = product.port_type(0).dim(-1);
  if (!is_f32(bias) || bias.type().element_count() != rows)
    return wants("an f32 bias of " + rows.to_string(), bias);
  return "";
}

// Operands x, w, b.
std::string refuse_matmul_bias(const Match& match) {
  const ir::Node& product = match.node("MatMul");
  std::string reason = refuse_product(product);
  return reason.empty() ? refuse_bias(match.operands[2], product) : reason;
}

std::string refuse_residual(ir::Value residual, const ir::Node& product) {
  if (!is_f32(residual) || residual.type().dims() != product.port_type(0).dims()) {
    return wants("an f32 residual of the product's shape", residual);
  }
  return "";
}

// Operands x, w, r.
std::string refuse_matmul_residual(const Match& match) {
  const ir::Node& product = match.node("MatMul");
  std::string reason = refuse_product(product);
  return reason.empty() ? refuse_residual(match.operands[2], product) : reason;
}

// Operands x, w, b, r.
std::string refuse_matmul_bias_residual(const Match& match) {
  std::string reason = refuse_matmul_bias(match);
  return reason.empty() ? refuse_residual(match.operands[3], match.node("MatMul")) : reason;
}

// Operands x, gate, up.
std::string refuse_matmul_swiglu(const Match& match) {
  for (const ir::Node* node : match.nodes) {
    if (!node->is("MatMul")) continue;
    std::string reason = refuse_product(*node);
    if (!reason.empty()) return reason;
  }
  const TensorType& gate = match.operands[1].type();
  if (gate != match.operands[2].type())
    return wants("gate and up of one type, " + gate.to_string(), match.operands[2]);
  return "";
}

// x [.., T, S, K] f32 and weights [E, N, K].
std::string refuse_experts(const Match& match) {
  for (const ir::Node* node : match.nodes) {
    if (node->is("MatMulExperts") && !is_f32(node->input(0))) return wants("f32", node->input(0));
  }
  return "";
}

// Operands x, gate, ids, up.
std::string refuse_experts_swiglu(const Match& match) {
  const TensorType& gate = match.operands[1].type();
  if (gate != match.operands[3].type())
    return wants("gate and up of one type, " + gate.to_string(), match.operands[3]);
  return refuse_experts(match);
}

// Operands data, k.
std::string refuse_topk(const Match& match) {
  const auto& attributes = match.root().attributes_as<op::TopKAttributes>();
  const ir::Value data = match.operands[0];
  if (attributes.axis != -1 && attributes.axis != data.type().rank() - 1) return wants("the last axis", data);
  if (attributes.index_type != ElementType::kI32) return "gives i32 indices alone";
  return is_f32(data) ? "" : wants("f32", data);
}

std::string refuse_softmax(const Match& match) {
  const int64_t axis = match.root().attributes_as<op::SoftmaxAttributes>().axis;
  if (axis != -1 && axis != match.operands[0].type().rank() - 1)
    return wants("the last axis", match.operands[0]);
  return refuse_unless_f32(match);
}

// A row vector, one number, or one number to each row, against rows: what the kernels broadcast.
bool broadcasts_last_axes(const TensorType& a, const TensorType& b) {
  if (a.dims() == b.dims()) return true;
  std::vector<Dim> column = a.dims();
  column.back() = Dim(1);
  if (column == b.dims()) return true;
  Dim trailing(1);
  int axis = -1;
  for (; - axis <= std::min(a.rank(), b.rank()) && a.dim(axis) == b.dim(axis); --axis)
    trailing = trailing * b.dim(axis);
  return b.element_count() == trailing;
}

// The same, and a column [.., 1] against rows.
bool broadcasts(const TensorType& a, const TensorType& b) {
  if (broadcasts_last_axes(a, b)) return true;
  if (a.rank() < 2 || b.rank() < 2 || b.dim(-1) != Dim(1)) return false;
  const TensorType rows{a.element, {a.axes.begin(), a.axes.end() - 1}};
  return broadcasts_last_axes(rows, {b.element, {b.axes.begin(), b.axes.end() - 1}});
}

std::string refuse_binary(const Match& match) {
  std::string reason = refuse_unless_f32(match);
  if (!reason.empty()) return reason;
  const TensorType& out = match.root().port_type(0);
  if (match.operands[0].type().dims() != out.dims())
    return wants("the output's shape first", match.operands[0]);
  if (!broadcasts(out, match.operands[1].type())) return wants("whole trailing axes", match.operands[1]);
  return "";
}

// Operands gate, up.
std::string refuse_gate(const Match& match) {
  if (match.operands[0].type().dims() != match.operands[1].type().dims())
    return wants("gate and up of one shape", match.operands[1]);
  return refuse_unless_f32(match);
}

std::string refuse_gelu(const Match& match) {
  if (match.root().attributes_as<op::GeluAttributes>().mode != op::GeluMode::kTanh)
    return "has the tanh form alone";
  return refuse_unless_f32(match);
}

// Operands x, weight.
std::string refuse_weighted_norm(const Match& match) {
  std::string reason = refuse_unless_f32(match);
  if (!reason.empty()) return reason;
  const TensorType& x = match.operands[0].type();
  if (match.operands[1].type().element_count() != x.dim(-1))
    return wants("a weight over the last axis", match.operands[1]);
  return "";
}

std::string refuse_rope(const Match& match) {
  if (!is_f32(match.operands[0])) return wants("f32", match.operands[0]);
  const TensorType& x = match.operands[0].type();
  if (x.rank() != 4 || (x.dim(0) != Dim(1) && x.dim(1) != Dim(1))) {
    return wants("[1, T, H, D] or [T, 1, H, D]", match.operands[0]);
  }
  if (match.operands[1].type().element != ElementType::kI32) return wants("i32 positions", match.operands[1]);
  return "";
}

TensorType rope_table_type(const Match& match) {
  const int64_t rotated = match.root().attributes_as<op::RopeAttributes>().n_rot;
  const TensorType& x = match.operands[0].type();  // [1,T,H,D] or [T,1,H,D]
  return {ElementType::kF32, plain({x.dim(0) * x.dim(1), Dim(rotated)})};
}

const plan::SharedTable kRopeTable{"rope_table", {1, 2}, rope_table_type};

// Operands cache, index, rows, …; updates along axis 1 of [1, C, G, D].
std::string refuse_cache_rows(const Match& match) {
  const ir::Node& scatter = match.node("ScatterUpdate");
  const ir::Value cache = match.operands[0], index = match.operands[1], rows = match.operands[2];
  if (scatter.attributes_as<op::ScatterUpdateAttributes>().axis != 1 || cache.type().dim(0) != Dim(1)) {
    return wants("updates along axis 1 of one sequence", cache);
  }
  if (index.type().element != ElementType::kI64) return wants("an i64 index", index);
  if (!is_f32_or_f16(cache) || !is_f32_or_f16(rows)) return wants("f32 or f16", rows);
  return "";
}

// Operands q, k, v, mask, and positions where the mask is structure over them.
std::string refuse_attention(const Match& match) {
  const auto& attributes = match.node("Attention").attributes_as<op::AttentionAttributes>();
  for (int i = 0; i < 3; ++i) {
    const ir::Value operand = match.operands[static_cast<size_t>(i)];
    if (!is_f32_or_f16(operand) || operand.type().dim(0) != Dim(1))
      return wants("one sequence of f32 or f16", operand);
  }
  if (match.operands[1].type().dim(-1) != match.operands[2].type().dim(-1))
    return wants("keys and values of one size", match.operands[2]);
  const bool positioned =
      attributes.mask == ir::MaskKind::kCausal || attributes.mask == ir::MaskKind::kWindow;
  if (positioned && match.operands[4].type().element != ElementType::kI32)
    return wants("i32 positions", match.operands[4]);
  if (attributes.mask == ir::MaskKind::kExplicit) {
    const TensorType& mask = match.operands[3].type();
    if (mask.rank() < 2 || mask.dim(-2) * mask.dim(-1) != mask.element_count())
      return wants("a mask [1,1,T,KV]", match.operands[3]);
  }
  return "";
}

// Operands as PagedAttention's inputs.
std::string refuse_paged_attention(const Match& match) {
  const auto& attributes = match.root().attributes_as<op::PagedAttentionAttributes>();
  const TensorType &keys = match.operands[op::kPagedKeyCache].type(),
                   &values = match.operands[op::kPagedValueCache].type();
  if (!is_f32(match.operands[op::kPagedQ])) return wants("f32", match.operands[op::kPagedQ]);
  for (const int rows : {op::kPagedK, op::kPagedV}) {
    const ir::Value value = match.operands[static_cast<size_t>(rows)];
    if (!is_f32_or_f16(value)) return wants("f32 or f16", value);
  }
  if (keys.dim(3) != values.dim(3))
    return wants("keys and values of one size", match.operands[op::kPagedValueCache]);
  if (keys.dim(2).value() % kKeysOfABlock != 0)
    return wants("blocks of a multiple of " + std::to_string(kKeysOfABlock) + " rows",
                 match.operands[op::kPagedKeyCache]);
  if (attributes.softcap > 0) return "has a soft cap";
  return "";
}

// Operands table, ids: rows of a table [V, F], or of an activation [1, T, F] by ids [1, R].
std::string refuse_gather(const Match& match) {
  const ir::Node& gather = match.node("Gather");
  const auto& attributes = gather.attributes_as<op::GatherAttributes>();
  const TensorType& table = match.operands[0].type();
  const bool of_rows = attributes.axis == table.rank() - 2 && attributes.batch_dims == attributes.axis;
  Dim leading(1);
  for (int axis = 0; axis < table.rank() - 2; ++axis) leading = leading * table.dim(axis);
  if (table.rank() < 2 || !of_rows || leading != Dim(1)) return wants("rows of one table", match.operands[0]);
  if (match.root().port_type(0).element != ElementType::kF32) return "gives f32 alone";
  return "";
}

std::string refuse_concat(const Match& match) {
  const ElementType element = match.root().port_type(0).element;
  return is_block(element) ? wants("a plain element type", match.operands[0]) : "";
}

// Operands x [B, 1, C, K - 1 + T], weight.
std::string refuse_ssm_conv(const Match& match) {
  if (match.operands[0].type().dim(0) * match.operands[0].type().dim(1) != Dim(1))
    return wants("one sequence", match.operands[0]);
  if (match.operands[1].type().dim(1).value() > kMaxSsmKernel)
    return wants("at most " + std::to_string(kMaxSsmKernel) + " taps", match.operands[1]);
  return "";
}

// Operands state, x, dt, a, b, c.
std::string refuse_ssm_scan(const Match& match) {
  if (match.operands[1].type().dim(0) != Dim(1)) return wants("one sequence", match.operands[1]);
  if (match.operands[3].type().dim(1) != Dim(1)) return wants("one decay to the head", match.operands[3]);
  return "";
}

// Operands q, k, v, gate, beta, state.
std::string refuse_gated_delta_net(const Match& match) {
  if (match.operands[2].type().dim(0) != Dim(1)) return wants("one sequence", match.operands[2]);
  if (match.operands[3].type().dim(3) != Dim(1)) return wants("one gate to the head", match.operands[3]);
  return "";
}

std::string refuse_convert(const Match& match) {
  const auto plain_float = [](ElementType type) {
    return type == ElementType::kF32 || type == ElementType::kF16 || type == ElementType::kBF16;
  };
  const ElementType to = match.root().port_type(0).element;
  return plain_float(to) && plain_float(match.operands[0].type().element)
             ? ""
             : wants("f32, f16 or bf16", match.operands[0]);
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
    return kernels.attention_workspace_bytes(limits.largest(q.dim(2)), limits.largest(k.dim(2)),
                                             q.dim(1).value(), k.dim(1).value(), q.dim(3).value(),
                                             limits.workers);
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
           .scratch_bytes = matmul_scratch},
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
           .scratch_bytes = matmul_scratch},
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
