#include "tests/support/op_capture.h"

#include <stdexcept>

namespace tenon::test {

namespace {

std::shared_ptr<const gguf::File> open(const std::string& name) {
  return gguf::File::open(std::string(TENON_SOURCE_DIR) + "/tests/golden/ops/" + name + ".gguf").value();
}

template <class T>
T present(Result<T> result) {
  if (!result.ok()) throw std::runtime_error("[OpCapture] " + result.error().message());
  return std::move(result).value();
}

}  // namespace

OpCapture::OpCapture(std::shared_ptr<const gguf::File> file, size_t index)
    : file_(std::move(file)), prefix_("case" + std::to_string(index) + ".") {
  name_ = present(file_->metadata().strings("cases")).at(index);
}

op::HostTensor OpCapture::tensor(const std::string& name, size_t rank) const {
  const gguf::TensorInfo& stored = *present(file_->tensor(prefix_ + name));
  op::HostTensor out{stored.element, stored.extents, {stored.data.begin(), stored.data.end()}};
  while (out.extents.size() < rank) out.extents.insert(out.extents.begin(), 1);
  return out;
}

bool OpCapture::has_tensor(const std::string& name) const {
  return file_->find_tensor(prefix_ + name) != nullptr;
}

double OpCapture::number(const std::string& attribute) const {
  return present(file_->metadata().floating(key(attribute)));
}

int64_t OpCapture::integer(const std::string& attribute, int64_t fallback) const {
  return present(file_->metadata().signed_integer(key(attribute), fallback));
}

std::string OpCapture::text(const std::string& attribute, const std::string& fallback) const {
  return std::string(present(file_->metadata().string(key(attribute), fallback)));
}

std::vector<int64_t> OpCapture::integers(const std::string& attribute) const {
  return present(file_->metadata().integers(key(attribute)));
}

std::vector<OpCapture> op_captures(const std::string& name) {
  const auto file = open(name);
  const size_t count = present(file->metadata().strings("cases")).size();
  if (count == 0) throw std::runtime_error("[op_captures] no case in " + name);
  std::vector<OpCapture> out;
  for (size_t i = 0; i < count; ++i) out.emplace_back(file, i);
  return out;
}

std::string op_capture_revision(const std::string& name) {
  return std::string(present(open(name)->metadata().string("oracle.revision")));
}

}  // namespace tenon::test
