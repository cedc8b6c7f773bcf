// A problem for the attention kernels, and its answer in f64.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "tenon/cpu/attention.h"
#include "tenon/cpu/test_support.h"
#include "tenon/quant/block_format.h"
#include "tenon/quant/f16.h"

namespace tenon::cpu {

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

}  // namespace tenon::cpu
