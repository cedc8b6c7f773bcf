#include "tenon/text/jinja/elements.h"

#include <algorithm>

#include "tenon/text/jinja/failure.h"
#include "tenon/text/jinja/unicode.h"

namespace tenon::text::jinja {
namespace {

// Bounds of a slice after Python's clamping: the elements start, start + step, … before stop. Given bounds
// are integers.
struct SliceRange {
  int64_t start;
  int64_t stop;
  int64_t step;
};

SliceRange resolve_slice(int64_t length, const Value* start, const Value* stop, const Value* step) {
  const auto given = [](const Value* bound) { return bound != nullptr && !bound->is_none(); };
  const int64_t stride = given(step) ? step->integer() : 1;
  if (stride == 0) fail("slice step cannot be zero");
  const int64_t lowest = stride < 0 ? -1 : 0;
  const int64_t highest = stride < 0 ? length - 1 : length;
  const auto clamp = [&](int64_t bound) {
    if (bound < 0) bound = bound < -length ? lowest : bound + length;
    return std::clamp(bound, lowest, std::max(lowest, highest));
  };
  return {given(start) ? clamp(start->integer()) : (stride < 0 ? highest : lowest),
          given(stop) ? clamp(stop->integer()) : (stride < 0 ? lowest : highest), stride};
}

// Indices of a resolved slice; the last addition could overflow, so the distance is what is counted.
template <class Visit>
void for_each_index(const SliceRange& range, const Visit& visit) {
  const bool forward = range.step > 0;
  for (int64_t i = range.start; forward ? i < range.stop : i > range.stop;) {
    visit(static_cast<size_t>(i));
    const int64_t left = forward ? range.stop - i : i - range.stop;
    if (forward ? range.step >= left : range.step <= -left) break;
    i += range.step;
  }
}

Text slice_text(const Text& text, const Value* start, const Value* stop, const Value* step) {
  const SliceRange range = resolve_slice(static_cast<int64_t>(length(Value(text))), start, stop, step);
  if (range.step == 1) {
    if (range.start >= range.stop) return text.slice(0, 0);
    return text.slice(byte_of_character(text.view(), static_cast<size_t>(range.start)),
                      byte_of_character(text.view(), static_cast<size_t>(range.stop)));
  }
  std::vector<size_t> begins;  // byte position of each character
  for (size_t at = 0; at < text.size(); at += decode(text.view(), at).size) begins.push_back(at);
  Text result;
  for_each_index(range, [&](size_t i) {
    result.append_slice(text, begins[i], begins[i] + decode(text.view(), begins[i]).size);
  });
  return result;
}

}  // namespace

std::optional<Value> find_element(Heap& heap, const Value& object, const Value& index) {
  if (object.is_undefined()) fail(object.undefined_reason());
  if (object.is(Kind::kDict)) {
    const bool hashable =
        !index.is(Kind::kDict) && (!index.is(Kind::kList) || index.list().flavor == List::Flavor::kTuple);
    const Value* element = hashable ? object.dict().find(index) : nullptr;
    return element != nullptr ? std::optional<Value>(*element) : std::nullopt;
  }
  const bool indexed = object.is_string() || (object.is(Kind::kList) && object.list().has_index());
  if (!indexed || !index.is_integral()) return std::nullopt;
  const auto count = static_cast<int64_t>(length(object));
  const int64_t place =
      index.integer() < 0 && index.integer() >= -count ? index.integer() + count : index.integer();
  if (place < 0 || place >= count) return std::nullopt;
  if (!object.is_string()) return object.list().items[static_cast<size_t>(place)];
  const Value start(place);
  const Value stop(place + 1);
  return slice(heap, object, &start, &stop, nullptr);
}

Value slice(Heap& heap, const Value& object, const Value* start, const Value* stop, const Value* step) {
  if (object.is_undefined()) fail(object.undefined_reason());
  for (const Value* bound : {start, stop, step}) {
    if (bound != nullptr && !bound->is_none() && !bound->is_integral()) {
      return Value::undefined("slice indices must be integers or None");
    }
  }
  if (object.is_string()) return Value(slice_text(object.text(), start, stop, step));
  if (!object.is(Kind::kList) || !object.list().has_index()) {
    return Value::undefined("'" + std::string(type_name(object)) + "' object is not sliceable");
  }
  const List& list = object.list();
  std::vector<Value> items;
  for_each_index(resolve_slice(static_cast<int64_t>(list.items.size()), start, stop, step),
                 [&](size_t i) { items.push_back(list.items[i]); });
  return heap.list(std::move(items), list.flavor);
}

}  // namespace tenon::text::jinja
