// FLASH_ATTN_EXT against real ggml, in both layouts, with the mask as structure and as values; and SOFT_MAX.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/conform/trial.h"
#include "tests/support/breaker.h"

namespace tenon::conform {
namespace {

using decoder::Edge;
using test::OpCapture;

const test::Breaker wider("E1_window_plus_1", "the window sees one token more");
const test::Breaker other_scale("E1_attention_scale_of_other_head_size",
                                "scores are scaled for heads twice as long");
const test::Breaker no_sinks("E1_attention_without_sinks", "sinks are left out");
const test::Breaker other_mask("E1_softmax_without_mask", "SOFT_MAX is not masked");

// [B, H, T, D] -> [B, T, H, D].
op::HostTensor heads_after_tokens(const op::HostTensor& x) {
  const size_t heads = static_cast<size_t>(x.extents[1]), tokens = static_cast<size_t>(x.extents[2]);
  op::HostTensor out = op::HostTensor::make(x.element, {1, x.extents[2], x.extents[1], x.extents[3]});
  const size_t row = x.bytes.size() / heads / tokens;
  for (size_t h = 0; h < heads; ++h) {
    for (size_t t = 0; t < tokens; ++t) {
      const auto from = x.bytes.begin() + static_cast<std::ptrdiff_t>((h * tokens + t) * row);
      std::copy_n(from, row, out.bytes.begin() + static_cast<std::ptrdiff_t>((t * heads + h) * row));
    }
  }
  return out;
}

double largest(const std::vector<double>& values) {
  double out = 0;
  for (const double value : values) out = std::max(out, std::abs(value));
  return out;
}

// Two sums one after the other. A score, a sum of D products, may be off by d; that moves the weights, which
// add up to 1, by 2 d of themselves, so the result by 2 d max|v|. The result is a sum over the keys, of
// weights whose norm is 1 at most.
double attention_tolerance(const op::HostTensor& q, const op::HostTensor& k, const op::HostTensor& v,
                           double scale) {
  const double score = scale * sum_tolerance(q.extents[3], largest(row_norms(q)), largest(row_norms(k)));
  const double value = largest(v.values());
  const auto keys = static_cast<double>(k.extents[2]);
  return 2 * score * value + sum_tolerance(k.extents[2], 1, std::sqrt(keys) * value);
}

Trial make_trial(const OpCapture& capture, decoder::AttentionLayout layout, bool structured) {
  op::HostTensor q = capture.tensor("input.0"), k = capture.tensor("input.1"), v = capture.tensor("input.2");
  const double scale = capture.number("scale");
  const bool halves = k.element == ElementType::kF16;
  const double allowed =
      halves ? std::numeric_limits<double>::infinity() : attention_tolerance(q, k, v, scale);
  std::vector<double> positions;
  for (int64_t t = 0; t < q.extents[2]; ++t)
    positions.push_back(static_cast<double>(capture.integer("past") + t));
  if (layout == decoder::AttentionLayout::kHeadAxis2) {
    for (op::HostTensor* const x : {&q, &k, &v}) *x = heads_after_tokens(*x);
  }
  TrialBuilder trial("flash_attn_ext", capture);
  std::vector<Edge> inputs = {trial.input(q), trial.input(k), trial.input(v)};
  decoder::Mask mask;
  if (structured) {
    const int64_t window = capture.integer("window");
    mask.structure = window > 0 ? decoder::MaskStructure::kWindow : decoder::MaskStructure::kCausal;
    mask.window = wider.active() && window > 0 ? window + 1 : window;
    const auto count = static_cast<int64_t>(positions.size());
    mask.positions = trial.input(op::HostTensor::of(ElementType::kI32, {1, 1, 1, count}, positions));
  }
  inputs.push_back(trial.mask(capture.tensor("input.3"), mask));
  if (capture.has_tensor("input.4") && !no_sinks.active())
    inputs.push_back(trial.input(capture.tensor("input.4", 1)));
  const decoder::AttentionAttributes attributes{layout, other_scale.active() ? scale / std::sqrt(2.0) : scale,
                                                0, 0};
  Trial made = trial.finish("FLASH_ATTN_EXT", inputs, attributes, capture.tensor("exact"),
                            [=](size_t, double) { return allowed; });
  // ggml halves Q for a cache of f16, as the translator does: the judge is the exact result.
  if (halves) made.ggml = capture.tensor("output");
  return made;
}

TEST(E1_Attention, MaskAsStructure) {
  for (const OpCapture& capture : test::op_captures("flash_attn_ext")) {
    run(make_trial(capture, decoder::AttentionLayout::kHeadAxis1, true));
    run(make_trial(capture, decoder::AttentionLayout::kHeadAxis2, true));
  }
}

TEST(E1_Attention, MaskAsValues) {
  for (const OpCapture& capture : test::op_captures("flash_attn_ext")) {
    run(make_trial(capture, decoder::AttentionLayout::kHeadAxis1, false));
    run(make_trial(capture, decoder::AttentionLayout::kHeadAxis2, false));
  }
}

TEST(E1_Attention, SoftMax) {
  for (const OpCapture& capture : test::op_captures("soft_max")) {
    TrialBuilder trial("soft_max", capture);
    std::vector<Edge> inputs = {trial.input(capture.tensor("input.0"))};
    if (capture.has_tensor("input.1") && !other_mask.active())
      inputs.push_back(trial.input(capture.tensor("input.1")));
    run(trial.finish("SOFT_MAX", inputs, decoder::SoftMaxAttributes{capture.number("scale"), 0},
                     capture.tensor("output"), element_tolerance));
  }
}

}  // namespace
}  // namespace tenon::conform
