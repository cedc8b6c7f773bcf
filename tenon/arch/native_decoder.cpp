#include "tenon/arch/native_decoder.h"

#include <stdexcept>
#include <utility>

namespace tenon::arch {

using decoder::Edge;

namespace {

void require(bool condition, std::string_view emitter, const std::string& node, std::string_view what) {
  if (condition) return;
  throw std::logic_error("[GraphBuilder::" + std::string(emitter) + "] " + node + ": " + std::string(what));
}

}  // namespace

GraphBuilder::GraphBuilder(std::string model_name) : decoder_(std::make_unique<NativeDecoder>()) {
  decoder_->model_name_ = std::move(model_name);
}

Dim GraphBuilder::symbol(std::string name, Bounds bounds) {
  const Dim dim = Dim::symbol(name);
  decoder_->symbols_.insert_or_assign(std::move(name), bounds);
  return dim;
}

const TensorType& GraphBuilder::type(Edge edge) const {
  return decoder_->nodes_.at(edge.node).view.outputs.at(static_cast<size_t>(edge.port));
}

Edge GraphBuilder::add_node(std::string_view op, std::string name, decoder::NodeAttributes attributes,
                            std::vector<Edge> inputs, TensorType output, decoder::Leaf leaf) {
  require(names_.insert(name).second, "add_node", name, "the name is taken");
  NativeDecoder::Node& node = decoder_->nodes_.emplace_back();
  node.name = std::move(name);
  node.view = {op, node.name, std::move(attributes), std::move(inputs), {std::move(output)}, std::move(leaf)};
  return {decoder_->nodes_.size() - 1, 0};
}

Edge GraphBuilder::weight(std::string name, TensorType type, decoder::Weight weight) {
  return add_node("NONE", std::move(name), {}, {}, std::move(type), std::move(weight));
}

Edge GraphBuilder::input(std::string name, TensorType type, decoder::InputRole role) {
  return add_node("NONE", std::move(name), {}, {}, std::move(type), decoder::Input{role, {}});
}

Edge GraphBuilder::cache(std::string name, TensorType type, decoder::Cache cache) {
  return add_node("NONE", std::move(name), {}, {}, std::move(type), cache);
}

Edge GraphBuilder::mask(std::string name, TensorType type, decoder::Mask mask) {
  return add_node("NONE", std::move(name), {}, {}, std::move(type), mask);
}

Edge GraphBuilder::get_rows(Edge table, Edge ids, std::string name) {
  const Axis features(type(table).dim(-1), AxisRole::kChannel);
  TensorType out{ElementType::kF32, {1, 1, type(ids).axes.back(), features}};
  return add_node("GET_ROWS", std::move(name), {}, {table, ids}, std::move(out));
}

Edge GraphBuilder::rms_norm(Edge x, double epsilon, std::string name) {
  return add_node("RMS_NORM", std::move(name), decoder::NormAttributes{epsilon}, {x}, type(x));
}

Edge GraphBuilder::mul(Edge x, Edge y, std::string name) {
  return add_node("MUL", std::move(name), {}, {x, y}, type(x));
}

Edge GraphBuilder::add(Edge x, Edge y, std::string name) {
  return add_node("ADD", std::move(name), {}, {x, y}, type(x));
}

Edge GraphBuilder::mul_mat(Edge weight, Edge x, std::string name) {
  require(type(weight).dim(-1) == type(x).dim(-1), "mul_mat", name, "inner extents differ");
  TensorType out = type(x);
  out.element = ElementType::kF32;
  out.axes.back() = Axis(type(weight).dim(0), AxisRole::kChannel);
  return add_node("MUL_MAT", std::move(name), {}, {weight, x}, std::move(out));
}

Edge GraphBuilder::swiglu(Edge gate, Edge up, std::string name) {
  require(type(gate) == type(up), "swiglu", name, "gate and up differ in type");
  return add_node("SWIGLU", std::move(name), decoder::GluAttributes{}, {gate, up}, type(gate));
}

Edge GraphBuilder::split_heads(Edge x, int64_t heads, std::string name) {
  const TensorType& in = type(x);
  require(in.rank() == 4 && in.dim(3).is_constant() && in.dim(3).value() % heads == 0, "split_heads", name,
          "the last extent is no multiple of the heads");
  const int64_t head_size = in.dim(3).value() / heads;
  TensorType out{in.element,
                 {in.axes[0], in.axes[2], {heads, AxisRole::kHead}, {head_size, AxisRole::kHeadSize}}};
  return add_node("RESHAPE", std::move(name),
                  decoder::ReshapeAttributes{decoder::ReshapeCase::kSplitHeads, heads, head_size}, {x},
                  std::move(out));
}

Edge GraphBuilder::merge_heads(Edge x, std::string name) {
  const TensorType& in = type(x);
  require(in.rank() == 4, "merge_heads", name, "the rank is not 4");
  const decoder::ReshapeAttributes attributes{decoder::ReshapeCase::kMergeHeads, in.dim(2).value(),
                                              in.dim(3).value()};
  TensorType out{in.element, {in.axes[0], 1, in.axes[1], {in.dim(2) * in.dim(3), AxisRole::kChannel}}};
  return add_node("RESHAPE", std::move(name), attributes, {x}, std::move(out));
}

Edge GraphBuilder::rope(Edge x, Edge positions, std::optional<Edge> frequency_factors,
                        const decoder::RopeAttributes& attributes, std::string name) {
  std::vector<Edge> inputs{x, positions};
  if (frequency_factors) inputs.push_back(*frequency_factors);
  return add_node("ROPE", std::move(name), attributes, std::move(inputs), type(x));
}

Edge GraphBuilder::set_rows(Edge rows, Edge index, Edge cache, std::string name) {
  return add_node("SET_ROWS", std::move(name), {}, {rows, index, cache}, type(cache));
}

Edge GraphBuilder::flash_attn_ext(Edge q, Edge k, Edge v, Edge mask, double scale, std::string name) {
  TensorType out = type(q);
  out.element = ElementType::kF32;
  out.axes[3] = type(v).axes[3];
  return add_node("FLASH_ATTN_EXT", std::move(name),
                  decoder::AttentionAttributes{decoder::AttentionLayout::kHeadAxis2, scale, 0, 0},
                  {q, k, v, mask}, std::move(out));
}

void GraphBuilder::output(std::string name, Edge value) {
  decoder_->outputs_.push_back({std::move(name), value});
}

std::unique_ptr<decoder::Decoder> GraphBuilder::finish() && { return std::move(decoder_); }

}  // namespace tenon::arch
