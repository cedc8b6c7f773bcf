// What a device offers: a target to plan for, memory, prepared constants, and programs made from plans.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "tenon/plan/plan.h"
#include "tenon/runtime/traffic.h"
#include "tenon/type/tensor_ref.h"

namespace tenon::runtime {

// Memory of a device. Owns it, or shares whoever does (the mapped file under a weight).
struct Buffer {
  std::shared_ptr<void> owner;
  std::byte* data = nullptr;
  size_t size = 0;
};

// Host memory, zeroed, on a 64-byte boundary; large buffers ask for huge pages. Untouched pages take no
// memory.
Result<Buffer> allocate_host(size_t bytes);

// The constant's own bytes, kept alive by the buffer. An error when it has none, or fewer than its type
// needs.
Result<Buffer> share_file_bytes(const ir::ConstantAttributes& constant);

// One part of a step with its views turned into addresses.
struct BoundPart {
  std::vector<TensorRef> inputs;
  std::vector<TensorRef> outputs;
};

struct BoundStep {
  const plan::Step* step = nullptr;
  std::vector<BoundPart> parts;
  std::byte* scratch = nullptr;
};

// The steps of one plan as functions. Shared by sessions; run() may be called by several threads at once.
class Program {
 public:
  virtual ~Program() = default;
  // `steps` are those of list `list`, in order. Kernels add to `traffic` what they do, unless it is null.
  virtual Status run(size_t list, std::span<const BoundStep> steps, Traffic* traffic) const = 0;
};

class Backend {
 public:
  virtual ~Backend() = default;
  virtual std::string_view name() const = 0;
  virtual const plan::Target& target() const = 0;
  virtual int workers() const = 0;
  virtual Result<Buffer> allocate(size_t bytes) = 0;
  // The only place where a constant gets a second form. For layout "file" the buffer shares the file's own
  // bytes.
  virtual Result<Buffer> prepare(const ir::ConstantAttributes& constant, std::string_view layout) = 0;
  // Turns the plan's kernel ids into functions; an id that the backend does not have is an error.
  virtual Result<std::shared_ptr<const Program>> load(std::shared_ptr<const plan::Plan> plan) = 0;
};

}  // namespace tenon::runtime
