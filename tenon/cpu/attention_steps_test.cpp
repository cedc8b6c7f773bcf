// Attention of up to eight tokens: a token's results are the same bits however many it shares a call with.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "tenon/cpu/attention_test_support.h"
#include "tenon/cpu/kernels/key_chunks.h"

namespace tenon::cpu {
namespace {

TEST(KeyChunks, LieOneBehindTheOtherAndStayFew) {
  for (const int64_t window :
       {0, 1, 2, 63, 64, 65, 512, 1023, 1024, 2047, 4096, 8191, 16383, 16384, 262144}) {
    SCOPED_TRACE(window);
    const KeyChunks chunks(window);
    ASSERT_EQ(chunks.begin(0), 0);
    for (int64_t chunk = 0; chunks.begin(chunk) < 300000; ++chunk) {
      const int64_t begin = chunks.begin(chunk), end = chunks.begin(chunk + 1);
      ASSERT_LT(begin, end);
      ASSERT_EQ(begin % KeyChunks::kLeastKeys, 0);
      ASSERT_EQ(chunks.of(begin), chunk);
      ASSERT_EQ(chunks.of(end - 1), chunk);
      for (const int64_t keys : {begin + 1, end, (begin + end) / 2}) {
        const int64_t first = window == 0 ? 0 : std::max<int64_t>(keys - window, 0);
        ASSERT_LE(chunks.of(keys - 1) + 1 - chunks.of(first), KeyChunks::most_visible(keys - first)) << keys;
      }
    }
  }
  EXPECT_LE(KeyChunks::most_visible(1 << 20), 160);
}

class AttentionStepsOn : public EachIsa {
 protected:
  // Runs tokens begin … end - 1 of the problem as a call of their own, which knows no later keys.
  std::vector<float> part(const Problem& problem, int64_t begin, int64_t end) const {
    const int64_t row = problem.heads * problem.head_size, keys = problem.positions[size(end) - 1] + 1;
    std::vector<float> out(size((end - begin) * row), NAN);
    const Workspace workspace(kernels->attention_workspace_bytes(end - begin, keys, problem.heads,
                                                                 problem.kv_heads, problem.head_size, 2));
    AttentionJob job = problem.job;
    job.q += begin * job.q_token_stride;
    job.positions += begin;
    job.tokens = end - begin;
    job.keys = keys;
    job.output = out.data();
    job.output_head_stride = problem.head_size * 4;
    job.output_token_stride = row * 4;
    job.workspace = workspace.data();
    ThreadPool pool(2);
    pool.run([&](const Worker& worker) { kernels->attention(job, worker); });
    return out;
  }
  void expect_same(const Problem& problem) const {
    std::vector<float> alone;
    for (int64_t t = 0; t < problem.tokens; ++t) {
      const std::vector<float> one = part(problem, t, t + 1);
      alone.insert(alone.end(), one.begin(), one.end());
    }
    for (const int64_t step : {2, 3, 5, 8}) {
      std::vector<float> found;
      for (int64_t t = 0; t < problem.tokens; t += step) {
        const std::vector<float> some = part(problem, t, std::min(t + step, problem.tokens));
        found.insert(found.end(), some.begin(), some.end());
      }
      EXPECT_EQ(found, alone) << "steps of " << step;
    }
  }

 private:
  static size_t size(int64_t n) { return static_cast<size_t>(n); }
};
TENON_EACH_ISA(AttentionStepsOn);

// Keys that end within a chunk and on both sides of a border.
TEST_P(AttentionStepsOn, OfEveryGroupOfHeads) {
  for (const auto& [heads, kv_heads] : {std::pair{3, 3}, {9, 3}, {14, 2}, {16, 1}, {34, 2}}) {
    for (const int64_t keys : {40, 259, 780}) {
      SCOPED_TRACE(testing::Message() << heads << " heads, " << keys << " keys");
      Problem problem(8, keys, heads, kv_heads, 40);
      problem.job.half_sums = keys >= kHalfSumKeys;
      expect_same(problem);
    }
  }
}

// Where chunks have begun to grow.
TEST_P(AttentionStepsOn, AtADepth) {
  Problem problem(8, 8707, 7, 1, 32);
  problem.job.half_sums = true;
  expect_same(problem);
}

TEST_P(AttentionStepsOn, BehindWindowsAndSinks) {
  const std::vector<float> sinks = {-3.0f, 0.5f, 3.0f, 30.0f};
  for (const int64_t window : {3, 60, 600}) {
    SCOPED_TRACE(window);
    Problem problem(8, 1090, 4, 2, 32, ElementType::kF16, ElementType::kF32);
    problem.job.window = window;
    expect_same(problem);
    problem.job.sinks = sinks.data();
    expect_same(problem);
  }
}

// Scores that grow and fall by more than what weights are let exceed 1 by, at keys that some tokens do not
// see.
TEST_P(AttentionStepsOn, OfScoresFarApart) {
  Problem problem(8, 262, 6, 2, 64);
  problem.job.scale = 25.0f;
  expect_same(problem);
}

// The same keys and values in blocks that lie anywhere.
TEST_P(AttentionStepsOn, InBlocks) {
  constexpr int64_t kBlock = 48, kKeys = 530, kBlocks = (kKeys + kBlock - 1) / kBlock;
  Problem problem(8, kKeys, 14, 2, 64);
  std::vector<int32_t> blocks;
  for (int32_t b = 0; b < kBlocks; ++b) blocks.push_back((b * 5 + 3) % kBlocks);
  const std::vector<float> whole = part(problem, 0, 8);
  std::vector<std::byte> stored[2];
  for (const Rows* rows : {&problem.k, &problem.v}) {
    std::vector<std::byte>& to = stored[rows == &problem.v];
    to.resize(static_cast<size_t>(kBlocks * kBlock * rows->token_stride));
    for (int64_t key = 0; key < kKeys; ++key) {
      const int64_t place = blocks[static_cast<size_t>(key / kBlock)] * kBlock + key % kBlock;
      std::copy_n(rows->bytes.begin() + key * rows->token_stride, rows->token_stride,
                  to.begin() + place * rows->token_stride);
    }
  }
  problem.job.k = stored[0].data();
  problem.job.v = stored[1].data();
  problem.job.blocks = blocks.data();
  problem.job.block_size = kBlock;
  problem.job.k_block_stride = problem.job.v_block_stride = kBlock * problem.job.k_token_stride;
  EXPECT_EQ(part(problem, 0, 8), whole);
  expect_same(problem);
}

}  // namespace
}  // namespace tenon::cpu
