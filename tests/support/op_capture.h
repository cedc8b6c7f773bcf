// Captured cases of one op, as real ggml computed them (tests/golden/README.md).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tenon/gguf/file.h"
#include "tenon/op/host_tensor.h"

namespace tenon::test {

// Everything that is not there throws std::runtime_error naming it.
class OpCapture {
 public:
  OpCapture(std::shared_ptr<const gguf::File> file, size_t index);

  const std::string& name() const { return name_; }
  // "input.0", "output", "exact": extents outermost first, with leading ones up to `rank`.
  op::HostTensor tensor(const std::string& name, size_t rank = 4) const;
  bool has_tensor(const std::string& name) const;
  double number(const std::string& attribute) const;
  int64_t integer(const std::string& attribute, int64_t fallback = 0) const;
  std::string text(const std::string& attribute, const std::string& fallback = "") const;
  std::vector<int64_t> integers(const std::string& attribute) const;

 private:
  std::string key(const std::string& attribute) const { return prefix_ + "attribute." + attribute; }

  std::shared_ptr<const gguf::File> file_;
  std::string prefix_;
  std::string name_;
};

// The cases of tests/golden/ops/<file>.gguf; never empty.
std::vector<OpCapture> op_captures(const std::string& file);
// The revision of ggml that computed them.
std::string op_capture_revision(const std::string& file);

}  // namespace tenon::test
