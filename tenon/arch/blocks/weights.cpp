#include "tenon/arch/blocks/weights.h"

#include <algorithm>

namespace tenon::arch {

namespace {

std::string shape_text(const std::vector<int64_t>& extents) {
  std::string out = "[";
  for (size_t i = 0; i < extents.size(); ++i) out += (i == 0 ? "" : ",") + std::to_string(extents[i]);
  return out + "]";
}

Error tensor_error(ErrorCode code, std::string_view name, std::string wanted, std::string found) {
  return {code, "tensor '" + std::string(name) + "'", std::move(wanted), std::move(found), ""};
}

}  // namespace

Result<decoder::Edge> Weights::tensor(GraphBuilder& graph, const std::string& name, std::vector<Axis> axes,
                                      bool f32_only) {
  std::vector<int64_t> extents;
  for (const Axis& axis : axes) extents.push_back(axis.extent.value());
  const gguf::TensorInfo* const stored = file_->find_tensor(name);
  if (stored == nullptr) {
    return tensor_error(ErrorCode::kInvalidFile, name, "a tensor of shape " + shape_text(extents),
                        "none of that name");
  }
  if (stored->extents != extents) {
    return tensor_error(ErrorCode::kInvalidFile, name, "shape " + shape_text(extents),
                        shape_text(stored->extents));
  }
  const ElementType element = stored->element;
  const bool fits = f32_only ? element == ElementType::kF32 : is_float(element) || is_block(element);
  if (!fits) {
    return tensor_error(ErrorCode::kUnsupported, name, f32_only ? "type f32" : "a float or block type",
                        std::string(tenon::name(element)));
  }
  if (const auto known = used_.find(name); known != used_.end()) return known->second;
  const decoder::Edge edge =
      graph.weight(name, {element, std::move(axes)}, {file_, stored->data.data(), stored->data.size()});
  used_.emplace(name, edge);
  return edge;
}

Result<decoder::Edge> Weights::matrix(GraphBuilder& graph, const std::string& name, int64_t rows,
                                      int64_t columns) {
  return tensor(graph, name, {{rows, AxisRole::kChannel}, {columns, AxisRole::kChannel}});
}

Result<decoder::Edge> Weights::vector(GraphBuilder& graph, const std::string& name, int64_t extent) {
  return tensor(graph, name, {{extent, AxisRole::kChannel}}, /*f32_only=*/true);
}

Result<std::optional<decoder::Edge>> Weights::optional_vector(GraphBuilder& graph, const std::string& name,
                                                              int64_t extent) {
  if (!contains(name)) return std::optional<decoder::Edge>();
  TENON_ASSIGN(const decoder::Edge edge, vector(graph, name, extent));
  return std::optional<decoder::Edge>(edge);
}

Result<int64_t> Weights::rows(const std::string& name) const {
  const gguf::TensorInfo* const tensor = file_->find_tensor(name);
  if (tensor == nullptr) return tensor_error(ErrorCode::kInvalidFile, name, "a matrix", "none of that name");
  if (tensor->extents.size() != 2) {
    return tensor_error(ErrorCode::kInvalidFile, name, "a matrix", "shape " + shape_text(tensor->extents));
  }
  return tensor->extents[0];
}

Status Weights::check_all_used() const {
  for (const gguf::TensorInfo& tensor : file_->tensors()) {
    if (used_.contains(tensor.name) || left_out_.contains(tensor.name)) continue;
    return Error{ErrorCode::kUnsupported, "tensor '" + std::string(tensor.name) + "'",
                 "only tensors that the architecture uses", "one that it has no use for",
                 "the file holds a variant of the model that this build cannot run"};
  }
  return {};
}

}  // namespace tenon::arch
