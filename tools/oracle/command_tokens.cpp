// What llama.cpp's tokenizer makes of the inputs in tests/golden/tokens, with a model's own vocabulary.
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>

#include "commands.h"
#include "flags.h"
#include "llama.h"

namespace tenon::oracle {
namespace {

using Json = nlohmann::ordered_json;

struct Input {
  std::string name;
  std::string text;
  bool is_long;
};

// A pre-tokenizer with those that llama.cpp runs by the same pattern, flags included.
struct Group {
  const char* name;
  std::vector<const char*> others;
};
const std::vector<Group> kGroups = {
    {"default", {}},
    {"gpt-2",
     {"a.x-4.0", "exaone4", "gigachat", "granite-docling", "jais", "mellum", "mpt", "olmo", "phi-2",
      "trillion"}},
    {"gpt-4o", {"kanana2", "llama4", "minimax-m2", "talkie"}},
    {"llama-bpe", {"falcon-h1", "falcon3", "lfm2", "llama-v3", "llama3", "midm-2.0", "pixtral"}},
    {"qwen2", {"deepseek-r1-qwen", "f2llmv2", "grok-2", "hunyuan", "kormo", "megrez", "stablelm2"}},
    {"qwen35", {}},
    {"smollm", {"codeshell", "command-r", "exaone", "mellum2", "minerva-7b", "refact", "starcoder"}},
};

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path.string());
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<Input> read_inputs(const std::filesystem::path& path) {
  std::vector<Input> inputs;
  for (const auto& row : nlohmann::json::parse(read_file(path))) {
    Input input{.name = row.at("name"), .text = {}, .is_long = row.contains("file")};
    if (row.contains("text")) input.text = row["text"];
    if (row.contains("file")) input.text = read_file(path.parent_path() / row["file"].get<std::string>());
    if (row.contains("bytes")) {
      for (const int byte : row["bytes"]) input.text.push_back(static_cast<char>(byte));
    }
    inputs.push_back(std::move(input));
  }
  return inputs;
}

// FNV-1a, 64 bits.
std::string hash_of(std::string_view bytes) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char byte : bytes) hash = (hash ^ static_cast<uint8_t>(byte)) * 0x100000001b3;
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
  return text;
}

// The vocabulary of a model, some of whose keys are replaced.
class Vocabulary {
 public:
  explicit Vocabulary(const std::string& path, const char* pre = nullptr, bool add_ends = false) {
    std::vector<llama_model_kv_override> overrides;
    if (pre != nullptr) {
      overrides.push_back({.tag = LLAMA_KV_OVERRIDE_TYPE_STR, .key = "tokenizer.ggml.pre", .val_str = {}});
      std::strncpy(overrides.back().val_str, pre, sizeof overrides.back().val_str - 1);
    }
    if (add_ends) {
      overrides.push_back(
          {.tag = LLAMA_KV_OVERRIDE_TYPE_BOOL, .key = "tokenizer.ggml.add_bos_token", .val_bool = true});
      overrides.push_back(
          {.tag = LLAMA_KV_OVERRIDE_TYPE_BOOL, .key = "tokenizer.ggml.add_eos_token", .val_bool = true});
    }
    overrides.push_back({});
    auto parameters = llama_model_default_params();
    parameters.vocab_only = true;
    parameters.kv_overrides = overrides.data();
    model_.reset(llama_model_load_from_file(path.c_str(), parameters));
    if (model_ == nullptr) throw std::runtime_error("cannot load " + path);
  }

  const llama_vocab* get() const { return llama_model_get_vocab(model_.get()); }

  std::string kind() const {  // tokenizer.ggml.model
    char text[64] = "";
    llama_model_meta_val_str(model_.get(), "tokenizer.ggml.model", text, sizeof text);
    return text;
  }

  std::vector<int32_t> tokenize(const std::string& text, bool add_special, bool parse_special) const {
    std::vector<int32_t> tokens(3 * text.size() + 6);  // a space may be three bytes; BOS, EOS, a first space
    const int count = llama_tokenize(get(), text.data(), static_cast<int32_t>(text.size()), tokens.data(),
                                     static_cast<int32_t>(tokens.size()), add_special, parse_special);
    if (count < 0) throw std::runtime_error("llama_tokenize wants more than three tokens per byte");
    tokens.resize(static_cast<size_t>(count));
    return tokens;
  }

  // With special tokens as they are spelt.
  std::string detokenize(const std::vector<int32_t>& tokens) const {
    std::string text(64 * tokens.size() + 64, '\0');
    const int count = llama_detokenize(get(), tokens.data(), static_cast<int32_t>(tokens.size()), text.data(),
                                       static_cast<int32_t>(text.size()), /*remove_special=*/false,
                                       /*unparse_special=*/true);
    if (count < 0) throw std::runtime_error("llama_detokenize wants more than 64 bytes per token");
    text.resize(static_cast<size_t>(count));
    return text;
  }

  // Of the pieces of all tokens, each with a byte 0xFF after it.
  std::string hash_of_pieces(bool special) const {
    std::string pieces;
    std::vector<char> piece(4096);
    for (int32_t token = 0; token < llama_vocab_n_tokens(get()); ++token) {
      int count = llama_token_to_piece(get(), token, piece.data(), static_cast<int32_t>(piece.size()) - 1, 0,
                                       special);
      if (count < 0) throw std::runtime_error("a token's text is too long");
      pieces.append(piece.data(), static_cast<size_t>(count)).push_back('\xFF');
    }
    return hash_of(pieces);
  }

 private:
  struct Free {
    void operator()(llama_model* model) const { llama_model_free(model); }
  };
  std::unique_ptr<llama_model, Free> model_;
};

Json run(const Vocabulary& vocabulary, const std::vector<Input>& inputs, bool with_long, bool add_special,
         bool parse_special) {
  Json ids = Json::object();
  for (const Input& input : inputs) {
    if (input.is_long && !with_long) continue;
    ids[input.name] = vocabulary.tokenize(input.text, add_special, parse_special);
  }
  return {{"add_special", add_special}, {"parse_special", parse_special}, {"ids", ids}};
}

// One line per list of ids: a change of one input is a change of one line.
std::string write(const Json& json, int depth = 0) {
  const bool leaf = json.is_primitive() || (json.is_array() && (json.empty() || json[0].is_primitive()));
  if (leaf || json.empty()) return json.dump();
  const std::string indent(static_cast<size_t>(depth) + 1, ' ');
  std::string text(1, json.is_array() ? '[' : '{');
  bool first = true;
  for (const auto& [key, value] : json.items()) {
    text += (first ? "\n" : ",\n") + indent + (json.is_object() ? Json(key).dump() + ": " : "") +
            write(value, depth + 1);
    first = false;
  }
  return text + "\n" + std::string(static_cast<size_t>(depth), ' ') + (json.is_array() ? ']' : '}');
}

}  // namespace

int run_tokens(std::vector<std::string> arguments) {
  const Flags flags(arguments, {"-o"});
  if (flags.positional().size() != 2) throw std::invalid_argument("wants a model and the inputs");
  const std::string& path = flags.positional()[0];
  const std::vector<Input> inputs = read_inputs(flags.positional()[1]);
  llama_log_set(
      [](ggml_log_level level, const char* text, void*) {
        if (level == GGML_LOG_LEVEL_ERROR) std::fputs(text, stderr);
      },
      nullptr);
  llama_backend_init();

  const Vocabulary own(path);
  const std::string model = std::filesystem::path(path).filename();
  std::vector<int32_t> ends;
  for (int32_t token = 0; token < llama_vocab_n_tokens(own.get()); ++token) {
    if (llama_vocab_is_eog(own.get(), token)) ends.push_back(token);
  }
  Json result = {{"revision", "llama-cpp-python 0.3.36"},
                 {"command", "oracle tokens " + model + " inputs.json"},
                 {"vocabulary_size", llama_vocab_n_tokens(own.get())},
                 {"bos", llama_vocab_bos(own.get())},
                 {"eos", llama_vocab_eos(own.get())},
                 {"end_of_generation", ends},
                 {"pieces", {{"special", own.hash_of_pieces(true)}, {"plain", own.hash_of_pieces(false)}}}};
  result["runs"] = Json::array();
  for (const bool add_special : {false, true}) {
    for (const bool parse_special : {false, true}) {
      result["runs"].push_back(run(own, inputs, true, add_special, parse_special));
    }
  }
  result["with_bos_and_eos"] = run(Vocabulary(path, nullptr, true), inputs, false, true, true);
  const bool pieces = llama_vocab_type(own.get()) == LLAMA_VOCAB_TYPE_SPM;
  if (pieces || own.kind() == "gemma4") {  // they have none
    for (const Input& input : inputs) {
      if (pieces)
        result["detokenized"][input.name] = hash_of(own.detokenize(own.tokenize(input.text, false, true)));
    }
    std::ofstream(flags.text("-o")) << write(result) << '\n';
    return 0;
  }
  result["pre_tokenizers"] = Json::object();
  for (const Group& group : kGroups) {
    const Json ids = run(Vocabulary(path, group.name), inputs, false, true, true)["ids"];
    for (const char* other : group.others) {
      if (run(Vocabulary(path, other), inputs, false, true, true)["ids"] != ids) {
        throw std::runtime_error(std::string(other) + " does not tokenize as " + group.name);
      }
    }
    result["pre_tokenizers"][group.name] = {{"same", group.others}, {"ids", ids}};
  }
  std::ofstream(flags.text("-o")) << write(result) << '\n';
  return 0;
}

}  // namespace tenon::oracle
