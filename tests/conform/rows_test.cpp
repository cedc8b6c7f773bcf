// GET_ROWS and SET_ROWS against real ggml: bit for bit, in every type.
#include <gtest/gtest.h>

#include "tests/conform/trial.h"
#include "tests/support/breaker.h"

namespace tenon::conform {
namespace {

using decoder::Edge;
using test::OpCapture;

const test::Breaker other_order("E1_rows_in_another_order", "the first two indices trade places");
const test::Breaker first_halved("E1_cast_of_another_value", "the first value has lost bits");

op::HostTensor indices(const OpCapture& capture) {
  const op::HostTensor ids = capture.tensor("input.1");
  std::vector<double> values = ids.values();
  if (other_order.active()) std::swap(values[0], values[1]);
  return op::HostTensor::of(ids.element, ids.extents, values);
}

TEST(E1_Rows, GetRowsOfATable) {
  for (const OpCapture& capture : test::op_captures("get_rows")) {
    TrialBuilder trial("get_rows", capture);
    const Edge table = trial.weight(capture.tensor("input.0", 2));
    run(trial.finish("GET_ROWS", {table, trial.input(indices(capture))}, {}, capture.tensor("output")));
  }
}

TEST(E1_Rows, GetRowsOfAnActivation) {
  const OpCapture capture = test::op_captures("get_rows").front();
  TrialBuilder trial("get_rows", capture);
  const Edge x = trial.input(capture.tensor("input.0"));
  run(trial.finish("GET_ROWS", {x, trial.input(indices(capture))}, {}, capture.tensor("output")));
}

// A cast, told what it makes and told where it goes.
TEST(E1_Rows, Cpy) {
  for (const OpCapture& capture : test::op_captures("cpy")) {
    for (const bool has_destination : {false, true}) {
      TrialBuilder trial("cpy", capture);
      op::HostTensor x = capture.tensor("input.0");
      if (first_halved.active()) x.bytes[1] = x.bytes[3] = std::byte{0};
      std::vector<Edge> inputs = {trial.input(x)};
      if (has_destination) inputs.push_back(trial.input(capture.tensor("output")));
      run(trial.finish("CPY", inputs, {}, capture.tensor("output")));
    }
  }
}

// Caches of 9 tokens with 4 heads of 6, and flat.
TEST(E1_Rows, SetRows) {
  for (const OpCapture& capture : test::op_captures("set_rows")) {
    for (const bool flat : {false, true}) {
      op::HostTensor rows = capture.tensor("input.0"), cache = capture.tensor("input.2");
      op::HostTensor expected = capture.tensor("output");
      ASSERT_EQ(cache.extents, (std::vector<int64_t>{1, 1, 9, 24}));
      const std::string element(name(cache.element));
      std::string type = element + "[1,1,9:position,24:channel]";
      if (!flat) {
        rows.extents = {1, rows.extents[2], 4, 6};
        cache.extents = expected.extents = {1, 9, 4, 6};
        type = element + "[1,9:position,4:head,6:head_size]";
      }
      TrialBuilder trial("set_rows", capture);
      const std::vector<Edge> inputs = {trial.input(rows), trial.input(indices(capture)),
                                        trial.cache(cache, type)};
      run(trial.finish("SET_ROWS", inputs, {}, expected));
    }
  }
}

}  // namespace
}  // namespace tenon::conform
