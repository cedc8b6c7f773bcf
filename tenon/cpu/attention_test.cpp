#include "tenon/cpu/attention.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "tenon/cpu/test_support.h"
#include "tenon/quant/block_format.h"
#include "tenon/quant/f16.h"

namespace tenon::cpu {
namespace {

class AttentionOn : public EachIsa {};
TENON_EACH_ISA(AttentionOn);

// Rows of floats, in f32 or f16, with strides that leave gaps.
struct Rows {
  ElementType type;
  int64_t heads, size, token_stride, head_stride;
  std::vector<float> values;  // [tokens, heads, size], as stored
  std::vector<std::byte> bytes;

  Rows(ElementType type_in, int64_t tokens, int64_t heads_in, int64_t size_in, unsigned seed)
      : type(type_in), heads(heads_in), size(size_in) {
    const auto number = static_cast<int64_t>(bytes_for(type, 1));
    head_stride = (size + 2) * number;
    token_stride = heads * head_stride + 4 * number;
    values = random_values(tokens * heads * size, seed);
    bytes.resize(static_cast<size_t>(tokens * token_stride));
    const quant::BlockFormat& format = quant::block_format(type);
    for (int64_t row = 0; row < tokens * heads; ++row) {
      float* from = &values[static_cast<size_t>(row * size)];
      std::byte* to = &bytes[static_cast<size_t>(row / heads * token_stride + row % heads * head_stride)];
      format.encode_row(from, to, size);
      format.decode_row(to, from, size);
    }
  }
  double at(int64_t token, int64_t head, int64_t i) const {
    return static_cast<double>(values[static_cast<size_t>((token * heads + head) * size + i)]);
  }
};

struct Problem {
  int64_t tokens, keys, heads, kv_heads, head_size;
  ElementType q_type = ElementType::kF32, kv_type = ElementType::kF16;
  Rows q, k, v;
  std::vector<int32_t> positions;
  AttentionJob job;

  Problem(int64_t tokens_in, int64_t keys_in, int64_t heads_in, int64_t kv_heads_in, int64_t head_size_in,
          ElementType q_type_in = ElementType::kF32, ElementType kv_type_in = ElementType::kF16)
      : tokens(tokens_in),
        keys(keys_in),
        heads(heads_in),
        kv_heads(kv_heads_in),
        head_size(head_size_in),
        q(q_type_in, tokens, heads, head_size, 1),
        k(kv_type_in, keys, kv_heads, head_size, 2),
        v(kv_type_in, keys, kv_heads, head_size, 3),
        positions(static_cast<size_t>(tokens)) {
    std::iota(positions.begin(), positions.end(), static_cast<int32_t>(keys - tokens));
    job.q = q.bytes.data();
    job.q_type = q.type;
    job.q_token_stride = q.token_stride;
    job.q_head_stride = q.head_stride;
    job.k = k.bytes.data();
    job.v = v.bytes.data();
    job.k_type = job.v_type = kv_type_in;
    job.k_token_stride = job.v_token_stride = k.token_stride;
    job.k_head_stride = job.v_head_stride = k.head_stride;
    job.tokens = tokens;
    job.keys = keys;
    job.heads = heads;
    job.kv_heads = kv_heads;
    job.head_size = head_size;
    job.scale = 1.0f / std::sqrt(static_cast<float>(head_size));
    job.mask = AttentionMask::kCausal;
    job.positions = positions.data();
  }
  Problem(const Problem&) = delete;

  std::vector<float> run(const KernelTable& kernels, int workers) const {
    std::vector<float> out(static_cast<size_t>(tokens * heads * head_size), NAN);
    const Workspace workspace(
        kernels.attention_workspace_bytes(tokens, keys, heads, kv_heads, head_size, workers));
    AttentionJob whole = job;
    whole.output = out.data();
    whole.output_head_stride = head_size * 4;
    whole.output_token_stride = heads * head_size * 4;
    whole.workspace = workspace.data();
    ThreadPool pool(workers);
    pool.run([&](const Worker& worker) { kernels.attention(whole, worker); });
    return out;
  }

  // What is added to the score; -inf where a key is not visible.
  double mask(int64_t token, int64_t key) const {
    if (job.mask == AttentionMask::kNone) return 0.0;
    if (job.mask == AttentionMask::kRows) {
      const std::byte* row = job.mask_rows + token * job.mask_stride;
      if (job.mask_type == ElementType::kF32)
        return static_cast<double>(reinterpret_cast<const float*>(row)[key]);
      return static_cast<double>(quant::f16_to_f32(reinterpret_cast<const uint16_t*>(row)[key]));
    }
    const int64_t position = positions[static_cast<size_t>(token)];
    const bool visible = key <= position && (job.window == 0 || position - key < job.window);
    return visible ? 0.0 : -INFINITY;
  }

  void check(const std::vector<float>& found) const {
    for (int64_t t = 0; t < tokens; ++t) {
      for (int64_t h = 0; h < heads; ++h) {
        const int64_t g = h / (heads / kv_heads);
        std::vector<double> weights(static_cast<size_t>(keys));
        double largest = -INFINITY, sum = 0.0;
        for (int64_t j = 0; j < keys; ++j) {
          double score = 0.0;
          for (int64_t i = 0; i < head_size; ++i) score += q.at(t, h, i) * k.at(j, g, i);
          weights[static_cast<size_t>(j)] = score * static_cast<double>(job.scale) + mask(t, j);
          largest = std::max(largest, weights[static_cast<size_t>(j)]);
        }
        const bool seen = !std::isinf(largest);
        const double sink = job.sinks && seen ? static_cast<double>(job.sinks[h]) : -INFINITY;
        largest = std::max(largest, sink);
        if (!std::isinf(sink)) sum = std::exp(sink - largest);
        for (double& weight : weights) {
          weight = std::isinf(largest) ? 0.0 : std::exp(weight - largest);
          sum += weight;
        }
        for (int64_t i = 0; i < head_size; ++i) {
          double wanted = 0.0;
          for (int64_t j = 0; j < keys; ++j) {
            wanted += sum == 0.0 ? 0.0 : weights[static_cast<size_t>(j)] / sum * v.at(j, g, i);
          }
          // Scores of some units with head_size roundings each move weights by that much; |v| stays below 4.
          const auto at = static_cast<size_t>((t * heads + h) * head_size + i);
          ASSERT_NEAR(static_cast<double>(found[at]), wanted, 4e-6)
              << "token " << t << " head " << h << " " << i;
        }
      }
    }
  }
};

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

// Where sums of f16 are allowed, an error of some units of f16's last place, 2^-11: of the scores, which are
// of size 1 here, and of the weighted values.
TEST_P(AttentionOn, HalfSumsAreNearTheExactOnes) {
  const auto check = [&](Problem& problem) {
    const std::vector<float> exact = problem.run(*kernels, 2);
    problem.check(exact);
    problem.job.half_sums = true;
    const std::vector<float> found = problem.run(*kernels, 2);
    EXPECT_LT(nmse(exact, found), 4e-6);
    EXPECT_EQ(found, problem.run(*kernels, 3));
  };
  for (const int64_t head_size : {2, 40, 64, 80, 96, 128, 200, 256, 512}) {
    SCOPED_TRACE(head_size);
    Problem problem(20, 170, 6, 2, head_size);
    check(problem);
  }
  for (const int64_t window : {0, 1, 70}) {
    SCOPED_TRACE(window);
    Problem problem(75, 400, 14, 2, 64, ElementType::kF16);
    problem.job.window = window;
    check(problem);
  }
}

// Keys and values beside which sums would leave f16's range: no less exact than without.
TEST_P(AttentionOn, HalfSumsAvoidOverflow) {
  for (const bool large_keys : {true, false}) {
    Problem problem(20, 200, 4, 2, 64);
    Rows& rows = large_keys ? problem.k : problem.v;
    for (int64_t key = 0; key < 200; key += 7) {  // one element of some rows, as stored and as compared
      const int64_t head = key % 2, at = key * rows.token_stride + head * rows.head_stride + 6;
      const float large = key % 3 == 0 ? 60000.0f : -60000.0f;
      quant::block_format(ElementType::kF16).encode_row(&large, &rows.bytes[static_cast<size_t>(at)], 1);
      rows.values[static_cast<size_t>((key * 2 + head) * 64 + 3)] = large;
    }
    problem.job.half_sums = true;
    const std::vector<float> found = problem.run(*kernels, 2);
    problem.job.half_sums = false;
    EXPECT_LT(nmse(problem.run(*kernels, 2), found), 1e-9);
  }
}

}  // namespace
}  // namespace tenon::cpu
