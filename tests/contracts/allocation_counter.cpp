#include "tests/contracts/allocation_counter.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>

namespace {

std::atomic<bool> g_counting = false;
std::atomic<int64_t> g_heap = 0, g_maps = 0;

void count(std::atomic<int64_t>& counter) {
  if (g_counting.load(std::memory_order_relaxed)) counter.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

namespace tenon::test {

void start_counting_allocations() {
  g_heap = g_maps = 0;
  g_counting = true;
}

Allocations stop_counting_allocations() {
  g_counting = false;
  return {g_heap, g_maps};
}

}  // namespace tenon::test

#if defined(__SANITIZE_ADDRESS__)
#define TENON_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TENON_ADDRESS_SANITIZER 1
#endif
#endif

extern "C" {

#ifdef TENON_ADDRESS_SANITIZER

// The sanitizer has taken malloc's place already, and tells.
int __sanitizer_install_malloc_and_free_hooks(void (*on_malloc)(const volatile void*, size_t),
                                              void (*on_free)(const volatile void*));

#else

// glibc's own functions under their other names; operator new calls malloc.
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);

#define TENON_REPLACES __attribute__((visibility("default")))

TENON_REPLACES void* malloc(size_t size) { return count(g_heap), __libc_malloc(size); }
TENON_REPLACES void* calloc(size_t count_of, size_t size) {
  return count(g_heap), __libc_calloc(count_of, size);
}
TENON_REPLACES void* realloc(void* old, size_t size) { return count(g_heap), __libc_realloc(old, size); }
TENON_REPLACES void* memalign(size_t alignment, size_t size) {
  return count(g_heap), __libc_memalign(alignment, size);
}
TENON_REPLACES void* aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }
TENON_REPLACES int posix_memalign(void** out, size_t alignment, size_t size) {
  *out = memalign(alignment, size);
  return *out ? 0 : ENOMEM;
}

TENON_REPLACES void* mmap(void* address, size_t length, int protection, int flags, int file, off_t offset) {
  count(g_maps);
  return reinterpret_cast<void*>(syscall(SYS_mmap, address, length, protection, flags, file, offset));
}

#endif

}  // extern "C"

#ifdef TENON_ADDRESS_SANITIZER
namespace {
const int g_hooks = __sanitizer_install_malloc_and_free_hooks(
    [](const volatile void*, size_t) { count(g_heap); }, [](const volatile void*) {});
}
#endif
