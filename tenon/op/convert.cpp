#include "tenon/op/convert.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tenon/op/element_access.h"
#include "tenon/op/shape_rule.h"

namespace tenon::op {

namespace {

InferredTypes infer(const ir::Inference& node) {
  const ElementType to = node.attributes<ConvertAttributes>().to;
  if (!is_plain(to)) return node.error("a plain type to convert to", std::string(name(to)));
  return std::vector<TensorType>{{to, node.type(0).axes}};
}

struct Limits {
  int64_t min, max;
};

Limits limits(ElementType element) {
  const auto of = [](auto zero) {
    using T = decltype(zero);
    return Limits{std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
  };
  switch (element) {
    case ElementType::kI8:
      return of(int8_t{});
    case ElementType::kI16:
      return of(int16_t{});
    case ElementType::kI32:
      return of(int32_t{});
    case ElementType::kU8:
      return of(uint8_t{});
    case ElementType::kBool:
      return {0, 1};
    default:
      return of(int64_t{});
  }
}

// Truncated into [min, max]; NaN is 0.
int64_t saturate(double value, Limits range) {
  if (std::isnan(value)) return 0;
  // max of i64 is not a double: the next one above it is.
  if (value >= static_cast<double>(range.max)) return range.max;
  if (value <= static_cast<double>(range.min)) return range.min;
  return static_cast<int64_t>(value);
}

Status reference(const ReferenceCall& call) {
  const TensorRef& x = call.inputs[0];
  const TensorRef& out = call.outputs[0];
  if (is_block(x.element) || is_float(x.element)) {
    const std::vector<double> values = load_all(x);
    size_t place = 0;
    for_each_index(out, [&](const Index& at) {
      const double value = values[place++];
      if (is_float(out.element)) {
        store(out, at, value);
      } else {
        store_integer(out, at, saturate(value, limits(out.element)));
      }
    });
    return {};
  }
  for_each_index(out, [&](const Index& at) {
    const int64_t value = load_integer(x, at);
    const Limits range = limits(out.element);
    if (is_float(out.element)) {
      store(out, at, static_cast<double>(value));
    } else {
      store_integer(out, at, std::clamp(value, range.min, range.max));
    }
  });
  return {};
}

}  // namespace

const OpDefinition& convert_op() {
  static const OpDefinition op{{.name = "Convert",
                                .inputs = {{"x"}},
                                .make_attributes = ir::make_attributes<ConvertAttributes>,
                                .infer = infer},
                               reference};
  return op;
}

}  // namespace tenon::op
