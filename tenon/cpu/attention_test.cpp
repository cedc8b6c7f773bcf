#include <algorithm>
#include <cmath>

#include "tenon/cpu/attention_test_support.h"

namespace tenon::cpu {
namespace {

class AttentionOn : public EachIsa {};
TENON_EACH_ISA(AttentionOn);

TEST_P(AttentionOn, GroupedHeadsOfEverySize) {
  for (const int64_t head_size : {2, 32, 40, 64, 72, 80, 96, 128, 200, 256}) {
    SCOPED_TRACE(head_size);
    for (const int64_t tokens : {1, 5, 11}) {
      const Problem problem(tokens, 75, 6, 2, head_size);
      problem.check(problem.run(*kernels, 2));
    }
  }
}

TEST_P(AttentionOn, HeadsOneToOneAllToOneAndBetween) {
  for (const auto& [heads, kv_heads] : {std::pair{4, 4}, {7, 1}, {9, 3}, {70, 1}}) {
    SCOPED_TRACE(heads);
    const Problem problem(13, 140, heads, kv_heads, 64);
    problem.check(problem.run(*kernels, 3));
  }
}

TEST_P(AttentionOn, EveryTypeOfQAndCache) {
  for (const ElementType q_type : {ElementType::kF32, ElementType::kF16}) {
    for (const ElementType kv_type : {ElementType::kF32, ElementType::kF16}) {
      const Problem problem(9, 66, 4, 2, 72, q_type, kv_type);
      problem.check(problem.run(*kernels, 1));
    }
  }
}

TEST_P(AttentionOn, WindowsAndBothDirections) {
  for (const int64_t tokens : {1, 3, 70}) {
    Problem problem(tokens, 200, 4, 2, 64);
    for (const int64_t window : {1, 2, 64, 65, 199, 500}) {
      SCOPED_TRACE(window);
      problem.job.window = window;
      problem.check(problem.run(*kernels, 2));
    }
    problem.job.window = 0;
    problem.job.mask = AttentionMask::kNone;
    problem.job.positions = nullptr;
    problem.check(problem.run(*kernels, 2));
  }
}

TEST_P(AttentionOn, PositionsInAnyOrder) {
  Problem problem(5, 130, 4, 2, 64);
  problem.positions = {100, 3, 129, -1, 64};  // the fourth sees nothing
  problem.job.window = 40;
  problem.check(problem.run(*kernels, 2));
}

// A window's cache as a ring: newer keys lie where older ones lay. Bit for bit what the whole cache gives.
TEST_P(AttentionOn, RingsKeepWhatTheWindowShows) {
  constexpr int64_t kRing = 80;
  for (const int64_t tokens : {1, 4, 20}) {
    for (const int64_t keys : {300, 320, 373}) {
      Problem problem(tokens, keys, 6, 2, 64);
      problem.job.window = 60;
      const std::vector<float> whole = problem.run(*kernels, 2);
      problem.check(whole);
      std::vector<std::byte> rings[2];
      for (const Rows* rows : {&problem.k, &problem.v}) {
        std::vector<std::byte>& ring = rings[rows == &problem.v];
        ring.resize(static_cast<size_t>(kRing * rows->token_stride));
        for (int64_t key = 0; key < keys; ++key) {
          std::copy_n(rows->bytes.begin() + key * rows->token_stride, rows->token_stride,
                      ring.begin() + key % kRing * rows->token_stride);
        }
      }
      problem.job.k = rings[0].data();
      problem.job.v = rings[1].data();
      problem.job.block_size = kRing;
      EXPECT_EQ(problem.run(*kernels, 2), whole);
    }
  }
}

TEST_P(AttentionOn, RowsOfAMask) {
  for (const ElementType type : {ElementType::kF32, ElementType::kF16}) {
    Problem problem(10, 77, 4, 2, 64);
    std::vector<float> mask = random_values(10 * 77, 5);
    for (size_t i = 0; i < mask.size(); i += 3) mask[i] = -INFINITY;
    for (size_t j = 0; j < 77; ++j) mask[4 * 77 + j] = -INFINITY;  // one row sees nothing
    std::vector<std::byte> bytes(bytes_for(type, 770));
    quant::block_format(type).encode_row(mask.data(), bytes.data(), 770);
    problem.job.mask = AttentionMask::kRows;
    problem.job.mask_rows = bytes.data();
    problem.job.mask_type = type;
    problem.job.mask_stride = static_cast<int64_t>(bytes_for(type, 77));
    problem.check(problem.run(*kernels, 2));
  }
}

// Sinks below, among and above the scores, of one piece and of pieces that are put together.
TEST_P(AttentionOn, SinksTakeTheirShare) {
  const std::vector<float> sinks = {-200.0f, -2.0f, 0.5f, 3.0f, 12.0f, 90.0f};
  for (const int64_t tokens : {1, 3, 40}) {
    for (const int64_t keys : {70, 700}) {
      Problem problem(tokens, keys, 6, 2, 64);
      problem.job.sinks = sinks.data();
      problem.check(problem.run(*kernels, 2));
      problem.job.window = 9;
      problem.check(problem.run(*kernels, 3));
    }
  }
}

TEST_P(AttentionOn, LongContextsAreCutAndPutTogether) {
  for (const int64_t tokens : {1, 4}) {
    for (const int64_t keys : {129, 1000, 4500}) {
      Problem problem(tokens, keys, 6, 2, 64);
      problem.check(problem.run(*kernels, 2));
      problem.job.window = 300;
      problem.check(problem.run(*kernels, 2));
    }
  }
}

TEST_P(AttentionOn, DoesNotDependOnTheNumberOfWorkers) {
  for (const int64_t tokens : {1, 8, 45}) {
    const Problem problem(tokens, 700, 6, 2, 80);
    const std::vector<float> alone = problem.run(*kernels, 1);
    for (const int workers : {2, 3, 5}) EXPECT_EQ(alone, problem.run(*kernels, workers));
  }
}

}  // namespace
}  // namespace tenon::cpu
