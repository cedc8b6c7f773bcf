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

// Keeps extents other than 1 as they are: any strides survive that.
std::optional<std::vector<Dim>> strides_up_to_ones(const Operand& source, const TensorType& to) {
  std::vector<Dim> strides(to.axes.size(), Dim(info(source.element).block_bytes));
  size_t from = 0;
  for (size_t axis = 0; axis < to.axes.size(); ++axis) {
    if (to.axes[axis].extent == Dim(1)) continue;
    while (from < source.extents.size() && source.extents[from] == Dim(1)) ++from;
    if (from == source.extents.size() || source.extents[from] != to.axes[axis].extent) return std::nullopt;
    strides[axis] = source.strides[from++];
  }
  while (from < source.extents.size() && source.extents[from] == Dim(1)) ++from;
  if (from != source.extents.size()) return std::nullopt;
  return strides;
}

std::optional<Operand> regrouped(const Operand& source, const TensorType& to) {
  Operand out = source;
  out.extents = to.dims();
  if (is_contiguous(source)) {
    out.strides = contiguous_strides(to);
    return out;
  }
  if (auto strides = strides_up_to_ones(source, to)) {
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
