#include <algorithm>
#include <array>

#include "tenon/text/jinja/arguments.h"
#include "tenon/text/jinja/failure.h"
#include "tenon/text/jinja/interpreter.h"
#include "tenon/text/jinja/methods.h"
#include "tenon/text/jinja/print.h"
#include "tenon/text/jinja/sorted_table.h"

namespace tenon::text::jinja {
namespace {

// Python's index of a list: negative ones count from the end. Fails outside.
std::vector<Value>::iterator position(std::vector<Value>& items, int64_t index) {
  const auto count = static_cast<int64_t>(items.size());
  const int64_t place = index < 0 ? index + count : index;
  if (place < 0 || place >= count) fail("list index out of range");
  return items.begin() + place;
}

Value list_append(Interpreter& interpreter, const Value& self, const Arguments& arguments) {
  const auto [item] = bind<1>(arguments, "append", {"object"}, 1);
  interpreter.heap().charge_values(1);
  self.list().items.push_back(*item);
  return Value::none();
}

Value list_count(Interpreter&, const Value& self, const Arguments& arguments) {
  const auto [item] = bind<1>(arguments, "count", {"value"}, 1);
  const std::vector<Value>& items = self.list().items;
  const Value& wanted = *item;
  return Value(
      int64_t{std::count_if(items.begin(), items.end(), [&](const Value& v) { return equal(v, wanted); })});
}

Value list_extend(Interpreter& interpreter, const Value& self, const Arguments& arguments) {
  const auto [iterable] = bind<1>(arguments, "extend", {"iterable"}, 1);
  std::vector<Value> added = iterate(interpreter.heap(), *iterable);
  self.list().items.insert(self.list().items.end(), added.begin(), added.end());
  return Value::none();
}

Value list_index(Interpreter&, const Value& self, const Arguments& arguments) {
  const auto [item] = bind<1>(arguments, "index", {"value"}, 1);
  const std::vector<Value>& items = self.list().items;
  for (size_t i = 0; i < items.size(); ++i) {
    if (equal(items[i], *item)) return Value::size(i);
  }
  fail(to_repr(*item).take_bytes() + " is not in list");
}

Value list_insert(Interpreter& interpreter, const Value& self, const Arguments& arguments) {
  const auto [index, item] = bind<2>(arguments, "insert", {"index", "object"}, 2);
  std::vector<Value>& items = self.list().items;
  const auto count = static_cast<int64_t>(items.size());
  const int64_t wanted = to_index(*index);
  interpreter.heap().charge_values(1);
  items.insert(items.begin() + std::clamp<int64_t>(wanted < 0 ? wanted + count : wanted, 0, count), *item);
  return Value::none();
}

Value list_pop(Interpreter&, const Value& self, const Arguments& arguments) {
  const auto [index] = bind<1>(arguments, "pop", {"index"});
  const auto place = position(self.list().items, integer_or(index, -1));
  Value item = std::move(*place);
  self.list().items.erase(place);
  return item;
}

Value list_reverse(Interpreter&, const Value& self, const Arguments& arguments) {
  expect_no_arguments(arguments, "reverse");
  std::reverse(self.list().items.begin(), self.list().items.end());
  return Value::none();
}

constexpr std::array<Method, 7> kListMethods = {{{"append", list_append},
                                                 {"count", list_count},
                                                 {"extend", list_extend},
                                                 {"index", list_index},
                                                 {"insert", list_insert},
                                                 {"pop", list_pop},
                                                 {"reverse", list_reverse}}};
constexpr std::array<Method, 2> kTupleMethods = {{{"count", list_count}, {"index", list_index}}};

Value dict_copy(Interpreter& interpreter, const Value& self, const Arguments& arguments) {
  expect_no_arguments(arguments, "copy");
  return interpreter.heap().dict(self.dict());
}

Value dict_get(Interpreter&, const Value& self, const Arguments& arguments) {
  const auto [key, default_value] = bind<2>(arguments, "get", {"key", "default"}, 1);
  if (const Value* value = self.dict().find(*key)) return *value;
  return default_value != nullptr ? *default_value : Value::none();
}

Value dict_items(Interpreter& interpreter, const Value& self, const Arguments& arguments) {
  expect_no_arguments(arguments, "items");
  std::vector<Value> items;
  for (const auto& [key, value] : self.dict().entries)
    items.push_back(interpreter.heap().tuple({key, value}));
  return interpreter.heap().list(std::move(items), List::Flavor::kItems);
}

Value dict_keys(Interpreter& interpreter, const Value& self, const Arguments& arguments) {
  expect_no_arguments(arguments, "keys");
  return interpreter.heap().list(iterate(interpreter.heap(), self), List::Flavor::kKeys);
}

Value dict_pop(Interpreter&, const Value& self, const Arguments& arguments) {
  const auto [key, default_value] = bind<2>(arguments, "pop", {"key", "default"}, 1);
  if (const Value* found = self.dict().find(*key)) {
    Value value = *found;
    std::erase_if(self.dict().entries, [&](const auto& entry) { return &entry.second == found; });
    return value;
  }
  if (default_value == nullptr) fail("no such key: " + to_repr(*key).take_bytes());
  return *default_value;
}

Value dict_setdefault(Interpreter& interpreter, const Value& self, const Arguments& arguments) {
  const auto [key, default_value] = bind<2>(arguments, "setdefault", {"key", "default"}, 1);
  if (const Value* found = self.dict().find(*key)) return *found;
  Value value = default_value != nullptr ? *default_value : Value::none();
  interpreter.heap().charge_values(2);
  self.dict().set(*key, value);
  return value;
}

Value dict_update(Interpreter& interpreter, const Value& self, const Arguments& arguments) {
  Dict added;
  if (arguments.positional.size() > 1) fail("update expected at most 1 argument");
  if (!arguments.positional.empty()) {
    const Value& source = arguments.positional[0];
    if (!source.is(Kind::kDict)) fail("'" + std::string(type_name(source)) + "' object is not a mapping");
    added = source.dict();
  }
  for (const auto& [name, value] : arguments.named) added.set(Value::string(name), value);
  interpreter.heap().charge_values(2 * added.entries.size());
  for (const auto& [key, value] : added.entries) self.dict().set(key, value);
  return Value::none();
}

Value dict_values(Interpreter& interpreter, const Value& self, const Arguments& arguments) {
  expect_no_arguments(arguments, "values");
  std::vector<Value> values;
  for (const auto& [key, value] : self.dict().entries) values.push_back(value);
  return interpreter.heap().list(std::move(values), List::Flavor::kValues);
}

constexpr std::array<Method, 8> kDictMethods = {{{"copy", dict_copy},
                                                 {"get", dict_get},
                                                 {"items", dict_items},
                                                 {"keys", dict_keys},
                                                 {"pop", dict_pop},
                                                 {"setdefault", dict_setdefault},
                                                 {"update", dict_update},
                                                 {"values", dict_values}}};

// loop.changed(x, …): true when the arguments are not those of the last call.
Value loop_changed(Interpreter&, const Value& self, const Arguments& arguments) {
  Loop& loop = self.loop();
  const bool same =
      loop.has_changed && loop.last_changed.size() == arguments.positional.size() &&
      std::equal(loop.last_changed.begin(), loop.last_changed.end(), arguments.positional.begin(), equal);
  loop.has_changed = true;
  if (!same) loop.last_changed = arguments.positional;
  return Value(!same);
}

// loop.cycle(a, b, …): one after the other, pass by pass.
Value loop_cycle(Interpreter&, const Value& self, const Arguments& arguments) {
  if (arguments.positional.empty()) fail("no items for cycling given");
  return arguments.positional[self.loop().index % arguments.positional.size()];
}

constexpr std::array<Method, 2> kLoopMethods = {{{"changed", loop_changed}, {"cycle", loop_cycle}}};

static_assert(is_sorted_by_name(kListMethods) && is_sorted_by_name(kDictMethods));

}  // namespace

const Method* find_method(const Value& object, std::string_view name) {
  switch (object.kind()) {
    case Kind::kString:
      return find_string_method(name);
    case Kind::kDict:
      return find_by_name(kDictMethods, name);
    case Kind::kLoop:
      return find_by_name(kLoopMethods, name);
    case Kind::kList:
      if (object.list().flavor == List::Flavor::kList) return find_by_name(kListMethods, name);
      if (object.list().flavor == List::Flavor::kTuple) return find_by_name(kTupleMethods, name);
      return nullptr;
    default:
      return nullptr;
  }
}

}  // namespace tenon::text::jinja
