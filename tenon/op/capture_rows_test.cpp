// Ops that select, sort, write and convert against what real ggml computed (tests/golden/ops).
#include <algorithm>

#include "tenon/op/convert.h"
#include "tenon/op/gather.h"
#include "tenon/op/one_node.h"
#include "tenon/op/scatter_update.h"
#include "tenon/op/topk.h"
#include "tests/support/op_capture.h"

namespace tenon::op {
namespace {

double nothing(size_t, double) { return 0; }

HostTensor converted(const HostTensor& x, ElementType to) {
  auto attributes = std::make_unique<ConvertAttributes>();
  attributes->to = to;
  return OneNode(convert_op(), {x}, std::move(attributes)).run();
}

TEST(CaptureRows, GatherDecodesEveryType) {
  for (const test::OpCapture& c : test::op_captures("get_rows")) {
    SCOPED_TRACE(c.name());
    OneNode graph(gather_op(), {c.tensor("input.0", 2), c.tensor("input.1", 1)}, nullptr);
    expect_captured(graph, c.tensor("output", 2), nothing);
  }
}

TEST(CaptureRows, ConvertRoundsAsGgml) {
  for (const test::OpCapture& c : test::op_captures("cpy")) {
    SCOPED_TRACE(c.name());
    const HostTensor wanted = c.tensor("output", 2);
    EXPECT_EQ(converted(c.tensor("input.0", 2), wanted.element).bytes, wanted.bytes);
  }
}

TEST(CaptureRows, ScatterUpdateWritesRows) {
  for (const test::OpCapture& c : test::op_captures("set_rows")) {
    SCOPED_TRACE(c.name());
    const HostTensor cache = c.tensor("input.2", 2), wanted = c.tensor("output", 2);
    const HostTensor rows = converted(c.tensor("input.0", 2), cache.element);
    OneNode graph(scatter_update_op(), {cache, c.tensor("input.1", 4), rows}, nullptr);
    EXPECT_EQ(graph.run().bytes, wanted.bytes);
  }
}

// What the captured ids select, row by row.
std::vector<double> selected(const HostTensor& data, const HostTensor& ids) {
  const std::vector<double> values = data.values(), places = ids.values();
  std::vector<double> out;
  for (size_t i = 0; i < places.size(); ++i) {
    const size_t row = i / static_cast<size_t>(ids.extents.back());
    out.push_back(values[row * static_cast<size_t>(data.extents.back()) + static_cast<size_t>(places[i])]);
  }
  return out;
}

OneNode topk(const HostTensor& data, int64_t k, TopKMode mode) {
  auto attributes = std::make_unique<TopKAttributes>();
  attributes->mode = mode;
  const HostTensor count = HostTensor::of(ElementType::kI64, {}, {static_cast<double>(k)});
  return OneNode(topk_op(), {data, count}, std::move(attributes));
}

TEST(CaptureRows, TopKOfWholeRowsSorts) {
  for (const test::OpCapture& c : test::op_captures("argsort")) {
    SCOPED_TRACE(c.name());
    const HostTensor data = c.tensor("input.0", 2), wanted = c.tensor("output", 2);
    const bool descending = c.text("order") == "descending";
    const OneNode graph = topk(data, data.extents[1], descending ? TopKMode::kMax : TopKMode::kMin);
    EXPECT_EQ(graph.run("0").values(), selected(data, wanted));
    EXPECT_EQ(selected(data, graph.run("1")), graph.run("0").values());
  }
}

TEST(CaptureRows, TopKSelectsTheSet) {
  for (const test::OpCapture& c : test::op_captures("top_k")) {
    SCOPED_TRACE(c.name());
    const HostTensor data = c.tensor("input.0", 2), wanted = c.tensor("output", 2);
    const auto sorted_rows = [&](const HostTensor& ids) {
      std::vector<double> out = ids.values();
      const auto k = static_cast<std::ptrdiff_t>(ids.extents.back());
      for (auto row = out.begin(); row != out.end(); row += k) std::sort(row, row + k);
      return out;
    };
    const OneNode graph = topk(data, c.integer("k"), TopKMode::kMax);
    EXPECT_EQ(graph.run("1").element, ElementType::kI32);
    EXPECT_EQ(sorted_rows(graph.run("1")), sorted_rows(wanted));
  }
}

}  // namespace
}  // namespace tenon::op
