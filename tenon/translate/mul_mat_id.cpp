#include "tenon/op/matmul_experts.h"
#include "tenon/translate/expert_ids.h"
#include "tenon/translate/translators.h"

namespace tenon::translate {

// Inputs w [E, N, K], x [1, T, S, K], ids [1, 1, T, U] -> f32 [1, T, U, N]; S is U, or 1 for one row of x to
// all of a token's experts.
Translation translate_mul_mat_id(NodeContext& context) {
  TENON_ASSIGN(const std::vector<ir::Value> inputs, context.inputs(3));
  TENON_ASSIGN(const ir::Value ids, expert_ids(context, inputs[2]));
  TENON_ASSIGN(const ir::Value result,
               context.build().add(op::matmul_experts_op(), {inputs[1], inputs[0], ids}));
  return std::vector{result};
}

}  // namespace tenon::translate
