#include "tenon/op/comparison.h"
#include "tenon/op/comparison_rule.h"

namespace tenon::op {

const OpDefinition& less_equal_op() {
  static const OpDefinition op{comparison_schema("LessEqual"), [](const ReferenceCall& call) {
                                 return apply_comparison(call, [](auto a, auto b) { return a <= b; });
                               }};
  return op;
}

}  // namespace tenon::op
