// ARGSORT and TOP_K over rows [n, rows].
#include "ops/inputs.h"
#include "ops/ops.h"

namespace tenon::oracle {
namespace {

// Rows of distinct values: a permutation each, spread over [-3, 3).
Array distinct_rows(uint64_t seed, int32_t n, int32_t rows) {
  std::vector<float> values;
  for (int32_t row = 0; row < rows; ++row) {
    for (int32_t rank : permutation(seed + static_cast<uint64_t>(row), n)) {
      values.push_back(static_cast<float>(rank - n / 2) / 4.0f);
    }
  }
  return make_array(GGML_TYPE_F32, {n, rows}, values);
}

void argsort_case(Capture& capture, const char* name, const Array& rows, bool descending) {
  Case c(capture, name);
  c.attribute("order", std::string(descending ? "descending" : "ascending"));
  c.output(ggml_argsort(c.context(), c.input(rows), descending ? GGML_SORT_ORDER_DESC : GGML_SORT_ORDER_ASC));
  c.run();
}

void top_k_case(Capture& capture, const char* name, const Array& rows, int k) {
  Case c(capture, name);
  c.attribute("k", k);
  c.output(ggml_top_k(c.context(), c.input(rows), k));  // a set: ggml leaves its order open
  c.run();
}

}  // namespace

void capture_argsort(Capture& capture) {
  const Array ties =
      make_array(GGML_TYPE_F32, {6, 2}, std::vector<float>{2, 1, 2, 3, 1, 2, 0, 0, 5, -1, 5, 0});
  argsort_case(capture, "ascending", distinct_rows(121, 13, 5), false);
  argsort_case(capture, "descending", distinct_rows(121, 13, 5), true);
  argsort_case(capture, "ascending_ties", ties, false);
  argsort_case(capture, "descending_ties", ties, true);
}

void capture_top_k(Capture& capture) {
  top_k_case(capture, "3_of_5", make_array(GGML_TYPE_F32, {5, 1}, std::vector<float>{1, 9, 3, 7, 5}), 3);
  top_k_case(capture, "3_of_8", distinct_rows(131, 8, 4), 3);
  top_k_case(capture, "5_of_8", distinct_rows(131, 8, 4), 5);
  top_k_case(capture, "8_of_8", distinct_rows(131, 8, 4), 8);
  top_k_case(capture, "2_of_13", distinct_rows(132, 13, 5), 2);
}

}  // namespace tenon::oracle
