// The numbers that describe a transformer, read from a file's metadata and checked, so that building the
// graph can rely on them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tenon/arch/blocks/architecture_keys.h"
#include "tenon/base/result.h"
#include "tenon/decoder/attributes.h"
#include "tenon/gguf/file.h"

namespace tenon::arch {

// What attention is like in one layer.
struct LayerAttention {
  int64_t window = 0;  // the latest positions that a query sees, its own among them; 0: all
  int64_t kv_heads = 0;
  int64_t head_size = 0;
  decoder::RopeAttributes rope;           // the mode is the architecture's own
  std::optional<int64_t> caches_of = {};  // an earlier layer whose keys and values this one reads
};

struct ExpertCounts {
  int64_t count = 0;         // expert_count
  int64_t used = 0;          // expert_used_count, for each token
  int64_t feed_forward = 0;  // expert_feed_forward_length, or feed_forward_length / used
};

struct Hyperparameters {
  std::string architecture;         // also the prefix of the keys below
  int64_t layers = 0;               // block_count
  int64_t embedding = 0;            // embedding_length
  int64_t heads = 0;                // attention.head_count
  int64_t kv_heads = 0;             // attention.head_count_kv, or heads; divides heads
  int64_t head_size = 0;            // attention.key_length = attention.value_length, or embedding / heads
  int64_t feed_forward = 0;         // feed_forward_length; 0 where all layers have experts
  ExpertCounts experts;             // of an architecture with experts
  int64_t context = 0;              // context_length, tokens that the model was trained for
  int64_t vocabulary = 0;           // tokens that the file names; 0 where it names none
  double rms_epsilon = 0;           // attention.layer_norm_rms_epsilon
  decoder::RopeAttributes rope;     // the mode is the architecture's own
  int64_t position_components = 1;  // of a token; 4 for interleaved M-RoPE, as the architecture says

  // One for each layer: kv_heads, head_size and rope as above, without a window, until the architecture says
  // otherwise (blocks/windows.h). Empty: the model has no attention.
  std::vector<LayerAttention> attention;
};

// What layers cannot differ in: architecture, layers, embedding, context, vocabulary and rms_epsilon.
Result<Hyperparameters> read_common_hyperparameters(const gguf::File& file);

enum class FeedForwardKind { kDense, kExperts };

// The counts that an architecture with experts must have, but for a feed-forward length that it may have.
Result<ExpertCounts> read_expert_counts(const ArchitectureKeys& keys, int64_t layers);

// Errors name the key: kInvalidFile for what is absent, of a wrong type, out of range or contradictory,
// kUnsupported for experts in a dense architecture, experts chosen by groups, bidirectional attention, layers
// that differ, and kinds of RoPE that this build does not have.
Result<Hyperparameters> read_hyperparameters(const gguf::File& file,
                                             FeedForwardKind kind = FeedForwardKind::kDense);

}  // namespace tenon::arch
