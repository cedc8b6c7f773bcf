// tenon run: one answer to a prompt, or a chat on a terminal.
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <optional>

#include "cli/answer.h"
#include "cli/chat_terminal.h"
#include "cli/command.h"
#include "cli/input.h"
#include "cli/options.h"

namespace tenon::cli {

namespace {

constexpr int64_t kMostBeams = 64;
constexpr const char* kFooter =
    "Examples:\n"
    "  tenon run model.gguf                              a chat, when started on a terminal\n"
    "  tenon run model.gguf -p \"Name three rivers.\"      one answer\n"
    "  tenon run model.gguf -n 200 < question.txt        the prompt from a file\n"
    "  tenon run model.gguf --raw -p \"Once upon\" -n 40   continue a text, without the chat template\n"
    "  tenon run model.gguf -p \"2 + 2 =\" --temp 0        always the most likely token";

// Text without a template often never ends by itself.
constexpr int64_t kRawTokens = 256;

struct RunFlags {
  std::string path;
  ModelFlags model;
  std::optional<std::string> prompt;
  std::optional<int64_t> max_tokens;
  AnswerOptions answer;
};

// A file's last line end is not part of a message; a text to be continued is taken as it is.
Result<std::string> prompt_from_stdin(bool raw) {
  TENON_ASSIGN(std::string prompt, read_all(STDIN_FILENO, "stdin"));
  if (!raw && prompt.ends_with('\n')) prompt.pop_back();
  if (prompt.empty()) {
    return Error{ErrorCode::kInvalidArgument, "stdin", "a prompt", "nothing", "give the prompt with -p"};
  }
  return prompt;
}

Status answer_once(Session& session, const std::string& prompt, const AnswerOptions& options) {
  TENON_ASSIGN(const Generation generation, write_answer(session, prompt, options));
  std::fprintf(stderr, "%s\n", closing_line(generation).c_str());
  if (generation.stop != StopReason::kContextFull) return {};
  return Error{ErrorCode::kContextFull, "context", "room for the whole answer",
               "all " + std::to_string(session.context()) + " tokens in use",
               "use a larger context (-c) or fewer tokens (-n)"};
}

Status run(const RunFlags& flags) {
  if (flags.model.draft && flags.answer.generate.beams > 1) {
    refuse("--draft", "no --beams beside it", "--beams " + std::to_string(flags.answer.generate.beams));
  }
  ProgressLine progress;
  TENON_ASSIGN(const Model model, load_model(flags.path, flags.model, progress));
  note_context(model, "a context", flags.model.context);
  TENON_ASSIGN(Session session, model.open_session(flags.model.session_options()));
  AnswerOptions options = flags.answer;
  options.generate.max_tokens = flags.max_tokens.value_or(options.raw ? kRawTokens : -1);
  if (flags.prompt) return answer_once(session, *flags.prompt, options);
  if (isatty(STDIN_FILENO)) return chat_on_terminal(session, options);
  TENON_ASSIGN(const std::string prompt, prompt_from_stdin(options.raw));
  return answer_once(session, prompt, options);
}

void add_prompt_flags(CLI::App& app, RunFlags& flags) {
  app.add_option_function<std::string>(
         "-p,--prompt",
         [&flags](const std::string& text) {
           if (text.empty()) refuse("-p,--prompt", "a text", text);
           flags.prompt = text;
         },
         "the prompt; without it: stdin, and a chat if that is a terminal")
      ->type_name("TEXT");
  app.add_option_function<std::string>(
         "-n,--max-tokens",
         [&flags](const std::string& text) {
           flags.max_tokens = parse_integer("-n,--max-tokens", text, {-1});
         },
         "most tokens of an answer; -1: until the model ends it or the context is full; default: -1, with "
         "--raw " +
             std::to_string(kRawTokens))
      ->type_name("N");
  app.add_flag("--raw", flags.answer.raw, "continue the text as it is: no chat template");
}

void add_sampling_flags(CLI::App& app, GenerateOptions& generate) {
  add_number(app, "--temp", generate.temperature, 0.0f, 100.0f,
             "temperature; 0: always the most likely token");
  app.add_option_function<std::string>(
         "--top-k",
         [&](const std::string& text) {
           generate.top_k = static_cast<int32_t>(parse_integer("--top-k", text, {0}));
         },
         "sample from the N most likely tokens; 0: from all")
      ->type_name("N")
      ->default_str(std::to_string(generate.top_k));
  add_number(app, "--top-p", generate.top_p, 0.0f, 1.0f,
             "sample from the most likely tokens that together have this probability; 1: from all");
  add_number(app, "--min-p", generate.min_p, 0.0f, 1.0f,
             "leave out tokens less likely than this share of the most likely one; 0: none");
  app.add_option_function<std::string>(
         "--beams",
         [&](const std::string& text) {
           generate.beams = static_cast<int32_t>(parse_integer("--beams", text, {1, kMostBeams}));
         },
         "search the likeliest answer with so many beams instead of sampling; it comes in one piece")
      ->type_name("N")
      ->default_str(std::to_string(generate.beams));
  app.add_option_function<std::string>(
         "--seed",
         [&](const std::string& text) {
           generate.seed = static_cast<uint64_t>(parse_integer("--seed", text, {0, INT64_MAX}));
         },
         "of the random numbers: equal seeds give equal answers")
      ->type_name("N")
      ->default_str(std::to_string(generate.seed));
}

}  // namespace

Command add_run(CLI::App& program) {
  CLI::App* app = program.add_subcommand("run", "Answers a prompt, or chats on a terminal.");
  const auto flags = std::make_shared<RunFlags>();
  app->add_option("MODEL", flags->path, "a .gguf file")->required()->type_name("");
  add_prompt_flags(*app, *flags);
  add_sampling_flags(*app, flags->answer.generate);
  add_device_flags(*app, flags->model);
  add_context_flag(*app, flags->model, "what the model was trained for");
  add_cache_flags(*app, flags->model);
  add_draft_flags(*app, flags->model);
  app->footer(kFooter);
  return {app, [flags] { return run(*flags); }};
}

}  // namespace tenon::cli
