#include "tenon/text/jinja/text.h"

#include <algorithm>

#include "tenon/text/jinja/failure.h"

namespace tenon::text::jinja {
namespace {

using Spans = std::vector<ByteSpan>;

// The first span that ends after `byte`.
Spans::const_iterator first_span_after(const Spans& spans, size_t byte) {
  return std::upper_bound(spans.begin(), spans.end(), byte,
                          [](size_t value, const ByteSpan& span) { return value < span.end; });
}

}  // namespace

Text::Text(std::string bytes, Origin origin) : bytes_(std::move(bytes)) {
  if (origin == Origin::kInput) mark_input(0, bytes_.size());
}

Origin Text::origin_at(size_t byte) const {
  const auto span = first_span_after(input_spans_, byte);
  return span != input_spans_.end() && span->begin <= byte ? Origin::kInput : Origin::kTemplate;
}

void Text::append(std::string_view bytes, Origin origin) {
  if (bytes.size() > kMaxTextBytes - std::min(bytes_.size(), kMaxTextBytes)) {
    throw Failure{ErrorCode::kInvalidArgument,
                  "strings of at most " + std::to_string(kMaxTextBytes) + " bytes", "a longer one", 0};
  }
  const size_t begin = bytes_.size();
  bytes_.append(bytes);
  if (origin == Origin::kInput) mark_input(begin, bytes_.size());
}

void Text::append_slice(const Text& source, size_t begin, size_t end) {
  const size_t offset = bytes_.size();
  append(source.view().substr(begin, end - begin));
  for (auto span = first_span_after(source.input_spans_, begin);
       span != source.input_spans_.end() && span->begin < end; ++span) {
    mark_input(offset + std::max(span->begin, begin) - begin, offset + std::min(span->end, end) - begin);
  }
}

Text Text::slice(size_t begin, size_t end) const {
  Text result;
  result.append_slice(*this, begin, end);
  result.is_markup_ = is_markup_;
  return result;
}

void Text::mark_input(size_t begin, size_t end) {
  if (begin >= end) return;
  if (!input_spans_.empty() && input_spans_.back().end == begin) {
    input_spans_.back().end = end;
  } else {
    input_spans_.push_back({begin, end});
  }
}

}  // namespace tenon::text::jinja
