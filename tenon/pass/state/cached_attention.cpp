#include "tenon/pass/state/cached_attention.h"

#include "tenon/op/attention.h"
#include "tenon/op/read_value.h"
#include "tenon/pass/state/head_swap.h"

namespace tenon::pass {

namespace {

Error mismatch(const ir::Node& attention, std::string wanted, const ir::Value& found,
               std::string remedy = "") {
  return {ErrorCode::kInvalidGraph, "sdpa_to_paged: Attention '" + attention.name() + "'", std::move(wanted),
          found.describe(), std::move(remedy)};
}

// What lies behind the swap of heads and tokens; nothing behind another node.
std::optional<ir::Value> behind_head_swap(ir::Value value) {
  if (!swaps_heads_and_tokens(value.node())) return std::nullopt;
  return value.node().input(0);
}

Result<CachedOperand> match_operand(const ir::Node& attention, int input) {
  const ir::Value value = attention.input(input);
  const Error error = mismatch(attention, "keys and values that are a variable's past and this step's rows",
                               value, "run make_stateful and adapt_to_genai before");
  const auto swapped = behind_head_swap(value);
  if (!swapped || !swapped->node().is("Concat") || swapped->node().input_count() != 2) return error;
  const ir::Node& concat = swapped->node();
  const ir::Node& gather = concat.input(0).node();
  if (!gather.is("Gather") || !gather.input(0).node().is("ReadValue")) return error;
  const auto& variable = gather.input(0).node().attributes_as<op::ReadValueAttributes>();
  return CachedOperand{variable.variable, variable.type, concat.input(1)};
}

}  // namespace

Result<CachedAttention> match_cached_attention(ir::Node& attention) {
  const auto& attributes = attention.attributes_as<op::AttentionAttributes>();
  if (attributes.structure != ir::MaskKind::kCausal && attributes.structure != ir::MaskKind::kWindow) {
    return Error{ErrorCode::kUnsupported, "sdpa_to_paged: Attention '" + attention.name() + "'",
                 "a mask that is known to be causal or a causal window",
                 "structure " + std::string(ir::kMaskKindNames[static_cast<size_t>(attributes.structure)]),
                 "paged attention takes no mask of free form"};
  }
  CachedAttention out;
  out.node = &attention;
  ir::Value q = attention.input(0);
  if (q.node().is("Convert")) q = q.node().input(0);
  const auto swapped = behind_head_swap(q);
  if (!swapped) return mismatch(attention, "queries that are swapped to [B,H,T,D]", q);
  out.q = *swapped;
  TENON_ASSIGN(out.k, match_operand(attention, 1));
  TENON_ASSIGN(out.v, match_operand(attention, 2));
  if (attention.input_count() > op::kAttentionSinks) out.sinks = attention.input(op::kAttentionSinks);
  return out;
}

}  // namespace tenon::pass
