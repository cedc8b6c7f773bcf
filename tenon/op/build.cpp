#include "tenon/op/build.h"

#include <stdexcept>

#include "tenon/op/convert.h"

namespace tenon::op {

Result<ir::Node*> Builder::insert(const OpDefinition& op, std::vector<ir::Value> inputs,
                                  std::unique_ptr<ir::Attributes> attributes) {
  return model_.add(op.schema, std::move(inputs), std::move(attributes),
                    prefix_ + "/" + std::string(op.schema.name));
}

ir::Value Builder::only_port(ir::Node& node) {
  if (node.port_count() != 1) {
    throw std::logic_error("[Builder::add] " + std::string(node.op()) + " has " +
                           std::to_string(node.port_count()) + " ports");
  }
  return node.output(0);
}

Result<ir::Value> Builder::convert(ir::Value value, ElementType to) {
  if (value.type().element == to) return value;
  ConvertAttributes attributes;
  attributes.to = to;
  return add(convert_op(), {value}, attributes);
}

ir::Value Builder::floats(std::vector<int64_t> extents, const std::vector<double>& values) {
  auto attributes = std::make_unique<ir::ConstantAttributes>();
  attributes->type.element = ElementType::kF32;
  for (const int64_t extent : extents) attributes->type.axes.emplace_back(extent);
  if (attributes->type.element_count() != Dim(static_cast<int64_t>(values.size()))) {
    throw std::invalid_argument("[Builder::floats] " + std::to_string(values.size()) + " values for " +
                                attributes->type.to_string());
  }
  auto elements = std::make_shared<std::vector<float>>();
  for (const double value : values) elements->push_back(static_cast<float>(value));
  const auto bytes = std::as_bytes(std::span<const float>(*elements));
  attributes->data = {elements, bytes.data(), bytes.size()};
  return model_.add_constant(std::move(attributes), prefix_ + "/Constant");
}

ir::Value Builder::integers(std::vector<int64_t> values) {
  const auto count = static_cast<int64_t>(values.size());
  return model_.add_constant(ir::integer_constant(ElementType::kI64, {Axis(count)}, std::move(values)),
                             prefix_ + "/Constant");
}

}  // namespace tenon::op
