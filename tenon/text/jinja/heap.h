// Owner of all lists, dicts and functions of one rendering, and the meter of what the rendering may use: a
// template that loops or grows without end is stopped with an error.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <vector>

#include "tenon/text/jinja/value.h"

namespace tenon::text::jinja {

struct RenderLimits {
  size_t steps = 5'000'000;          // evaluated expressions and statements
  size_t bytes = size_t{512} << 20;  // made by all of them together; nothing is given back before the end
};

class Heap {
 public:
  explicit Heap(const RenderLimits& limits) : limits_(limits) {}
  Heap(const Heap&) = delete;
  Heap& operator=(const Heap&) = delete;

  Value list(std::vector<Value> items, List::Flavor flavor = List::Flavor::kList);
  Value tuple(std::vector<Value> items) { return list(std::move(items), List::Flavor::kTuple); }
  Value iterator(std::vector<Value> items) { return list(std::move(items), List::Flavor::kIterator); }
  Value dict(Dict entries);
  Value name_space(Dict attributes);
  Value loop(Loop loop);
  Value function(Function function);

  // Both fail when the limit is exceeded; charge before you allocate.
  void charge_step();
  void charge_bytes(size_t bytes);
  void charge_values(size_t count) { charge_bytes(count * sizeof(Value)); }

 private:
  RenderLimits limits_;
  size_t steps_ = 0;
  size_t bytes_ = 0;
  std::deque<List> lists_;
  std::deque<Dict> dicts_;
  std::deque<Namespace> namespaces_;
  std::deque<Loop> loops_;
  std::deque<Function> functions_;
};

}  // namespace tenon::text::jinja
