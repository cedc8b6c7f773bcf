#include "tenon/pass/state/dense_mask.h"

#include "tenon/op/comparison.h"
#include "tenon/op/elementwise.h"
#include "tenon/op/range.h"
#include "tenon/op/shape_of.h"
#include "tenon/op/unsqueeze.h"

namespace tenon::pass {

namespace {

constexpr double kHidden = -65504;  // the lowest finite f16: no host turns it into a NaN

op::UnsqueezeAttributes unsqueeze_at(std::vector<int64_t> axes) {
  op::UnsqueezeAttributes out;
  out.axes = std::move(axes);
  return out;
}

}  // namespace

// bool [B,1,1,KV]
Result<ir::Value> DenseMasks::not_padded() {
  const ir::Value zero = build_.integers({0});
  TENON_ASSIGN(const ir::Value present, build_.add(op::less_op(), {zero, attention_mask_}));
  return build_.add(op::unsqueeze_op(), {present}, unsqueeze_at({1, 2}));
}

// bool [T,KV], over the cells of the caches
Result<ir::Value> DenseMasks::visible(ir::MaskKind kind, int64_t window) {
  TENON_ASSIGN(const ir::Value cells, op::get_dimensions(model_, attention_mask_, {1}, "mask"));
  TENON_ASSIGN(const ir::Value tokens, op::get_dimensions(model_, ids_, {1}, "mask"));
  TENON_ASSIGN(const ir::Value past, build_.add(op::subtract_op(), {cells, tokens}));
  TENON_ASSIGN(const ir::Value key,
               build_.add(op::range_op(), {build_.integers({0}), cells}, op::RangeAttributes()));
  TENON_ASSIGN(ir::Value query, build_.add(op::range_op(), {past, cells}, op::RangeAttributes()));
  TENON_ASSIGN(query, build_.add(op::unsqueeze_op(), {query}, unsqueeze_at({1})));
  TENON_ASSIGN(const ir::Value before, build_.add(op::less_equal_op(), {key, query}));
  if (kind == ir::MaskKind::kCausal) return before;
  TENON_ASSIGN(const ir::Value edge, build_.add(op::subtract_op(), {query, build_.integers({window})}));
  TENON_ASSIGN(const ir::Value inside, build_.add(op::less_op(), {edge, key}));
  return build_.add(op::logical_and_op(), {before, inside});
}

Result<ir::Value> DenseMasks::get(ir::MaskKind kind, int64_t window) {
  if (const auto found = made_.find({kind, window}); found != made_.end()) return found->second;
  TENON_ASSIGN(ir::Value seen, not_padded());
  if (kind != ir::MaskKind::kBidirectional) {
    TENON_ASSIGN(const ir::Value structure, visible(kind, window));
    TENON_ASSIGN(seen, build_.add(op::logical_and_op(), {structure, seen}));
  }
  TENON_ASSIGN(const ir::Value mask,
               build_.add(op::select_op(), {seen, build_.scalar(0), build_.scalar(kHidden)}));
  return made_[{kind, window}] = mask;
}

}  // namespace tenon::pass
