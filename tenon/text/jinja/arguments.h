// How a builtin takes its arguments.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "tenon/text/jinja/value.h"

namespace tenon::text::jinja {

// Assigns arguments to parameters as Python does; what was not given stays nullptr. Fails when one of the
// first `required` is missing, one is given twice, or one is left over; `function` names the callee in the
// message.
void bind_arguments(const Arguments& arguments, std::string_view function,
                    std::span<const std::string_view> names, size_t required, std::span<const Value*> bound);

// const auto [width, fill] = bind<2>(arguments, "center", {"width", "fill"}, 1);
template <size_t N>
std::array<const Value*, N> bind(const Arguments& arguments, std::string_view function,
                                 const std::string_view (&names)[N], size_t required = 0) {
  std::array<const Value*, N> bound{};
  bind_arguments(arguments, function, names, required, bound);
  return bound;
}

void expect_no_arguments(const Arguments& arguments, std::string_view function);

// Optional arguments: the default stands for what was not given or is none.
bool flag_or(const Value* argument, bool default_value);
int64_t integer_or(const Value* argument, int64_t default_value);
int64_t to_index(const Value& value);  // an int or bool, else fails

}  // namespace tenon::text::jinja
