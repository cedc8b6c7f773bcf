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
  return add_node(op, std::move(name), std::move(attributes), std::move(inputs),
                  std::vector{std::move(output)}, std::move(leaf));
}

Edge GraphBuilder::add_node(std::string_view op, std::string name, decoder::NodeAttributes attributes,
                            std::vector<Edge> inputs, std::vector<TensorType> outputs, decoder::Leaf leaf) {
  require(names_.insert(name).second, "add_node", name, "the name is taken");
  NativeDecoder::Node& node = decoder_->nodes_.emplace_back();
  node.name = std::move(name);
  node.view = {op, node.name, std::move(attributes), std::move(inputs), std::move(outputs), std::move(leaf)};
  return {decoder_->nodes_.size() - 1, 0};
}

Edge GraphBuilder::weight(std::string name, TensorType type, decoder::Weight weight) {
  return add_node("NONE", std::move(name), {}, {}, std::move(type), std::move(weight));
}

Edge GraphBuilder::input(std::string name, TensorType type, decoder::InputRole role,
                         std::string value_symbol) {
  return add_node("NONE", std::move(name), {}, {}, std::move(type),
                  decoder::Input{role, std::move(value_symbol)});
}

Edge GraphBuilder::cache(std::string name, TensorType type, decoder::Cache cache) {
  return add_node("NONE", std::move(name), {}, {}, std::move(type), cache);
}

Edge GraphBuilder::recurrent_state(std::string name, TensorType type, decoder::RecurrentState state) {
  return add_node("NONE", std::move(name), {}, {}, std::move(type), state);
}

Edge GraphBuilder::mask(std::string name, TensorType type, decoder::Mask mask) {
  return add_node("NONE", std::move(name), {}, {}, std::move(type), mask);
}

Edge GraphBuilder::get_rows(Edge table, Edge ids, std::string name) {
  require(type(ids).rank() == 4, "get_rows", name, "ids are not of rank 4");
  const Axis features = type(table).axes.back();
  TensorType out{ElementType::kF32, {1, type(ids).axes[2], type(ids).axes[3], features}};
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
  out.axes.back() = type(weight).axes[0];
  return add_node("MUL_MAT", std::move(name), {}, {weight, x}, std::move(out));
}

Edge GraphBuilder::mul_mat_id(Edge weights, Edge x, Edge ids, std::string name) {
  require(type(weights).rank() == 3 && type(weights).dim(2) == type(x).dim(-1), "mul_mat_id", name,
          "inner extents differ");
  require(type(x).dim(1) == type(ids).dim(2), "mul_mat_id", name, "x and ids differ in tokens");
  TensorType out{ElementType::kF32, {1, type(x).axes[1], type(ids).axes[3], type(weights).axes[1]}};
  return add_node("MUL_MAT_ID", std::move(name), {}, {weights, x, ids}, std::move(out));
}

Edge GraphBuilder::add_id(Edge x, Edge biases, Edge ids, std::string name) {
  return add_node("ADD_ID", std::move(name), {}, {x, biases, ids}, type(x));
}

Edge GraphBuilder::swiglu(Edge gate, Edge up, std::string name) {
  require(type(gate) == type(up), "swiglu", name, "gate and up differ in type");
  return add_node("SWIGLU", std::move(name), decoder::GluAttributes{}, {gate, up}, type(gate));
}

Edge GraphBuilder::geglu(Edge gate, Edge up, std::string name) {
  require(type(gate) == type(up), "geglu", name, "gate and up differ in type");
  return add_node("GEGLU", std::move(name), decoder::GluAttributes{}, {gate, up}, type(gate));
}

Edge GraphBuilder::gelu(Edge x, std::string name) {
  return add_node("GELU", std::move(name), {}, {x}, type(x));
}

Edge GraphBuilder::scale(Edge x, double factor, std::string name) {
  return add_node("SCALE", std::move(name), decoder::ScaleAttributes{factor, 0}, {x}, type(x));
}

Edge GraphBuilder::tanh(Edge x, std::string name) {
  return add_node("TANH", std::move(name), {}, {x}, type(x));
}

Edge GraphBuilder::swiglu_oai(Edge gate, Edge up, double alpha, double limit, std::string name) {
  require(type(gate) == type(up), "swiglu_oai", name, "gate and up differ in type");
  return add_node("SWIGLU_OAI", std::move(name), decoder::GluOaiAttributes{{}, alpha, limit}, {gate, up},
                  type(gate));
}

Edge GraphBuilder::div(Edge x, Edge y, std::string name) {
  return add_node("DIV", std::move(name), {}, {x, y}, type(x));
}

Edge GraphBuilder::clamp(Edge x, double min, double max, std::string name) {
  return add_node("CLAMP", std::move(name), decoder::ClampAttributes{min, max}, {x}, type(x));
}

Edge GraphBuilder::soft_max(Edge x, std::string name) {
  return add_node("SOFT_MAX", std::move(name), decoder::SoftMaxAttributes{}, {x}, type(x));
}

Edge GraphBuilder::argsort(Edge x, decoder::SortOrder order, std::string name) {
  TensorType out{ElementType::kI32, type(x).axes};
  return add_node("ARGSORT", std::move(name), decoder::ArgsortAttributes{order, true}, {x}, std::move(out));
}

Edge GraphBuilder::sum_rows(Edge x, std::string name) {
  TensorType out = type(x);
  out.axes.back() = 1;
  return add_node("SUM_ROWS", std::move(name), {}, {x}, std::move(out));
}

Edge GraphBuilder::reshape(Edge x, std::vector<Axis> axes, std::string name) {
  TensorType out{type(x).element, std::move(axes)};
  return add_node("RESHAPE", std::move(name), decoder::ReshapeAttributes{}, {x}, std::move(out));
}

Edge GraphBuilder::view(Edge x, int axis, int64_t start, int64_t length, std::vector<Axis> axes,
                        std::string name) {
  TensorType out{type(x).element, std::move(axes)};
  return add_node("VIEW", std::move(name), decoder::ViewAttributes{axis, start, length, {}}, {x},
                  std::move(out));
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

Edge GraphBuilder::flash_attn_ext(Edge q, Edge k, Edge v, Edge mask, std::optional<Edge> sinks, double scale,
                                  std::string name) {
  std::vector<Edge> inputs{q, k, v, mask};
  if (sinks) inputs.push_back(*sinks);
  TensorType out = type(q);
  out.element = ElementType::kF32;
  out.axes[3] = type(v).axes[3];
  return add_node("FLASH_ATTN_EXT", std::move(name),
                  decoder::AttentionAttributes{decoder::AttentionLayout::kHeadAxis2, scale, 0, 0},
                  std::move(inputs), std::move(out));
}

Edge GraphBuilder::silu(Edge x, std::string name) {
  return add_node("SILU", std::move(name), {}, {x}, type(x));
}

Edge GraphBuilder::sigmoid(Edge x, std::string name) {
  return add_node("SIGMOID", std::move(name), {}, {x}, type(x));
}

Edge GraphBuilder::softplus(Edge x, std::string name) {
  return add_node("SOFTPLUS", std::move(name), {}, {x}, type(x));
}

Edge GraphBuilder::view(Edge x, int axis, Dim start, Dim length, std::string name) {
  require(axis >= 0 && axis < type(x).rank(), "view", name, "no such axis");
  TensorType out = type(x);
  out.axes[static_cast<size_t>(axis)].extent = length;
  return add_node("VIEW", std::move(name), decoder::ViewAttributes{axis, std::move(start), length, {}}, {x},
                  std::move(out));
}

Edge GraphBuilder::transpose(Edge x, std::string name) {
  require(type(x).rank() == 4, "transpose", name, "the rank is not 4");
  TensorType out = type(x);
  std::swap(out.axes[2], out.axes[3]);
  return add_node("TRANSPOSE", std::move(name), {}, {x}, std::move(out));
}

Edge GraphBuilder::concat(Edge a, Edge b, int axis, std::string name) {
  require(axis >= 0 && axis < type(a).rank(), "concat", name, "no such axis");
  TensorType out = type(a);
  Axis& joined = out.axes[static_cast<size_t>(axis)];
  joined.extent = joined.extent + type(b).dim(axis);
  return add_node("CONCAT", std::move(name), decoder::ConcatAttributes{axis}, {a, b}, std::move(out));
}

Edge GraphBuilder::ssm_conv(Edge inputs, Edge weight, std::string name) {
  const TensorType &x = type(inputs), &w = type(weight);
  require(x.rank() == 4 && w.rank() == 2 && w.dim(0) == x.dim(2), "ssm_conv", name, "the channels differ");
  const Axis tokens(x.dim(3) - w.dim(1) + Dim(1), AxisRole::kToken);
  return add_node("SSM_CONV", std::move(name), {}, {inputs, weight},
                  TensorType{x.element, {x.axes[0], x.axes[1], tokens, x.axes[2]}});
}

GraphBuilder::Scan GraphBuilder::ssm_scan(Edge state, Edge x, Edge dt, Edge a, Edge b, Edge c,
                                          std::string name) {
  const Edge scan =
      add_node("SSM_SCAN", std::move(name), {}, {state, x, dt, a, b, c}, std::vector{type(x), type(state)});
  return {scan, {scan.node, 1}};
}

GraphBuilder::Scan GraphBuilder::gated_delta_net(Edge q, Edge k, Edge v, Edge gate, Edge beta, Edge state,
                                                 std::string name) {
  const Edge net = add_node("GATED_DELTA_NET", std::move(name), {}, {q, k, v, gate, beta, state},
                            std::vector{type(v), type(state)});
  return {net, {net.node, 1}};
}

void GraphBuilder::output(std::string name, Edge value) {
  decoder_->outputs_.push_back({std::move(name), value});
}

std::unique_ptr<decoder::Decoder> GraphBuilder::finish() && { return std::move(decoder_); }

}  // namespace tenon::arch
