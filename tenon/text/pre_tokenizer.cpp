#include "tenon/text/pre_tokenizer.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>

namespace tenon::text {
namespace {

// Inside [ ]: Unicode's White_Space. PCRE2's own \s also has U+180E, which Unicode took out.
#define WHITE_SPACE R"(\t-\r\x{85}\p{Z})"
// Runs of white space; all but the last character of one that precedes a word, which takes that character
// along.
#define WHITE_SPACE_RUNS "[" WHITE_SPACE "]+(?![^" WHITE_SPACE "])|[" WHITE_SPACE "]+"
#define OTHER "[^" WHITE_SPACE R"(\p{L}\p{N}])"
// Contractions in either case, spelt out: caseless matching would take U+017F for an s.
#define CONTRACTION "'(?:[sSdDmMtT]|[lL][lL]|[vV][eE]|[rR][eE])"

// GPT-2's: contractions in lower case, then words, numbers and the rest, each with the space before it.
#define GPT2 "'(?:[sdmt]|ll|ve|re)| ?\\p{L}+| ?\\p{N}+| ?" OTHER "+|" WHITE_SPACE_RUNS
// GPT-4's and what came of it: any one character before a word, line ends kept together. They differ in what
// makes a word, how many digits make a number, and what the rest takes along.
#define GPT4_FAMILY(words, number, others) \
  words "|" number "| ?" others "|[" WHITE_SPACE "]*[\\r\\n]+|" WHITE_SPACE_RUNS
#define GPT4(number) GPT4_FAMILY(CONTRACTION R"(|[^\r\n\p{L}\p{N}]?\p{L}+)", number, OTHER R"(+[\r\n]*)")
// GPT-4o's words end before a capital that follows a small letter, and take their contraction along. Letters
// beyond ASCII are both small and capital, as llama.cpp has it, and marks are none.
#define CAPITAL R"([^\P{L}a-z])"
#define SMALL R"([^\P{L}A-Z])"
#define CAMEL_WORD(capitals, smalls) \
  R"([^\r\n\p{L}\p{N}]?)" CAPITAL capitals SMALL smalls "(?:" CONTRACTION ")?"
#define GPT4O \
  GPT4_FAMILY(CAMEL_WORD("*", "+") "|" CAMEL_WORD("+", "*"), R"(\p{N}{1,3})", OTHER R"(+[\r\n/]*)")
// Qwen 3.5's words have marks in them.
#define QWEN35                                                               \
  GPT4_FAMILY(CONTRACTION R"(|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+)", R"(\p{N})", \
              "[^" WHITE_SPACE R"(\p{L}\p{M}\p{N}]+[\r\n]*)")

constexpr std::array<std::string_view, 4> kDefault = {R"([\p{P}$+<=>^~|]+)", GPT2, R"(\p{N}+)",
                                                      "[0-9][0-9][0-9]"};
constexpr std::array<std::string_view, 1> kGpt2 = {GPT2};
constexpr std::array<std::string_view, 2> kSingleDigits = {R"(\p{N})", GPT2};
constexpr std::array<std::string_view, 1> kLlama3 = {GPT4(R"(\p{N}{1,3})")};
constexpr std::array<std::string_view, 1> kQwen2 = {GPT4(R"(\p{N})")};
constexpr std::array<std::string_view, 1> kGpt4o = {GPT4O};
constexpr std::array<std::string_view, 1> kQwen35 = {QWEN35};

#undef WHITE_SPACE
#undef WHITE_SPACE_RUNS
#undef OTHER
#undef CONTRACTION
#undef GPT2
#undef GPT4_FAMILY
#undef GPT4
#undef CAPITAL
#undef SMALL
#undef CAMEL_WORD
#undef GPT4O
#undef QWEN35

constexpr auto kPreTokenizers = std::to_array<PreTokenizer>({
    {"a.x-4.0", kGpt2},
    {"codeshell", kSingleDigits},
    {"command-r", kSingleDigits},
    {"deepseek-r1-qwen", kQwen2},
    {"default", kDefault},
    {"exaone", kSingleDigits},
    {"exaone4", kGpt2},
    {"f2llmv2", kQwen2},
    {"falcon-h1", kLlama3, true, true},
    {"falcon3", kLlama3, true, true},
    {"gigachat", kGpt2},
    {"gpt-2", kGpt2},
    {"gpt-4o", kGpt4o},
    {"granite-docling", kGpt2},
    {"grok-2", kQwen2},
    {"hunyuan", kQwen2},
    {"jais", kGpt2},
    {"kanana2", kGpt4o},
    {"kormo", kQwen2},
    {"lfm2", kLlama3, true, true},
    {"llama-bpe", kLlama3, true, true},
    {"llama-v3", kLlama3, true, true},
    {"llama3", kLlama3, true, true},
    {"llama4", kGpt4o},
    {"megrez", kQwen2},
    {"mellum", kGpt2},
    {"mellum2", kSingleDigits},
    {"midm-2.0", kLlama3, true, true},
    {"minerva-7b", kSingleDigits},
    {"minimax-m2", kGpt4o},
    {"mpt", kGpt2},
    {"olmo", kGpt2},
    {"phi-2", kGpt2},
    {"pixtral", kLlama3, true, true},
    {"qwen2", kQwen2},
    {"qwen35", kQwen35},
    {"refact", kSingleDigits},
    {"smollm", kSingleDigits},
    {"stablelm2", kQwen2},
    {"starcoder", kSingleDigits},
    {"talkie", kGpt4o},
    {"trillion", kGpt2},
});
static_assert(std::ranges::is_sorted(kPreTokenizers, {}, &PreTokenizer::name));

template <auto function>
struct Free {
  void operator()(auto* object) const { function(object); }
};

std::string pcre2_message(int code) {
  std::array<PCRE2_UCHAR, 256> buffer{};
  pcre2_get_error_message(code, buffer.data(), buffer.size());
  return reinterpret_cast<const char*>(buffer.data());
}

// Encoded surrogates (ED A0 80 … ED BF BF), which PCRE2 does not take, replaced by as many bytes of U+FFFD:
// to every pattern both are the same, neither space nor letter nor number. Empty when there are none.
std::string without_surrogates(std::string_view text) {
  std::string masked;
  for (size_t at = text.find('\xED'); at != std::string_view::npos; at = text.find('\xED', at + 1)) {
    if (at + 2 >= text.size() || static_cast<unsigned char>(text[at + 1]) < 0xA0) continue;
    if (masked.empty()) masked = text;
    masked.replace(at, 3, "\xEF\xBF\xBD");
  }
  return masked;
}

}  // namespace

struct Splitter::Pattern {
  explicit Pattern(pcre2_code* compiled) : code(compiled) {}
  std::unique_ptr<pcre2_code, Free<pcre2_code_free>> code;
};

std::span<const PreTokenizer> pre_tokenizers() { return kPreTokenizers; }

const PreTokenizer* find_pre_tokenizer(std::string_view name) {
  const auto row = std::ranges::lower_bound(kPreTokenizers, name, {}, &PreTokenizer::name);
  return row != kPreTokenizers.end() && row->name == name ? &*row : nullptr;
}

Result<Splitter> Splitter::compile(const PreTokenizer& pre_tokenizer) {
  Splitter splitter;
  for (const std::string_view pattern : pre_tokenizer.patterns) {
    int code = 0;
    PCRE2_SIZE offset = 0;
    pcre2_code* compiled = pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()), pattern.size(),
                                         PCRE2_UTF | PCRE2_UCP, &code, &offset, nullptr);
    if (compiled == nullptr) {
      return Error{
          .code = ErrorCode::kUnsupported,
          .where = "pre-tokenizer " + std::string(pre_tokenizer.name),
          .wanted = "a PCRE2 library with Unicode support",
          .found = pcre2_message(code) + " at " + std::to_string(offset) + " of " + std::string(pattern),
          .remedy = "install libpcre2-8 built with Unicode"};
    }
    pcre2_jit_compile(compiled, PCRE2_JIT_COMPLETE);  // where there is no JIT, matching interprets
    splitter.patterns_.push_back(std::make_shared<Pattern>(compiled));
  }
  return splitter;
}

std::vector<std::string_view> Splitter::split(std::string_view text) const {
  const std::string masked = without_surrogates(text);
  const char* subject = masked.empty() ? text.data() : masked.data();
  const std::unique_ptr<pcre2_match_data, Free<pcre2_match_data_free>> match(
      pcre2_match_data_create(1, nullptr));
  if (match == nullptr) throw std::bad_alloc();
  const PCRE2_SIZE* range = pcre2_get_ovector_pointer(match.get());

  std::vector<std::string_view> words;
  if (!text.empty()) words.push_back(text);
  for (const auto& pattern : patterns_) {
    std::vector<std::string_view> pieces;
    pieces.reserve(words.size());
    for (const std::string_view word : words) {
      // The word is the whole subject: a look-ahead sees its end, not what follows in the text.
      const auto* start = reinterpret_cast<PCRE2_SPTR>(subject + (word.data() - text.data()));
      size_t at = 0;
      while (at < word.size()) {
        const int count = pcre2_match(pattern->code.get(), start, word.size(), at,
                                      PCRE2_NO_UTF_CHECK | PCRE2_NOTEMPTY, match.get(), nullptr);
        if (count == PCRE2_ERROR_NOMATCH) break;
        if (count < 0) throw std::runtime_error("[Splitter::split] PCRE2: " + pcre2_message(count));
        if (range[0] > at) pieces.push_back(word.substr(at, range[0] - at));
        pieces.push_back(word.substr(range[0], range[1] - range[0]));
        at = range[1];
      }
      if (at < word.size()) pieces.push_back(word.substr(at));
    }
    words = std::move(pieces);
  }
  return words;
}

}  // namespace tenon::text
