// The captures of tests/golden/quant, for tests of decoders: quant's own and those of each instruction set.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tenon/gguf/file.h"
#include "tenon/type/element_type.h"

namespace tenon::test {

class QuantCapture {
 public:
  // Throws when the capture is missing: evidence that is not there is a failed test.
  explicit QuantCapture(ElementType type)
      : file_(gguf::File::open(std::string(TENON_SOURCE_DIR) + "/tests/golden/quant/" +
                               std::string(name(type)) + ".gguf")
                  .value()) {}

  std::span<const std::byte> bytes(std::string_view tensor) const {
    return file_->tensor(tensor).value()->data;
  }
  std::vector<float> floats(std::string_view tensor) const {
    const std::span<const std::byte> data = bytes(tensor);
    std::vector<float> out(data.size() / sizeof(float));
    std::memcpy(out.data(), data.data(), data.size());
    return out;
  }

 private:
  std::shared_ptr<const gguf::File> file_;
};

// Bits, so that -0 is not 0 and a NaN is itself.
inline ::testing::AssertionResult same_bits(std::span<const float> wanted, std::span<const float> found) {
  if (wanted.size() != found.size()) return ::testing::AssertionFailure() << "sizes differ";
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (std::memcmp(&wanted[i], &found[i], sizeof(float)) != 0) {
      return ::testing::AssertionFailure()
             << "value " << i << ": wanted " << wanted[i] << ", found " << found[i];
    }
  }
  return ::testing::AssertionSuccess();
}

}  // namespace tenon::test
