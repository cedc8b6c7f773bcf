// tenon logits: feeds given tokens and writes the logits of each to a .npy file.
#include <memory>
#include <numeric>

#include "cli/command.h"
#include "cli/input.h"
#include "cli/npy.h"
#include "cli/options.h"

namespace tenon::cli {

namespace {

constexpr const char* kFooter =
    "Examples:\n"
    "  tenon logits model.gguf --tokens 1,2,3,4 -o out.npy                float32 [4, rows of the "
    "vocabulary]\n"
    "  tenon logits model.gguf --tokens 1,2,3,4 --split 3,1 -o out.npy    fed in two steps\n"
    "  tenon logits model.gguf --tokens @ids.txt --kv f32 -o out.npy      the ids from a file";

struct LogitsFlags {
  std::string path;
  ModelFlags model;
  std::string tokens;
  std::vector<int64_t> split;
  std::string output;
};

Result<std::vector<int32_t>> read_tokens(const std::string& value) {
  std::string where = "--tokens", text = value;
  if (value.starts_with('@')) {
    where += " " + value;
    TENON_ASSIGN(text, read_file(value.substr(1), where));
  }
  const std::vector<int64_t> ids = parse_integers(where, text, {0});
  return std::vector<int32_t>(ids.begin(), ids.end());
}

Status logits(const LogitsFlags& flags) {
  TENON_ASSIGN(const std::vector<int32_t> tokens, read_tokens(flags.tokens));
  const auto count = static_cast<int64_t>(tokens.size());
  const std::vector<int64_t> split = flags.split.empty() ? std::vector<int64_t>{count} : flags.split;
  if (const int64_t sum = std::accumulate(split.begin(), split.end(), int64_t{0}); sum != count) {
    refuse("--split", "lengths that add up to the " + std::to_string(count) + " tokens", std::to_string(sum));
  }
  ProgressLine progress;
  TENON_ASSIGN(const Model model, load_model(flags.path, flags.model, progress));
  SessionOptions options = flags.model.session_options();
  options.all_logits = true;
  if (options.context == 0) options.context = count;
  note_context(model, "a context", options.context);
  TENON_ASSIGN(Session session, model.open_session(options));
  TENON_ASSIGN(NpyWriter out, NpyWriter::create(flags.output, count, model.vocabulary_rows()));
  std::span<const int32_t> rest = tokens;
  for (const int64_t length : split) {
    TENON_RETURN_IF_ERROR(session.evaluate(rest.first(static_cast<size_t>(length)),
                                           [&](std::span<const float> row) { out.add(row); }));
    rest = rest.subspan(static_cast<size_t>(length));
    progress.show("evaluated " + std::to_string(session.length()) + " of " + std::to_string(count) +
                  " tokens");
  }
  return out.finish();
}

}  // namespace

Command add_logits(CLI::App& program) {
  CLI::App* app = program.add_subcommand("logits", "Writes the logits of given tokens to a .npy file.");
  const auto flags = std::make_shared<LogitsFlags>();
  app->add_option("MODEL", flags->path, "a .gguf file")->required()->type_name("");
  app->add_option("--tokens", flags->tokens, "token ids; @FILE: those in the file")
      ->required()
      ->type_name("N,N,...|@FILE");
  add_integers(*app, "--split", flags->split, {1},
               "lengths of the pieces in which the tokens are fed; default: all at once");
  app->add_option("-o,--output", flags->output, "the file to write: float32 [tokens, vocabulary rows]")
      ->required()
      ->type_name("FILE");
  add_device_flags(*app, flags->model);
  add_context_flag(*app, flags->model, "as many as are given");
  add_cache_flags(*app, flags->model);
  app->footer(kFooter);
  return {app, [flags] { return logits(*flags); }};
}

}  // namespace tenon::cli
