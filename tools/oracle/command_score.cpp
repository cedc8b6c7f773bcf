#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "commands.h"
#include "flags.h"
#include "model.h"
#include "npy.h"

namespace tenon::oracle {

int run_tokenize(std::vector<std::string> arguments) {
  const Flags flags(arguments, {"--count", "-o"});
  if (flags.positional().size() != 2) throw std::invalid_argument("wants a model and a text");
  std::ifstream file(flags.positional()[1], std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + flags.positional()[1]);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  auto tokens = Model(flags.positional()[0], {.context = 32}).tokenize(text);
  if (flags.has("--count")) {
    const auto wanted = static_cast<size_t>(std::stoul(flags.text("--count")));
    if (tokens.size() < wanted)
      throw std::runtime_error("the text has only " + std::to_string(tokens.size()) + " tokens");
    tokens.resize(wanted);
  }
  write_npy(flags.text("-o"), tokens);
  std::printf("%zu tokens\n", tokens.size());
  return 0;
}

// Chunks are sequences of their own: chunk i starts at position 0 with an empty cache.
int run_score(std::vector<std::string> arguments) {
  const Flags flags(arguments, {"--tokens-file", "--chunk", "--kv", "-o"}, {"--flash-attention"});
  if (flags.positional().size() != 1) throw std::invalid_argument("wants one model");
  const auto tokens = read_npy_i32(flags.text("--tokens-file"));
  const auto chunk = static_cast<size_t>(std::stoul(flags.text("--chunk", "512")));
  ModelOptions options = model_options(flags);
  options.context = static_cast<uint32_t>(chunk);

  const std::filesystem::path folder = flags.text("-o");
  std::filesystem::create_directories(folder);
  Model model(flags.positional()[0], options);
  int index = 0;
  for (size_t begin = 0; begin < tokens.size(); begin += chunk) {
    const auto part = std::span(tokens).subspan(begin, std::min(chunk, tokens.size() - begin));
    model.clear();
    const auto logits = model.step(part);
    char name[32];
    std::snprintf(name, sizeof name, "logits_%03d.npy", index++);
    write_npy(folder / name, logits, static_cast<int64_t>(part.size()), model.vocab());
  }
  write_npy(folder / "tokens.npy", tokens);
  std::printf("%s: %zu tokens in %d chunks\n", folder.c_str(), tokens.size(), index);
  return 0;
}

}  // namespace tenon::oracle
