// The values that a template computes with. They follow Python: bool is a number, strings are immutable,
// lists and dicts are shared by reference and may contain themselves, which is why a Heap owns them and not
// the values.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "tenon/text/jinja/text.h"

namespace tenon::text::jinja {

class Heap;
class Interpreter;
struct Arguments;
struct Dict;
struct Function;
struct List;
struct Loop;
struct Namespace;

enum class Kind {
  kUndefined,
  kNone,
  kBool,
  kInteger,
  kReal,
  kString,
  kList,
  kDict,
  kNamespace,
  kLoop,
  kFunction
};

class Value {
 public:
  Value() = default;  // undefined
  explicit Value(bool value) : data_(value) {}
  explicit Value(int64_t value) : data_(value) {}
  explicit Value(double value) : data_(value) {}
  explicit Value(Text value) : data_(String{}), text_(std::make_shared<const Text>(std::move(value))) {}
  explicit Value(List* value) : data_(value) {}
  explicit Value(Dict* value) : data_(value) {}
  explicit Value(Namespace* value) : data_(value) {}
  explicit Value(Loop* value) : data_(value) {}
  explicit Value(Function* value) : data_(value) {}
  static Value none();
  // `reason` is what an operation on the value fails with, e.g. "'x' is undefined".
  static Value undefined(std::string reason);
  static Value size(size_t count) { return Value(static_cast<int64_t>(count)); }
  static Value string(std::string_view bytes) { return Value(Text(std::string(bytes))); }

  Kind kind() const { return static_cast<Kind>(data_.index()); }
  bool is(Kind kind) const { return this->kind() == kind; }
  bool is_undefined() const { return is(Kind::kUndefined); }
  bool is_none() const { return is(Kind::kNone); }
  bool is_string() const { return is(Kind::kString); }
  bool is_number() const { return is(Kind::kBool) || is(Kind::kInteger) || is(Kind::kReal); }
  // An int as Python sees it: bool is one.
  bool is_integral() const { return is(Kind::kBool) || is(Kind::kInteger); }

  // The caller has checked the kind; anything else throws std::bad_variant_access.
  bool boolean() const { return std::get<bool>(data_); }
  int64_t integer() const { return is(Kind::kBool) ? boolean() : std::get<int64_t>(data_); }
  double real() const { return is(Kind::kReal) ? std::get<double>(data_) : static_cast<double>(integer()); }
  const Text& text() const { return std::get<String>(data_), *text_; }
  List& list() const { return *std::get<List*>(data_); }
  Dict& dict() const { return *std::get<Dict*>(data_); }
  Namespace& name_space() const { return *std::get<Namespace*>(data_); }
  Loop& loop() const { return *std::get<Loop*>(data_); }
  Function& function() const { return *std::get<Function*>(data_); }
  std::string undefined_reason() const;

  // Python's `is`, as far as a template can tell.
  bool same_as(const Value& other) const;

 private:
  template <int>
  struct Tag {
    friend bool operator==(Tag, Tag) { return true; }
  };
  using Undefined = Tag<0>;
  using None = Tag<1>;
  using String = Tag<2>;

  // In the order of Kind.
  std::variant<Undefined, None, bool, int64_t, double, String, List*, Dict*, Namespace*, Loop*, Function*>
      data_;
  std::shared_ptr<const Text> text_;  // of a string; of an undefined value: why it is so, or null
};

// Python's list and what else it can iterate by position. An iterator is what map, select, reverse and the
// like return: always true, without a length, and empty once it has been read.
struct List {
  enum class Flavor { kList, kTuple, kRange, kIterator, kKeys, kValues, kItems };

  std::vector<Value> items;
  Flavor flavor = Flavor::kList;

  bool has_length() const { return flavor != Flavor::kIterator; }
  bool has_index() const { return flavor <= Flavor::kRange; }
};

struct Dict {
  std::vector<std::pair<Value, Value>> entries;  // in order of insertion

  // nullptr when absent. Fails for a key that Python cannot hash (a list or a dict).
  const Value* find(const Value& key) const;
  const Value* find(std::string_view key) const;
  void set(const Value& key, Value value);
};

struct Namespace {
  Dict attributes;
};

// The variable `loop` of a for statement.
struct Loop {
  std::vector<Value> items;
  size_t index = 0;
  size_t depth = 0;                 // of a recursive loop, from 0
  std::vector<Value> last_changed;  // arguments of the last loop.changed(...)
  bool has_changed = false;
  std::function<Value(const Value& items)> recurse;  // empty unless the loop is marked recursive
};

struct Arguments {
  std::vector<Value> positional;
  std::vector<std::pair<std::string, Value>> named;
};

struct Function {
  std::string name;
  std::function<Value(Interpreter&, const Arguments&)> call;
};

// Python's name of the value's type, for messages.
std::string_view type_name(const Value& value);

bool truthy(const Value& value);
bool equal(const Value& a, const Value& b);
// Negative, zero or positive. Fails for values that Python does not order.
int compare(const Value& a, const Value& b);

// len(value); fails where Python has no length.
size_t length(const Value& value);
// The values that a for statement would visit; reads an iterator empty. Fails for what is not iterable.
std::vector<Value> iterate(Heap& heap, const Value& value);
bool is_iterable(const Value& value);

}  // namespace tenon::text::jinja
