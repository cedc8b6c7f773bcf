#include "tenon/text/jinja/arguments.h"

#include <algorithm>

#include "tenon/text/jinja/failure.h"

namespace tenon::text::jinja {

void bind_arguments(const Arguments& arguments, std::string_view function,
                    std::span<const std::string_view> names, size_t required, std::span<const Value*> bound) {
  const std::string callee = std::string(function) + "()";
  if (arguments.positional.size() > names.size()) {
    fail(callee + " takes at most " + std::to_string(names.size()) + " arguments, " +
         std::to_string(arguments.positional.size()) + " given");
  }
  for (size_t i = 0; i < arguments.positional.size(); ++i) bound[i] = &arguments.positional[i];
  for (const auto& [name, value] : arguments.named) {
    const auto place = static_cast<size_t>(std::find(names.begin(), names.end(), name) - names.begin());
    if (place == names.size()) fail(callee + " got an unexpected keyword argument '" + name + "'");
    if (bound[place] != nullptr) fail(callee + " got multiple values for argument '" + name + "'");
    bound[place] = &value;
  }
  for (size_t i = 0; i < required; ++i) {
    if (bound[i] == nullptr) fail(callee + " missing required argument '" + std::string(names[i]) + "'");
  }
}

void expect_no_arguments(const Arguments& arguments, std::string_view function) {
  bind_arguments(arguments, function, {}, 0, {});
}

bool flag_or(const Value* argument, bool default_value) {
  return argument == nullptr || argument->is_none() ? default_value : truthy(*argument);
}

int64_t integer_or(const Value* argument, int64_t default_value) {
  return argument == nullptr || argument->is_none() ? default_value : to_index(*argument);
}

int64_t to_index(const Value& value) {
  if (value.is_undefined()) fail(value.undefined_reason());
  if (!value.is_integral())
    fail("'" + std::string(type_name(value)) + "' object cannot be interpreted as an integer");
  return value.integer();
}

}  // namespace tenon::text::jinja
