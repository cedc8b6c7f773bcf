// GET_ROWS and SET_ROWS.
#include "ops/inputs.h"
#include "ops/ops.h"

namespace tenon::oracle {
namespace {

void get_rows_case(Capture& capture, ggml_type type) {
  const int64_t block = ggml_blck_size(type);
  const int64_t k = type == GGML_TYPE_F32 ? 24 : block == 256 ? 256 : block == 64 ? 192 : 96;  // whole blocks
  const auto values = random_values(61, static_cast<size_t>(k * 9));
  Case c(capture, type_name(type));
  ggml_tensor* table = c.input(make_array(type, {k, 9}, values));
  ggml_tensor* ids = c.input(make_i32({5}, {7, 0, 8, 3, 7}));  // out of order, one twice
  c.output(ggml_get_rows(c.context(), table, ids));
  c.run();
}

void set_rows_case(Capture& capture, const std::string& name, ggml_type cache_type, const Array& index) {
  Case c(capture, name);
  ggml_tensor* rows = c.input(random_f32(71, {24, 5}));
  ggml_tensor* ids = c.input(index);
  ggml_tensor* cache = c.input(make_array(cache_type, {24, 9}, random_values(72, 24 * 9)));
  c.output(ggml_set_rows(c.context(), cache, rows, ids));
  c.run();
}

}  // namespace

void capture_get_rows(Capture& capture) {
  get_rows_case(capture, GGML_TYPE_F32);
  for (ggml_type type : kWeightTypes) get_rows_case(capture, type);
}

void capture_set_rows(Capture& capture) {
  const Array in_order = make_i64({5}, {2, 3, 4, 5, 6});
  const Array permuted = make_i64({5}, {6, 0, 8, 3, 1});
  set_rows_case(capture, "f32_in_order", GGML_TYPE_F32, in_order);
  set_rows_case(capture, "f32_permuted", GGML_TYPE_F32, permuted);
  set_rows_case(capture, "f16_permuted", GGML_TYPE_F16, permuted);
  set_rows_case(capture, "f16_permuted_i32", GGML_TYPE_F16, make_i32({5}, {6, 0, 8, 3, 1}));
}

}  // namespace tenon::oracle
