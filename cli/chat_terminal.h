// A chat on a terminal: reads messages, streams answers, lets Ctrl-C stop an answer and not the program.
#pragma once

#include "cli/answer.h"

namespace tenon::cli {

// Returns when the user leaves (Ctrl-D, /exit). An answer that fails is told and the chat goes on; errors are
// those of the terminal itself.
Status chat_on_terminal(Session& session, const AnswerOptions& options);

}  // namespace tenon::cli
