// Pre-tokenizers (tokenizer.ggml.pre): how a model family cuts text into words before byte-pair merging.
//
// The patterns run in PCRE2 with its own Unicode tables. A character that was assigned after the version of
// Unicode that the installed PCRE2 knows counts as neither letter nor number.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "tenon/base/result.h"

namespace tenon::text {

struct PreTokenizer {
  std::string_view name;
  // Applied one after the other, each to the pieces that the ones before left.
  std::span<const std::string_view> patterns;
  bool whole_words = false;  // a word that is a token by itself is taken without merging
  bool adds_bos = false;     // the family's default where the file has no add_bos_token
};

// Sorted by name.
std::span<const PreTokenizer> pre_tokenizers();
const PreTokenizer* find_pre_tokenizer(std::string_view name);  // nullptr when unknown

// A pre-tokenizer's patterns, compiled. Immutable; copies share them, any number of threads may split at
// once.
class Splitter {
 public:
  // kUnsupported when the installed PCRE2 cannot compile a pattern (it was built without Unicode).
  static Result<Splitter> compile(const PreTokenizer& pre_tokenizer);

  // The words of `text`, in order and without gaps. `text` is valid UTF-8 but for encoded surrogates
  // (lenient_utf8); the words are views into it.
  std::vector<std::string_view> split(std::string_view text) const;

 private:
  struct Pattern;
  std::vector<std::shared_ptr<const Pattern>> patterns_;
};

}  // namespace tenon::text
