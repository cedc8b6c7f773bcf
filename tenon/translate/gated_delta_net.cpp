#include "tenon/op/gated_delta_net.h"

#include "tenon/translate/translators.h"

namespace tenon::translate {

// Inputs q and k [B,T,G,D], v [B,T,H,D], gate [B,T,H,1 or D], beta [B,T,H,1], state [B,H,D,D]. Two ports, the
// output and the next state, where ggml has one tensor.
Translation translate_gated_delta_net(NodeContext& context) {
  TENON_ASSIGN(std::vector<ir::Value> inputs, context.inputs(6));
  TENON_ASSIGN(ir::Node* const net, context.build().add_node(op::gated_delta_net_op(), std::move(inputs)));
  return std::vector{net->output(0), net->output(1)};
}

}  // namespace tenon::translate
