// Ops that only move or regroup elements against real ggml: bit for bit.
#include <gtest/gtest.h>

#include "tests/conform/trial.h"
#include "tests/support/breaker.h"

namespace tenon::conform {
namespace {

using decoder::Edge;
using decoder::PermuteAttributes;
using decoder::PermuteCase;
using decoder::ReshapeAttributes;
using decoder::ReshapeCase;
using test::OpCapture;

const test::Breaker from_the_start("E1_view_from_the_start", "views forget where they begin");
const test::Breaker other_heads("E1_heads_and_size_swapped", "heads and head size trade places");
const test::Breaker storage_order("E1_cont_keeps_storage_order", "the permutation before CONT moves nothing");
const test::Breaker backwards("E1_permute_backwards", "a permutation is applied the other way round");
const test::Breaker other_order("E1_concat_in_the_other_order", "the second tensor comes first");

// ggml says where each axis goes, fastest first; `order` says where each comes from, outermost first.
std::vector<int64_t> order_of(const std::vector<int64_t>& axes) {
  std::vector<int64_t> order(4);
  for (size_t i = 0; i < 4; ++i) {
    const auto to = static_cast<size_t>(3 - axes[i]);
    const auto from = static_cast<int64_t>(3 - i);
    if (backwards.active())
      order[static_cast<size_t>(from)] = static_cast<int64_t>(to);
    else
      order[to] = from;
  }
  return order;
}

std::string permuted_type(const op::HostTensor& x, const std::vector<int64_t>& order) {
  op::HostTensor out;
  for (const int64_t axis : order) out.extents.push_back(x.extents[static_cast<size_t>(axis)]);
  return type_text(out);
}

TEST(E1_Layout, Permute) {
  for (const OpCapture& capture : test::op_captures("permute")) {
    const op::HostTensor x = capture.tensor("input.0");
    const std::vector<int64_t> order = order_of(capture.integers("axes"));
    TrialBuilder trial("permute", capture);
    const Edge input = trial.input(x);
    run(trial.finish("PERMUTE", {input}, PermuteAttributes{PermuteCase::kPlain, order, 0, 0},
                     capture.tensor("output"), {}, permuted_type(x, order)));
  }
}

TEST(E1_Layout, Transpose) {
  for (const OpCapture& capture : test::op_captures("transpose")) {
    const op::HostTensor out = capture.tensor("output");
    TrialBuilder trial("transpose", capture);
    run(trial.finish("TRANSPOSE", {trial.input(capture.tensor("input.0"))}, {}, out));
  }
}

TEST(E1_Layout, Concat) {
  for (const OpCapture& capture : test::op_captures("concat")) {
    TrialBuilder trial("concat", capture);
    Edge a = trial.input(capture.tensor("input.0")), b = trial.input(capture.tensor("input.1"));
    if (other_order.active()) std::swap(a, b);
    const auto axis = static_cast<int>(3 - capture.integer("axis"));
    run(trial.finish("CONCAT", {a, b}, decoder::ConcatAttributes{axis}, capture.tensor("output")));
  }
}

// The captured permutation of [N, S, H, D], whose input comes flat, [1, 1, N*S, H*D], with N as a value.
TEST(E1_Layout, PermuteOfActiveSequences) {
  const OpCapture capture = test::op_captures("permute").back();
  ASSERT_EQ(capture.name(), "sequences");
  op::HostTensor x = capture.tensor("input.0");
  const std::vector<int64_t> split = x.extents;
  ASSERT_EQ(split, (std::vector<int64_t>{2, 5, 3, 6}));
  x.extents = {1, 1, split[0] * split[1], split[2] * split[3]};
  const int64_t heads = other_heads.active() ? split[3] : split[2];
  TrialBuilder trial("permute", capture);
  const Edge input = trial.input(x, "f32[1,1,N*S,18]");
  const Edge count = trial.input(op::HostTensor::of(ElementType::kI32, {1}, {2}), "i32[1]", "N");
  Trial made = trial.finish("PERMUTE", {input, count},
                            PermuteAttributes{PermuteCase::kSplitSequencesThenSwap, {}, heads, 18 / heads},
                            capture.tensor("output"), {},
                            "f32[N," + std::to_string(heads) + ",S," + std::to_string(18 / heads) + "]");
  made.symbols["S"] = split[1];
  run(made);
}

TEST(E1_Layout, Cont) {
  for (const OpCapture& capture : test::op_captures("cont")) {
    const op::HostTensor x = capture.tensor("input.0");
    const std::vector<int64_t> order = order_of(capture.integers("axes"));
    TrialBuilder trial("cont", capture);
    const Edge input = trial.input(x);
    const std::string type = permuted_type(x, order);
    const Edge permuted = storage_order.active()
                              ? trial.decoder().node("RESHAPE", {input}, type, ReshapeAttributes{})
                              : trial.decoder().node("PERMUTE", {input}, type,
                                                     PermuteAttributes{PermuteCase::kPlain, order, 0, 0});
    run(trial.finish("CONT", {permuted}, {}, capture.tensor("output")));
  }
}

ReshapeAttributes heads_of(ReshapeCase regroup, int64_t heads, int64_t head_size) {
  if (other_heads.active()) std::swap(heads, head_size);
  return {regroup, heads, head_size};
}

TEST(E1_Layout, Reshape) {
  for (const OpCapture& capture : test::op_captures("reshape")) {
    const op::HostTensor x = capture.tensor("input.0"), out = capture.tensor("output");
    ReshapeAttributes attributes;
    if (capture.name() == "split_heads")
      attributes = heads_of(ReshapeCase::kSplitHeads, out.extents[2], out.extents[3]);
    if (capture.name() == "merge_heads")
      attributes = heads_of(ReshapeCase::kMergeHeads, x.extents[2], x.extents[3]);
    TrialBuilder trial("reshape", capture);
    run(trial.finish("RESHAPE", {trial.input(x)}, attributes, out));
  }
}

// The axis that a captured view cuts, and from where on.
decoder::ViewAttributes cut_of(const OpCapture& capture) {
  const op::HostTensor x = capture.tensor("input.0"), out = capture.tensor("output");
  for (size_t axis = 0; axis < 4; ++axis) {
    if (x.extents[axis] == out.extents[axis]) continue;
    const int64_t start = capture.integer("offset") / capture.integers("strides")[3 - axis];
    return {static_cast<int>(axis), from_the_start.active() ? 0 : start, out.extents[axis], {}};
  }
  throw std::logic_error("[cut_of] the whole tensor");
}

TEST(E1_Layout, View) {
  for (const OpCapture& capture : test::op_captures("view")) {
    TrialBuilder trial("view", capture);
    const Edge x = trial.input(capture.tensor("input.0"));
    run(trial.finish("VIEW", {x}, cut_of(capture), capture.tensor("output")));
  }
}

// The same captured cuts, told as views that split or merge heads on the way: the bytes are the same.
TEST(E1_Layout, ViewThatRegroups) {
  for (const OpCapture& capture : test::op_captures("view")) {
    if (capture.name() == "half_of_each_row") continue;
    op::HostTensor x = capture.tensor("input.0"), out = capture.tensor("output");
    const std::vector<int64_t> whole = x.extents, part = out.extents;
    decoder::ViewAttributes cut = cut_of(capture);
    ASSERT_EQ(cut.axis, 1);

    out.extents = {1, 1, part[1], part[2] * part[3]};
    cut.reshape = {ReshapeCase::kMergeHeads, part[2], part[3]};
    TrialBuilder merged("view", capture);
    run(merged.finish("VIEW", {merged.input(x)}, cut, out));

    x.extents = {1, 1, whole[1], whole[2] * whole[3]};
    out.extents = part;
    cut.axis = 2;
    cut.reshape = {ReshapeCase::kSplitHeads, part[2], part[3]};
    TrialBuilder split("view", capture);
    run(split.finish("VIEW", {split.input(x)}, cut, out));
  }
}

}  // namespace
}  // namespace tenon::conform
