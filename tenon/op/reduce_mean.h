#pragma once

#include "tenon/op/op.h"

namespace tenon::op {

struct ReduceMeanAttributes : ir::AttributesOf<ReduceMeanAttributes> {
  std::vector<int64_t> axes;  // negative ones count from the end
  bool keep_dims = true;      // a reduced axis stays, with extent 1 and no role

  template <class V>
  void visit_fields(V& v) {
    v.field("axes", axes);
    v.field("keep_dims", keep_dims);
  }
};

// ReduceMean(x) of a plain float type.
const OpDefinition& reduce_mean_op();

}  // namespace tenon::op
