#include "tenon/text/jinja/heap.h"

#include "tenon/text/jinja/failure.h"

namespace tenon::text::jinja {
namespace {

template <class T>
T* keep(std::deque<T>& owner, T object) {
  return &owner.emplace_back(std::move(object));
}

}  // namespace

Value Heap::list(std::vector<Value> items, List::Flavor flavor) {
  charge_bytes(sizeof(List) + items.size() * sizeof(Value));
  return Value(keep(lists_, List{std::move(items), flavor}));
}

Value Heap::dict(Dict entries) {
  charge_bytes(sizeof(Dict) + entries.entries.size() * 2 * sizeof(Value));
  return Value(keep(dicts_, std::move(entries)));
}

Value Heap::name_space(Dict attributes) {
  charge_bytes(sizeof(Namespace));
  return Value(keep(namespaces_, Namespace{std::move(attributes)}));
}

Value Heap::loop(Loop loop) {
  charge_bytes(sizeof(Loop) + loop.items.size() * sizeof(Value));
  return Value(keep(loops_, std::move(loop)));
}

Value Heap::function(Function function) {
  charge_bytes(sizeof(Function));
  return Value(keep(functions_, std::move(function)));
}

void Heap::charge_step() {
  if (++steps_ > limits_.steps) {
    throw Failure{ErrorCode::kInvalidArgument,
                  "at most " + std::to_string(limits_.steps) + " evaluation steps",
                  "a template that needs more", 0};
  }
}

void Heap::charge_bytes(size_t bytes) {
  if (bytes > limits_.bytes - bytes_) {
    throw Failure{ErrorCode::kInvalidArgument,
                  "at most " + std::to_string(limits_.bytes) + " bytes of values",
                  "a template that makes more", 0};
  }
  bytes_ += bytes;
}

}  // namespace tenon::text::jinja
