#include "cli/progress.h"

#include <unistd.h>

#include <cstdio>

namespace tenon::cli {

namespace {

constexpr std::chrono::milliseconds kPeriod(100);
constexpr const char* kEraseLine = "\r\033[K";

}  // namespace

ProgressLine::ProgressLine()
    : visible_(isatty(STDERR_FILENO) != 0), next_(std::chrono::steady_clock::now()) {}

void ProgressLine::show(const std::string& text) {
  const auto now = std::chrono::steady_clock::now();
  if (!visible_ || now < next_) return;
  std::fprintf(stderr, "%s%s", kEraseLine, text.c_str());
  shown_ = true;
  next_ = now + kPeriod;
}

void ProgressLine::clear() {
  if (shown_) std::fputs(kEraseLine, stderr);
  shown_ = false;
}

}  // namespace tenon::cli
