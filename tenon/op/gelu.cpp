#include "tenon/op/gelu.h"

#include <numbers>

#include "tenon/op/build.h"
#include "tenon/op/elementwise.h"
#include "tenon/op/elementwise_rule.h"

namespace tenon::op {

namespace {

constexpr double kCubic = 0.044715;
constexpr double kQuickSlope = 1.702;
// (1 + tanh(y)) / 2 is sigmoid(2 y), so kTanh is x * sigmoid(kTanhSlope * (x + kCubic * x^3)).
const double kTanhSlope = 2 * std::sqrt(2 / std::numbers::pi);

Status reference(const ReferenceCall& call) {
  const GeluMode mode = dynamic_cast<const GeluAttributes&>(call.attributes).mode;
  return apply_unary(call, [mode](double x) { return gelu(mode, x); });
}

// What x is multiplied by.
Result<ir::Value> gate(Builder& build, GeluMode mode, ir::Value x) {
  if (mode == GeluMode::kQuick) {
    TENON_ASSIGN(ir::Value steep, build.add(multiply_op(), {x, build.scalar(kQuickSlope)}));
    return build.add(sigmoid_op(), {steep});
  }
  if (mode == GeluMode::kErf) {
    TENON_ASSIGN(ir::Value scaled, build.add(multiply_op(), {x, build.scalar(1 / std::numbers::sqrt2)}));
    TENON_ASSIGN(ir::Value erf, build.add(erf_op(), {scaled}));
    TENON_ASSIGN(ir::Value shifted, build.add(add_op(), {erf, build.scalar(1)}));
    return build.add(multiply_op(), {shifted, build.scalar(0.5)});
  }
  TENON_ASSIGN(ir::Value square, build.add(multiply_op(), {x, x}));
  TENON_ASSIGN(ir::Value bend, build.add(multiply_op(), {square, build.scalar(kCubic * kTanhSlope)}));
  TENON_ASSIGN(ir::Value slope, build.add(add_op(), {bend, build.scalar(kTanhSlope)}));
  TENON_ASSIGN(ir::Value inner, build.add(multiply_op(), {x, slope}));
  return build.add(sigmoid_op(), {inner});
}

Result<std::vector<ir::Value>> decompose(ir::Model& model, ir::Node& node) {
  Builder build(model, node.name());
  TENON_ASSIGN(ir::Value x, build.convert(node.input(0), ElementType::kF32));
  TENON_ASSIGN(ir::Value factor, gate(build, node.attributes_as<GeluAttributes>().mode, x));
  TENON_ASSIGN(ir::Value product, build.add(multiply_op(), {x, factor}));
  TENON_ASSIGN(ir::Value out, build.convert(product, node.port_type(0).element));
  return std::vector<ir::Value>{out};
}

ir::OpSchema schema() {
  ir::OpSchema out = unary_schema("Gelu");
  out.make_attributes = ir::make_attributes<GeluAttributes>;
  return out;
}

}  // namespace

double gelu(GeluMode mode, double x) {
  switch (mode) {
    case GeluMode::kTanh:
      return x * sigmoid(kTanhSlope * (x + kCubic * x * x * x));
    case GeluMode::kErf:
      return 0.5 * x * (1 + std::erf(x / std::numbers::sqrt2));
    case GeluMode::kQuick:
      return x * sigmoid(kQuickSlope * x);
  }
  return x;
}

const OpDefinition& gelu_op() {
  static const OpDefinition op{schema(), reference, decompose};
  return op;
}

}  // namespace tenon::op
