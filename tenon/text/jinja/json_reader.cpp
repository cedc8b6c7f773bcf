#include "tenon/text/jinja/json_reader.h"

#include <nlohmann/json.hpp>
#include <vector>

#include "tenon/text/jinja/failure.h"

namespace tenon::text::jinja {
namespace {

constexpr size_t kMaxNesting = 200;
constexpr size_t kMaxMembers = 10'000;  // an object is searched from its start

// Builds values from the parser's events, without a tree of the library's own in between.
class Builder : public nlohmann::json_sax<nlohmann::json> {
 public:
  Builder(Heap& heap, Origin origin) : heap_(heap), origin_(origin) {}

  Value take() { return std::move(root_); }

  bool null() override { return add(Value::none()); }
  bool boolean(bool value) override { return add(Value(value)); }
  bool number_integer(number_integer_t value) override { return add(Value(int64_t{value})); }
  bool number_unsigned(number_unsigned_t value) override {
    return add(value > INT64_MAX ? Value(static_cast<double>(value)) : Value(static_cast<int64_t>(value)));
  }
  bool number_float(number_float_t value, const string_t&) override { return add(Value(value)); }
  bool string(string_t& value) override { return add(Value(Text(std::move(value), origin_))); }
  bool binary(binary_t&) override { return false; }

  bool start_object(size_t) override { return open(heap_.dict({})); }
  bool start_array(size_t) override { return open(heap_.list({})); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    open_.back().key = Value(Text(std::move(name), origin_));
    return true;
  }

  bool parse_error(size_t position, const std::string& last_token,
                   const nlohmann::detail::exception&) override {
    throw Failure{ErrorCode::kInvalidArgument, "JSON",
                  "'" + last_token + "' at byte " + std::to_string(position), 0};
  }

 private:
  struct Open {
    Value container;
    Value key;  // of the member that comes next
  };

  bool add(Value value) {
    heap_.charge_values(2);
    if (open_.empty()) {
      root_ = std::move(value);
      return true;
    }
    Open& parent = open_.back();
    if (parent.container.is(Kind::kList)) {
      parent.container.list().items.push_back(std::move(value));
    } else {
      if (parent.container.dict().entries.size() == kMaxMembers) {
        fail("a JSON object of more than " + std::to_string(kMaxMembers) + " members");
      }
      parent.container.dict().set(parent.key, std::move(value));
    }
    return true;
  }

  bool open(Value container) {
    if (open_.size() == kMaxNesting)
      fail("JSON nested more than " + std::to_string(kMaxNesting) + " levels deep");
    add(container);
    open_.push_back({std::move(container), Value()});
    return true;
  }

  bool close() {
    open_.pop_back();
    return true;
  }

  Heap& heap_;
  const Origin origin_;
  std::vector<Open> open_;
  Value root_;
};

}  // namespace

Value read_json(Heap& heap, std::string_view json, Origin origin) {
  Builder builder(heap, origin);
  nlohmann::json::sax_parse(json, &builder);
  return builder.take();
}

}  // namespace tenon::text::jinja
