// Decoders made by hand, in the place of a live graph.
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/decoder/decoder.h"

namespace tenon::test {

// Nodes in the order of their adding. Types are given as text, "f32[1,1,T:token,64:channel]"; a text that
// does not parse throws std::invalid_argument.
class HandDecoder : public decoder::Decoder {
 public:
  using Edge = decoder::Edge;

  HandDecoder() = default;
  HandDecoder(HandDecoder&&) = default;  // a deque never moves its nodes
  HandDecoder(const HandDecoder&) = delete;

  Edge input(std::string name, std::string_view type, decoder::InputRole role = decoder::InputRole::kOther,
             std::string value_symbol = "");
  Edge weight(std::string name, std::string_view type, std::vector<std::byte> bytes);
  Edge weight(std::string name, std::string_view type, const std::vector<float>& values);  // f32
  Edge cache(std::string name, std::string_view type, decoder::Cache cache = {});
  Edge recurrent_state(std::string name, std::string_view type, int64_t layer = -1);
  Edge mask(std::string name, std::string_view type, decoder::Mask mask = {});
  // Port 0 of a node of that op. It is named after the op and its place.
  Edge node(std::string_view op, std::vector<Edge> inputs, std::string_view type,
            decoder::NodeAttributes attributes = {});
  // The same with several output ports, and as it comes.
  Edge node(decoder::NodeView view);
  HandDecoder& output(std::string name, Edge value);
  HandDecoder& bounds(std::string symbol, Bounds bounds);

  std::string_view model_name() const override { return "hand"; }
  size_t node_count() const override { return nodes_.size(); }
  decoder::NodeView node(size_t index) const override { return nodes_.at(index).view; }
  std::vector<decoder::Output> outputs() const override { return outputs_; }
  SymbolBounds symbols() const override { return symbols_; }

 private:
  struct Node {
    std::string op, name;
    decoder::NodeView view;  // refers to the names above
  };
  std::deque<Node> nodes_;
  std::vector<decoder::Output> outputs_;
  SymbolBounds symbols_;
};

// Another decoder with some of its nodes told differently; for breakers.
class EditedDecoder : public decoder::Decoder {
 public:
  using Edit = std::function<void(decoder::NodeView&)>;
  // `base` must outlive this.
  EditedDecoder(const decoder::Decoder& base, Edit edit) : base_(base), edit_(std::move(edit)) {}

  std::string_view model_name() const override { return base_.model_name(); }
  size_t node_count() const override { return base_.node_count(); }
  decoder::NodeView node(size_t index) const override {
    decoder::NodeView view = base_.node(index);
    edit_(view);
    return view;
  }
  std::vector<decoder::Output> outputs() const override { return base_.outputs(); }
  SymbolBounds symbols() const override { return base_.symbols(); }

 private:
  const decoder::Decoder& base_;
  Edit edit_;
};

}  // namespace tenon::test
