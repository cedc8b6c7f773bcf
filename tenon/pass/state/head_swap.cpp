#include "tenon/pass/state/head_swap.h"

namespace tenon::pass {

bool swaps_heads_and_tokens(const ir::Node& node) {
  if (!node.is("Transpose") || !node.input(1).node().is("Constant")) return false;
  return node.input(1).node().attributes_as<ir::ConstantAttributes>().values ==
         std::vector<int64_t>{0, 2, 1, 3};
}

}  // namespace tenon::pass
