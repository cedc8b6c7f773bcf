// The static type of one tensor: element type and axes, each axis an extent with the role it plays.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/type/dim.h"
#include "tenon/type/element_type.h"

namespace tenon {

// What an axis counts. Extents of 1 that only keep the rank are kNone; kUnknown is what a shape rule gives up
// on.
enum class AxisRole : uint8_t {
  kNone,
  kBatch,
  kToken,
  kPosition,
  kHead,
  kHeadSize,
  kChannel,
  kExpert,
  kUnknown
};

std::string_view name(AxisRole role);
std::optional<AxisRole> axis_role_from_name(std::string_view name);

struct Axis {
  Dim extent;
  AxisRole role = AxisRole::kNone;

  Axis(Dim extent_in, AxisRole role_in = AxisRole::kNone) : extent(std::move(extent_in)), role(role_in) {}
  Axis(int64_t extent_in, AxisRole role_in = AxisRole::kNone) : extent(extent_in), role(role_in) {}
  bool operator==(const Axis&) const = default;
};

// Axes from outermost to innermost: the last one is contiguous in memory (ggml's ne[0]).
struct TensorType {
  ElementType element = ElementType::kF32;
  std::vector<Axis> axes;

  int rank() const { return static_cast<int>(axes.size()); }
  const Dim& dim(int axis) const {
    return axes.at(static_cast<size_t>(axis < 0 ? axis + rank() : axis)).extent;
  }
  AxisRole role(int axis) const { return axes.at(static_cast<size_t>(axis < 0 ? axis + rank() : axis)).role; }
  std::vector<Dim> dims() const;
  Dim element_count() const;
  // The only axis of that role, or nullopt where there is none or more than one.
  std::optional<int> axis_of(AxisRole role) const;
  bool operator==(const TensorType&) const = default;

  // "f16[1,C:position,2:head,64:head_size]"; a role of kNone is left out.
  std::string to_string() const;
  static Result<TensorType> parse(std::string_view text);
};

// An axis list without roles, for weights and tests: plain({1, 2, 4}).
std::vector<Axis> plain(std::initializer_list<Dim> extents);

}  // namespace tenon
