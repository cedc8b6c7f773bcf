#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tenon/cpu/attention.h"
#include "tenon/cpu/test_capture.h"
#include "tenon/cpu/test_support.h"

namespace tenon::cpu {
namespace {

class AttentionCaptureOn : public EachIsa {};
TENON_EACH_ISA(AttentionCaptureOn);

// Real ggml's softmax(q k^T) v in F32: q is stored [heads, tokens, head_size], the caches [kv_heads, keys,
// head_size].
TEST_P(AttentionCaptureOn, AgreesWithGgml) {
  const OpCapture capture("flash_attn_ext");
  for (size_t i = 0; i < capture.size(); ++i) {
    SCOPED_TRACE(capture.name(i));
    const gguf::TensorInfo &q = capture.tensor(i, "input.0"), &k = capture.tensor(i, "input.1"),
                           &v = capture.tensor(i, "input.2");
    const int64_t heads = q.extents[0], tokens = q.extents[1], size = q.extents[2];
    const int64_t kv_heads = k.extents.size() == 3 ? k.extents[0] : 1, keys = k.extents[k.extents.size() - 2];
    const auto number = static_cast<int64_t>(bytes_for(k.element, 1));
    const std::vector<float> wanted = capture.values<float>(i, "exact");
    std::vector<float> found(wanted.size());
    std::vector<int32_t> positions(static_cast<size_t>(tokens));
    std::iota(positions.begin(), positions.end(), static_cast<int32_t>(capture.integer(i, "past")));
    const Workspace workspace(kernels->attention_workspace_bytes(tokens, keys, heads, kv_heads, size, 2));
    AttentionJob job{.q = q.data.data(),
                     .q_type = q.element,
                     .q_token_stride = size * 4,
                     .q_head_stride = tokens * size * 4,
                     .k = k.data.data(),
                     .v = v.data.data(),
                     .k_type = k.element,
                     .v_type = v.element,
                     .k_token_stride = size * number,
                     .k_head_stride = keys * size * number,
                     .v_token_stride = size * number,
                     .v_head_stride = keys * size * number,
                     .output = found.data(),
                     .output_token_stride = heads * size * 4,
                     .output_head_stride = size * 4,
                     .tokens = tokens,
                     .keys = keys,
                     .heads = heads,
                     .kv_heads = kv_heads,
                     .head_size = size,
                     .scale = capture.number(i, "scale"),
                     .mask = AttentionMask::kCausal,
                     .positions = positions.data(),
                     .window = capture.text(i, "mask") == "causal_window" ? capture.integer(i, "window") : 0,
                     .workspace = workspace.data()};
    const std::vector<float> sinks =
        capture.has(i, "input.4") ? capture.values<float>(i, "input.4") : std::vector<float>();
    if (!sinks.empty()) job.sinks = sinks.data();
    ThreadPool pool(2);
    pool.run([&](const Worker& worker) { kernels->attention(job, worker); });
    EXPECT_LT(nmse(wanted, found), 1e-12);

    job.mask = AttentionMask::kRows;
    job.mask_rows = capture.tensor(i, "input.3").data.data();
    job.mask_type = ElementType::kF16;
    job.mask_stride = keys * 2;
    std::fill(found.begin(), found.end(), NAN);
    pool.run([&](const Worker& worker) { kernels->attention(job, worker); });
    EXPECT_LT(nmse(wanted, found), 1e-12);
  }
}

}  // namespace
}  // namespace tenon::cpu
