#include "tests/e2e/program.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <regex>
#include <stdexcept>

namespace tenon::e2e {
namespace {

constexpr std::chrono::minutes kLimit(2);

struct Pipe {
  int read = -1, write = -1;
  explicit Pipe(int flags = 0) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC | flags) != 0) throw std::runtime_error("[e2e] no pipe");
    read = ends[0];
    write = ends[1];
  }
  ~Pipe() {
    close_read();
    close_write();
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  void close_read() { close(std::exchange(read, -1)); }
  void close_write() { close(std::exchange(write, -1)); }
};

[[noreturn]] void become_program(const std::vector<std::string>& arguments, int in, int out, int err) {
  std::vector<char*> argv = {const_cast<char*>(TENON_PROGRAM)};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  dup2(in, STDIN_FILENO);
  dup2(out, STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
  execv(argv[0], argv.data());
  _exit(127);
}

// Appends what can be read now; false at the end of the stream.
bool read_some(int stream, std::string& all, std::vector<std::string>* chunks) {
  char part[1 << 16];
  const ssize_t count = read(stream, part, sizeof part);
  if (count <= 0) return false;
  all.append(part, static_cast<size_t>(count));
  if (chunks) chunks->emplace_back(part, static_cast<size_t>(count));
  return true;
}

void read_until_both_end(Pipe& out, Pipe& err, Outcome& outcome, pid_t process) {
  const auto deadline = std::chrono::steady_clock::now() + kLimit;
  while (out.read >= 0 || err.read >= 0) {
    pollfd streams[] = {{out.read, POLLIN, 0}, {err.read, POLLIN, 0}};
    poll(streams, 2, 1000);
    if (streams[0].revents && !read_some(out.read, outcome.out, &outcome.chunks)) out.close_read();
    if (streams[1].revents && !read_some(err.read, outcome.err, nullptr)) err.close_read();
    if (std::chrono::steady_clock::now() < deadline) continue;
    kill(process, SIGKILL);
    waitpid(process, nullptr, 0);
    throw std::runtime_error("[e2e::run] the program did not end; it said: " + outcome.out + outcome.err);
  }
}

}  // namespace

Outcome run(const std::vector<std::string>& arguments, const Surroundings& surroundings) {
  Pipe in, err;
  Pipe out(O_DIRECT);  // packets: what one write wrote is what one read reads, however late it reads
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  const int file =
      surroundings.stdout_file.empty() ? -1 : open(surroundings.stdout_file.c_str(), O_WRONLY | O_CLOEXEC);
  if (surroundings.reader_is_gone) out.close_read();
  const pid_t process = fork();
  if (process == 0)
    become_program(arguments, surroundings.input ? in.read : nothing, file < 0 ? out.write : file, err.write);
  close(nothing);
  if (file >= 0) close(file);
  in.close_read();
  out.close_write();
  err.close_write();
  // Texts of tests are shorter than a pipe holds, so that this never waits.
  if (surroundings.input && write(in.write, surroundings.input->data(), surroundings.input->size()) < 0)
    throw std::runtime_error("[e2e::run] the program does not take its input");
  in.close_write();
  Outcome outcome;
  read_until_both_end(out, err, outcome, process);
  int status = 0;
  waitpid(process, &status, 0);
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return outcome;
}

Figures closing_figures(std::string_view text) {
  static const std::regex line(
      R"(\[prompt: (\d+) tokens, (\d+) evaluated, \S+ tokens/s \| generated: (\d+) tokens, \S+ tokens/s \| )"
      R"(first token: \d+\.\d\d s \| peak memory: (\d+) MiB\])");
  std::match_results<std::string_view::const_iterator> match;
  if (!std::regex_search(text.begin(), text.end(), match, line))
    throw std::runtime_error("[e2e] no closing line in: " + std::string(text));
  return {std::stoll(match[1]), std::stoll(match[2]), std::stoll(match[3]), std::stod(match[4])};
}

std::string only_error(const Outcome& outcome) {
  constexpr std::string_view kPrefix = "tenon: ";
  const std::string& err = outcome.err;
  const bool one_line = err.starts_with(kPrefix) && err.find('\n') == err.size() - 1;
  EXPECT_TRUE(one_line) << err;
  return one_line ? err.substr(kPrefix.size(), err.size() - kPrefix.size() - 1) : "";
}

}  // namespace tenon::e2e
