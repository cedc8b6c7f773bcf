// MUL_MAT_ID, ADD_ID and the weights of chosen experts against real ggml.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/conform/trial.h"
#include "tests/support/breaker.h"

namespace tenon::conform {
namespace {

using decoder::Edge;
using test::OpCapture;

const test::Breaker other_slot("E1_experts_of_the_other_slot",
                               "the first two experts of a token trade places");

op::HostTensor ids_of(const OpCapture& capture, const std::string& name) {
  const op::HostTensor ids = capture.tensor(name);
  std::vector<double> values = ids.values();
  if (other_slot.active()) std::swap(values[0], values[1]);
  return op::HostTensor::of(ids.element, ids.extents, values);
}

// Output element (t, u, n) is the sum over K of the row of x that slot u of token t reads, and row n of the
// slot's expert.
Tolerance product_tolerance(const op::HostTensor& w, const op::HostTensor& x, const op::HostTensor& ids) {
  const auto outputs = static_cast<size_t>(w.extents[1]), used = static_cast<size_t>(ids.extents[3]);
  const auto rows_of_token = static_cast<size_t>(x.extents[2]);
  return [=, of_x = row_norms(x), of_w = row_norms(w), chosen = ids.values(), terms = x.extents.back()](
             size_t place, double) {
    const size_t slot = place / outputs, token = slot / used;
    const size_t row = token * rows_of_token + (rows_of_token == 1 ? 0 : slot % used);
    return sum_tolerance(terms, of_x[row],
                         of_w[static_cast<size_t>(chosen[slot]) * outputs + place % outputs]);
  };
}

TEST(E1_Experts, MulMatId) {
  for (const std::string file : {"mul_mat_id", "mul_mat_id_types"}) {
    for (const OpCapture& capture : test::op_captures(file)) {
      const op::HostTensor w = capture.tensor("input.0", 3), x = capture.tensor("input.1");
      const bool rounds = capture.has_tensor("exact");  // ggml rounds x to multiply it with such weights
      TrialBuilder trial(file, capture);
      const std::vector<Edge> inputs = {trial.weight(w), trial.input(x),
                                        trial.input(ids_of(capture, "input.2"))};
      Trial made = trial.finish("MUL_MAT_ID", inputs, {}, capture.tensor(rounds ? "exact" : "output"),
                                product_tolerance(w, x, capture.tensor("input.2")));
      if (rounds) made.ggml = capture.tensor("output");
      made.kernels_round = is_block(w.element);
      run(made);
    }
  }
}

TEST(E1_Experts, AddId) {
  for (const OpCapture& capture : test::op_captures("add_id")) {
    TrialBuilder trial("add_id", capture);
    const Edge x = trial.input(capture.tensor("input.0"));
    const Edge biases = trial.weight(capture.tensor("input.1", 2));
    run(trial.finish("ADD_ID", {x, biases, trial.input(ids_of(capture, "input.2"))}, {},
                     capture.tensor("output"), element_tolerance));
  }
}

TEST(E1_Experts, WeightsOfTheChosen) {
  for (const OpCapture& capture : test::op_captures("get_rows_batched")) {
    TrialBuilder trial("get_rows_batched", capture);
    const Edge weights = trial.input(capture.tensor("input.0"));
    run(trial.finish("GET_ROWS", {weights, trial.input(ids_of(capture, "input.1"))}, {},
                     capture.tensor("output")));
  }
}

}  // namespace
}  // namespace tenon::conform
