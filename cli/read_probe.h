// How fast this machine reads memory now: the roof of everything that reads all weights for each token.
#pragma once

#include <sys/types.h>

#include <memory>
#include <optional>

#include "tenon/base/result.h"

namespace tenon::cli {

// Reads a buffer of 1 GiB, in huge pages where they are to be had, by several threads at once. The buffer
// lives in a process of its own, so that it does not count as this one's memory.
class ReadProbe {
 public:
  // Starts the process, by fork(): to be called before this one has other threads. Errors: kIo.
  static Result<std::unique_ptr<ReadProbe>> start(int threads);
  ~ReadProbe();
  ReadProbe(const ReadProbe&) = delete;
  ReadProbe& operator=(const ReadProbe&) = delete;

  // Bytes per second of one pass; nullopt when the system has not so much memory to give.
  std::optional<double> measure();

 private:
  ReadProbe(pid_t process, int requests, int answers)
      : process_(process), requests_(requests), answers_(answers) {}
  pid_t process_;
  int requests_, answers_;  // pipes to and from the process
};

}  // namespace tenon::cli
