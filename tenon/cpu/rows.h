// Jobs of the kernels that work row by row: normalisation, elementwise arithmetic, conversion, look-up.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tenon/base/thread_pool.h"
#include "tenon/type/element_type.h"

namespace tenon::cpu {

// y = x / sqrt(mean(x^2) + epsilon) * weight, over the last axis of [tokens, heads, width].
struct RmsNormJob {
  const float* x = nullptr;
  int64_t x_token_stride = 0, x_head_stride = 0;  // floats
  const float* weight = nullptr;                  // [width], or null
  float* output = nullptr;                        // may be x
  int64_t output_token_stride = 0, output_head_stride = 0;
  int64_t tokens = 0, heads = 1, width = 0;
  float epsilon = 0.0f;
};

enum class BinaryOp : uint8_t { kAdd, kDivide, kMultiply };

// out[r, i] = a[r, i] op b[r % b_rows, i], or b[r % b_rows, 0] where b_width is 1.
struct BinaryJob {
  BinaryOp op = BinaryOp::kAdd;
  const float* a = nullptr;  // [rows, width]; strides are floats
  int64_t a_stride = 0;
  const float* b = nullptr;  // [b_rows, b_width]
  int64_t b_stride = 0, b_rows = 1, b_width = 0;
  float* output = nullptr;  // may be a or b
  int64_t output_stride = 0;
  int64_t rows = 0, width = 0;
};

enum class UnaryOp : uint8_t { kGelu, kSigmoid, kSilu, kSoftplus, kTanh };

// Of kGelu GELU in its tanh form, of kSigmoid 1 / (1 + exp(-x)), of kSilu x / (1 + exp(-x)), of kSoftplus
// ln(1 + exp(x)).
struct UnaryJob {
  UnaryOp op = UnaryOp::kTanh;
  const float* x = nullptr;  // [rows, width]; strides are floats
  int64_t x_stride = 0;
  float* output = nullptr;  // may be x
  int64_t output_stride = 0;
  int64_t rows = 0, width = 0;
};

// out = f(gate) * up; which f, is the kernel's: silu(x) = x / (1 + exp(-x)), or gelu in its tanh form.
struct GluJob {
  const float* gate = nullptr;  // [rows, width]; strides are floats
  int64_t gate_stride = 0;
  const float* up = nullptr;
  int64_t up_stride = 0;
  float* output = nullptr;
  int64_t output_stride = 0;
  int64_t rows = 0, width = 0;
};

// g * sigmoid(alpha * g) * (u + 1), g = min(gate, limit), u = up within [-limit, limit].
struct ClampedGluJob {
  GluJob operands;
  float alpha = 0, limit = 0;
};

// e^x over the sum of e^x of its row.
struct SoftmaxJob {
  const float* x = nullptr;  // [rows, width]; strides are floats
  int64_t x_stride = 0;
  float* output = nullptr;  // may be x
  int64_t output_stride = 0;
  int64_t rows = 0, width = 0;
};

// Rows of f32, f16 or bf16 to rows of another or the same of these types, rounding to nearest even.
struct ConvertJob {
  const std::byte* input = nullptr;  // [rows, width]
  ElementType input_type = ElementType::kF32;
  int64_t input_stride = 0;  // bytes
  std::byte* output = nullptr;
  ElementType output_type = ElementType::kF16;
  int64_t output_stride = 0;  // bytes
  // Row r goes to output row destination[r] (a cache append; no two alike), or to r where this is null. The
  // caller has checked the range.
  const int64_t* destination = nullptr;
  int64_t rows = 0, width = 0;
};

// out[r] = table[ids[r]] as f32.
struct GatherRowsJob {
  const std::byte* table = nullptr;  // [table_rows, width] of any type that matmul takes
  ElementType type = ElementType::kF32;
  int64_t row_bytes = 0;
  int64_t table_rows = 0, width = 0;
  const std::byte* ids = nullptr;  // [rows], i32 or i64; the caller has checked 0 <= id < table_rows
  ElementType id_type = ElementType::kI32;
  float* output = nullptr;    // [rows, width]
  int64_t output_stride = 0;  // floats
  int64_t rows = 0;
};

}  // namespace tenon::cpu
