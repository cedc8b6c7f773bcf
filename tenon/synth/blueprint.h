// What a synthetic model consists of, before anything is drawn: its keys, and its tensors by shape and kind.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/gguf/writer.h"

namespace tenon::synth {

struct TensorPlan {
  enum class Kind {
    kWeights,  // random; the file type says how they are stored
    kKept,     // random; quantisers leave them as they were
    kNumbers,  // f32, evenly spread between low and high
    kGiven,    // f32, `values`
  };
  std::string name;
  std::vector<int64_t> extents;  // outermost first
  Kind kind = Kind::kWeights;
  double low = 0, high = 0;
  std::vector<float> values = {};
};

// Collects them; keys go straight into the writer.
class Blueprint {
 public:
  Blueprint(gguf::Writer& writer, std::string_view architecture);

  gguf::Writer& writer() { return writer_; }
  // The key <architecture>.<name>; counts are u32 there.
  void count(std::string_view name, int64_t value);
  void counts(std::string_view name, const std::vector<int64_t>& values);
  void flags(std::string_view name, const std::vector<bool>& values);
  void number(std::string_view name, double value);
  void text(std::string_view name, std::string_view value);

  // A matrix that multiplies vectors of `columns` elements. Its deviation is 1 / sqrt(columns): then
  // activations neither grow nor vanish.
  void weights(const std::string& name, int64_t rows, int64_t columns);
  void kept_weights(const std::string& name, int64_t rows, int64_t columns);
  // Near `mean`, as the scales of norms are.
  void norm(const std::string& name, int64_t extent, double mean = 1);
  void numbers(const std::string& name, const std::vector<int64_t>& extents, double low, double high);
  void given(const std::string& name, std::vector<float> values);

  const std::vector<TensorPlan>& tensors() const { return tensors_; }

 private:
  std::string key(std::string_view name) const { return prefix_ + std::string(name); }

  gguf::Writer& writer_;
  std::string prefix_;
  std::vector<TensorPlan> tensors_;
};

}  // namespace tenon::synth
