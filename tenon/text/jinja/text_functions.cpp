#include "tenon/text/jinja/text_functions.h"

#include <algorithm>
#include <string>

#include "tenon/text/jinja/failure.h"
#include "tenon/text/jinja/unicode.h"

namespace tenon::text::jinja {
namespace {

// Calls visit(character, begin) for each character.
template <class Visit>
void for_each_character(const Text& text, const Visit& visit) {
  for (size_t at = 0; at < text.size();) {
    const Character character = decode(text.view(), at);
    visit(character, at);
    at += character.size;
  }
}

// A text of the mapped characters.
template <class Map>
Text map_characters(const Text& text, const Map& map) {
  Text out;
  for_each_character(text, [&](const Character& character, size_t begin) {
    out.append(to_utf8(map(character.code)), text.origin_at(begin));
  });
  out.set_markup(text.is_markup());
  return out;
}

bool is_cased(char32_t code) { return is_upper(code) || is_lower(code); }

std::vector<Text> split_whitespace(const Text& text, int64_t max_splits) {
  std::vector<Text> parts;
  const auto skip = [&](size_t at, bool spaces) {
    while (at < text.size() && is_space(decode(text.view(), at).code) == spaces)
      at += decode(text.view(), at).size;
    return at;
  };
  for (size_t begin = skip(0, true); begin < text.size();) {
    if (max_splits >= 0 && static_cast<int64_t>(parts.size()) == max_splits) {
      parts.push_back(text.slice(begin, text.size()));
      break;
    }
    const size_t end = skip(begin, false);
    parts.push_back(text.slice(begin, end));
    begin = skip(end, true);
  }
  return parts;
}

// The mirror image: cuts are taken from the right.
std::vector<Text> split_whitespace_from_right(const Text& text, int64_t max_splits) {
  std::vector<Text> words = split_whitespace(text, -1);
  const auto cuts = static_cast<size_t>(max_splits);
  if (max_splits < 0 || words.size() <= cuts + 1) return words;
  // What stays uncut keeps its inner whitespace: find where the last `cuts` words begin.
  size_t end = strip(text, Side::kRight).size();
  for (size_t i = 0; i < cuts; ++i) {
    const std::string_view word = words[words.size() - 1 - i].view();
    end = strip(text.slice(0, end - word.size()), Side::kRight).size();
  }
  std::vector<Text> parts = {text.slice(0, end)};
  parts.insert(parts.end(), words.end() - static_cast<std::ptrdiff_t>(cuts), words.end());
  return parts;
}

}  // namespace

Text strip(const Text& text, Side side, const Text* characters) {
  const auto strips = [&](size_t at, size_t size) {
    const std::string_view character = text.view().substr(at, size);
    return characters == nullptr ? is_space(decode(text.view(), at).code)
                                 : characters->view().find(character) != std::string_view::npos;
  };
  size_t begin = 0;
  if (side != Side::kRight) {
    while (begin < text.size() && strips(begin, decode(text.view(), begin).size))
      begin += decode(text.view(), begin).size;
  }
  size_t end = text.size();
  if (side != Side::kLeft) {
    end = begin;
    for (size_t at = begin; at < text.size();) {
      const size_t size = decode(text.view(), at).size;
      if (!strips(at, size)) end = at + size;
      at += size;
    }
  }
  return text.slice(begin, end);
}

Text to_upper(const Text& text) {
  return map_characters(text, [](char32_t code) { return to_upper(code); });
}

Text to_lower(const Text& text) {
  return map_characters(text, [](char32_t code) { return to_lower(code); });
}

Text capitalize(const Text& text) {
  bool first = true;
  return map_characters(
      text, [&](char32_t code) { return std::exchange(first, false) ? to_upper(code) : to_lower(code); });
}

Text title(const Text& text) {
  bool inside = false;
  return map_characters(text, [&](char32_t code) {
    const char32_t mapped = inside ? to_lower(code) : to_upper(code);
    inside = is_cased(code);
    return mapped;
  });
}

Text title_words(const Text& text) {
  bool inside = false;
  return map_characters(text, [&](char32_t code) {
    const bool separates =
        is_space(code) ||
        (code < 0x80 && std::string_view("-({[<").find(static_cast<char>(code)) != std::string_view::npos);
    const char32_t mapped = inside ? to_lower(code) : to_upper(code);
    inside = !separates;
    return mapped;
  });
}

bool all_upper(const Text& text) {
  bool cased = false;
  bool mixed = false;
  for_each_character(text, [&](const Character& character, size_t) {
    cased |= is_cased(character.code);
    mixed |= is_lower(character.code);
  });
  return cased && !mixed;
}

bool all_lower(const Text& text) {
  bool cased = false;
  bool mixed = false;
  for_each_character(text, [&](const Character& character, size_t) {
    cased |= is_cased(character.code);
    mixed |= is_upper(character.code);
  });
  return cased && !mixed;
}

Text replace(const Text& text, const Text& old_part, const Text& new_part, int64_t count) {
  Text out;
  size_t at = 0;
  const auto may_replace = [&] { return count < 0 || count-- > 0; };
  if (old_part.empty()) {
    // An empty string is found before each character and at the end.
    for (; at < text.size() && may_replace();) {
      const size_t size = decode(text.view(), at).size;
      out.append(new_part);
      out.append_slice(text, at, at + size);
      at += size;
    }
    if (at == text.size() && may_replace()) out.append(new_part);
  } else {
    for (size_t found = text.view().find(old_part.view()); found != std::string_view::npos && may_replace();
         found = text.view().find(old_part.view(), at)) {
      out.append_slice(text, at, found);
      out.append(new_part);
      at = found + old_part.size();
    }
  }
  out.append_slice(text, at, text.size());
  return out;
}

std::vector<Text> split(const Text& text, const Text* separator, int64_t max_splits, bool from_right) {
  if (separator == nullptr) {
    return from_right ? split_whitespace_from_right(text, max_splits) : split_whitespace(text, max_splits);
  }
  if (separator->empty()) fail("empty separator");
  const std::string_view view = text.view();
  std::vector<Text> parts;
  const auto may_split = [&] { return max_splits < 0 || static_cast<int64_t>(parts.size()) < max_splits; };
  if (from_right) {
    size_t end = text.size();
    while (may_split() && end >= separator->size()) {
      const size_t found = view.substr(0, end).rfind(separator->view());
      if (found == std::string_view::npos) break;
      parts.push_back(text.slice(found + separator->size(), end));
      end = found;
    }
    parts.push_back(text.slice(0, end));
    std::reverse(parts.begin(), parts.end());
    return parts;
  }
  size_t begin = 0;
  while (may_split()) {
    const size_t found = view.find(separator->view(), begin);
    if (found == std::string_view::npos) break;
    parts.push_back(text.slice(begin, found));
    begin = found + separator->size();
  }
  parts.push_back(text.slice(begin, text.size()));
  return parts;
}

std::vector<Text> split_lines(const Text& text, bool keep_ends) {
  std::vector<Text> lines;
  size_t begin = 0;
  for (size_t at = 0; at < text.size();) {
    const Character character = decode(text.view(), at);
    const size_t end = at;
    at += character.size;
    if (!is_line_break(character.code)) continue;
    if (character.code == '\r' && at < text.size() && text.view()[at] == '\n') ++at;
    lines.push_back(text.slice(begin, keep_ends ? at : end));
    begin = at;
  }
  if (begin < text.size()) lines.push_back(text.slice(begin, text.size()));
  return lines;
}

}  // namespace tenon::text::jinja
