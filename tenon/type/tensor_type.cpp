#include "tenon/type/tensor_type.h"

#include <array>

namespace tenon {

namespace {

constexpr std::array<std::string_view, 9> kRoleNames = {"none",      "batch",   "token",  "position", "head",
                                                        "head_size", "channel", "expert", "unknown"};

}  // namespace

std::string_view name(AxisRole role) { return kRoleNames[static_cast<size_t>(role)]; }

std::optional<AxisRole> axis_role_from_name(std::string_view name) {
  for (size_t i = 0; i < kRoleNames.size(); ++i) {
    if (kRoleNames[i] == name) return static_cast<AxisRole>(i);
  }
  return std::nullopt;
}

std::vector<Dim> TensorType::dims() const {
  std::vector<Dim> out;
  for (const Axis& axis : axes) out.push_back(axis.extent);
  return out;
}

Dim TensorType::element_count() const {
  Dim count(1);
  for (const Axis& axis : axes) count = count * axis.extent;
  return count;
}

std::optional<int> TensorType::axis_of(AxisRole wanted) const {
  std::optional<int> found;
  for (int i = 0; i < rank(); ++i) {
    if (role(i) != wanted) continue;
    if (found) return std::nullopt;
    found = i;
  }
  return found;
}

std::string TensorType::to_string() const {
  std::string out(name(element));
  out += '[';
  for (size_t i = 0; i < axes.size(); ++i) {
    if (i > 0) out += ',';
    out += axes[i].extent.to_string();
    if (axes[i].role != AxisRole::kNone) (out += ':') += name(axes[i].role);
  }
  return out + ']';
}

Result<TensorType> TensorType::parse(std::string_view text) {
  const auto fail = [&](std::string_view what) {
    return Error{ErrorCode::kInvalidArgument, "tensor type '" + std::string(text) + "'", std::string(what),
                 "", ""};
  };
  const size_t open = text.find('[');
  if (open == std::string_view::npos || text.back() != ']')
    return fail("element[axes], as in f32[1,T:token,64]");
  const std::optional<ElementType> element = element_type_from_name(text.substr(0, open));
  if (!element) return fail("a known element type");
  TensorType out{*element, {}};
  std::string_view rest = text.substr(open + 1, text.size() - open - 2);
  while (!rest.empty()) {
    const size_t comma = rest.find(',');
    const std::string_view item = rest.substr(0, comma);
    const size_t colon = item.find(':');
    TENON_ASSIGN(Dim extent, Dim::parse(item.substr(0, colon)));
    AxisRole axis_role = AxisRole::kNone;
    if (colon != std::string_view::npos) {
      const std::optional<AxisRole> parsed = axis_role_from_name(item.substr(colon + 1));
      if (!parsed) return fail("a known axis role");
      axis_role = *parsed;
    }
    out.axes.emplace_back(extent, axis_role);
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
    if (rest.empty()) return fail("an axis after the comma");
  }
  return out;
}

std::vector<Axis> plain(std::initializer_list<Dim> extents) {
  std::vector<Axis> out;
  for (const Dim& extent : extents) out.emplace_back(extent);
  return out;
}

}  // namespace tenon
