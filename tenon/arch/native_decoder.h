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
  Edge input(std::string name, TensorType type, decoder::InputRole role);
  Edge cache(std::string name, TensorType type, decoder::Cache cache);
  Edge mask(std::string name, TensorType type, decoder::Mask mask);

  // table [V, F] or activation [1, 1, T, F], ids [1, 1, 1, R] -> f32 [1, 1, R, F]
  Edge get_rows(Edge table, Edge ids, std::string name);
  Edge rms_norm(Edge x, double epsilon, std::string name);
  // x ∘ y in x's shape; y is broadcast
  Edge mul(Edge x, Edge y, std::string name);
  Edge add(Edge x, Edge y, std::string name);
  // weight [N, K], x [.., T, K] -> f32 [.., T, N]
  Edge mul_mat(Edge weight, Edge x, std::string name);
  // gate and up of equal shape -> silu(gate) ∘ up
  Edge swiglu(Edge gate, Edge up, std::string name);
  // [1, 1, T, heads * D] -> [1, T, heads, D]
  Edge split_heads(Edge x, int64_t heads, std::string name);
  // [1, T, H, D] -> [1, 1, T, H * D]
  Edge merge_heads(Edge x, std::string name);
  // x [1, T, H, D], positions [1, 1, 1, T], frequency_factors [n_rot / 2]
  Edge rope(Edge x, Edge positions, std::optional<Edge> frequency_factors,
            const decoder::RopeAttributes& attributes, std::string name);
  // rows [1, T, G, D] into cache [1, KV, G, D] at index [1, 1, 1, T] -> the cache
  Edge set_rows(Edge rows, Edge index, Edge cache, std::string name);
  // q [1, T, H, D], k and v [1, KV, G, D], mask [1, 1, T, KV] -> f32 [1, T, H, D]
  Edge flash_attn_ext(Edge q, Edge k, Edge v, Edge mask, double scale, std::string name);

  void output(std::string name, Edge value);
  const TensorType& type(Edge edge) const;

  std::unique_ptr<decoder::Decoder> finish() &&;

 private:
  Edge add_node(std::string_view op, std::string name, decoder::NodeAttributes attributes,
                std::vector<Edge> inputs, TensorType output, decoder::Leaf leaf = {});

  std::unique_ptr<NativeDecoder> decoder_;
  std::set<std::string, std::less<>> names_;
};

}  // namespace tenon::arch
