#include "tenon/op/concat.h"

#include "tenon/translate/translators.h"

namespace tenon::translate {

Translation translate_concat(NodeContext& context) {
  TENON_ASSIGN(std::vector<ir::Value> inputs, context.inputs(2));
  TENON_ASSIGN(const auto concat, context.attributes<decoder::ConcatAttributes>());
  op::ConcatAttributes attributes;
  attributes.axis = concat.axis;
  TENON_ASSIGN(const ir::Value result, context.build().add(op::concat_op(), std::move(inputs), attributes));
  return std::vector{result};
}

}  // namespace tenon::translate
