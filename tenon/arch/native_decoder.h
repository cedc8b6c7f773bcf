// Builds a decoder node by node, as an architecture's file describes its graph. Every emitter works out the
// declared type of its output, axis roles included, from those of its inputs. The order of axes is the native
// one: activations [1, 1, T, F], heads [1, T, H, D], caches [1, KV, G, D].
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/decoder/decoder.h"

namespace tenon::arch {

// A decoder that owns its list of nodes.
class NativeDecoder : public decoder::Decoder {
 public:
  NativeDecoder() = default;
  NativeDecoder(const NativeDecoder&) = delete;

  std::string_view model_name() const override { return model_name_; }
  size_t node_count() const override { return nodes_.size(); }
  decoder::NodeView node(size_t index) const override { return nodes_.at(index).view; }
  std::vector<decoder::Output> outputs() const override { return outputs_; }
  SymbolBounds symbols() const override { return symbols_; }

 private:
  friend class GraphBuilder;
  struct Node {
    std::string name;
    decoder::NodeView view;  // its name refers to the member above
  };

  std::string model_name_;
  std::deque<Node> nodes_;  // a deque never moves a node
  std::vector<decoder::Output> outputs_;
  SymbolBounds symbols_;
};

// Node names must be unique. A name given twice, or operands that do not fit each other, are errors of the
// calling architecture: they throw std::logic_error. What comes from a file is checked before it gets here.
class GraphBuilder {
 public:
  using Edge = decoder::Edge;

  explicit GraphBuilder(std::string model_name);

  // The extents are symbols of these names and bounds.
  Dim symbol(std::string name, Bounds bounds);

  Edge weight(std::string name, TensorType type, decoder::Weight weight);
  // `value_symbol`: the symbol that its single element gives a value to.
  Edge input(std::string name, TensorType type, decoder::InputRole role, std::string value_symbol = {});
  Edge cache(std::string name, TensorType type, decoder::Cache cache);
  Edge recurrent_state(std::string name, TensorType type, decoder::RecurrentState state);
  Edge mask(std::string name, TensorType type, decoder::Mask mask);

  // table [V, F] or activation [1, B, T, F], ids [1, 1, B, R] -> f32 [1, B, R, F]; B is 1 but for a table
  Edge get_rows(Edge table, Edge ids, std::string name);
  Edge rms_norm(Edge x, double epsilon, std::string name);
  // x ∘ y in x's shape; y is broadcast
  Edge mul(Edge x, Edge y, std::string name);
  Edge add(Edge x, Edge y, std::string name);
  // weight [N, K], x [.., T, K] -> f32 [.., T, N]
  Edge mul_mat(Edge weight, Edge x, std::string name);
  // weights [E, N, K], x [1, T, S, K], ids [1, 1, T, U] -> f32 [1, T, U, N]; S is U or 1
  Edge mul_mat_id(Edge weights, Edge x, Edge ids, std::string name);
  // x [1, T, U, N], biases [E, N], ids [1, 1, T, U] -> x's type
  Edge add_id(Edge x, Edge biases, Edge ids, std::string name);
  // gate and up of equal shape -> silu(gate) ∘ up
  Edge swiglu(Edge gate, Edge up, std::string name);
  // the same with ggml's tanh form of gelu
  Edge geglu(Edge gate, Edge up, std::string name);
  Edge gelu(Edge x, std::string name);
  // factor * x
  Edge scale(Edge x, double factor, std::string name);
  Edge tanh(Edge x, std::string name);
  // the same, clamped, as OpenAI's models have it
  Edge swiglu_oai(Edge gate, Edge up, double alpha, double limit, std::string name);
  // x / y in x's shape; y is broadcast
  Edge div(Edge x, Edge y, std::string name);
  Edge clamp(Edge x, double min, double max, std::string name);
  // over the last axis
  Edge soft_max(Edge x, std::string name);
  // i32, x's extents: the indices of each row of the last axis in the order of its values
  Edge argsort(Edge x, decoder::SortOrder order, std::string name);
  // [.., N] -> [.., 1]
  Edge sum_rows(Edge x, std::string name);
  // x in its order, as the given axes
  Edge reshape(Edge x, std::vector<Axis> axes, std::string name);
  // `length` indices of one axis from `start` on, then as reshape
  Edge view(Edge x, int axis, int64_t start, int64_t length, std::vector<Axis> axes, std::string name);
  // [1, 1, T, heads * D] -> [1, T, heads, D]
  Edge split_heads(Edge x, int64_t heads, std::string name);
  // [1, T, H, D] -> [1, 1, T, H * D]
  Edge merge_heads(Edge x, std::string name);
  // x [1, T, H, D], positions [1, 1, 1, T], frequency_factors [n_rot / 2]
  Edge rope(Edge x, Edge positions, std::optional<Edge> frequency_factors,
            const decoder::RopeAttributes& attributes, std::string name);
  // rows [1, T, G, D] into cache [1, KV, G, D] at index [1, 1, 1, T] -> the cache
  Edge set_rows(Edge rows, Edge index, Edge cache, std::string name);
  // q [1, T, H, D], k and v [1, KV, G, D], mask [1, 1, T, KV], sinks [H] -> f32 [1, T, H, D]
  Edge flash_attn_ext(Edge q, Edge k, Edge v, Edge mask, std::optional<Edge> sinks, double scale,
                      std::string name);

  // elementwise, of one input
  Edge silu(Edge x, std::string name);
  Edge sigmoid(Edge x, std::string name);
  Edge softplus(Edge x, std::string name);
  // `length` entries of an axis from `start` on
  Edge view(Edge x, int axis, Dim start, Dim length, std::string name);
  // the last two axes trade places
  Edge transpose(Edge x, std::string name);
  // a, then b, along an axis beside which they are alike
  Edge concat(Edge a, Edge b, int axis, std::string name);
  // inputs [1, 1, C, K - 1 + T], weight [C, K] -> [1, 1, T, C]
  Edge ssm_conv(Edge inputs, Edge weight, std::string name);

  // What a scan over the tokens gives: an output for each, and the state after the last.
  struct Scan {
    Edge output, state;
  };
  // state [1, H, P, N], x [1, T, H, P], dt [1, 1, T, H], a [H, 1], b and c [1, T, G, N] -> [1, T, H, P]
  Scan ssm_scan(Edge state, Edge x, Edge dt, Edge a, Edge b, Edge c, std::string name);
  // q and k [1, T, G, D], v [1, T, H, D], gate and beta [1, T, H, 1], state [1, H, D, D] -> [1, T, H, D]
  Scan gated_delta_net(Edge q, Edge k, Edge v, Edge gate, Edge beta, Edge state, std::string name);

  void output(std::string name, Edge value);
  const TensorType& type(Edge edge) const;

  std::unique_ptr<decoder::Decoder> finish() &&;

 private:
  Edge add_node(std::string_view op, std::string name, decoder::NodeAttributes attributes,
                std::vector<Edge> inputs, TensorType output, decoder::Leaf leaf = {});
  Edge add_node(std::string_view op, std::string name, decoder::NodeAttributes attributes,
                std::vector<Edge> inputs, std::vector<TensorType> outputs, decoder::Leaf leaf = {});

  std::unique_ptr<NativeDecoder> decoder_;
  std::set<std::string, std::less<>> names_;
};

}  // namespace tenon::arch
