// What the ops that reduce whole axes share.
#pragma once

#include "tenon/op/op.h"

namespace tenon::op {

struct ReductionAttributes : ir::AttributesOf<ReductionAttributes> {
  std::vector<int64_t> axes;  // negative ones count from the end
  bool keep_dims = true;      // a reduced axis stays, with extent 1 and no role

  template <class V>
  void visit_fields(V& v) {
    v.field("axes", axes);
    v.field("keep_dims", keep_dims);
  }
};

// One input of a plain float type.
ir::OpSchema reduction_schema(std::string_view name);

// The sums over the reduced axes, in the output's order.
std::vector<double> sums_over_axes(const ReferenceCall& call);

}  // namespace tenon::op
