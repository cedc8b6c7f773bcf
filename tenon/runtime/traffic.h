// How many bytes of keys and values the kernels of a run read and wrote: the cost that a cache's layout
// decides.
#pragma once

#include <atomic>
#include <cstdint>

namespace tenon::runtime {

struct Traffic {
  std::atomic<int64_t> kv_bytes_read = 0;
  std::atomic<int64_t> kv_bytes_written = 0;
};

}  // namespace tenon::runtime
