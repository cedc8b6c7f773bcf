#include "tenon/op/reshape.h"
#include "tenon/op/transpose.h"
#include "tenon/translate/translators.h"

namespace tenon::translate {

namespace {

// [1, 1, T, H*D] -> [N, T/N, H, D]. In two steps: the first has the sequence count, which only the run knows;
// the second is a constant pattern that shows heads and head size to whoever looks for them.
Result<ir::Value> split_sequences(NodeContext& context, ir::Value x, ir::Value sequences,
                                  const decoder::PermuteAttributes& permute) {
  const auto count = ir::value_as_dims(sequences);
  if (!count || count->size() != 1) {
    return context.invalid("a sequence count that is a constant or has a symbol", sequences.describe());
  }
  op::ReshapeAttributes by_sequence;
  by_sequence.target = {count->front(), -1};
  TENON_ASSIGN(x, context.build().add(op::reshape_op(), {x}, by_sequence));
  op::ReshapeAttributes by_head;
  by_head.target = {0, -1, permute.heads, permute.head_size};
  by_head.special_zero = true;
  return context.build().add(op::reshape_op(), {x}, by_head);
}

}  // namespace

Translation translate_permute(NodeContext& context) {
  TENON_ASSIGN(const auto permute, context.attributes<decoder::PermuteAttributes>());
  TENON_ASSIGN(const std::vector<ir::Value> inputs, context.inputs(1, 2));
  ir::Value x = inputs[0];
  std::vector<int64_t> order = permute.order;
  switch (permute.permute_case) {
    case decoder::PermuteCase::kPlain:
      break;
    case decoder::PermuteCase::kSplitSequencesThenSwap: {
      TENON_RETURN_IF_ERROR(context.check_heads(permute.heads, permute.head_size));
      if (inputs.size() != 2) return context.invalid("the sequence count as second input", "one input");
      TENON_ASSIGN(x, split_sequences(context, x, inputs[1], permute));
      order = {0, 2, 1, 3};
      break;
    }
    default:
      return context.unknown_case();
  }
  op::Builder& build = context.build();
  TENON_ASSIGN(const ir::Value result, build.add(op::transpose_op(), {x, build.integers(std::move(order))}));
  return std::vector{result};
}

}  // namespace tenon::translate
