// What a thread does between two looks at a word that another one will change.
#pragma once

#if !defined(__x86_64__)
#include <thread>
#endif

namespace tenon {

inline void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#else
  std::this_thread::yield();
#endif
}

}  // namespace tenon
