#include "tenon/op/elementwise.h"
#include "tenon/op/elementwise_rule.h"

namespace tenon::op {

const OpDefinition& divide_op() {
  static const OpDefinition op{binary_schema("Divide", /*floats_only=*/true), [](const ReferenceCall& call) {
                                 return apply_binary(call, [](auto a, auto b) { return a / b; });
                               }};
  return op;
}

}  // namespace tenon::op
