// tenon perplexity: how well a model foretells a text, and how far it is from another one, by
// llama-perplexity's rules.
#include "tenon/perplexity.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>

#include "cli/command.h"
#include "cli/input.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/perplexity_report.h"

namespace tenon::cli {

namespace {

constexpr int64_t kMostChunkTokens = INT32_MAX / 2;
constexpr const char* kFooter =
    "The text is cut into chunks of -c tokens, each evaluated by itself and begun with BOS where the model\n"
    "wants it; the tokens of the second half are scored, as llama-perplexity does it. Files of base logits\n"
    "are llama-perplexity's, either way.\n"
    "\n"
    "Examples:\n"
    "  tenon perplexity model.gguf -f text.txt\n"
    "      the perplexity\n"
    "  tenon perplexity model-f32.gguf -f text.txt --kl-divergence-base base.kld\n"
    "      the same, and writes base.kld\n"
    "  tenon perplexity model.gguf --kl-divergence-base base.kld --kl-divergence\n"
    "      how far model.gguf is from it";

struct PerplexityFlags {
  std::string path, text, base;
  bool compare = false, json = false;
  std::optional<int64_t> chunk_tokens;
  int64_t chunks = 0, batch = 2048;
  ModelFlags model;
};

// Time that is left and lines that appear, chunk by chunk.
class Watch {
 public:
  explicit Watch(bool lines) : lines_(lines) { progress_.show("evaluating the first chunk"); }

  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

  template <class Figures>
  Status on_chunk(int64_t done, int64_t all, const Figures& figures) {
    progress_.clear();
    chunks_ = all;
    if (lines_) TENON_RETURN_IF_ERROR(write_stdout(chunk_line(done, figures)));
    if (done == all) return {};
    const auto left =
        static_cast<int64_t>(seconds() / static_cast<double>(done) * static_cast<double>(all - done));
    char time[48];
    std::snprintf(time, sizeof time, "%lld:%02lld", static_cast<long long>(left / 60),
                  static_cast<long long>(left % 60));
    progress_.show("chunk " + std::to_string(done) + " of " + std::to_string(all) + ", " + time + " left");
    return {};
  }

  int64_t chunks() const { return chunks_; }

 private:
  bool lines_;
  int64_t chunks_ = 0;
  ProgressLine progress_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

Error at_file(const std::string& path, Error error) {
  error.where = path + ": " + error.where;
  return error;
}

PerplexityOptions options_of(const PerplexityFlags& flags, int64_t chunk_tokens) {
  return {chunk_tokens,        flags.chunks,           flags.batch,
          flags.model.kv_type, flags.model.state_form, flags.model.window_cache};
}

Result<std::vector<int32_t>> tokens_of(const PerplexityFlags& flags, const PerplexityRun& run) {
  TENON_ASSIGN(const std::string text, read_file(flags.text, "-f " + flags.text));
  Result<std::vector<int32_t>> tokens = run.tokenize(text);
  if (!tokens.ok()) return at_file(flags.text, std::move(tokens).error());
  return tokens;
}

template <class Figures>
Status close(const PerplexityFlags& flags, int64_t chunk_tokens, const Watch& watch, const Figures& figures) {
  const PerplexityFacts facts{flags.path,   flags.text,     flags.base,
                              chunk_tokens, watch.chunks(), watch.seconds()};
  return write_stdout(flags.json ? as_json(facts, figures) : closing_text(figures));
}

Status measure(const PerplexityFlags& flags, const Model& model) {
  const int64_t chunk_tokens = flags.chunk_tokens.value_or(PerplexityOptions().chunk_tokens);
  PerplexityRun run(model, options_of(flags, chunk_tokens));
  TENON_ASSIGN(const std::vector<int32_t> tokens, tokens_of(flags, run));
  note_context(model, "chunks", chunk_tokens);
  Watch watch(!flags.json);
  TENON_ASSIGN(
      const engine::RunningMean negative_log,
      run.measure(tokens, flags.base, [&](int64_t done, int64_t all, const engine::RunningMean& so_far) {
        return watch.on_chunk(done, all, so_far);
      }));
  return close(flags, chunk_tokens, watch, negative_log);
}

// The base holds the text; one that is named all the same must be it.
Status check_text(const PerplexityFlags& flags, const PerplexityRun& run, std::span<const int32_t> expected) {
  TENON_ASSIGN(const std::vector<int32_t> tokens, tokens_of(flags, run));
  const size_t both = std::min(tokens.size(), expected.size());
  if (std::equal(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(both), expected.begin()))
    return {};
  return Error{ErrorCode::kInvalidArgument, flags.text, "the text that " + flags.base + " was made from",
               "other tokens", "leave out -f: the file of base logits holds its text"};
}

Status compare(const PerplexityFlags& flags, const Model& model) {
  TENON_ASSIGN(const engine::BaseLogits base, engine::BaseLogits::open(flags.base));
  const int64_t chunk_tokens = base.shape().chunk_tokens;
  if (flags.chunk_tokens.value_or(chunk_tokens) != chunk_tokens) {
    return Error{ErrorCode::kInvalidArgument, flags.base,
                 "chunks of " + std::to_string(*flags.chunk_tokens) + " tokens, as -c says",
                 std::to_string(chunk_tokens), "leave out -c: the file of base logits tells"};
  }
  PerplexityRun run(model, options_of(flags, chunk_tokens));
  if (!flags.text.empty()) TENON_RETURN_IF_ERROR(check_text(flags, run, base.tokens()));
  note_context(model, "chunks", chunk_tokens);
  Watch watch(!flags.json);
  Result<engine::Divergence> divergence =
      run.compare(base, [&](int64_t done, int64_t all, const engine::Divergence& so_far) {
        return watch.on_chunk(done, all, so_far);
      });
  TENON_RETURN_IF_ERROR(divergence);
  return close(flags, chunk_tokens, watch, *divergence);
}

Status perplexity(const PerplexityFlags& flags) {
  if (!flags.compare && flags.text.empty()) throw CLI::RequiredError("-f,--file");
  ProgressLine progress;
  TENON_ASSIGN(const Model model, load_model(flags.path, flags.model, progress));
  return flags.compare ? compare(flags, model) : measure(flags, model);
}

}  // namespace

Command add_perplexity(CLI::App& program) {
  CLI::App* app = program.add_subcommand("perplexity", "Measures how well a model foretells a text.");
  const auto flags = std::make_shared<PerplexityFlags>();
  app->add_option("MODEL", flags->path, "a .gguf file")->required()->type_name("");
  app->add_option("-f,--file", flags->text, "the text; not needed with --kl-divergence")->type_name("FILE");
  const IntegerRange sizes{engine::kLeastChunkTokens, kMostChunkTokens};
  app->add_option_function<std::string>(
         "-c,--context",
         [flags, sizes](const std::string& text) {
           flags->chunk_tokens = parse_integer("-c,--context", text, sizes);
         },
         "tokens of a chunk; default: 512, or what the base logits were made with")
      ->type_name("N");
  add_integer(*app, "-b,--batch-size", flags->batch, {1},
              "most tokens of a step; with --state paged, as many whole chunks side by side");
  add_integer(*app, "--chunks", flags->chunks, {1}, "chunks of the text's start alone; default: all")
      ->default_str("");
  CLI::Option* const base =
      app->add_option(
             "--kl-divergence-base", flags->base,
             "the file of base logits: written, or read with --kl-divergence. Two bytes for each entry "
             "of the vocabulary and scored token")
          ->type_name("BASE");
  app->add_flag("--kl-divergence", flags->compare, "how far the model is from the one that wrote BASE")
      ->needs(base);
  app->add_flag("--json", flags->json, "all figures as one JSON object");
  add_device_flags(*app, flags->model);
  add_cache_flags(*app, flags->model);
  app->footer(kFooter);
  return {app, [flags] { return perplexity(*flags); }};
}

}  // namespace tenon::cli
