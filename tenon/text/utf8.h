// UTF-8 that arrives broken: from prompts with stray bytes, and from token streams that cut characters.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tenon::text {

inline constexpr std::string_view kReplacementCharacter = "\xEF\xBF\xBD";  // U+FFFD

struct Utf8Sequence {
  enum class State { kValid, kInvalid, kIncomplete };
  State state;
  size_t bytes;  // at least 1
};

// What stands at the start of `bytes`, which must not be empty: a well-formed character (Unicode table 3-7),
// or the longest start of one that another byte breaks off (kInvalid) or that ends with `bytes`
// (kIncomplete).
Utf8Sequence next_sequence(std::string_view bytes);

bool is_valid_utf8(std::string_view bytes);

// The text that llama.cpp's tokenizer sees in any bytes, so that ids agree on broken input too: each byte
// that is not part of a sequence with its continuation bytes becomes U+FFFD, overlong forms become the short
// one, and encoded surrogates stay. Sequences beyond U+10FFFF, which llama.cpp refuses by an exception, count
// as broken.
std::string lenient_utf8(std::string_view bytes);

// Turns pieces of tokens into text that never ends inside a character: up to three bytes wait for their rest.
class Utf8Stream {
 public:
  // The characters that are complete after `bytes`; what can no longer become one is U+FFFD.
  std::string append(std::string_view bytes);
  // Ends the stream: what still waits is U+FFFD. The stream can be used again afterwards.
  std::string flush();

 private:
  std::string waiting_;
};

}  // namespace tenon::text
