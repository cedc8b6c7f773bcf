// ARGSORT and TOP_K against real ggml.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/conform/trial.h"
#include "tests/support/breaker.h"

namespace tenon::conform {
namespace {

using decoder::Edge;
using test::OpCapture;

const test::Breaker other_end("E1_smallest_for_largest",
                              "the order is turned round; the data is negated for TOP_K");

op::HostTensor negated(const op::HostTensor& x) {
  std::vector<double> values = x.values();
  for (double& value : values) value = -value;
  return op::HostTensor::of(x.element, x.extents, values);
}

// Ids of equal values may come in any order: then what they select is compared.
std::function<std::vector<double>(std::vector<double>)> selecting_from(const op::HostTensor& data) {
  return [values = data.values(), width = static_cast<size_t>(data.extents.back())](std::vector<double> ids) {
    for (size_t i = 0; i < ids.size(); ++i)
      ids[i] = values.at(i / width * width + static_cast<size_t>(ids[i]));
    return ids;
  };
}

TEST(E1_Selection, Argsort) {
  for (const OpCapture& capture : test::op_captures("argsort")) {
    const bool descending = (capture.text("order") == "descending") != other_end.active();
    const op::HostTensor x = capture.tensor("input.0");
    TrialBuilder trial("argsort", capture);
    Trial made =
        trial.finish("ARGSORT", {trial.input(x)},
                     decoder::ArgsortAttributes{
                         descending ? decoder::SortOrder::kDescending : decoder::SortOrder::kAscending, true},
                     capture.tensor("output"));
    if (capture.name().ends_with("_ties")) made.view = selecting_from(x);
    run(made);
  }
}

// A set: the ids of each row are sorted before they are compared.
TEST(E1_Selection, TopK) {
  for (const OpCapture& capture : test::op_captures("top_k")) {
    const op::HostTensor x =
        other_end.active() ? negated(capture.tensor("input.0")) : capture.tensor("input.0");
    const int64_t k = capture.integer("k");
    for (const int64_t attribute : {k, int64_t{0}}) {  // told, or by the output's extent
      TrialBuilder trial("top_k", capture);
      Trial made = trial.finish("TOP_K", {trial.input(x)}, decoder::TopKAttributes{attribute},
                                capture.tensor("output"));
      made.view = [k](std::vector<double> ids) {
        for (auto row = ids.begin(); row != ids.end(); row += k) std::sort(row, row + k);
        return ids;
      };
      run(made);
    }
  }
}

}  // namespace
}  // namespace tenon::conform
