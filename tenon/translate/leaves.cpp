#include "tenon/translate/leaves.h"

#include "tenon/ir/leaves.h"

namespace tenon::translate {

namespace {

Error leaf_error(const decoder::NodeView& leaf, std::string wanted, std::string found) {
  return {ErrorCode::kInvalidGraph, "leaf '" + std::string(leaf.name) + "'", std::move(wanted),
          std::move(found), ""};
}

ir::ParameterRole role_of(decoder::InputRole role) {
  switch (role) {
    case decoder::InputRole::kTokens:
      return ir::ParameterRole::kTokens;
    case decoder::InputRole::kPositions:
      return ir::ParameterRole::kPositions;
    case decoder::InputRole::kOutputRows:
      return ir::ParameterRole::kOutputRows;
    case decoder::InputRole::kCacheIndex:
      return ir::ParameterRole::kCacheIndex;
    case decoder::InputRole::kOther:
      return ir::ParameterRole::kNone;
  }
  return ir::ParameterRole::kNone;
}

ir::CacheKind kind_of(decoder::CacheKind kind) {
  switch (kind) {
    case decoder::CacheKind::kAppend:
      return ir::CacheKind::kAppend;
    case decoder::CacheKind::kWindow:
      return ir::CacheKind::kWindow;
    case decoder::CacheKind::kOverwrite:
      return ir::CacheKind::kOverwrite;
  }
  return ir::CacheKind::kOverwrite;
}

ir::MaskKind kind_of(decoder::MaskStructure structure) {
  switch (structure) {
    case decoder::MaskStructure::kExplicit:
      return ir::MaskKind::kExplicit;
    case decoder::MaskStructure::kCausal:
      return ir::MaskKind::kCausal;
    case decoder::MaskStructure::kWindow:
      return ir::MaskKind::kWindow;
    case decoder::MaskStructure::kBidirectional:
      return ir::MaskKind::kBidirectional;
  }
  return ir::MaskKind::kExplicit;
}

Result<ir::Value> translate_weight(const decoder::NodeView& leaf, const decoder::Weight& weight,
                                   ir::Model& model) {
  const TensorType& type = leaf.outputs[0];
  int64_t count = 1;
  for (const Axis& axis : type.axes) {
    const std::optional<int64_t> extent = axis.extent.try_value();
    if (!extent) return leaf_error(leaf, "a weight of constant extents", type.to_string());
    count *= *extent;
  }
  const int64_t block = info(type.element).block_elements;
  const bool whole_blocks = block == 1 || (type.rank() > 0 && type.dim(-1).value() % block == 0);
  if (!whole_blocks || bytes_for(type.element, count) != weight.size) {
    return leaf_error(leaf, "the bytes of " + type.to_string(), std::to_string(weight.size) + " bytes");
  }
  auto constant = std::make_unique<ir::ConstantAttributes>();
  constant->type = type;
  constant->weight = leaf.name;
  constant->data = {weight.owner, weight.bytes, weight.size};
  return model.add_constant(std::move(constant));
}

}  // namespace

Result<ir::Value> translate_leaf(const decoder::NodeView& leaf, ir::Model& model) {
  if (leaf.outputs.size() != 1) return leaf_error(leaf, "one output", std::to_string(leaf.outputs.size()));
  ir::ParameterAttributes parameter;
  parameter.name = leaf.name;
  parameter.type = leaf.outputs[0];
  if (const auto* weight = std::get_if<decoder::Weight>(&leaf.leaf)) {
    return translate_weight(leaf, *weight, model);
  } else if (const auto* input = std::get_if<decoder::Input>(&leaf.leaf)) {
    parameter.role = role_of(input->role);
    parameter.value_symbol = input->value_symbol;
  } else if (const auto* cache = std::get_if<decoder::Cache>(&leaf.leaf)) {
    parameter.role = ir::ParameterRole::kCache;
    parameter.cache = kind_of(cache->kind);
    parameter.window = cache->window;
    parameter.layer = cache->layer;
  } else if (const auto* state = std::get_if<decoder::RecurrentState>(&leaf.leaf)) {
    parameter.role = ir::ParameterRole::kRecurrentState;
    parameter.layer = state->layer;
  } else if (const auto* mask = std::get_if<decoder::Mask>(&leaf.leaf)) {
    parameter.role = ir::ParameterRole::kMask;
    parameter.mask = kind_of(mask->structure);
    parameter.window = mask->window;
  } else {
    return leaf_error(leaf, "a weight, an input, a cache, a recurrent state or a mask", "a leaf of no kind");
  }
  return model.add_parameter(std::move(parameter));
}

}  // namespace tenon::translate
