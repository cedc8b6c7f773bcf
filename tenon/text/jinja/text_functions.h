// Python's str methods on Text. Every byte of a result keeps the origin of the byte that it came from.
#pragma once

#include <cstdint>
#include <vector>

#include "tenon/text/jinja/text.h"

namespace tenon::text::jinja {

enum class Side { kLeft, kRight, kBoth };

// Without the whitespace, or the characters of `characters` if given, at one or both ends.
Text strip(const Text& text, Side side, const Text* characters = nullptr);

Text to_upper(const Text& text);
Text to_lower(const Text& text);
Text capitalize(const Text& text);
Text title(const Text& text);        // str.title: a word starts behind whatever is not a letter with case
Text title_words(const Text& text);  // the filter `title`: behind whitespace and - ( { [ <
bool all_upper(const Text& text);    // str.isupper
bool all_lower(const Text& text);    // str.islower

// `count` < 0: all occurrences.
Text replace(const Text& text, const Text& old_part, const Text& new_part, int64_t count);

// At most `max_splits` cuts, counted from the right if `from_right`; negative: no limit. Without a separator
// the parts are what whitespace separates; an empty one fails.
std::vector<Text> split(const Text& text, const Text* separator, int64_t max_splits, bool from_right);
std::vector<Text> split_lines(const Text& text, bool keep_ends = false);

}  // namespace tenon::text::jinja
