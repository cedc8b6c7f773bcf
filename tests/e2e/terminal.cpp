#include "tests/e2e/terminal.h"

#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>

namespace tenon::e2e {
namespace {

constexpr int kLimitMilliseconds = 120'000;  // without a sign of life

}  // namespace

Terminal::Terminal(const std::vector<std::string>& arguments) {
  std::vector<char*> argv = {const_cast<char*>(TENON_PROGRAM)};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  process_ = forkpty(&terminal_, nullptr, nullptr, nullptr);
  if (process_ < 0) throw std::runtime_error("[Terminal] no pseudo-terminal");
  if (process_ == 0) {
    execv(argv[0], argv.data());
    _exit(127);
  }
}

Terminal::~Terminal() {
  close(terminal_);
  if (process_ < 0) return;
  kill(process_, SIGKILL);
  waitpid(process_, nullptr, 0);
}

void Terminal::type(std::string_view keys) {
  if (write(terminal_, keys.data(), keys.size()) != static_cast<ssize_t>(keys.size()))
    throw std::runtime_error("[Terminal::type] the program does not take its input");
}

bool Terminal::read_some() {
  pollfd stream = {terminal_, POLLIN, 0};
  if (poll(&stream, 1, kLimitMilliseconds) != 1)
    throw std::runtime_error("[Terminal] nothing comes any more after: " + unread_);
  char part[4096];
  const ssize_t count = read(terminal_, part, sizeof part);
  if (count <= 0) return false;
  unread_.append(part, static_cast<size_t>(count));
  return true;
}

std::string Terminal::wait_for(std::string_view text) {
  for (;;) {
    if (const size_t found = unread_.find(text); found != std::string::npos) {
      const std::string seen = unread_.substr(0, found + text.size());
      unread_.erase(0, seen.size());
      return seen;
    }
    if (!read_some()) throw std::runtime_error("[Terminal::wait_for] the program ended with: " + unread_);
  }
}

int Terminal::wait_for_exit() {
  while (read_some()) continue;
  int status = 0;
  waitpid(process_, &status, 0);
  process_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace tenon::e2e
