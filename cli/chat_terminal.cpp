#include "cli/chat_terminal.h"

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>
#include <stdexcept>

namespace tenon::cli {

namespace {

std::atomic<Session*> interrupted_session = nullptr;

void cancel_session(int) {
  if (Session* session = interrupted_session.load()) session->cancel();
}

// While it lives, Ctrl-C cancels the session's running answer. Without SA_RESTART, so that it also ends the
// reading of a line.
class InterruptCancels {
 public:
  explicit InterruptCancels(Session& session) {
    interrupted_session = &session;
    struct sigaction action = {};
    action.sa_handler = cancel_session;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, &before_);
  }
  ~InterruptCancels() {
    sigaction(SIGINT, &before_, nullptr);
    interrupted_session = nullptr;
  }
  InterruptCancels(const InterruptCancels&) = delete;
  InterruptCancels& operator=(const InterruptCancels&) = delete;

 private:
  struct sigaction before_ = {};
};

struct Line {
  enum class State { kRead, kInterrupted, kEnd };
  State state;
  std::string text;
};

// The terminal gives a line at a time, with its own editing. Ctrl-D inside a line only hands over what is
// there.
Result<Line> read_line() {
  Line line{Line::State::kRead, ""};
  for (;;) {
    char part[4096];
    const ssize_t count = read(STDIN_FILENO, part, sizeof part);
    if (count < 0 && errno == EINTR) return Line{Line::State::kInterrupted, ""};
    if (count < 0) return Error{ErrorCode::kIo, "stdin", "", std::strerror(errno), ""};
    if (count == 0) return line.text.empty() ? Line{Line::State::kEnd, ""} : line;
    line.text.append(part, static_cast<size_t>(count));
    if (line.text.ends_with('\n')) {
      line.text.pop_back();
      return line;
    }
  }
}

std::optional<const char*> why_it_stopped(StopReason reason) {
  switch (reason) {
    case StopReason::kCancelled:
      return "[stopped]";
    case StopReason::kContextFull:
      return "[the context is full: /clear starts anew, -c makes it larger]";
    case StopReason::kMaxTokens:
      return "[as many tokens as -n allows]";
    case StopReason::kEndOfText:
    case StopReason::kCallback:
      return std::nullopt;
  }
  throw std::logic_error("[why_it_stopped] no such reason");
}

// An error that ends the chat: the answer cannot be written.
Status answer_message(Session& session, std::string_view message, const AnswerOptions& options) {
  const Result<Generation> generation = write_answer(session, message, options);
  if (!generation.ok()) {
    const Error& error = generation.error();
    if (error.code == ErrorCode::kCancelled || error.code == ErrorCode::kIo) return error;
    std::fprintf(stderr, "tenon: %s\n", error.message().c_str());
    return {};
  }
  if (const auto reason = why_it_stopped(generation->stop)) std::fprintf(stderr, "%s\n", *reason);
  std::fprintf(stderr, "%s\n", closing_line(*generation).c_str());
  return {};
}

}  // namespace

Status chat_on_terminal(Session& session, const AnswerOptions& options) {
  const InterruptCancels interrupt_cancels(session);
  std::fputs("Ctrl-C stops an answer, /clear starts anew, Ctrl-D or /exit leaves.\n", stderr);
  for (;;) {
    std::fputs("> ", stderr);
    TENON_ASSIGN(const Line line, read_line());
    if (line.state == Line::State::kEnd || line.state == Line::State::kInterrupted) std::fputs("\n", stderr);
    if (line.state == Line::State::kEnd || line.text == "/exit") return {};
    if (line.text.empty()) continue;
    if (line.text == "/clear") {
      session.reset();
      continue;
    }
    TENON_RETURN_IF_ERROR(answer_message(session, line.text, options));
  }
}

}  // namespace tenon::cli
