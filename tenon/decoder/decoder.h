// The seam between a source of models and the translators. A Decoder lists the nodes of a ggml graph,
// producers before users, with every fact a compiler needs; it knows no file, no IR and no execution mode.
// Two kinds exist: the native builder (tenon/arch) and a live ggml graph; both speak the same ggml op names.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tenon/decoder/attributes.h"
#include "tenon/type/tensor_type.h"

namespace tenon::decoder {

// An output port of an earlier node.
struct Edge {
  size_t node = 0;
  int port = 0;
  bool operator==(const Edge&) const = default;
};

// ---- leaves: nodes of op "NONE" that carry one of these ----

// Bytes that stay owned by the source.
struct Weight {
  std::shared_ptr<const void> owner;
  const std::byte* bytes = nullptr;
  size_t size = 0;
};

enum class InputRole { kTokens, kPositions, kOutputRows, kCacheIndex, kOther };
struct Input {
  InputRole role = InputRole::kOther;
  std::string value_symbol;  // the symbol that this input's single element gives a value to, if any
};

// A cache is described, not owned.
enum class CacheKind { kAppend, kWindow, kOverwrite };
struct Cache {
  CacheKind kind = CacheKind::kAppend;
  int64_t window = 0;  // tokens, for kWindow
  int64_t layer = -1;
};

// A state that every step replaces as a whole: the inputs of a convolution, an SSM's or a delta-net's memory.
// Static extents; zero before the first token; the model's output of the same name is its next value.
struct RecurrentState {
  int64_t layer = -1;
};

// A mask whose structure is known; kExplicit is whatever the tensor says.
enum class MaskStructure { kExplicit, kCausal, kWindow, kBidirectional };
struct Mask {
  MaskStructure structure = MaskStructure::kExplicit;
  int64_t window = 0;  // tokens, for kWindow
  Edge positions;      // of the queries; for kCausal and kWindow. The key in row j of a cache has position j.
};

using Leaf = std::variant<std::monostate, Weight, Input, Cache, RecurrentState, Mask>;

// One node. `op` is ggml's name without prefix ("MUL_MAT"); unary and GLU kinds are ops of their own ("SILU",
// "SWIGLU").
struct NodeView {
  std::string_view op;
  std::string_view name;  // unique; a leaf's name is the weight's, input's or cache's
  NodeAttributes attributes;
  std::vector<Edge> inputs;
  std::vector<TensorType> outputs;  // declared element type, extents and axis roles, rank 4 for activations
  Leaf leaf;
};

// A value that leaves the model.
struct Output {
  std::string name;
  Edge value;
};

class Decoder {
 public:
  virtual ~Decoder() = default;
  virtual std::string_view model_name() const = 0;
  virtual size_t node_count() const = 0;
  // Valid as long as the decoder.
  virtual NodeView node(size_t index) const = 0;
  // Logits first, then one per cache that is written and one per recurrent state.
  virtual std::vector<Output> outputs() const = 0;
  // Bounds of the symbols that the extents use.
  virtual SymbolBounds symbols() const = 0;
};

}  // namespace tenon::decoder
