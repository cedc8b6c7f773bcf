#include "tenon/text/jinja/value.h"

#include <algorithm>

#include "tenon/text/jinja/failure.h"
#include "tenon/text/jinja/heap.h"
#include "tenon/text/jinja/unicode.h"

namespace tenon::text::jinja {
namespace {

template <class T>
int order(const T& a, const T& b) {
  return a < b ? -1 : b < a ? 1 : 0;
}

// One comparison of two values. Values nest by reference, may contain themselves and may share parts so often
// that a full walk never ends; both depth and work are bounded.
class Comparison {
 public:
  bool equal(const Value& a, const Value& b) {
    const Level level(*this);
    if (a.is_number() && b.is_number()) {
      return a.is_integral() && b.is_integral() ? a.integer() == b.integer() : a.real() == b.real();
    }
    if (a.kind() != b.kind()) return false;
    if (a.is(Kind::kList)) return &a.list() == &b.list() || equal(a.list(), b.list());
    if (a.is(Kind::kDict)) return &a.dict() == &b.dict() || equal(a.dict(), b.dict());
    return a.same_as(b);
  }

  int compare(const Value& a, const Value& b) {
    const Level level(*this);
    if (a.is_undefined()) fail(a.undefined_reason());
    if (b.is_undefined()) fail(b.undefined_reason());
    if (a.is_integral() && b.is_integral()) return order(a.integer(), b.integer());
    if (a.is_number() && b.is_number()) return order(a.real(), b.real());
    // UTF-8 bytes have the order of the code points.
    if (a.is_string() && b.is_string()) return order(a.text().view(), b.text().view());
    if (a.is(Kind::kList) && b.is(Kind::kList) && a.list().flavor == b.list().flavor &&
        a.list().has_index()) {
      return compare(a.list().items, b.list().items);
    }
    fail("'<' not supported between instances of '" + std::string(type_name(a)) + "' and '" +
         std::string(type_name(b)) + "'");
  }

 private:
  static constexpr int kMaxDepth = 200;
  static constexpr size_t kMaxWork = 10'000'000;

  struct Level {
    explicit Level(Comparison& owner) : comparison(owner) {
      if (++comparison.depth_ > kMaxDepth || ++comparison.work_ > kMaxWork)
        fail("values nested too deeply to compare");
    }
    ~Level() { --comparison.depth_; }
    Comparison& comparison;
  };

  bool equal(const List& a, const List& b) {
    return a.flavor == b.flavor && a.has_length() && a.items.size() == b.items.size() &&
           std::equal(a.items.begin(), a.items.end(), b.items.begin(),
                      [&](const Value& x, const Value& y) { return equal(x, y); });
  }

  bool equal(const Dict& a, const Dict& b) {
    if (a.entries.size() != b.entries.size()) return false;
    return std::all_of(a.entries.begin(), a.entries.end(), [&](const auto& entry) {
      const Value* other = b.find(entry.first);
      return other != nullptr && equal(entry.second, *other);
    });
  }

  int compare(const std::vector<Value>& a, const std::vector<Value>& b) {
    for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
      if (!equal(a[i], b[i])) return compare(a[i], b[i]);
    }
    return order(a.size(), b.size());
  }

  int depth_ = 0;
  size_t work_ = 0;
};

// Position of `key` in `entries`, or their number.
template <class Matches>
size_t find_entry(const std::vector<std::pair<Value, Value>>& entries, const Matches& matches) {
  size_t i = 0;
  while (i < entries.size() && !matches(entries[i].first)) ++i;
  return i;
}

size_t find_key(const Dict& dict, std::string_view key) {
  return find_entry(dict.entries, [&](const Value& present) {
    return present.is_string() && present.text().view() == key;
  });
}

size_t find_key(const Dict& dict, const Value& key) {
  const bool mutable_list = key.is(Kind::kList) && key.list().flavor != List::Flavor::kTuple;
  if (mutable_list || key.is(Kind::kDict)) fail("unhashable type: '" + std::string(type_name(key)) + "'");
  if (key.is_string()) return find_key(dict, key.text().view());
  return find_entry(dict.entries, [&](const Value& present) { return equal(present, key); });
}

}  // namespace

Value Value::none() {
  Value value;
  value.data_ = None{};
  return value;
}

Value Value::undefined(std::string reason) {
  Value value;
  value.text_ = std::make_shared<const Text>(std::move(reason));
  return value;
}

std::string Value::undefined_reason() const {
  return text_ ? std::string(text_->view()) : "the value is undefined";
}

bool Value::same_as(const Value& other) const {
  if (is_string() && other.is_string()) return text() == other.text();
  return data_ == other.data_;
}

const Value* Dict::find(const Value& key) const {
  const size_t i = find_key(*this, key);
  return i == entries.size() ? nullptr : &entries[i].second;
}

const Value* Dict::find(std::string_view key) const {
  const size_t i = find_key(*this, key);
  return i == entries.size() ? nullptr : &entries[i].second;
}

void Dict::set(const Value& key, Value value) {
  const size_t i = find_key(*this, key);
  if (i == entries.size()) {
    entries.emplace_back(key, std::move(value));
  } else {
    entries[i].second = std::move(value);
  }
}

std::string_view type_name(const Value& value) {
  switch (value.kind()) {
    case Kind::kUndefined:
      return "Undefined";
    case Kind::kNone:
      return "NoneType";
    case Kind::kBool:
      return "bool";
    case Kind::kInteger:
      return "int";
    case Kind::kReal:
      return "float";
    case Kind::kString:
      return "str";
    case Kind::kDict:
      return "dict";
    case Kind::kNamespace:
      return "Namespace";
    case Kind::kLoop:
      return "LoopContext";
    case Kind::kFunction:
      return "function";
    case Kind::kList:
      break;
  }
  switch (value.list().flavor) {
    case List::Flavor::kList:
      return "list";
    case List::Flavor::kTuple:
      return "tuple";
    case List::Flavor::kRange:
      return "range";
    case List::Flavor::kIterator:
      return "generator";
    case List::Flavor::kKeys:
      return "dict_keys";
    case List::Flavor::kValues:
      return "dict_values";
    case List::Flavor::kItems:
      return "dict_items";
  }
  return "object";
}

bool truthy(const Value& value) {
  switch (value.kind()) {
    case Kind::kUndefined:
    case Kind::kNone:
      return false;
    case Kind::kBool:
      return value.boolean();
    case Kind::kInteger:
      return value.integer() != 0;
    case Kind::kReal:
      return value.real() != 0.0;
    case Kind::kString:
      return !value.text().empty();
    case Kind::kList:
      return !value.list().has_length() || !value.list().items.empty();
    case Kind::kDict:
      return !value.dict().entries.empty();
    default:
      return true;
  }
}

bool equal(const Value& a, const Value& b) { return Comparison().equal(a, b); }
int compare(const Value& a, const Value& b) { return Comparison().compare(a, b); }

size_t length(const Value& value) {
  switch (value.kind()) {
    case Kind::kUndefined:
      return 0;
    case Kind::kString:
      return count_characters(value.text().view());
    case Kind::kDict:
      return value.dict().entries.size();
    case Kind::kLoop:
      return value.loop().items.size();
    case Kind::kList:
      if (value.list().has_length()) return value.list().items.size();
      break;
    default:
      break;
  }
  fail("object of type '" + std::string(type_name(value)) + "' has no len()");
}

bool is_iterable(const Value& value) {
  const Kind kind = value.kind();
  return kind == Kind::kUndefined || kind == Kind::kString || kind == Kind::kList || kind == Kind::kDict;
}

std::vector<Value> iterate(Heap& heap, const Value& value) {
  constexpr size_t kCharacterBytes = sizeof(Value) + sizeof(Text) + 16;
  heap.charge_bytes(value.is_string() ? value.text().size() * kCharacterBytes : 0);
  if (value.is(Kind::kList)) heap.charge_values(value.list().items.size());
  std::vector<Value> items;
  switch (value.kind()) {
    case Kind::kUndefined:
      return items;
    case Kind::kList:
      if (value.list().flavor == List::Flavor::kIterator) return std::exchange(value.list().items, {});
      return value.list().items;
    case Kind::kDict:
      for (const auto& [key, unused] : value.dict().entries) items.push_back(key);
      return items;
    case Kind::kString: {
      const Text& text = value.text();
      for (size_t begin = 0; begin < text.size();) {
        const size_t end = begin + decode(text.view(), begin).size;
        items.emplace_back(text.slice(begin, end));
        begin = end;
      }
      return items;
    }
    default:
      fail("'" + std::string(type_name(value)) + "' object is not iterable");
  }
}

}  // namespace tenon::text::jinja
