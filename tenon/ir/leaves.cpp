#include "tenon/ir/leaves.h"

#include <cstring>
#include <stdexcept>

namespace tenon::ir {

namespace {

Result<std::vector<TensorType>> infer_parameter(const Inference& node) {
  return std::vector<TensorType>{node.attributes<ParameterAttributes>().type};
}

Result<std::vector<TensorType>> infer_constant(const Inference& node) {
  return std::vector<TensorType>{node.attributes<ConstantAttributes>().type};
}

Result<std::vector<TensorType>> infer_result(const Inference&) { return std::vector<TensorType>{}; }

}  // namespace

const OpSchema& parameter_schema() {
  static const OpSchema schema{.name = "Parameter",
                               .inputs = {},
                               .make_attributes = make_attributes<ParameterAttributes>,
                               .infer = infer_parameter};
  return schema;
}

const OpSchema& constant_schema() {
  static const OpSchema schema{.name = "Constant",
                               .inputs = {},
                               .make_attributes = make_attributes<ConstantAttributes>,
                               .infer = infer_constant};
  return schema;
}

const OpSchema& result_schema() {
  static const OpSchema schema{.name = "Result",
                               .inputs = {{"value", InputKind::kAny}},
                               .make_attributes = make_attributes<ResultAttributes>,
                               .infer = infer_result};
  return schema;
}

std::unique_ptr<ConstantAttributes> integer_constant(ElementType element, std::vector<Axis> axes,
                                                     std::vector<int64_t> values) {
  if (element != ElementType::kI32 && element != ElementType::kI64) {
    throw std::invalid_argument("[integer_constant] wants i32 or i64, got " + std::string(name(element)));
  }
  auto out = std::make_unique<ConstantAttributes>();
  out->type = TensorType{element, std::move(axes)};
  out->values = std::move(values);
  if (out->type.element_count() != Dim(static_cast<int64_t>(out->values.size()))) {
    throw std::invalid_argument("[integer_constant] " + std::to_string(out->values.size()) + " values for " +
                                out->type.to_string());
  }
  auto bytes =
      std::make_shared<std::vector<std::byte>>(bytes_for(element, static_cast<int64_t>(out->values.size())));
  for (size_t i = 0; i < out->values.size(); ++i) {
    if (element == ElementType::kI64) {
      std::memcpy(bytes->data() + i * sizeof(int64_t), &out->values[i], sizeof(int64_t));
    } else {
      const auto narrow = static_cast<int32_t>(out->values[i]);
      std::memcpy(bytes->data() + i * sizeof(int32_t), &narrow, sizeof(int32_t));
    }
  }
  out->data = {bytes, bytes->data(), bytes->size()};
  return out;
}

}  // namespace tenon::ir
