#include <algorithm>
#include <cmath>
#include <string>

#include "tenon/cpu/rows_view.h"
#include "tenon/cpu/steps.h"
#include "tenon/op/topk.h"

namespace tenon::cpu {

namespace {

struct Scored {
  float value;
  int32_t index;
};

// As the reference sorts: NaN comes last, and of equal values the one of lower index first.
template <op::TopKMode kMode>
bool precedes(const Scored& a, const Scored& b) {
  if (std::isnan(a.value) || std::isnan(b.value)) {
    if (std::isnan(a.value) == std::isnan(b.value)) return a.index < b.index;
    return std::isnan(b.value);
  }
  if (a.value == b.value) return a.index < b.index;
  return kMode == op::TopKMode::kMax ? a.value > b.value : a.value < b.value;
}

}  // namespace

size_t topk_scratch_bytes(int64_t width, int workers) {
  return static_cast<size_t>(width * workers) * sizeof(Scored);
}

// Inputs data [.., N], k; outputs values and i32 indices [.., k]. A row to a worker.
Status step_topk(const runtime::BoundStep& step, const StepContext& context) {
  const auto& attributes = *step.step->find_attributes<op::TopKAttributes>();
  const auto order =
      attributes.mode == op::TopKMode::kMax ? &precedes<op::TopKMode::kMax> : &precedes<op::TopKMode::kMin>;
  const runtime::BoundPart& part = step.parts[0];
  TENON_ASSIGN(const RowsView x, rows_of(part.inputs[0]));
  TENON_ASSIGN(const RowsView values, rows_of(part.outputs[0]));
  TENON_ASSIGN(const RowsView indices, rows_of(part.outputs[1]));
  if (values.width > x.width) {  // a k that only the run knows
    return Error{ErrorCode::kInvalidArgument, "TopK '" + step.step->name + "'",
                 "k in [0, " + std::to_string(x.width) + "]", "k = " + std::to_string(values.width), ""};
  }
  auto* const scored = reinterpret_cast<Scored*>(step.scratch) + context.worker.rank * x.width;
  const Worker::Range share = context.worker.share(x.rows);
  for (int64_t row = share.begin; row < share.end; ++row) {
    const auto* const from = reinterpret_cast<const float*>(x.data + row * x.stride);
    for (int64_t i = 0; i < x.width; ++i) scored[i] = {from[i], static_cast<int32_t>(i)};
    std::partial_sort(scored, scored + values.width, scored + x.width, order);
    auto* const to = reinterpret_cast<float*>(values.data + row * values.stride);
    auto* const ids = reinterpret_cast<int32_t*>(indices.data + row * indices.stride);
    for (int64_t i = 0; i < values.width; ++i) {
      to[i] = scored[i].value;
      ids[i] = scored[i].index;
    }
  }
  return {};
}

}  // namespace tenon::cpu
