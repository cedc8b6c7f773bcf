// One answer: from a prompt to text on stdout as it comes, and how fast that went.
#pragma once

#include <string>
#include <string_view>

#include "tenon/tenon.h"

namespace tenon::cli {

struct AnswerOptions {
  bool raw = false;  // continue the prompt as it is, without the chat template
  GenerateOptions generate;
};

// Writes the answer and a line end to stdout, progress to a terminal on stderr. Errors: the library's, and
// those of write_stdout.
Result<Generation> write_answer(Session& session, std::string_view prompt, const AnswerOptions& options);

// "[prompt: 31 tokens, 12 evaluated, 410.2 tokens/s | generated: …]", without a line end.
std::string closing_line(const Generation& generation);

}  // namespace tenon::cli
