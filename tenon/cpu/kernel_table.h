// The kernels of one instruction set, as function pointers. A kernel is entered by all workers of a
// ThreadPool::run together and each does its share; it does not wait for the others at its end (call
// Worker::barrier where a later kernel reads the result). Wrong extents or types are a broken invariant of
// the caller and assert.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tenon/cpu/attention.h"
#include "tenon/cpu/matmul.h"
#include "tenon/cpu/recurrent.h"
#include "tenon/cpu/rope.h"
#include "tenon/cpu/rows.h"

namespace tenon::cpu {

// Whether calls of few tokens may sum in another order than calls of many, which is faster. With kFixed a
// token's results are the same bits however many tokens share its calls.
enum class SumOrder : uint8_t { kFastest, kFixed };

struct KernelTable {
  std::string_view isa;  // as TENON_CPU_ISA spells it
  SumOrder order;

  // Holds for any segment types; grows with tokens.
  size_t (*matmul_workspace_bytes)(int64_t tokens, int64_t depth, int workers);
  void (*matmul)(const MatmulJob&, const Worker&);

  // Holds for any number of tokens, and of keys that each of them sees, up to the given ones.
  size_t (*attention_workspace_bytes)(int64_t tokens, int64_t seen, int64_t heads, int64_t kv_heads,
                                      int64_t head_size, int workers);
  void (*attention)(const AttentionJob&, const Worker&);

  void (*rope)(const RopeJob&, const Worker&);
  void (*rms_norm)(const RmsNormJob&, const Worker&);
  void (*binary)(const BinaryJob&, const Worker&);
  void (*unary)(const UnaryJob&, const Worker&);
  void (*geglu)(const GluJob&, const Worker&);
  void (*swiglu)(const GluJob&, const Worker&);
  void (*clamped_glu)(const ClampedGluJob&, const Worker&);
  void (*softmax)(const SoftmaxJob&, const Worker&);
  void (*convert)(const ConvertJob&, const Worker&);
  void (*gather_rows)(const GatherRowsJob&, const Worker&);

  void (*ssm_conv)(const SsmConvJob&, const Worker&);
  void (*ssm_scan)(const SsmScanJob&, const Worker&);
  void (*gated_delta_net)(const DeltaNetJob&, const Worker&);
};

}  // namespace tenon::cpu
