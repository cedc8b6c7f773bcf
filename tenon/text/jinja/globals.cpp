#include "tenon/text/jinja/globals.h"

#include <array>
#include <ctime>

#include "tenon/text/jinja/arguments.h"
#include "tenon/text/jinja/failure.h"
#include "tenon/text/jinja/interpreter.h"
#include "tenon/text/jinja/print.h"

namespace tenon::text::jinja {
namespace {

constexpr int64_t kMaxRange = 100'000;  // as Jinja's sandbox has it

// dict(mapping or pairs, name=value, …)
Dict make_dict(Interpreter& interpreter, const Arguments& arguments) {
  if (arguments.positional.size() > 1) fail("dict expected at most 1 argument");
  Dict result;
  if (!arguments.positional.empty()) {
    const Value& source = arguments.positional[0];
    if (source.is_undefined()) fail(source.undefined_reason());
    if (source.is(Kind::kDict)) {
      result = source.dict();
    } else {
      for (const Value& entry : iterate(interpreter.heap(), source)) {
        const std::vector<Value> pair = iterate(interpreter.heap(), entry);
        if (pair.size() != 2) fail("dictionary update sequence elements must be pairs");
        result.set(pair[0], pair[1]);
      }
    }
  }
  for (const auto& [name, value] : arguments.named) result.set(Value::string(name), value);
  return result;
}

Value call_dict(Interpreter& interpreter, const Arguments& arguments) {
  return interpreter.heap().dict(make_dict(interpreter, arguments));
}

Value call_namespace(Interpreter& interpreter, const Arguments& arguments) {
  return interpreter.heap().name_space(make_dict(interpreter, arguments));
}

Value call_raise_exception(Interpreter&, const Arguments& arguments) {
  const auto [message] = bind<1>(arguments, "raise_exception", {"message"}, 1);
  fail(to_text(*message).take_bytes());
}

Value call_range(Interpreter& interpreter, const Arguments& arguments) {
  const auto [first, second, third] = bind<3>(arguments, "range", {"start", "stop", "step"}, 1);
  const int64_t start = second != nullptr ? to_index(*first) : 0;
  const int64_t stop = to_index(second != nullptr ? *second : *first);
  const int64_t step = third != nullptr ? to_index(*third) : 1;
  if (step == 0) fail("range() arg 3 must not be zero");
  std::vector<Value> items;
  for (int64_t i = start; step > 0 ? i < stop : i > stop;) {
    if (static_cast<int64_t>(items.size()) >= kMaxRange) {
      fail("Range too big. The sandbox blocks ranges larger than " + std::to_string(kMaxRange) + ".");
    }
    items.emplace_back(i);
    if (__builtin_add_overflow(i, step, &i)) break;
  }
  return interpreter.heap().list(std::move(items), List::Flavor::kRange);
}

Value call_strftime_now(Interpreter& interpreter, const Arguments& arguments) {
  const auto [format] = bind<1>(arguments, "strftime_now", {"format"}, 1);
  const Text pattern = to_text(*format);
  const std::string text(pattern.view().substr(0, pattern.view().find('\0')));  // as a C string ends
  if (text.empty()) return Value(Text());
  std::array<char, 1024> buffer;
  const size_t size = std::strftime(buffer.data(), buffer.size(), text.c_str(), &interpreter.now());
  if (size == 0) fail("strftime_now gives no or too much text for '" + text + "'");
  return Value(Text(std::string(buffer.data(), size), pattern.origin()));
}

struct Row {
  const char* name;
  Value (*call)(Interpreter&, const Arguments&);
};

constexpr std::array<Row, 5> kRows = {{{"dict", call_dict},
                                       {"namespace", call_namespace},
                                       {"raise_exception", call_raise_exception},
                                       {"range", call_range},
                                       {"strftime_now", call_strftime_now}}};

}  // namespace

void define_builtins(Interpreter& interpreter) {
  for (const Row& row : kRows)
    interpreter.define(row.name, interpreter.heap().function({row.name, row.call}));
}

}  // namespace tenon::text::jinja
