#include "tenon/rewrite/exact_model.h"

#include <gtest/gtest.h>

#include <cstring>

#include "tenon/quant/block_format.h"
#include "tests/fixtures/catalogue.h"

namespace tenon::rewrite {
namespace {

std::shared_ptr<const gguf::File> parsed(const gguf::Writer& writer) {
  const auto bytes = std::make_shared<std::vector<std::byte>>(writer.to_bytes());
  return gguf::File::parse(*bytes, bytes).value();
}

// The decoders themselves are held against ggml's, bit for bit, in tenon/quant.
TEST(ExactModel, HoldsTheValuesOfEveryBlock) {
  const auto source = parsed(make_model(fixtures::fixture("llama-mixed-types").spec));
  const auto exact = parsed(exact_model(source, 2));
  ASSERT_EQ(exact->tensors().size(), source->tensors().size());
  int blocks = 0;
  for (size_t i = 0; i < source->tensors().size(); ++i) {
    const gguf::TensorInfo &before = source->tensors()[i], &after = exact->tensors()[i];
    EXPECT_EQ(after.name, before.name);
    EXPECT_EQ(after.extents, before.extents);
    EXPECT_EQ(after.element, ElementType::kF32) << before.name;
    std::vector<float> values(after.data.size() / sizeof(float));
    quant::block_format(before.element)
        .decode_row(before.data.data(), values.data(), static_cast<int64_t>(values.size()));
    EXPECT_EQ(std::memcmp(values.data(), after.data.data(), after.data.size()), 0) << before.name;
    blocks += is_block(before.element) ? 1 : 0;
  }
  EXPECT_GT(blocks, 4);
}

TEST(ExactModel, KeepsKeysAndTensorsThatAreNoWeights) {
  gguf::Writer writer(2);
  const std::vector<std::byte> ids(12, std::byte{5});
  writer.set_alignment(64);
  writer.set("general.architecture", "llama").set("general.file_type", uint32_t{15}).set("b", true);
  writer.set("names", std::vector<std::string>{"a", "", "c"}).set("numbers", std::vector<int64_t>{-1, 2});
  writer.add_tensor("ids", ElementType::kI32, {3}, ids);
  const auto source = parsed(writer);
  const auto exact = parsed(exact_model(source, 1));
  EXPECT_EQ(exact->version(), 2u);
  EXPECT_EQ(exact->alignment(), 64u);
  EXPECT_EQ(exact->metadata().unsigned_integer("general.file_type").value(), 0u);
  ASSERT_EQ(exact->metadata().entries().size(), source->metadata().entries().size());
  for (size_t i = 0; i < source->metadata().entries().size(); ++i) {
    const gguf::MetadataEntry &before = source->metadata().entries()[i],
                              &after = exact->metadata().entries()[i];
    EXPECT_EQ(after.key, before.key);
    EXPECT_EQ(after.type, before.type);
    EXPECT_EQ(after.element, before.element);
    if (before.key == "general.file_type") continue;
    EXPECT_TRUE(std::ranges::equal(after.payload, before.payload)) << before.key;
  }
  EXPECT_EQ(exact->tensor("ids").value()->element, ElementType::kI32);
  EXPECT_TRUE(std::ranges::equal(exact->tensor("ids").value()->data, ids));
}

TEST(ExactModel, GivesAFileWithoutAFileTypeOne) {
  gguf::Writer writer;
  writer.set("general.architecture", "llama");
  EXPECT_EQ(parsed(exact_model(parsed(writer), 1))->metadata().unsigned_integer("general.file_type").value(),
            0u);
}

}  // namespace
}  // namespace tenon::rewrite
