#include "tenon/ir/model.h"

namespace tenon::ir {

namespace {

constexpr int kMaxDepth = 16;  // longer chains of shape arithmetic do not occur; cycles must not hang

std::optional<std::vector<Dim>> known(Value value, int depth) {
  if (depth > kMaxDepth || !is_integer(value.type().element)) return std::nullopt;
  const Node& node = value.node();
  if (node.is("Constant")) {
    const auto& constant = node.attributes_as<ConstantAttributes>();
    if (constant.values.empty()) return std::nullopt;
    return std::vector<Dim>(constant.values.begin(), constant.values.end());
  }
  if (node.is("Parameter")) {
    const auto& parameter = node.attributes_as<ParameterAttributes>();
    if (parameter.value_symbol.empty()) return std::nullopt;
    return std::vector<Dim>{Dim::symbol(parameter.value_symbol)};
  }
  if (node.is("ShapeOf")) return node.input(0).type().dims();
  if (node.is("Squeeze") || node.is("Unsqueeze") || node.is("Reshape") || node.is("Convert")) {
    return known(node.input(0), depth + 1);
  }
  if (node.is("Concat")) {
    std::vector<Dim> out;
    for (const Value& input : node.inputs()) {
      const auto part = known(input, depth + 1);
      if (!part) return std::nullopt;
      out.insert(out.end(), part->begin(), part->end());
    }
    return out;
  }
  if (node.is("Add") || node.is("Subtract") || node.is("Multiply")) {
    const auto a = known(node.input(0), depth + 1), b = known(node.input(1), depth + 1);
    if (!a || !b || a->size() != 1 || b->size() != 1) return std::nullopt;
    const Dim &left = a->front(), &right = b->front();
    return std::vector<Dim>{node.is("Add")        ? left + right
                            : node.is("Subtract") ? left - right
                                                  : left * right};
  }
  if (node.is("Gather") && node.input(0).type().rank() == 1) {
    const auto data = known(node.input(0), depth + 1);
    const auto indices = known(node.input(1), depth + 1);
    if (!data || !indices) return std::nullopt;
    std::vector<Dim> out;
    for (const Dim& index : *indices) {
      auto at = index.try_value();
      if (at && *at < 0) *at += static_cast<int64_t>(data->size());
      if (!at || *at < 0 || *at >= static_cast<int64_t>(data->size())) return std::nullopt;
      out.push_back((*data)[static_cast<size_t>(*at)]);
    }
    return out;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::vector<Dim>> value_as_dims(Value value) { return known(value, 0); }

}  // namespace tenon::ir
