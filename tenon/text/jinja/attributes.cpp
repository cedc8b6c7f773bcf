// What stands behind a dot or in brackets. The order of Jinja: `x.name` looks for a method first and for an
// element second, `x['name']` the other way round, and what is not there is undefined.
#include "tenon/text/jinja/elements.h"
#include "tenon/text/jinja/failure.h"
#include "tenon/text/jinja/interpreter.h"
#include "tenon/text/jinja/methods.h"
#include "tenon/text/jinja/print.h"

namespace tenon::text::jinja {
namespace {

std::optional<Value> loop_attribute(const Loop& loop, std::string_view name) {
  const size_t count = loop.items.size();
  if (name == "index") return Value::size(loop.index + 1);
  if (name == "index0") return Value::size(loop.index);
  if (name == "revindex") return Value::size(count - loop.index);
  if (name == "revindex0") return Value::size(count - loop.index - 1);
  if (name == "first") return Value(loop.index == 0);
  if (name == "last") return Value(loop.index + 1 == count);
  if (name == "length") return Value::size(count);
  if (name == "depth") return Value::size(loop.depth + 1);
  if (name == "depth0") return Value::size(loop.depth);
  if (name == "previtem")
    return loop.index > 0 ? loop.items[loop.index - 1] : Value::undefined("there is no previous item");
  if (name == "nextitem") {
    return loop.index + 1 < count ? loop.items[loop.index + 1] : Value::undefined("there is no next item");
  }
  return std::nullopt;
}

// An attribute as Python's getattr finds it; for most kinds of values that is a method.
std::optional<Value> find_attribute(Heap& heap, const Value& object, std::string_view name) {
  if (object.is(Kind::kNamespace)) {
    const Value* value = object.name_space().attributes.find(name);
    return value != nullptr ? std::optional<Value>(*value) : std::nullopt;
  }
  if (object.is(Kind::kLoop)) {
    if (auto value = loop_attribute(object.loop(), name)) return value;
  }
  const Method* method = find_method(object, name);
  if (method == nullptr) return std::nullopt;
  return heap.function(
      {std::string(name), [object, method](Interpreter& interpreter, const Arguments& arguments) {
         return method->call(interpreter, object, arguments);
       }});
}

Value missing(const Value& object, const Value& name) {
  const std::string owner = object.is_none() ? "None" : std::string(type_name(object)) + " object";
  if (name.is_string()) {
    return Value::undefined("'" + owner + "' has no attribute '" + std::string(name.text().view()) + "'");
  }
  return Value::undefined(owner + " has no element " + to_repr(name).take_bytes());
}

}  // namespace

Value Interpreter::attribute(const Value& object, std::string_view name) {
  if (object.is_undefined()) fail(object.undefined_reason());
  if (auto value = find_attribute(heap_, object, name)) return *std::move(value);
  if (object.is(Kind::kDict)) {
    if (const Value* element = object.dict().find(name)) return *element;
  }
  return missing(object, Value::string(name));
}

Value Interpreter::subscript(const Value& object, const Value& index) {
  if (auto element = find_element(heap_, object, index)) return *std::move(element);
  if (index.is_string()) {
    if (auto value = find_attribute(heap_, object, index.text().view())) return *std::move(value);
  }
  return missing(object, index);
}

}  // namespace tenon::text::jinja
