#include "tenon/op/ssm_scan.h"

#include "tenon/translate/translators.h"

namespace tenon::translate {

// Inputs state [B,H,P,N], x [B,T,H,P], dt [1,B,T,H], A [H,1 or N], B and C [B,T,G,N]. Two ports, y and the
// next state, where ggml has one tensor.
Translation translate_ssm_scan(NodeContext& context) {
  TENON_ASSIGN(std::vector<ir::Value> inputs, context.inputs(6));
  TENON_ASSIGN(ir::Node* const scan, context.build().add_node(op::ssm_scan_op(), std::move(inputs)));
  return std::vector{scan->output(0), scan->output(1)};
}

}  // namespace tenon::translate
