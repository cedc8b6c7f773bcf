#include <cstdio>
#include <filesystem>
#include <numeric>
#include <stdexcept>

#include "commands.h"
#include "flags.h"
#include "gguf_file.h"
#include "model.h"

namespace tenon::oracle {
namespace {

// Logits [vocab, last] of the last tokens, all fed in steps of the given lengths.
Array run_in_steps(const std::string& path, const ModelOptions& options, const std::vector<int32_t>& tokens,
                   const std::vector<int32_t>& split, size_t last) {
  Model model(path, options);
  std::vector<float> logits;
  size_t begin = 0;
  for (int32_t length : split) {
    const auto step = model.step(std::span(tokens).subspan(begin, static_cast<size_t>(length)));
    logits.insert(logits.end(), step.begin(), step.end());
    begin += static_cast<size_t>(length);
  }
  logits.erase(logits.begin(), logits.end() - static_cast<int64_t>(last) * model.vocab());
  return make_array(GGML_TYPE_F32, {model.vocab(), static_cast<int64_t>(last)}, logits);
}

}  // namespace

int run_logits(std::vector<std::string> arguments) {
  const Flags flags(arguments, {"--tokens", "--split", "--last", "--kv", "--exact", "-o"},
                    {"--exact-gelu", "--flash-attention", "--evict"});
  if (flags.positional().size() != 1) throw std::invalid_argument("wants one model");
  const std::string& path = flags.positional()[0];
  const auto tokens = flags.integers("--tokens");
  const auto split = flags.has("--split") ? flags.integers("--split")
                                          : std::vector<int32_t>{static_cast<int32_t>(tokens.size())};
  if (std::accumulate(split.begin(), split.end(), size_t{0}) != tokens.size()) {
    throw std::invalid_argument("--split must add up to the number of tokens");
  }
  const size_t last =
      flags.has("--last") ? static_cast<size_t>(flags.integers("--last").at(0)) : tokens.size();
  if (last > tokens.size()) throw std::invalid_argument("--last wants at most the number of tokens");
  const ModelOptions options = model_options(flags);

  const std::string name = std::filesystem::path(path).filename();
  GgufFile file("oracle logits " + name + " --tokens … --split " + flags.text("--split", "all") +
                (flags.has("--exact") ? " --exact " + name + " dequantised" : "") +
                (flags.has("--last") ? " --last " + flags.text("--last") : "") +
                (flags.has("--exact-gelu") ? " --exact-gelu" : "") +
                (flags.has("--evict") ? " --evict" : ""));
  gguf_set_val_str(file.keys(), "model", name.c_str());
  gguf_set_val_str(file.keys(), "model.hash", file_hash(path).c_str());
  gguf_set_val_str(file.keys(), "kv_type", type_name(options.kv_type).c_str());
  gguf_set_val_bool(file.keys(), "flash_attention", options.flash_attention);
  gguf_set_arr_data(file.keys(), "split", GGUF_TYPE_INT32, split.data(), split.size());
  file.add("tokens", make_i32({static_cast<int64_t>(tokens.size())}, tokens));
  file.add("logits", run_in_steps(path, options, tokens, split, last));
  if (flags.has("--exact"))
    file.add("exact", run_in_steps(flags.text("--exact"), options, tokens, split, last));
  if (flags.has("--exact-gelu")) {
    ModelOptions exact = options;
    exact.exact_gelu = true;
    file.add("exact", run_in_steps(path, exact, tokens, split, last));
  }
  file.write(flags.text("-o"));
  std::printf("%s: %zu tokens\n", flags.text("-o").c_str(), tokens.size());
  return 0;
}

}  // namespace tenon::oracle
