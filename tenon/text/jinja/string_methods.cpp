#include <algorithm>
#include <array>
#include <optional>

#include "tenon/text/jinja/arguments.h"
#include "tenon/text/jinja/failure.h"
#include "tenon/text/jinja/format.h"
#include "tenon/text/jinja/interpreter.h"
#include "tenon/text/jinja/methods.h"
#include "tenon/text/jinja/sorted_table.h"
#include "tenon/text/jinja/text_functions.h"
#include "tenon/text/jinja/unicode.h"

namespace tenon::text::jinja {
namespace {

const Text& string_argument(const Value& argument) {
  if (argument.is_undefined()) fail(argument.undefined_reason());
  if (!argument.is_string()) fail("must be str, not " + std::string(type_name(argument)));
  return argument.text();
}

// nullptr for what was not given or is none.
const Text* optional_string(const Value* argument) {
  return argument == nullptr || argument->is_none() ? nullptr : &string_argument(*argument);
}

using MapText = Text (*)(const Text&);

template <MapText kMap>
Value map_text(Interpreter&, const Value& self, const Arguments& arguments) {
  expect_no_arguments(arguments, "str method");
  return Value(kMap(self.text()));
}

template <Side kSide>
Value strip_side(Interpreter&, const Value& self, const Arguments& arguments) {
  const auto [characters] = bind<1>(arguments, "strip", {"chars"});
  return Value(strip(self.text(), kSide, optional_string(characters)));
}

// start and end of str.find and the like, as bytes of the text.
struct Range {
  size_t begin;
  size_t end;
};

std::optional<Range> search_range(const Text& text, const Value* start, const Value* end) {
  const auto count = static_cast<int64_t>(count_characters(text.view()));
  const auto clamp = [&](int64_t index) { return std::max<int64_t>(index < 0 ? index + count : index, 0); };
  const int64_t first = clamp(integer_or(start, 0));
  const int64_t last = std::min(clamp(integer_or(end, count)), count);
  if (first > last) return std::nullopt;
  return Range{byte_of_character(text.view(), static_cast<size_t>(first)),
               byte_of_character(text.view(), static_cast<size_t>(last))};
}

template <bool kFromRight>
Value find(Interpreter&, const Value& self, const Arguments& arguments) {
  const auto [part, start, end] = bind<3>(arguments, "find", {"sub", "start", "end"}, 1);
  const std::string_view view = self.text().view();
  const std::string_view wanted = string_argument(*part).view();
  const auto range = search_range(self.text(), start, end);
  if (!range) return Value(int64_t{-1});
  const std::string_view window = view.substr(range->begin, range->end - range->begin);
  const size_t found = kFromRight ? window.rfind(wanted) : window.find(wanted);
  if (found == std::string_view::npos) return Value(int64_t{-1});
  return Value::size(count_characters(view.substr(0, range->begin + found)));
}

Value count(Interpreter&, const Value& self, const Arguments& arguments) {
  const auto [part, start, end] = bind<3>(arguments, "count", {"sub", "start", "end"}, 1);
  const std::string_view wanted = string_argument(*part).view();
  const auto range = search_range(self.text(), start, end);
  if (!range) return Value(int64_t{0});
  const std::string_view window = self.text().view().substr(range->begin, range->end - range->begin);
  if (wanted.empty()) return Value::size(count_characters(window) + 1);
  size_t found = 0;
  for (size_t at = window.find(wanted); at != std::string_view::npos;
       at = window.find(wanted, at + wanted.size()))
    ++found;
  return Value::size(found);
}

template <bool kAtEnd>
Value starts_or_ends_with(Interpreter&, const Value& self, const Arguments& arguments) {
  const auto [affix, start, end] =
      bind<3>(arguments, kAtEnd ? "endswith" : "startswith", {"affix", "start", "end"}, 1);
  const auto range = search_range(self.text(), start, end);
  const auto matches = [&](const Value& candidate) {
    const std::string_view wanted = string_argument(candidate).view();
    if (!range) return false;
    const std::string_view window = self.text().view().substr(range->begin, range->end - range->begin);
    return kAtEnd ? window.ends_with(wanted) : window.starts_with(wanted);
  };
  if (!affix->is(Kind::kList) || affix->list().flavor != List::Flavor::kTuple) return Value(matches(*affix));
  return Value(std::any_of(affix->list().items.begin(), affix->list().items.end(), matches));
}

Value format(Interpreter&, const Value& self, const Arguments& arguments) {
  return Value(format_braces(self.text(), arguments));
}

Value is_digit(Interpreter&, const Value& self, const Arguments& arguments) {
  expect_no_arguments(arguments, "isdigit");
  const std::string_view view = self.text().view();
  return Value(!view.empty() &&
               std::all_of(view.begin(), view.end(), [](char c) { return c >= '0' && c <= '9'; }));
}

Value is_space_method(Interpreter&, const Value& self, const Arguments& arguments) {
  expect_no_arguments(arguments, "isspace");
  return Value(!self.text().empty() && strip(self.text(), Side::kBoth).empty());
}

template <bool (*kTest)(const Text&)>
Value test_text(Interpreter&, const Value& self, const Arguments& arguments) {
  expect_no_arguments(arguments, "str method");
  return Value(kTest(self.text()));
}

Value join(Interpreter& interpreter, const Value& self, const Arguments& arguments) {
  const auto [iterable] = bind<1>(arguments, "join", {"iterable"}, 1);
  Text out;
  bool first = true;
  for (const Value& item : iterate(interpreter.heap(), *iterable)) {
    if (!std::exchange(first, false)) out.append(self.text());
    out.append(string_argument(item));
  }
  return Value(std::move(out));
}

template <bool kFromRight>
Value partition(Interpreter& interpreter, const Value& self, const Arguments& arguments) {
  const auto [separator] = bind<1>(arguments, "partition", {"sep"}, 1);
  const Text& text = self.text();
  const Text& wanted = string_argument(*separator);
  if (wanted.empty()) fail("empty separator");
  const size_t found = kFromRight ? text.view().rfind(wanted.view()) : text.view().find(wanted.view());
  std::vector<Value> parts;
  if (found != std::string_view::npos) {
    parts = {Value(text.slice(0, found)), Value(wanted),
             Value(text.slice(found + wanted.size(), text.size()))};
  } else if (kFromRight) {
    parts = {Value(Text()), Value(Text()), self};
  } else {
    parts = {self, Value(Text()), Value(Text())};
  }
  return interpreter.heap().tuple(std::move(parts));
}

Value remove_prefix(Interpreter&, const Value& self, const Arguments& arguments) {
  const auto [prefix] = bind<1>(arguments, "removeprefix", {"prefix"}, 1);
  const Text& wanted = string_argument(*prefix);
  if (!self.text().view().starts_with(wanted.view())) return self;
  return Value(self.text().slice(wanted.size(), self.text().size()));
}

Value remove_suffix(Interpreter&, const Value& self, const Arguments& arguments) {
  const auto [suffix] = bind<1>(arguments, "removesuffix", {"suffix"}, 1);
  const Text& wanted = string_argument(*suffix);
  if (!self.text().view().ends_with(wanted.view())) return self;
  return Value(self.text().slice(0, self.text().size() - wanted.size()));
}

Value replace_method(Interpreter&, const Value& self, const Arguments& arguments) {
  const auto [old_part, new_part, count] = bind<3>(arguments, "replace", {"old", "new", "count"}, 2);
  return Value(
      replace(self.text(), string_argument(*old_part), string_argument(*new_part), integer_or(count, -1)));
}

Value make_list(Heap& heap, std::vector<Text> texts) {
  std::vector<Value> values;
  values.reserve(texts.size());
  for (Text& text : texts) values.emplace_back(std::move(text));
  return heap.list(std::move(values));
}

template <bool kFromRight>
Value split_method(Interpreter& interpreter, const Value& self, const Arguments& arguments) {
  const auto [separator, limit] = bind<2>(arguments, "split", {"sep", "maxsplit"});
  interpreter.heap().charge_bytes(self.text().size() * sizeof(Text));  // one part per byte at worst
  return make_list(interpreter.heap(),
                   split(self.text(), optional_string(separator), integer_or(limit, -1), kFromRight));
}

Value split_lines_method(Interpreter& interpreter, const Value& self, const Arguments& arguments) {
  const auto [keep_ends] = bind<1>(arguments, "splitlines", {"keepends"});
  interpreter.heap().charge_bytes(self.text().size() * sizeof(Text));
  return make_list(interpreter.heap(), split_lines(self.text(), flag_or(keep_ends, false)));
}

constexpr std::array<Method, 26> kMethods = {{{"capitalize", map_text<capitalize>},
                                              {"count", count},
                                              {"endswith", starts_or_ends_with<true>},
                                              {"find", find<false>},
                                              {"format", format},
                                              {"isdigit", is_digit},
                                              {"islower", test_text<all_lower>},
                                              {"isspace", is_space_method},
                                              {"isupper", test_text<all_upper>},
                                              {"join", join},
                                              {"lower", map_text<to_lower>},
                                              {"lstrip", strip_side<Side::kLeft>},
                                              {"partition", partition<false>},
                                              {"removeprefix", remove_prefix},
                                              {"removesuffix", remove_suffix},
                                              {"replace", replace_method},
                                              {"rfind", find<true>},
                                              {"rpartition", partition<true>},
                                              {"rsplit", split_method<true>},
                                              {"rstrip", strip_side<Side::kRight>},
                                              {"split", split_method<false>},
                                              {"splitlines", split_lines_method},
                                              {"startswith", starts_or_ends_with<false>},
                                              {"strip", strip_side<Side::kBoth>},
                                              {"title", map_text<title>},
                                              {"upper", map_text<to_upper>}}};
static_assert(is_sorted_by_name(kMethods));

}  // namespace

const Method* find_string_method(std::string_view name) { return find_by_name(kMethods, name); }

}  // namespace tenon::text::jinja
