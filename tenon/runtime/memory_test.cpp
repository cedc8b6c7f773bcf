#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <stdexcept>

#include "tenon/runtime/backend.h"
#include "tenon/runtime/extent.h"

namespace tenon::runtime {
namespace {

TEST(HostMemory, IsZeroedAndAligned) {
  const Buffer buffer = allocate_host(100'000).value();
  EXPECT_EQ(buffer.size, 100'000u);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer.data) % 64, 0u);
  for (size_t i = 0; i < buffer.size; ++i) ASSERT_EQ(buffer.data[i], std::byte{0});
  EXPECT_EQ(allocate_host(0).value().data, nullptr);
}

TEST(HostMemory, MoreThanTheMachineCanAddressIsAnError) {
  const auto buffer = allocate_host(size_t{1} << 62);
  ASSERT_FALSE(buffer.ok());
  EXPECT_EQ(buffer.error().code, ErrorCode::kIo);
}

TEST(FileBytes, AreSharedAndKeptAlive) {
  auto owner = std::make_shared<std::vector<std::byte>>(64);
  ir::ConstantAttributes constant;
  constant.type = {ElementType::kF32, {4, 4}};
  constant.data = {owner, owner->data(), owner->size()};
  const std::weak_ptr<std::vector<std::byte>> watched = owner;
  const Buffer buffer = share_file_bytes(constant).value();
  EXPECT_EQ(buffer.data, owner->data());
  constant.data.owner = nullptr;
  owner = nullptr;
  EXPECT_FALSE(watched.expired());
}

TEST(FileBytes, TooFewAreAnErrorWithBothSizes) {
  auto owner = std::make_shared<std::vector<std::byte>>(63);
  ir::ConstantAttributes constant;
  constant.weight = "blk.0.attn_q.weight";
  constant.type = {ElementType::kF32, {4, 4}};
  constant.data = {owner, owner->data(), owner->size()};
  EXPECT_EQ(share_file_bytes(constant).error().message(),
            "constant 'blk.0.attn_q.weight': wanted 64 bytes, found 63 (attach the model's file)");
  constant.data = {};
  EXPECT_FALSE(share_file_bytes(constant).ok());
}

TEST(Extent, EvaluatesAsItsDim) {
  const std::vector<std::string> symbols = {"KV", "N", "T"};
  std::mt19937 random(1);
  const auto below = [&](int64_t n) { return static_cast<int64_t>(random() % static_cast<uint64_t>(n)); };
  for (int round = 0; round < 200; ++round) {
    Dim dim(below(9) - 4);
    for (int64_t term = below(4); term > 0; --term) {
      Dim product(below(9) - 4);
      for (int64_t factor = below(3); factor > 0; --factor)
        product = product * Dim::symbol(symbols[static_cast<size_t>(below(3))]);
      dim = dim + product;
    }
    const std::array<int64_t, 3> values = {below(100), below(100), below(100)};
    const Extent extent(dim, symbols);
    EXPECT_EQ(extent.evaluate(values), dim.evaluate({{"KV", values[0]}, {"N", values[1]}, {"T", values[2]}}))
        << dim.to_string();
    for (size_t i = 0; i < symbols.size(); ++i)
      EXPECT_EQ((extent.mentions() >> i & 1) != 0, dim.mentions(symbols[i])) << dim.to_string();
  }
}

TEST(Extent, AForeignSymbolIsMisuse) {
  const std::vector<std::string> symbols = {"T"};
  EXPECT_THROW(Extent(Dim::symbol("N"), symbols), std::logic_error);
}

}  // namespace
}  // namespace tenon::runtime
