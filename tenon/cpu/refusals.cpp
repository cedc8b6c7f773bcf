#include "tenon/cpu/refusals.h"

#include <algorithm>

#include "tenon/cpu/recurrent.h"
#include "tenon/op/attention.h"
#include "tenon/op/gather.h"
#include "tenon/op/gelu.h"
#include "tenon/op/matmul.h"
#include "tenon/op/paged_attention.h"
#include "tenon/op/scatter_update.h"
#include "tenon/op/softmax.h"
#include "tenon/op/topk.h"

namespace tenon::cpu {

namespace {

constexpr int64_t kKeysOfABlock = 16;  // attention takes so many keys at once

using plan::Match;

std::string wants(std::string_view what, ir::Value value) {
  return "wants " + std::string(what) + ", has " + value.describe();
}

bool is_f32(ir::Value value) { return value.type().element == ElementType::kF32; }
bool is_f32_or_f16(ir::Value value) { return is_f32(value) || value.type().element == ElementType::kF16; }

// x [.., K] f32 and a weight [N, K].
std::string refuse_product(const ir::Node& product) {
  const ir::Value x = product.input(0), w = product.input(1);
  if (!product.attributes_as<op::MatMulAttributes>().transpose_b || w.type().rank() != 2)
    return wants("a weight [N, K]", w);
  if (!is_f32(x)) return wants("f32", x);
  return "";
}

std::string refuse_bias(ir::Value bias, const ir::Node& product) {
  const Dim rows = product.port_type(0).dim(-1);
  if (!is_f32(bias) || bias.type().element_count() != rows)
    return wants("an f32 bias of " + rows.to_string(), bias);
  return "";
}

std::string refuse_residual(ir::Value residual, const ir::Node& product) {
  if (!is_f32(residual) || residual.type().dims() != product.port_type(0).dims()) {
    return wants("an f32 residual of the product's shape", residual);
  }
  return "";
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

}  // namespace

std::string refuse_unless_f32(const Match& match) {
  for (const ir::Value& operand : match.operands) {
    if (!is_f32(operand)) return wants("f32", operand);
  }
  return "";
}

std::string refuse_matmul(const Match& match) { return refuse_product(match.node("MatMul")); }

// Operands x, w, b.
std::string refuse_matmul_bias(const Match& match) {
  const ir::Node& product = match.node("MatMul");
  std::string reason = refuse_product(product);
  return reason.empty() ? refuse_bias(match.operands[2], product) : reason;
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

}  // namespace tenon::cpu
