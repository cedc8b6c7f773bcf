#include "cli/child.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sstream>

namespace tenon::cli {

namespace {

constexpr int kNotStarted = 127;
constexpr int kSignals[] = {SIGINT, SIGTERM};

// What the signal handler may touch.
volatile sig_atomic_t interrupt_seen = 0;
volatile sig_atomic_t running_child = 0;
struct sigaction previous_actions[std::size(kSignals)];

void on_interrupt(int) {
  const int saved = errno;
  interrupt_seen = 1;
  if (running_child > 0) kill(static_cast<pid_t>(running_child), SIGTERM);
  errno = saved;
}

Error system_error(const std::string& where) { return {ErrorCode::kIo, where, "", std::strerror(errno), ""}; }
Error cancelled() { return {ErrorCode::kCancelled, "interrupt", "", "", ""}; }

struct Pipe {
  int ends[2] = {-1, -1};
  bool open() { return pipe2(ends, O_CLOEXEC) == 0; }
  void close_end(int end) {
    if (ends[end] >= 0) close(ends[end]);
    ends[end] = -1;
  }
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
};

[[noreturn]] void become(const std::vector<std::string>& command, int out, int err) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  signal(SIGPIPE, SIG_DFL);
  for (const int number : kSignals) signal(number, SIG_DFL);
  const int nothing = open("/dev/null", O_RDONLY);
  dup2(nothing, STDIN_FILENO);
  dup2(out, STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
  std::vector<char*> arguments;
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  dprintf(STDERR_FILENO, "%s\n", std::strerror(errno));
  _exit(kNotStarted);
}

// Until both streams have ended; a stream that was never opened has.
void read_both(Pipe& out, Pipe& err, ChildOutcome& outcome) {
  while (out.ends[0] >= 0 || err.ends[0] >= 0) {
    pollfd streams[] = {{out.ends[0], POLLIN, 0}, {err.ends[0], POLLIN, 0}};
    if (poll(streams, 2, -1) < 0) continue;  // a signal
    const auto take = [](const pollfd& stream, Pipe& pipe, std::string& all) {
      if (!stream.revents) return;
      char part[1 << 16];
      const ssize_t count = read(stream.fd, part, sizeof part);
      if (count > 0) all.append(part, static_cast<size_t>(count));
      if (count == 0 || (count < 0 && errno != EINTR)) pipe.close_end(0);
    };
    take(streams[0], out, outcome.out);
    take(streams[1], err, outcome.err);
  }
}

}  // namespace

InterruptGuard::InterruptGuard() {
  interrupt_seen = 0;
  struct sigaction action = {};
  action.sa_handler = on_interrupt;
  for (size_t i = 0; i < std::size(kSignals); ++i) sigaction(kSignals[i], &action, &previous_actions[i]);
}

InterruptGuard::~InterruptGuard() {
  for (size_t i = 0; i < std::size(kSignals); ++i) sigaction(kSignals[i], &previous_actions[i], nullptr);
}

bool InterruptGuard::interrupted() { return interrupt_seen != 0; }

Result<ChildOutcome> run_child(const std::vector<std::string>& command, ChildOutput output) {
  if (InterruptGuard::interrupted()) return cancelled();
  const bool kept = output == ChildOutput::kKept;
  Pipe out, err;
  if (kept && (!out.open() || !err.open())) return system_error(command[0]);
  const pid_t process = fork();
  if (process < 0) return system_error(command[0]);
  if (process == 0) become(command, kept ? out.ends[1] : STDERR_FILENO, kept ? err.ends[1] : STDERR_FILENO);
  running_child = process;
  if (InterruptGuard::interrupted()) kill(process, SIGTERM);  // came before the handler knew of the child
  out.close_end(1);
  err.close_end(1);
  ChildOutcome outcome;
  read_both(out, err, outcome);
  int status = 0;
  rusage usage = {};
  while (wait4(process, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  running_child = 0;
  if (InterruptGuard::interrupted()) return cancelled();
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  outcome.peak_memory = static_cast<size_t>(usage.ru_maxrss) << 10;
  return outcome;
}

std::string last_lines(const std::string& text, size_t count) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (!line.empty()) lines.push_back("  " + printable(line));
  }
  std::string out;
  for (size_t i = lines.size() - std::min(count, lines.size()); i < lines.size(); ++i)
    out += (out.empty() ? "" : "\n") + lines[i];
  return out;
}

}  // namespace tenon::cli
