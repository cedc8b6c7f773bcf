// tenon bench: how fast models are, by llama-bench's tests.
#include <algorithm>
#include <cstdio>
#include <memory>

#include "cli/bench_drafts.h"
#include "cli/bench_report.h"
#include "cli/bench_versus.h"
#include "cli/command.h"
#include "cli/input.h"
#include "cli/model_facts.h"
#include "cli/output.h"

namespace tenon::cli {

namespace {

constexpr const char* kFooter =
    "Tests as llama-bench names them: pp512 evaluates a prompt of 512 tokens, tg128 generates 128, \"@ "
    "d4096\" with 4096\n"
    "tokens in the context before. Beside them: the peak memory of the test, and the rate at which as many "
    "threads read\n"
    "1 GiB of memory, measured between the runs.\n"
    "\n"
    "--vs llama.cpp runs tenon and llama-bench in turn, -r rounds of them, and compares test by test with\n"
    "llama.cpp's best of --repack and -fa. Its defaults: -n 64 -d 0,4096 -r 3. Ctrl-C ends it and reports.\n"
    "\n"
    "--draft ngram answers the text of -f with drafts and without, in turn. Its default: -r 3.\n"
    "\n"
    "Examples:\n"
    "  tenon bench model.gguf -t 2\n"
    "  tenon bench model.gguf --vs llama.cpp -t 2\n"
    "  tenon bench model.gguf --draft ngram -f question.txt -n 200\n"
    "  tenon bench a.gguf b.gguf -p 0 -n 64 -d 0,4096 -o json";

struct BenchFlags {
  std::vector<std::string> paths;
  ModelFlags model;
  std::vector<int64_t> prompts = {512};
  std::vector<int64_t> generated = {128};
  std::vector<int64_t> depths = {0};
  int64_t ubatch = 512;
  int64_t repetitions = 5;
  BenchFormat format = BenchFormat::kMarkdown;
  std::string text;  // path; with drafts
  bool raw = false;
  bool versus = false;
  std::string llama_bench;
};

// A comparison takes the time of both sides; one of programs is about long contexts too.
void set_comparison_defaults(const CLI::App& app, BenchFlags& flags) {
  if (!flags.versus && !flags.model.draft) return;
  if (app.count("--repetitions") == 0) flags.repetitions = 3;
  if (!flags.versus) return;
  if (app.count("--n-gen") == 0) flags.generated = {64};
  if (app.count("--n-depth") == 0) flags.depths = {0, 4096};
}

void refuse_flags_apart(const CLI::App& app, const BenchFlags& flags) {
  if (!flags.model.draft) {
    if (!flags.text.empty()) refuse("-f,--file", "--draft ngram beside it", flags.text);
    if (flags.raw) refuse("--raw", "--draft ngram beside it", "none");
    return;
  }
  if (flags.text.empty()) refuse("--draft", "a text to go on from (-f)", "none");
  if (flags.versus) refuse("--draft", "no --vs beside it", "--vs llama.cpp");
  for (const char* const other : {"--n-prompt", "--n-depth"}) {
    if (app.count(other) > 0) refuse("--draft", "the text of -f as the only prompt", other);
  }
  if (flags.generated.size() > 1 || flags.generated.front() == 0)
    refuse("-n,--n-gen", "one number above 0 with --draft", app.get_option("--n-gen")->as<std::string>());
}

// In llama-bench's order.
std::vector<BenchTest> tests(const BenchFlags& flags) {
  std::vector<BenchTest> all;
  for (const int64_t depth : flags.depths) {
    for (const int64_t prompt : flags.prompts) {
      if (prompt > 0) all.push_back({.prompt = prompt, .depth = depth});
    }
    for (const int64_t generated : flags.generated) {
      if (generated > 0) all.push_back({.generated = generated, .depth = depth});
    }
  }
  return all;
}

// Tokens in the context at the end of the longest.
int64_t longest(const std::vector<BenchTest>& tests) {
  int64_t out = 0;
  for (const BenchTest& test : tests) out = std::max(out, test.depth + test.prompt + test.generated);
  return out;
}

Result<BenchSubject> subject(const std::string& path, const Model& model) {
  TENON_ASSIGN(const std::shared_ptr<const gguf::File> file, gguf::File::open(path));
  BenchSubject out{.path = path,
                   .type = printable(model.architecture()) + " " + parameters_text(model.parameter_count()),
                   .bytes = model.weight_bytes(),
                   .bytes_per_token = weight_bytes_per_token(*file),
                   .parameters = model.parameter_count()};
  const std::vector<TypeTotal> totals = type_totals(*file);
  if (!totals.empty()) (out.type += " ") += name(totals.front().element);
  return out;
}

double median_time(const BenchMeasurement& measured) {
  return median({measured.samples_ns.begin(), measured.samples_ns.end()});
}

// Of the samples that follow each other.
double median_ratio(const BenchMeasurement& a, const BenchMeasurement& b) {
  std::vector<double> ratios;
  for (size_t i = 0; i < a.samples_ns.size(); ++i)
    ratios.push_back(static_cast<double>(a.samples_ns[i]) / static_cast<double>(b.samples_ns[i]));
  return median(ratios);
}

Status report_drafts(const BenchFlags& flags, const Model& model, const BenchSubject& about,
                     const SessionOptions& options, ReadProbe& probe, BenchReport& report) {
  TENON_ASSIGN(std::string text, read_file(flags.text, "-f " + flags.text));
  const DraftTest test{.text = std::move(text),
                       .raw = flags.raw,
                       .generated = flags.generated.front(),
                       .draft_tokens = flags.model.draft_tokens};
  ProgressLine progress;
  progress.show(printable(about.path) + ": with drafts and without");
  TENON_ASSIGN(const DraftMeasurement measured,
               measure_drafts(model, test, options, flags.repetitions, probe));
  progress.clear();
  BenchRow row{about, flags.model, flags.ubatch, measured.test, measured.plain};
  row.drafts = BenchDrafts{};
  TENON_RETURN_IF_ERROR(write_stdout(report.row(row)));
  row.measured = measured.drafted;
  row.drafts = BenchDrafts{.most = test.draft_tokens,
                           .guessed = measured.guessed,
                           .accepted = measured.accepted,
                           .share_of_plain = median_ratio(measured.plain, measured.drafted)};
  return write_stdout(report.row(row));
}

Status measure_models(const BenchFlags& flags, const std::vector<BenchTest>& tests, BenchReport& report) {
  TENON_ASSIGN(const std::unique_ptr<ReadProbe> probe,
               ReadProbe::start(static_cast<int>(flags.model.threads)));
  SessionOptions options = flags.model.session_options();
  options.max_step_tokens = flags.ubatch;
  for (const std::string& path : flags.paths) {
    ProgressLine progress;
    LoadOptions load;
    load.device = flags.model.device;
    load.threads = static_cast<int>(flags.model.threads);
    load.deterministic = flags.model.deterministic;
    TENON_ASSIGN(const Model model, Model::load(path, load));
    TENON_ASSIGN(const BenchSubject about, subject(path, model));
    if (flags.model.draft) {
      TENON_RETURN_IF_ERROR(report_drafts(flags, model, about, options, *probe, report));
      continue;
    }
    note_context(model, "tests", longest(tests));
    for (const BenchTest& test : tests) {
      progress.show(printable(path) + ": " + test.name());
      BenchRow row{about, flags.model, flags.ubatch, test, {}};
      TENON_ASSIGN(row.measured, measure(model, test, options, flags.repetitions, *probe));
      if (flags.model.deterministic) {
        load.deterministic = false;
        TENON_ASSIGN(const Model fastest, Model::load(path, load));
        TENON_ASSIGN(const BenchMeasurement other,
                     measure(fastest, test, options, flags.repetitions, *probe));
        row.share_of_fastest = median_time(other) / median_time(row.measured);
      }
      progress.clear();
      TENON_RETURN_IF_ERROR(write_stdout(report.row(row)));
    }
  }
  return {};
}

// What was measured stays, and is a whole report, also after an error.
Status bench(const BenchFlags& flags) {
  const std::vector<BenchTest> all = tests(flags);
  if (all.empty()) refuse("-p,--n-prompt and -n,--n-gen", "at least one number above 0", "0");
  if (flags.versus) {
    if (flags.paths.size() > 1) refuse("MODEL", "one file with --vs", std::to_string(flags.paths.size()));
    return bench_versus({.model = flags.paths.front(),
                         .flags = flags.model,
                         .ubatch = flags.ubatch,
                         .rounds = flags.repetitions,
                         .format = flags.format,
                         .llama_bench = flags.llama_bench},
                        all);
  }
  BenchReport report(flags.format);
  const Status measured = measure_models(flags, all, report);
  TENON_RETURN_IF_ERROR(write_stdout(report.end()));
  return measured;
}

}  // namespace

Command add_bench(CLI::App& program) {
  CLI::App* app = program.add_subcommand("bench", "Measures how fast models are.");
  const auto flags = std::make_shared<BenchFlags>();
  app->add_option("MODEL", flags->paths, ".gguf files")->required()->type_name("");
  add_integers(*app, "-p,--n-prompt", flags->prompts, {0}, "lengths of prompts; 0: none");
  add_integers(*app, "-n,--n-gen", flags->generated, {0}, "numbers of generated tokens; 0: none");
  add_integers(*app, "-d,--n-depth", flags->depths, {0}, "tokens in the context before");
  add_integer(*app, "--ubatch-size", flags->ubatch, {1},
              "-ub: tokens of a prompt that are evaluated in one step");
  add_integer(*app, "-r,--repetitions", flags->repetitions, {1}, "runs of each test");
  add_choice(*app, "-o,--output", flags->format,
             {{"md", BenchFormat::kMarkdown}, {"json", BenchFormat::kJson}}, "format of the report")
      ->default_str("md");
  CLI::Option* const versus =
      add_choice(*app, "--vs", flags->versus, {{"llama.cpp", true}}, "compare with this program");
  app->add_option(
         "--llama-bench", flags->llama_bench,
         "llama.cpp's benchmark program; default: the one in PATH, or the one that Tenon's sources built")
      ->type_name("PATH")
      ->needs(versus);
  add_device_flags(*app, flags->model);
  add_cache_flags(*app, flags->model);
  add_draft_flags(*app, flags->model);
  app->add_option("-f,--file", flags->text, "with --draft: the text that is answered")->type_name("FILE");
  app->add_flag("--raw", flags->raw, "with --draft: continue the text as it is: no chat template");
  app->footer(kFooter);
  return {app, [app, flags] {
            refuse_flags_apart(*app, *flags);
            set_comparison_defaults(*app, *flags);
            return bench(*flags);
          }};
}

}  // namespace tenon::cli
