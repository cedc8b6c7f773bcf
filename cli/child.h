// Another program, run to its end: what it said, how it ended, how much memory it took. Ctrl-C ends it.
#pragma once

#include <string>
#include <vector>

#include "tenon/base/result.h"

namespace tenon::cli {

struct ChildOutcome {
  int status = 0;  // exit status; 128 + signal when one ended it
  std::string out, err;
  size_t peak_memory = 0;  // bytes, resident
};

// While one lives, SIGINT and SIGTERM end the running child in place of this program. One at a time.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
  static bool interrupted();
};

enum class ChildOutput { kKept, kToStderr };

// `command` is a path, or a name to be looked for in PATH, and arguments; stdin is empty. The child goes when
// this program does. Errors: kIo from the system; kCancelled when it was interrupted.
Result<ChildOutcome> run_child(const std::vector<std::string>& command,
                               ChildOutput output = ChildOutput::kKept);

// The last lines of what a program said, indented and without control characters.
std::string last_lines(const std::string& text, size_t count);

}  // namespace tenon::cli
