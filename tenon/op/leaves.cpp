#include "tenon/op/leaves.h"

namespace tenon::op {

const OpDefinition& constant_op() {
  static const OpDefinition op{ir::constant_schema()};
  return op;
}

const OpDefinition& parameter_op() {
  static const OpDefinition op{ir::parameter_schema()};
  return op;
}

const OpDefinition& result_op() {
  static const OpDefinition op{ir::result_schema()};
  return op;
}

}  // namespace tenon::op
