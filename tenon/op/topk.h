#pragma once

#include "tenon/op/op.h"

namespace tenon::op {

enum class TopKMode : uint8_t { kMin, kMax };
inline constexpr std::array<std::string_view, 2> kTopKModeNames = {"min", "max"};

struct TopKAttributes : ir::AttributesOf<TopKAttributes> {
  int64_t axis = -1;
  TopKMode mode = TopKMode::kMax;
  ElementType index_type = ElementType::kI32;  // i32 or i64
  bool stable = false;                         // whether equal values must come in the order of their indices

  template <class V>
  void visit_fields(V& v) {
    v.field("axis", axis);
    v.enumeration("mode", mode, kTopKModeNames);
    v.field("index_type", index_type);
    v.field("stable", stable);
  }
};

// TopK(data, k scalar) -> the k smallest or largest along `axis`, sorted; port 0 values, port 1 indices. k is
// known at conversion, perhaps as a symbol. The reference keeps ties in the order of their indices and puts
// NaN last. The axis keeps its role: the chosen of experts are experts.
const OpDefinition& topk_op();

// The indices (port 1) of the k smallest or largest. Nothing else builds a TopK.
Result<ir::Value> make_topk_indices(ir::Model& model, ir::Value input, ir::Value k, int64_t axis,
                                    TopKMode mode, ElementType index_type, bool stable,
                                    std::string name = "");

}  // namespace tenon::op
