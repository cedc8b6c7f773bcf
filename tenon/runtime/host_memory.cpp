#include <sys/mman.h>

#include <cerrno>
#include <cstring>

#include "tenon/plan/views.h"
#include "tenon/runtime/backend.h"

namespace tenon::runtime {

namespace {
constexpr size_t kHugePage = size_t{2} << 20;
}

Result<Buffer> allocate_host(size_t bytes) {
  if (bytes == 0) return Buffer{};
  void* const data =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (data == MAP_FAILED) {
    return Error{ErrorCode::kIo, "memory", std::to_string(bytes) + " bytes", std::strerror(errno),
                 "use a smaller context (-c)"};
  }
  if (bytes >= 16 * kHugePage) madvise(data, bytes, MADV_HUGEPAGE);
  Buffer out;
  out.owner = std::shared_ptr<void>(data, [bytes](void* address) { munmap(address, bytes); });
  out.data = static_cast<std::byte*>(data);
  out.size = bytes;
  return out;
}

Result<Buffer> share_file_bytes(const ir::ConstantAttributes& constant) {
  const auto wanted = static_cast<size_t>(plan::packed_bytes(constant.type).value());
  if (!constant.data.bytes || constant.data.size < wanted) {
    return Error{ErrorCode::kInvalidGraph, "constant '" + constant.weight + "'",
                 std::to_string(wanted) + " bytes", std::to_string(constant.data.size),
                 "attach the model's file"};
  }
  Buffer out;
  out.owner = std::const_pointer_cast<void>(constant.data.owner);
  out.data =
      const_cast<std::byte*>(constant.data.bytes);  // never written: no plan step has a constant as output
  out.size = constant.data.size;
  return out;
}

}  // namespace tenon::runtime
