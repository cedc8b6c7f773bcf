// The program on a terminal: a pseudo-terminal whose other end is the test.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

namespace tenon::e2e {

class Terminal {
 public:
  explicit Terminal(const std::vector<std::string>& arguments);
  ~Terminal();  // ends the program if it still runs
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  void type(std::string_view keys);
  // What appeared since the last call, up to and with `text`. Throws std::runtime_error when it does not
  // appear within two minutes.
  std::string wait_for(std::string_view text);
  // The exit status, once it has ended by itself; likewise.
  int wait_for_exit();

 private:
  bool read_some();  // false when the program has closed the terminal
  pid_t process_ = -1;
  int terminal_ = -1;
  std::string unread_;
};

inline constexpr std::string_view kControlC = "\x03";
inline constexpr std::string_view kControlD = "\x04";

}  // namespace tenon::e2e
