// Rotary position embedding with linear scaling, YaRN and per-frequency factors, as ggml's ROPE computes it.
#pragma once

#include "tenon/op/op.h"

namespace tenon::op {

enum class RopeMode : uint8_t {
  kNormal,  // rotates the pairs (2i, 2i + 1)
  kNeox,    // rotates the pairs (i, i + n_rot / 2)
  kImrope,  // the pairs of kNeox; a position has four components, dealt out to the pairs
};
inline constexpr std::array<std::string_view, 3> kRopeModeNames = {"normal", "neox", "imrope"};

struct RopeAttributes : ir::AttributesOf<RopeAttributes> {
  RopeMode mode = RopeMode::kNormal;
  int64_t n_rot = 0;  // leading elements of a head that are rotated; even; the rest is copied
  double freq_base = 10000;
  double freq_scale = 1;   // 1 / the factor by which positions are interpolated
  double ext_factor = 0;   // YaRN's mix of extrapolation; 0 is plain interpolation
  double attn_factor = 1;  // multiplies the rotated elements
  double beta_fast = 32;  // YaRN: rotations over the original context above which a frequency is extrapolated
  double beta_slow = 1;   // YaRN: rotations below which it is interpolated
  int64_t original_context = 0;        // tokens; read by YaRN alone
  std::vector<int64_t> sections = {};  // kImrope: pairs for each of the four components

  template <class V>
  void visit_fields(V& v) {
    v.enumeration("mode", mode, kRopeModeNames);
    v.field("n_rot", n_rot);
    v.field("freq_base", freq_base);
    v.field("freq_scale", freq_scale);
    v.field("ext_factor", ext_factor);
    v.field("attn_factor", attn_factor);
    v.field("beta_fast", beta_fast);
    v.field("beta_slow", beta_slow);
    v.field("original_context", original_context);
    v.field("sections", sections);
  }
};

// A pair's angle is position * frequency / its factor.
struct RopeRotation {
  std::vector<double> frequencies;  // [n_rot / 2], radians to the position
  double magnitude = 1;             // multiplies cosine and sine
};
RopeRotation rope_rotation(const RopeAttributes& attributes);

// Components of a position: 4 for kImrope (time, height, width, a fourth), else 1.
int64_t position_components(RopeMode mode);
// Which of them turns a pair. Interleaved M-RoPE: time, height, width in turn while their sections last, the
// fourth beyond them.
int64_t component_of_pair(const RopeAttributes& attributes, int64_t pair);

// Rope(x [B, T, H, D], positions i32 or i64, optional factors f32 [n_rot / 2]); x is f32 or f16.
// Positions are of any rank with T elements, shared by the batch, or B * T; of kImrope 4 * T, the components
// one after the other.
const OpDefinition& rope_op();

}  // namespace tenon::op
