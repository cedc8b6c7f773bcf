// One line on stderr that tells how far a long piece of work is; only where stderr is a terminal.
#pragma once

#include <chrono>
#include <string>

namespace tenon::cli {

class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  bool visible() const { return visible_; }
  // Takes the place of what the line said; at most some times a second, so that it costs nothing.
  void show(const std::string& text);
  void clear();

 private:
  bool visible_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point next_;
};

}  // namespace tenon::cli
