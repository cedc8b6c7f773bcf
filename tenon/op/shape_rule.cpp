#include "tenon/op/shape_rule.h"

#include <algorithm>

namespace tenon::op {

namespace {

std::string at_input(int input) { return " at input " + std::to_string(input); }

std::string print_axes(const std::vector<Axis>& axes) {
  return TensorType{ElementType::kF32, axes}.to_string().substr(name(ElementType::kF32).size());
}

}  // namespace

Result<int> normalize_axis(const ir::Inference& node, int64_t axis, int rank) {
  if (axis < -rank || axis >= rank) {
    return node.error("an axis of a rank " + std::to_string(rank) + " tensor", std::to_string(axis));
  }
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

Result<std::vector<int>> normalize_axes(const ir::Inference& node, const std::vector<int64_t>& axes,
                                        int rank) {
  std::vector<int> out;
  for (const int64_t given : axes) {
    TENON_ASSIGN(const int axis, normalize_axis(node, given, rank));
    if (std::find(out.begin(), out.end(), axis) != out.end()) {
      return node.error("different axes", std::to_string(axis) + " twice");
    }
    out.push_back(axis);
  }
  return out;
}

Status require_rank(const ir::Inference& node, int input, int rank) {
  if (node.type(input).rank() == rank) return {};
  return node.error("rank " + std::to_string(rank) + at_input(input), node.type(input).to_string());
}

Status require_float(const ir::Inference& node, int input) {
  if (is_float(node.type(input).element)) return {};
  return node.error("a plain float type" + at_input(input), node.type(input).to_string());
}

Status require_plain(const ir::Inference& node, int input) {
  if (is_plain(node.type(input).element)) return {};
  return node.error("a plain element type" + at_input(input), node.type(input).to_string());
}

Status require_same_element(const ir::Inference& node, int a, int b) {
  if (node.type(a).element == node.type(b).element) return {};
  return node.error("one element type at inputs " + std::to_string(a) + " and " + std::to_string(b),
                    node.type(a).to_string() + " and " + node.type(b).to_string());
}

Result<int64_t> require_static(const ir::Inference& node, int input, int axis) {
  const TensorType& type = node.type(input);
  if (const auto extent = type.dim(axis).try_value()) return *extent;
  return node.error(
      "a static extent on axis " + std::to_string(axis < 0 ? axis + type.rank() : axis) + at_input(input),
      type.to_string());
}

AxisRole join_roles(AxisRole a, AxisRole b) {
  const auto says_nothing = [](AxisRole role) {
    return role == AxisRole::kNone || role == AxisRole::kUnknown;
  };
  if (a == b) return a;
  if (says_nothing(a) && says_nothing(b)) return AxisRole::kUnknown;
  if (says_nothing(a)) return b;
  if (says_nothing(b)) return a;
  // The channels of a layer with one head are that head's: a reshape to [1, D] cannot tell them apart.
  const bool one_head = (a == AxisRole::kChannel && b == AxisRole::kHeadSize) ||
                        (a == AxisRole::kHeadSize && b == AxisRole::kChannel);
  if (one_head) return AxisRole::kHeadSize;
  return AxisRole::kUnknown;
}

Result<std::vector<Axis>> broadcast_axes(const ir::Inference& node, const std::vector<Axis>& a,
                                         const std::vector<Axis>& b) {
  const auto join = [](const Axis& left, const Axis& right) -> std::optional<Axis> {
    if (left.extent == right.extent) return Axis(left.extent, join_roles(left.role, right.role));
    if (left.extent != Dim(1) && right.extent != Dim(1)) return std::nullopt;
    const Axis& wide = left.extent == Dim(1) ? right : left;
    const Axis& narrow = left.extent == Dim(1) ? left : right;
    return Axis(wide.extent, wide.role == AxisRole::kNone ? narrow.role : wide.role);
  };
  std::vector<Axis> out;
  const size_t rank = std::max(a.size(), b.size());
  for (size_t i = 0; i < rank; ++i) {
    const Axis& left = i + a.size() < rank ? b[i] : a[i + a.size() - rank];
    const Axis& right = i + b.size() < rank ? a[i] : b[i + b.size() - rank];
    const std::optional<Axis> joined = join(left, right);
    if (!joined) {
      return node.error("extents that are equal or 1 on each axis", print_axes(a) + " and " + print_axes(b));
    }
    out.push_back(*joined);
  }
  return out;
}

InferredTypes infer_same_type(const ir::Inference& node) { return std::vector<TensorType>{node.type(0)}; }

}  // namespace tenon::op
