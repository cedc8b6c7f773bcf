#include "tenon/plan/views.h"

#include "tenon/op/variadic_split.h"

namespace tenon::plan {

std::vector<Dim> contiguous_strides(const TensorType& type) {
  std::vector<Dim> strides(type.axes.size());
  Dim stride(info(type.element).block_bytes);
  for (int axis = type.rank() - 1; axis >= 0; --axis) {
    strides[static_cast<size_t>(axis)] = stride;
    Dim extent = type.dim(axis);
    if (axis == type.rank() - 1 && is_block(type.element))
      extent = Dim(extent.value() / info(type.element).block_elements);
    stride = stride * extent;
  }
  return strides;
}

Dim packed_bytes(const TensorType& type) {
  const ElementTypeInfo& element = info(type.element);
  if (!is_block(type.element)) return type.element_count() * Dim(element.block_bytes);
  const std::optional<Dim> blocks = type.element_count().divide(Dim(element.block_elements));
  return blocks.value() * Dim(element.block_bytes);
}

bool is_contiguous(const Operand& operand) {
  TensorType type{operand.element, {operand.extents.begin(), operand.extents.end()}};
  const std::vector<Dim> packed = contiguous_strides(type);
  for (size_t axis = 0; axis < packed.size(); ++axis) {
    if (operand.extents[axis] != Dim(1) && operand.strides[axis] != packed[axis]) return false;
  }
  return true;
}

namespace {

// Whether axes `first` to `last` of `source` can be walked as one: each lies as the ones inside it make it.
bool walks_as_one(const Operand& source, size_t first, size_t last) {
  Dim packed;
  bool inner = false;  // an axis further in has set `packed`
  for (size_t axis = last + 1; axis-- > first;) {
    if (source.extents[axis] == Dim(1)) continue;
    if (inner && source.strides[axis] != packed) return false;
    packed = source.strides[axis] * source.extents[axis];
    inner = true;
  }
  return true;
}

// The smallest runs of axes that hold as many elements on both sides are regrouped one by one: within a run
// the source must lie without gaps, between runs it may lie as it will. nullopt where that is not so, or
// where symbols do not show where a run ends.
std::optional<std::vector<Dim>> strides_by_runs(const Operand& source, const TensorType& to) {
  std::vector<Dim> strides(to.axes.size(), Dim(info(source.element).block_bytes));
  size_t from = 0, axis = 0;
  const auto skip_ones = [&] {
    while (from < source.extents.size() && source.extents[from] == Dim(1)) ++from;
    while (axis < to.axes.size() && to.axes[axis].extent == Dim(1)) ++axis;
  };
  for (skip_ones(); from < source.extents.size() && axis < to.axes.size(); ++from, ++axis, skip_ones()) {
    const size_t first_from = from, first_axis = axis;
    Dim have = source.extents[from], want = to.axes[axis].extent;
    while (have != want) {
      const bool source_goes_on = want.divide(have).has_value();
      if (!source_goes_on && !have.divide(want)) return std::nullopt;
      if (source_goes_on ? ++from == source.extents.size() : ++axis == to.axes.size()) return std::nullopt;
      if (source_goes_on)
        have = have * source.extents[from];
      else
        want = want * to.axes[axis].extent;
    }
    const bool one_axis = first_from == from && first_axis == axis;
    if (!one_axis && (is_block(source.element) || !walks_as_one(source, first_from, from)))
      return std::nullopt;
    size_t innermost = from;  // an extent of 1 says nothing about distances
    while (innermost > first_from && source.extents[innermost] == Dim(1)) --innermost;
    Dim stride = source.strides[innermost];
    for (size_t i = axis + 1; i-- > first_axis;) {
      strides[i] = stride;
      stride = stride * to.axes[i].extent;
    }
  }
  if (from != source.extents.size() || axis != to.axes.size()) return std::nullopt;
  return strides;
}

std::optional<Operand> regrouped(const Operand& source, const TensorType& to) {
  Operand out = source;
  out.extents = to.dims();
  if (is_contiguous(source)) {
    out.strides = contiguous_strides(to);
    return out;
  }
  if (auto strides = strides_by_runs(source, to)) {
    out.strides = std::move(*strides);
    return out;
  }
  return std::nullopt;
}

std::optional<Operand> transposed(const ir::Node& node, const Operand& source) {
  const auto order = ir::value_as_dims(node.input(1));
  if (!order) return std::nullopt;
  Operand out = source;
  for (size_t axis = 0; axis < order->size(); ++axis) {
    const auto from = static_cast<size_t>((*order)[axis].value());
    out.extents[axis] = source.extents[from];
    out.strides[axis] = source.strides[from];
  }
  return out;
}

std::optional<Operand> split(const ir::Node& node, int port, const Operand& source) {
  const int rank = node.port_type(port).rank();
  auto axis = static_cast<int>(node.attributes_as<op::VariadicSplitAttributes>().axis);
  if (axis < 0) axis += rank;
  Dim start;
  for (int before = 0; before < port; ++before) start = start + node.port_type(before).dim(axis);
  Operand out = source;
  out.offset = source.offset + start * source.strides[static_cast<size_t>(axis)];
  out.extents[static_cast<size_t>(axis)] = node.port_type(port).dim(axis);
  return out;
}

}  // namespace

bool is_view(const ir::Node& node) {
  return node.is("Reshape") || node.is("Squeeze") || node.is("Unsqueeze") || node.is("Transpose") ||
         node.is("VariadicSplit");
}

std::optional<Operand> view_of(const ir::Node& node, int port, const Operand& source) {
  if (node.is("Reshape") || node.is("Squeeze") || node.is("Unsqueeze"))
    return regrouped(source, node.port_type(port));
  if (node.is("Transpose")) return transposed(node, source);
  if (node.is("VariadicSplit")) return split(node, port, source);
  return std::nullopt;
}

}  // namespace tenon::plan
