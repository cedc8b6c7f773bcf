#include "tenon/op/convert.h"
#include "tenon/translate/regroup.h"
#include "tenon/translate/translators.h"

namespace tenon::translate {

// A cast: x, perhaps the tensor that it is copied to, which only gives its type. Nothing where x has that
// type already, so that no Convert without effect stands before a matcher.
Translation translate_cpy(NodeContext& context) {
  TENON_ASSIGN(const std::vector<ir::Value> inputs, context.inputs(1, 2));
  TENON_ASSIGN(const TensorType declared, context.declared_output(0));
  TENON_ASSIGN(const ir::Value converted, context.build().convert(inputs[0], declared.element));
  TENON_ASSIGN(const ir::Value result, regroup(context, converted, {}, declared));
  return std::vector{result};
}

}  // namespace tenon::translate
