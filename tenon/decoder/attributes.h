// Typed attributes of ggml nodes: one struct for each op that has any. Extents are given as the translators
// need them, outermost first.
#pragma once

#include <array>
#include <cstdint>
#include <variant>
#include <vector>

#include "tenon/type/tensor_type.h"

namespace tenon::decoder {

struct NormAttributes {
  double epsilon = 0;
};

// How a RESHAPE or VIEW regroups axes.
enum class ReshapeCase {
  kSplitHeads,  // [.., T, H*D] -> [1, T, H, D]; heads and head_size are set
  kMergeHeads,  // [1, T, H, D] -> [1, 1, T, H*D]
  kExplicit,    // the declared output extents
};
struct ReshapeAttributes {
  ReshapeCase regroup = ReshapeCase::kExplicit;
  int64_t heads = 0;
  int64_t head_size = 0;
};

// A VIEW that takes `length` indices of one axis from `start` on; regroup as RESHAPE afterwards.
struct ViewAttributes {
  int axis = -1;  // -1: the whole tensor
  Dim start;
  Dim length;
  ReshapeAttributes reshape;
};

enum class PermuteCase {
  kPlain,                   // `order` applied as it is
  kSplitSequencesThenSwap,  // [1,1,T,H*D] grouped by an active-sequence count (second input), then heads
                            // before tokens
};
struct PermuteAttributes {
  PermuteCase permute_case = PermuteCase::kPlain;
  std::vector<int64_t> order = {0, 2, 1, 3};
  int64_t heads = 0;      // kSplitSequencesThenSwap
  int64_t head_size = 0;  // kSplitSequencesThenSwap
};

enum class RopeMode { kNormal, kNeox, kImrope };
struct RopeAttributes {
  RopeMode mode = RopeMode::kNormal;
  int64_t n_rot = 0;
  double freq_base = 10000;
  double freq_scale = 1;
  double ext_factor = 0;
  double attn_factor = 1;
  double beta_fast = 32;
  double beta_slow = 1;
  int64_t original_context = 0;
  std::array<int64_t, 4> sections = {};  // kImrope: pairs for each component of a position
};

// Where Q, K and V carry their heads.
enum class AttentionLayout {
  kHeadAxis1,  // [B, H, T, D], as a live graph permutes them
  kHeadAxis2,  // [B, T, H, D], as the native builder has them
};
struct AttentionAttributes {
  AttentionLayout layout = AttentionLayout::kHeadAxis2;
  double scale = 1;
  double max_bias = 0;
  double logit_softcap = 0;
};

enum class SortOrder { kAscending, kDescending, kOther };
struct ArgsortAttributes {
  SortOrder order = SortOrder::kAscending;
  bool rank_known = true;  // whether the decoder knows the input's rank
};
struct TopKAttributes {
  int64_t k = 0;  // 0: from a second input, else from the output's extent
};

struct GluAttributes {
  bool split = true;     // gate and up are two inputs; else halves of one
  bool swapped = false;  // of one input alone: up comes first
};

// SWIGLU_OAI: GluAttributes, and its two constants.
struct GluOaiAttributes {
  GluAttributes operands;
  double alpha = 1.702;
  double limit = 7;
};

struct ClampAttributes {
  double min = 0;
  double max = 0;
};

struct SoftMaxAttributes {
  double scale = 1;  // of the scores, before a mask is added
  double max_bias = 0;
};

struct ConcatAttributes {
  int axis = 0;
};

struct ScaleAttributes {
  double scale = 1;
  double bias = 0;
};

using NodeAttributes =
    std::variant<std::monostate, NormAttributes, ReshapeAttributes, ViewAttributes, PermuteAttributes,
                 RopeAttributes, AttentionAttributes, ArgsortAttributes, TopKAttributes, GluAttributes,
                 GluOaiAttributes, ClampAttributes, SoftMaxAttributes, ConcatAttributes, ScaleAttributes>;

}  // namespace tenon::decoder
