#include "tenon/devices.h"

#include <sched.h>

#include <algorithm>
#include <thread>

#include "tenon/cpu/backend.h"
#include "tenon/ref/backend.h"

namespace tenon {

namespace {

constexpr Device kDevices[] = {
    {"cpu", "this machine's processor, with the kernels of its instruction set", true,
     [](int threads, bool deterministic) {
       return cpu::make_backend(threads, deterministic ? cpu::SumOrder::kFixed : cpu::SumOrder::kFastest);
     }},
    {"ref", "the slow and obvious references, to compare with", true,
     [](int, bool) -> Result<std::shared_ptr<runtime::Backend>> { return ref::make_backend(); }},
};

}  // namespace

std::span<const Device> devices() { return kDevices; }

Result<const Device*> find_device(std::string_view name) {
  std::string known;
  for (const Device& device : kDevices) {
    if (device.name == name) return &device;
    (known += known.empty() ? "" : ", ") += device.name;
  }
  return Error{ErrorCode::kInvalidArgument, "device", "one of " + known, "'" + std::string(name) + "'", ""};
}

int available_cores() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
  return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

}  // namespace tenon
