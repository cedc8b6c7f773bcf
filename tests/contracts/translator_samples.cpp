#include "tests/contracts/translator_samples.h"

namespace tenon::contracts {

namespace {

using namespace decoder;

constexpr const char* kRow = "f32[1,1,3:token,8:channel]";
constexpr const char* kWideRow = "f32[1,1,3:token,16:channel]";
constexpr const char* kHeads = "f32[1,3:token,2:head,4:head_size]";
constexpr const char* kHeadsFirst = "f32[1,2:head,3:token,4:head_size]";
constexpr const char* kMask = "f32[1,1,3:token,3:position]";
constexpr const char* kExperts = "f32[1,3:token,2:expert,6]";
constexpr const char* kExpertIds = "i32[1,1,3:token,2:expert]";

AttentionAttributes attention(AttentionLayout layout) { return {layout, 0.5, 0, 0}; }

RopeAttributes rope(RopeMode mode) {
  RopeAttributes out;
  out.mode = mode;
  out.n_rot = 4;
  if (mode == RopeMode::kImrope) out.sections = {1, 1, 0, 0};
  return out;
}

ViewAttributes view(ReshapeCase regroup) { return {1, 1, 2, {regroup, 2, 4}}; }

}  // namespace

const std::vector<TranslatorSample>& translator_samples() {
  static const std::vector<TranslatorSample> samples = {
      {"ADD", {}, {kRow, kRow}, {kRow}},
      {"ADD_ID", {}, {kExperts, "f32[5,6]", kExpertIds}, {kExperts}},
      {"ARGSORT", ArgsortAttributes{SortOrder::kAscending, true}, {kRow}, {"i32[1,1,3:token,8]"}},
      {"ARGSORT", ArgsortAttributes{SortOrder::kDescending, true}, {kRow}, {"i32[1,1,3:token,8]"}},
      {"CLAMP", ClampAttributes{-1, 2}, {kRow}, {kRow}},
      {"CONCAT", ConcatAttributes{3}, {kRow, kRow}, {kWideRow}},
      {"CONT", {}, {kRow}, {"f32[1,3:token,2,4]"}},
      {"CPY", {}, {kRow}, {"f16[1,1,3:token,8:channel]"}},
      {"DIV", {}, {kRow, kRow}, {kRow}},
      {"FLASH_ATTN_EXT",
       attention(AttentionLayout::kHeadAxis1),
       {kHeadsFirst, kHeadsFirst, kHeadsFirst, kMask, "f32[2]"},
       {kHeads}},
      {"FLASH_ATTN_EXT",
       attention(AttentionLayout::kHeadAxis2),
       {kHeads, kHeads, kHeads, kMask, "f32[2]"},
       {kHeads}},
      {"GATED_DELTA_NET",
       {},
       {"f32[1,3:token,2:head,4]", "f32[1,3:token,2:head,4]", "f32[1,3:token,6:head,4]",
        "f32[1,3:token,6:head,1]", "f32[1,3:token,6:head,1]", "f32[1,6:head,4,4]"},
       {"f32[1,3:token,6:head,4]", "f32[1,6:head,4,4]"}},
      {"GEGLU", GluAttributes{false, false}, {kWideRow}, {kRow}},
      {"GEGLU", GluAttributes{false, true}, {kWideRow}, {kRow}},
      {"GEGLU", GluAttributes{true, false}, {kRow, kRow}, {kRow}},
      {"GELU", {}, {kRow}, {kRow}},
      {"GELU_ERF", {}, {kRow}, {kRow}},
      {"GELU_QUICK", {}, {kRow}, {kRow}},
      {"GET_ROWS", {}, {"f32[9,8]", "i32[1,1,1,3:token]"}, {kRow}},
      {"MUL", {}, {kRow, kRow}, {kRow}},
      {"MUL_MAT", {}, {"f32[6,8]", kRow}, {"f32[1,1,3:token,6]"}},
      {"MUL_MAT_ID", {}, {"f32[5:expert,6,8]", "f32[1,3:token,2,8]", kExpertIds}, {kExperts}},
      {"PERMUTE", PermuteAttributes{}, {kHeads}, {kHeadsFirst}},
      {"PERMUTE",
       PermuteAttributes{PermuteCase::kSplitSequencesThenSwap, {}, 2, 4},
       {"f32[1,1,3*K:token,8:channel]", "i64[1]"},
       {"f32[K:batch,2:head,3:token,4:head_size]"}},
      {"RESHAPE", ReshapeAttributes{ReshapeCase::kSplitHeads, 2, 4}, {kRow}, {kHeads}},
      {"RESHAPE", ReshapeAttributes{ReshapeCase::kMergeHeads, 2, 4}, {kHeads}, {kRow}},
      {"RESHAPE", ReshapeAttributes{}, {kRow}, {"f32[1,3:token,8,1]"}},
      {"RMS_NORM", NormAttributes{1e-5}, {kRow}, {kRow}},
      {"ROPE", rope(RopeMode::kNormal), {kHeads, "i32[1,1,1,3:token]", "f32[2]"}, {kHeads}},
      {"ROPE", rope(RopeMode::kNeox), {kHeads, "i32[1,1,1,3:token]", "f32[2]"}, {kHeads}},
      {"ROPE", rope(RopeMode::kImrope), {kHeads, "i32[1,1,1,12]"}, {kHeads}},
      {"SCALE", ScaleAttributes{2, 1}, {kRow}, {kRow}},
      {"SET_ROWS",
       {},
       {kHeads, "i64[1,1,1,3:token]", "f32[1,7:position,2:head,4:head_size]"},
       {"f32[1,7:position,2:head,4:head_size]"}},
      {"SIGMOID", {}, {kRow}, {kRow}},
      {"SILU", {}, {kRow}, {kRow}},
      {"SOFTPLUS", {}, {kRow}, {kRow}},
      {"SOFT_MAX",
       SoftMaxAttributes{},
       {"f32[1,2:head,3:token,3:position]", kMask},
       {"f32[1,2:head,3:token,3]"}},
      {"SSM_CONV", {}, {"f32[1,1,8:channel,6:token]", "f32[8,4]"}, {kRow}},
      {"SSM_SCAN",
       {},
       {"f32[1,6:head,4,5]", "f32[1,3:token,6:head,4]", "f32[1,1,3:token,6:head]", "f32[6,1]",
        "f32[1,3:token,2,5]", "f32[1,3:token,2,5]"},
       {"f32[1,3:token,6:head,4]", "f32[1,6:head,4,5]"}},
      {"SUB", {}, {kRow, kRow}, {kRow}},
      {"SUM_ROWS", {}, {kRow}, {"f32[1,1,3:token,1]"}},
      {"SWIGLU", GluAttributes{false, false}, {kWideRow}, {kRow}},
      {"SWIGLU", GluAttributes{false, true}, {kWideRow}, {kRow}},
      {"SWIGLU", GluAttributes{true, false}, {kRow, kRow}, {kRow}},
      {"SWIGLU_OAI", GluOaiAttributes{{false, false}, 1.5, 7}, {kWideRow}, {kRow}},
      {"SWIGLU_OAI", GluOaiAttributes{{false, true}, 1.5, 7}, {kWideRow}, {kRow}},
      {"SWIGLU_OAI", GluOaiAttributes{{true, false}, 1.5, 7}, {kRow, kRow}, {kRow}},
      {"TANH", {}, {kRow}, {kRow}},
      {"TOP_K", TopKAttributes{2}, {kRow}, {"i32[1,1,3:token,2]"}},
      {"TOP_K", TopKAttributes{}, {kRow, "i64[1]"}, {"i32[1,1,3:token,K]"}},
      {"TRANSPOSE", {}, {kRow}, {"f32[1,1,8:channel,3:token]"}},
      {"VIEW",
       view(ReshapeCase::kSplitHeads),
       {"f32[1,4:token,1,8:channel]"},
       {"f32[1,2:token,2:head,4:head_size]"}},
      {"VIEW",
       view(ReshapeCase::kMergeHeads),
       {"f32[1,4:token,2:head,4:head_size]"},
       {"f32[1,1,2:token,8:channel]"}},
      {"VIEW",
       view(ReshapeCase::kExplicit),
       {"f32[1,4:token,2:head,4:head_size]"},
       {"f32[1,2:token,2:head,4:head_size]"}},
  };
  return samples;
}

}  // namespace tenon::contracts
