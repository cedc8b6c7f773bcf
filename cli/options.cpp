#include "cli/options.h"

#include <charconv>
#include <cmath>
#include <cstdio>

#include "tenon/devices.h"

namespace tenon::cli {

namespace {

constexpr int64_t kMostThreads = 1024;

template <class T>
bool parse_whole(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

std::string short_number(float value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", static_cast<double>(value));
  return text;
}

std::string joined(const std::vector<int64_t>& values) {
  std::string text;
  for (const int64_t value : values) text += (text.empty() ? "" : ",") + std::to_string(value);
  return text;
}

std::string describe(IntegerRange range) {
  if (range.most == kMostTokens) return "a whole number of at least " + std::to_string(range.least);
  return "a whole number from " + std::to_string(range.least) + " to " + std::to_string(range.most);
}

}  // namespace

void refuse(const std::string& flag, const std::string& wanted, std::string_view found) {
  constexpr size_t kLongest = 100;  // of what may be a whole file
  const std::string shown = std::string(found.substr(0, kLongest)) + (found.size() > kLongest ? "…" : "");
  throw CLI::ValidationError(flag, "wanted " + wanted + ", found '" + shown + "'");
}

int64_t parse_integer(const std::string& flag, std::string_view text, IntegerRange range) {
  int64_t value = 0;
  if (!parse_whole(text, value) || value < range.least || value > range.most)
    refuse(flag, describe(range), text);
  return value;
}

std::vector<int64_t> parse_integers(const std::string& flag, std::string_view text, IntegerRange range) {
  constexpr std::string_view kSpace = " \t\r\n";
  std::vector<int64_t> values;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    std::string_view item = text.substr(begin, end - begin);
    item.remove_prefix(std::min(item.find_first_not_of(kSpace), item.size()));
    item = item.substr(0, item.find_last_not_of(kSpace) + 1);
    values.push_back(parse_integer(flag, item, range));
    begin = end + 1;
  }
  return values;
}

CLI::Option* add_integer(CLI::App& app, const std::string& flags, int64_t& value, IntegerRange range,
                         const std::string& help) {
  const auto read = [&value, flags, range](const std::string& text) {
    value = parse_integer(flags, text, range);
  };
  return app.add_option_function<std::string>(flags, read, help)
      ->type_name("N")
      ->default_str(std::to_string(value));
}

CLI::Option* add_integers(CLI::App& app, const std::string& flags, std::vector<int64_t>& values,
                          IntegerRange range, const std::string& help) {
  const auto read = [&values, flags, range](const std::string& text) {
    values = parse_integers(flags, text, range);
  };
  return app.add_option_function<std::string>(flags, read, help)
      ->type_name("N,N,...")
      ->default_str(joined(values));
}

CLI::Option* add_number(CLI::App& app, const std::string& flags, float& value, float least, float most,
                        const std::string& help) {
  const auto read = [&value, flags, least, most](const std::string& text) {
    float number = 0;
    if (!parse_whole(std::string_view(text), number) || !std::isfinite(number) || number < least ||
        number > most) {
      refuse(flags, "a number from " + short_number(least) + " to " + short_number(most), text);
    }
    value = number;
  };
  return app.add_option_function<std::string>(flags, read, help)
      ->type_name("F")
      ->default_str(short_number(value));
}

SessionOptions ModelFlags::session_options() const {
  SessionOptions options;
  options.context = context;
  options.kv_type = kv_type;
  options.state_form = state_form;
  options.window_cache = window_cache;
  options.draft_tokens = draft ? draft_tokens : 0;
  return options;
}

std::vector<std::string> ModelFlags::command_line() const {
  std::vector<std::string> out = {
      "--device", device,           "--kv",           name(kv_type),
      "--state",  name(state_form), "--window-cache", window_cache == WindowCache::kFull ? "full" : "evict"};
  if (deterministic) out.push_back("--deterministic");
  return out;
}

void add_draft_flags(CLI::App& app, ModelFlags& flags) {
  CLI::Option* const draft =
      add_choice(
          app, "--draft", flags.draft, {{"none", false}, {"ngram", true}},
          "ngram: guess next tokens from what followed the last ones earlier in the text, and check several "
          "in one step; faster where text repeats itself, and the text stays the same to the letter")
          ->default_str("none");
  add_integer(app, "--draft-tokens", flags.draft_tokens, {1, kMostDraftTokens}, "most tokens of a guess")
      ->needs(draft);
}

void add_device_flags(CLI::App& app, ModelFlags& flags) {
  std::vector<std::pair<std::string, std::string>> choices;
  std::string help = "where it runs.";
  for (const Device& device : devices()) {
    choices.emplace_back(device.name, device.name);
    (((help += choices.size() > 1 ? "; " : " ") += device.name) += ": ") += device.description;
  }
  add_choice(app, "--device", flags.device, choices, help)->default_str(flags.device);
  flags.threads = available_cores();
  add_integer(app, "-t,--threads", flags.threads, {1, kMostThreads}, "threads; default: all cores there are");
  app.add_flag("--deterministic", flags.deterministic,
               "the same numbers however a prompt is cut into steps and batches; slower");
}

void add_cache_flags(CLI::App& app, ModelFlags& flags) {
  add_choice(app, "--kv", flags.kv_type, {{"f16", KvType::kF16}, {"f32", KvType::kF32}},
             "type of the cached keys and values")
      ->default_str(name(flags.kv_type));
  CLI::Option* const state =
      add_choice(
          app, "--state", flags.state_form,
          {{"inplace", StateForm::kInPlace},
           {"stateless", StateForm::kStateless},
           {"stateful", StateForm::kStateful},
           {"paged", StateForm::kPaged}},
          "who owns the caches. inplace: one buffer each, written in place; stateless: every step takes "
          "and gives them; stateful: variables of the model; paged: blocks that sequences share")
          ->default_str(name(flags.state_form));
  add_choice(app, "--kv-layout", flags.state_form,
             {{"inplace", StateForm::kInPlace}, {"copy", StateForm::kStateless}},
             "inplace: as --state inplace; copy: as --state stateless, caches are copied at every step")
      ->default_str("")
      ->excludes(state);
  add_choice(app, "--window-cache", flags.window_cache,
             {{"evict", WindowCache::kEvict}, {"full", WindowCache::kFull}},
             "what layers with a window keep. evict: the window and room for one step, of --state inplace; "
             "full: the whole context, so that any earlier prompt can be gone back to")
      ->default_str("evict");
}

void add_context_flag(CLI::App& app, ModelFlags& flags, const std::string& default_meaning) {
  add_integer(app, "-c,--context", flags.context, {1, kMostTokens},
              "tokens that prompt and answers have room for; default: " + default_meaning)
      ->default_str("");
}

std::string name(KvType type) { return type == KvType::kF16 ? "f16" : "f32"; }
std::string name(StateForm form) {
  switch (form) {
    case StateForm::kInPlace:
      return "inplace";
    case StateForm::kStateless:
      return "stateless";
    case StateForm::kStateful:
      return "stateful";
    case StateForm::kPaged:
      return "paged";
  }
  return "";
}

void note_context(const Model& model, const char* what, int64_t tokens) {
  if (tokens <= model.trained_context()) return;
  std::fprintf(stderr, "tenon: note: %s of %lld tokens; the model was trained on %lld at most\n", what,
               static_cast<long long>(tokens), static_cast<long long>(model.trained_context()));
}

Result<Model> load_model(const std::string& path, const ModelFlags& flags, ProgressLine& progress) {
  LoadOptions options;
  options.device = flags.device;
  options.threads = static_cast<int>(flags.threads);
  options.deterministic = flags.deterministic;
  if (progress.visible()) {
    options.progress = [&](double share) {
      progress.show("loading " + printable(path) + ": " + std::to_string(static_cast<int>(share * 100)) +
                    " %");
    };
  }
  Result<Model> model = Model::load(path, options);
  progress.clear();
  if (model.ok()) {
    for (const std::string& note : model->notes())
      std::fprintf(stderr, "tenon: note: %s\n", printable(note).c_str());
  }
  return model;
}

}  // namespace tenon::cli
