#include "tenon/cpu/copy.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace tenon::cpu {
namespace {

// [2, 3, 37, 21], each element its place; the last two axes trade places on the way, past whole squares.
template <class T>
void copy_transposed(ElementType element) {
  std::vector<T> from(2 * 3 * 37 * 21), to(from.size());
  std::iota(from.begin(), from.end(), T{1});
  TensorRef source;
  source.data = reinterpret_cast<std::byte*>(from.data());
  source.element = element;
  source.rank = 4;
  source.extent = {2, 3, 21, 37};
  set_contiguous_strides(source);
  std::swap(source.extent[2], source.extent[3]);
  std::swap(source.stride[2], source.stride[3]);
  TensorRef destination = source;
  destination.data = reinterpret_cast<std::byte*>(to.data());
  set_contiguous_strides(destination);

  ThreadPool pool(3);
  pool.run([&](const Worker& worker) { copy_elements(source, destination, worker); });
  for (size_t plane = 0; plane < 6; ++plane) {
    for (size_t row = 0; row < 37; ++row) {
      for (size_t column = 0; column < 21; ++column) {
        ASSERT_EQ(to[(plane * 37 + row) * 21 + column], from[(plane * 21 + column) * 37 + row]);
      }
    }
  }
}

TEST(CopyElements, TransposedViewsOfEverySize) {
  copy_transposed<uint8_t>(ElementType::kU8);
  copy_transposed<uint16_t>(ElementType::kF16);
  copy_transposed<int32_t>(ElementType::kI32);
  copy_transposed<int64_t>(ElementType::kI64);
}

// The middle columns of a matrix, and a single number.
TEST(CopyElements, PartsOfRowsAndScalars) {
  std::vector<float> from(5 * 8), to(5 * 3), scalar(1);
  std::iota(from.begin(), from.end(), 0.0f);
  TensorRef source;
  source.data = reinterpret_cast<std::byte*>(from.data() + 2);
  source.rank = 2;
  source.extent = {5, 3};
  source.stride = {8 * sizeof(float), sizeof(float)};
  TensorRef destination = source;
  destination.data = reinterpret_cast<std::byte*>(to.data());
  set_contiguous_strides(destination);
  TensorRef one_source, one;
  one_source.data = reinterpret_cast<std::byte*>(from.data() + 7);
  one.data = reinterpret_cast<std::byte*>(scalar.data());

  ThreadPool pool(2);
  pool.run([&](const Worker& worker) {
    copy_elements(source, destination, worker);
    copy_elements(one_source, one, worker);
  });
  EXPECT_EQ(to, (std::vector<float>{2, 3, 4, 10, 11, 12, 18, 19, 20, 26, 27, 28, 34, 35, 36}));
  EXPECT_EQ(scalar, std::vector<float>{7});
}

}  // namespace
}  // namespace tenon::cpu
