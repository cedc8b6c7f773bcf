// The three ops at a graph's border, with the facts that later stages need of them.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>

#include "tenon/ir/schema.h"

namespace tenon::ir {

// What a parameter is to the model. kCache, kMask and kAttentionSize have details below; those after
// kBeamIndices are the inputs of a paged model.
enum class ParameterRole : uint8_t {
  kNone,
  kTokens,
  kPositions,
  kOutputRows,
  kMask,
  kCache,
  kRecurrentState,
  kCacheIndex,
  kAttentionSize,
  kBeamIndices,
  kPastLengths,
  kSequenceBegins,
  kBlockIndices,
  kBlockBegins,
  kMaxContextLength
};
inline constexpr std::array<std::string_view, 15> kParameterRoleNames = {
    "none",         "tokens",          "positions",     "output_rows",    "mask",
    "cache",        "recurrent_state", "cache_index",   "attention_size", "beam_indices",
    "past_lengths", "sequence_begins", "block_indices", "block_begins",   "max_context_length"};

// How the rows of a cache come and go.
enum class CacheKind : uint8_t { kAppend, kWindow, kOverwrite };
inline constexpr std::array<std::string_view, 3> kCacheKindNames = {"append", "window", "overwrite"};

// Which keys a query sees, as structure over positions; kExplicit is whatever the mask tensor says.
enum class MaskKind : uint8_t { kExplicit, kCausal, kWindow, kBidirectional };
inline constexpr std::array<std::string_view, 4> kMaskKindNames = {"explicit", "causal", "window",
                                                                   "bidirectional"};

struct ParameterAttributes : AttributesOf<ParameterAttributes> {
  std::string name;  // the model input's name
  TensorType type;
  ParameterRole role = ParameterRole::kNone;
  CacheKind cache = CacheKind::kAppend;  // role kCache
  MaskKind mask = MaskKind::kExplicit;   // role kMask
  int64_t window = 0;                    // of a window cache or mask, in tokens
  // Of a window cache, of its index and its attention size: position p is row p % ring; 0: row p.
  int64_t ring = 0;
  int64_t layer = -1;        // of a cache or recurrent state
  std::string value_symbol;  // the symbol that this input's single element gives a value to, if any
  bool unused = false;       // a pass took its last reader; it stays until the consumer prunes it

  template <class V>
  void visit_fields(V& v) {
    v.field("name", name);
    v.field("type", type);
    v.enumeration("role", role, kParameterRoleNames);
    v.enumeration("cache", cache, kCacheKindNames);
    v.enumeration("mask", mask, kMaskKindNames);
    v.field("window", window);
    v.field("ring", ring);
    v.field("layer", layer);
    v.field("value_symbol", value_symbol);
    v.field("unused", unused);
  }
};

// Bytes that a constant shares with whoever owns them (a mapped file, a vector).
struct ConstantData {
  std::shared_ptr<const void> owner;
  const std::byte* bytes = nullptr;
  size_t size = 0;
};

struct ConstantAttributes : AttributesOf<ConstantAttributes> {
  TensorType type;
  std::string weight;  // the tensor's name in the model file; empty for a constant made by a translator
  std::vector<int64_t> values;  // of small integer constants (orders, lengths, indices); else empty
  ConstantData data;            // always set in a model that was converted; the text form does not carry it

  template <class V>
  void visit_fields(V& v) {
    v.field("type", type);
    v.field("weight", weight);
    v.field("values", values);
  }
};

struct ResultAttributes : AttributesOf<ResultAttributes> {
  std::string name;   // the model output's name
  std::string state;  // the recurrent state whose next value it is; empty for others

  template <class V>
  void visit_fields(V& v) {
    v.field("name", name);
    v.field("state", state);
  }
};

const OpSchema& parameter_schema();
const OpSchema& constant_schema();
const OpSchema& result_schema();

// A constant of i32 or i64 elements that owns its bytes. Throws std::invalid_argument for another element
// type, or for another number of values than the axes hold.
std::unique_ptr<ConstantAttributes> integer_constant(ElementType element, std::vector<Axis> axes,
                                                     std::vector<int64_t> values);

}  // namespace tenon::ir
