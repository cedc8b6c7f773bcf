// Another grouping of the same elements. A target is extents, not data: a reshape is strides in a plan.
#pragma once

#include "tenon/op/op.h"

namespace tenon::op {

struct ReshapeAttributes : ir::AttributesOf<ReshapeAttributes> {
  std::vector<Dim> target;    // one may be -1: what is left
  bool special_zero = false;  // a 0 copies the input's extent and role of that axis

  template <class V>
  void visit_fields(V& v) {
    v.field("target", target);
    v.field("special_zero", special_zero);
  }
};

// Reshape(x) of a plain element type. Roles follow reshape_roles.
const OpDefinition& reshape_op();

// The roles after regrouping `from` into axes of the given extents (of equal product). Input and output axes
// are cut into the shortest groups of equal product, extents of 1 aside. A group of
//   one axis into one                                keeps its role;
//   channel into two                                 is head, head_size;
//   head and head_size into one                      is channel;
//   batch and token into one                         is token;
//   token into two                                   is batch, token;
//   none and one of head, head_size                  keeps that role on every axis it becomes;
//   none alone                                       stays none;
//   anything else                                    is unknown.
// An output axis of extent 1 has no role.
std::vector<AxisRole> reshape_roles(const std::vector<Axis>& from, const std::vector<Dim>& to);

}  // namespace tenon::op
