// Flags that several commands share, and how values of flags are read: one that is no good is a usage error
// that says what would be right.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "cli/progress.h"
#include "tenon/tenon.h"

namespace tenon::cli {

inline constexpr int64_t kMostTokens = INT32_MAX;

struct IntegerRange {
  int64_t least = 0;
  int64_t most = kMostTokens;
};

// `text` as a whole number of the range. Throws CLI::ValidationError naming `flag`.
int64_t parse_integer(const std::string& flag, std::string_view text, IntegerRange range);
// "1,2,3"; at least one. White space around a number does not count.
std::vector<int64_t> parse_integers(const std::string& flag, std::string_view text, IntegerRange range);

// `flags` is "-n,--max-tokens"; `value` holds the default, which the help shows.
CLI::Option* add_integer(CLI::App& app, const std::string& flags, int64_t& value, IntegerRange range,
                         const std::string& help);
CLI::Option* add_integers(CLI::App& app, const std::string& flags, std::vector<int64_t>& values,
                          IntegerRange range, const std::string& help);
CLI::Option* add_number(CLI::App& app, const std::string& flags, float& value, float least, float most,
                        const std::string& help);

[[noreturn]] void refuse(const std::string& flag, const std::string& wanted, std::string_view found);

template <class T>
CLI::Option* add_choice(CLI::App& app, const std::string& flags, T& value,
                        const std::vector<std::pair<std::string, T>>& choices, const std::string& help) {
  std::string names;
  for (const auto& [name, meaning] : choices) names += (names.empty() ? "" : "|") + name;
  const auto read = [&value, choices, flags, names](const std::string& text) {
    for (const auto& [name, meaning] : choices) {
      if (name == text) return void(value = meaning);
    }
    refuse(flags, "one of " + names, text);
  };
  return app.add_option_function<std::string>(flags, read, help)->type_name(names);
}

// What is loaded, where it runs, and how its caches are kept.
struct ModelFlags {
  std::string device = "cpu";
  int64_t threads = 0;
  bool deterministic = false;
  int64_t context = 0;
  bool draft = false;  // by the text so far
  int64_t draft_tokens = kMostDraftTokens;
  KvType kv_type = KvType::kF16;
  StateForm state_form = StateForm::kInPlace;
  WindowCache window_cache = WindowCache::kEvict;

  SessionOptions session_options() const;
  // The flags that give another run of this program the same device and caches.
  std::vector<std::string> command_line() const;
};

// --device and -t; the threads' default becomes the number of cores.
void add_device_flags(CLI::App& app, ModelFlags& flags);
// --kv, --state, --kv-layout and --window-cache
void add_cache_flags(CLI::App& app, ModelFlags& flags);
// --draft and --draft-tokens
void add_draft_flags(CLI::App& app, ModelFlags& flags);
// -c
void add_context_flag(CLI::App& app, ModelFlags& flags, const std::string& default_meaning);

std::string name(KvType type);
std::string name(StateForm form);

// Says on stderr that `what` ("a context") has more tokens than the model was trained on, if so.
void note_context(const Model& model, const char* what, int64_t tokens);

// Loads, with progress when `progress` is visible, and says on stderr what a user should know of the file.
Result<Model> load_model(const std::string& path, const ModelFlags& flags, ProgressLine& progress);

}  // namespace tenon::cli
