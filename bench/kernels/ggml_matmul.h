// ggml's own product, from a shared library that is opened at run time: one program, any build of ggml.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "tenon/type/element_type.h"

namespace tenon::bench {

class Ggml {
 public:
  // `folder` holds libggml-base.so and libggml-cpu.so. Throws std::runtime_error when they cannot be opened.
  Ggml(const std::string& folder, int threads);
  ~Ggml();

  struct Functions;
  const Functions& functions() const { return *functions_; }
  int threads() const { return threads_; }
  // A pool that rests does not spin: another pool's threads would lose their cores to it.
  void pause() const;
  void resume() const;
  void* thread_pool() const { return thread_pool_; }

 private:
  std::unique_ptr<Functions> functions_;
  int threads_;
  void* thread_pool_;
};

// A graph of one MUL_MAT.
class GgmlMatmul {
 public:
  // weight [rows, depth] of `type`, x [tokens, depth]; both are copied.
  GgmlMatmul(const Ggml& ggml, ElementType type, int64_t rows, int64_t depth, int64_t tokens,
             const std::byte* weight, const float* x);
  ~GgmlMatmul();
  void run();
  const float* output() const;  // [tokens, rows]

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tenon::bench
