// Filters that reorder a sequence or pick from it.
#include <algorithm>

#include "tenon/text/jinja/arguments.h"
#include "tenon/text/jinja/attribute_path.h"
#include "tenon/text/jinja/failure.h"
#include "tenon/text/jinja/filter_functions.h"
#include "tenon/text/jinja/interpreter.h"
#include "tenon/text/jinja/operators.h"
#include "tenon/text/jinja/text_functions.h"

namespace tenon::text::jinja::filter {
namespace {

// What a value is sorted or compared by.
Value ignore_case(Value key, bool case_sensitive) {
  return !case_sensitive && key.is_string() ? Value(to_lower(key.text())) : std::move(key);
}

struct Keyed {
  std::vector<Value> keys;
  Value value;
};

// Stable, as Python's sort; `reversed` keeps the order of equal elements, too.
std::vector<Value> sort_by_keys(std::vector<Keyed> keyed, bool reversed) {
  const auto less = [](const Keyed& a, const Keyed& b) {
    for (size_t i = 0; i < a.keys.size(); ++i) {
      if (!equal(a.keys[i], b.keys[i])) return compare(a.keys[i], b.keys[i]) < 0;
    }
    return false;
  };
  std::stable_sort(keyed.begin(), keyed.end(),
                   [&](const Keyed& a, const Keyed& b) { return reversed ? less(b, a) : less(a, b); });
  std::vector<Value> values;
  values.reserve(keyed.size());
  for (Keyed& entry : keyed) values.push_back(std::move(entry.value));
  return values;
}

// sort(attribute="a,b") sorts by a, then by b.
std::vector<AttributePath> attribute_paths(const Value* attribute) {
  std::vector<AttributePath> paths;
  if (attribute == nullptr || !attribute->is_string()) {
    paths.emplace_back(attribute);
    return paths;
  }
  const Text comma(",");
  for (Text& part : split(attribute->text(), &comma, -1, false)) {
    const Value path(std::move(part));
    paths.emplace_back(&path);
  }
  return paths;
}

Value extreme(Interpreter& interpreter, const Value& operand, const Arguments& arguments, bool wants_max) {
  const auto [case_sensitive, attribute] =
      bind<2>(arguments, wants_max ? "max" : "min", {"case_sensitive", "attribute"});
  const AttributePath path(attribute);
  const bool sensitive = flag_or(case_sensitive, false);
  const std::vector<Value> values = iterate(interpreter.heap(), operand);
  if (values.empty()) return Value::undefined("No aggregated item, sequence was empty.");
  const auto key_of = [&](const Value& value) {
    return ignore_case(path.read(interpreter, value), sensitive);
  };
  const Value* best = &values[0];
  Value best_key = key_of(values[0]);
  for (size_t i = 1; i < values.size(); ++i) {
    Value key = key_of(values[i]);
    const int order = compare(key, best_key);
    if (wants_max ? order <= 0 : order >= 0) continue;
    best = &values[i];
    best_key = std::move(key);
  }
  return *best;
}

}  // namespace

Value dict_sort(Interpreter& interpreter, const Value& operand, const Arguments& arguments) {
  const auto [case_sensitive, by, reverse] =
      bind<3>(arguments, "dictsort", {"case_sensitive", "by", "reverse"});
  if (!operand.is(Kind::kDict))
    fail("'" + std::string(type_name(operand)) + "' object has no attribute 'items'");
  const std::string_view order = by != nullptr && by->is_string() ? by->text().view() : "key";
  if (order != "key" && order != "value") fail("You can only sort by either \"key\" or \"value\"");
  const bool sensitive = flag_or(case_sensitive, false);
  std::vector<Keyed> keyed;
  for (const auto& [key, value] : operand.dict().entries) {
    keyed.push_back(
        {{ignore_case(order == "key" ? key : value, sensitive)}, interpreter.heap().tuple({key, value})});
  }
  return interpreter.heap().list(sort_by_keys(std::move(keyed), flag_or(reverse, false)));
}

Value first(Interpreter& interpreter, const Value& operand, const Arguments& arguments) {
  expect_no_arguments(arguments, "first");
  const std::vector<Value> values = iterate(interpreter.heap(), operand);
  return values.empty() ? Value::undefined("No first item, sequence was empty.") : values.front();
}

Value items(Interpreter& interpreter, const Value& operand, const Arguments& arguments) {
  expect_no_arguments(arguments, "items");
  if (operand.is_undefined()) return interpreter.heap().iterator({});
  if (!operand.is(Kind::kDict)) fail("Can only get item pairs from a mapping.");
  std::vector<Value> pairs;
  for (const auto& [key, value] : operand.dict().entries)
    pairs.push_back(interpreter.heap().tuple({key, value}));
  return interpreter.heap().iterator(std::move(pairs));
}

Value last(Interpreter& interpreter, const Value& operand, const Arguments& arguments) {
  expect_no_arguments(arguments, "last");
  if (operand.is(Kind::kList) && !operand.list().has_length()) fail("'generator' object is not reversible");
  const std::vector<Value> values = iterate(interpreter.heap(), operand);
  return values.empty() ? Value::undefined("No last item, sequence was empty.") : values.back();
}

Value list(Interpreter& interpreter, const Value& operand, const Arguments& arguments) {
  expect_no_arguments(arguments, "list");
  return interpreter.heap().list(iterate(interpreter.heap(), operand));
}

Value max(Interpreter& interpreter, const Value& operand, const Arguments& arguments) {
  return extreme(interpreter, operand, arguments, true);
}

Value min(Interpreter& interpreter, const Value& operand, const Arguments& arguments) {
  return extreme(interpreter, operand, arguments, false);
}

Value reverse(Interpreter& interpreter, const Value& operand, const Arguments& arguments) {
  expect_no_arguments(arguments, "reverse");
  std::vector<Value> values = iterate(interpreter.heap(), operand);
  std::reverse(values.begin(), values.end());
  if (!operand.is_string()) return interpreter.heap().iterator(std::move(values));
  Text text;
  for (const Value& character : values) text.append(character.text());
  return Value(std::move(text));
}

Value sort(Interpreter& interpreter, const Value& operand, const Arguments& arguments) {
  const auto [reverse, case_sensitive, attribute] =
      bind<3>(arguments, "sort", {"reverse", "case_sensitive", "attribute"});
  const std::vector<AttributePath> paths = attribute_paths(attribute);
  const bool sensitive = flag_or(case_sensitive, false);
  std::vector<Keyed> keyed;
  for (Value& value : iterate(interpreter.heap(), operand)) {
    Keyed entry;
    for (const AttributePath& path : paths)
      entry.keys.push_back(ignore_case(path.read(interpreter, value), sensitive));
    entry.value = std::move(value);
    keyed.push_back(std::move(entry));
  }
  return interpreter.heap().list(sort_by_keys(std::move(keyed), flag_or(reverse, false)));
}

Value sum(Interpreter& interpreter, const Value& operand, const Arguments& arguments) {
  const auto [attribute, start] = bind<2>(arguments, "sum", {"attribute", "start"});
  const AttributePath path(attribute);
  Value total = start != nullptr ? *start : Value(int64_t{0});
  for (const Value& value : iterate(interpreter.heap(), operand)) {
    total = apply_binary(interpreter.heap(), BinaryOperator::kAdd, total, path.read(interpreter, value));
  }
  return total;
}

Value unique(Interpreter& interpreter, const Value& operand, const Arguments& arguments) {
  const auto [case_sensitive, attribute] = bind<2>(arguments, "unique", {"case_sensitive", "attribute"});
  const AttributePath path(attribute);
  const bool sensitive = flag_or(case_sensitive, false);
  Dict seen;
  std::vector<Value> kept;
  for (Value& value : iterate(interpreter.heap(), operand)) {
    const Value key = ignore_case(path.read(interpreter, value), sensitive);
    interpreter.heap().charge_step();
    if (seen.find(key) != nullptr) continue;
    seen.set(key, Value::none());
    kept.push_back(std::move(value));
  }
  return interpreter.heap().iterator(std::move(kept));
}

}  // namespace tenon::text::jinja::filter
