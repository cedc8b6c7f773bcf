// Counts every request for memory that this process makes while somebody asks. Linked into a binary, it
// stands in the place of the C library's functions.
#pragma once

#include <cstdint>

namespace tenon::test {

struct Allocations {
  int64_t heap = 0;  // malloc, calloc, realloc, operator new, posix_memalign, aligned_alloc
  int64_t maps = 0;  // mmap
};

// Starts at zero; of all threads.
void start_counting_allocations();
Allocations stop_counting_allocations();

}  // namespace tenon::test
