#include "tenon/op/topk.h"
#include "tenon/translate/index_selection.h"
#include "tenon/translate/translators.h"

namespace tenon::translate {

// The whole last axis, sorted. Where the decoder does not know the rank, ggml's four axes are meant.
Translation translate_argsort(NodeContext& context) {
  TENON_ASSIGN(const std::vector<ir::Value> inputs, context.inputs(1));
  TENON_ASSIGN(const auto sort, context.attributes<decoder::ArgsortAttributes>());
  TENON_ASSIGN(const TensorType declared, context.declared_output(0));
  op::TopKMode mode = op::TopKMode::kMin;
  switch (sort.order) {
    case decoder::SortOrder::kAscending:
      break;
    case decoder::SortOrder::kDescending:
      mode = op::TopKMode::kMax;
      break;
    default:
      return context.unknown_case();
  }
  const int64_t axis = sort.rank_known ? inputs[0].type().rank() - 1 : 3;
  TENON_ASSIGN(const ir::Value k, extent_as_scalar(context, inputs[0], axis));
  TENON_ASSIGN(const ir::Value ids,
               op::make_topk_indices(context.model(), inputs[0], k, axis, mode, declared.element,
                                     /*stable=*/false, std::string(context.node().name)));
  return std::vector{ids};
}

}  // namespace tenon::translate
