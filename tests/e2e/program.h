// Runs the real program and keeps what it said.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::e2e {

struct Outcome {
  int status = -1;  // exit status; 128 + signal when one ended it
  std::string out, err;
  std::vector<std::string> chunks;  // `out` by the program's writes
};

struct Surroundings {
  std::optional<std::string> input = {};  // on stdin, through a pipe; none: /dev/null
  std::string stdout_file = {};           // in place of the pipe that `out` is read from
  bool reader_is_gone = false;            // nobody will read stdout
};

// Throws std::runtime_error when it does not end within two minutes.
Outcome run(const std::vector<std::string>& arguments, const Surroundings& surroundings = {});

// The closing line of `tenon run` in `text`; throws std::runtime_error when there is none.
struct Figures {
  int64_t prompt = 0, evaluated = 0, generated = 0;  // tokens
  double peak_memory = 0;                            // MiB
};
Figures closing_figures(std::string_view text);

// The one line of an error, without "tenon: "; fails the test when stderr holds anything else.
std::string only_error(const Outcome& outcome);

}  // namespace tenon::e2e
