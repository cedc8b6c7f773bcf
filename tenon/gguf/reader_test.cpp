// What the reader hands out for sound files. What it refuses, and in which words, is corpus_test.cpp.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <limits>
#include <string>

#include "tenon/gguf/file.h"
#include "tenon/gguf/writer.h"

namespace tenon::gguf {
namespace {

namespace fs = std::filesystem;

std::vector<std::byte> counting_bytes(size_t size) {
  std::vector<std::byte> out(size);
  for (size_t i = 0; i < size; ++i) out[i] = static_cast<std::byte>(i * 7 + 3);
  return out;
}

std::shared_ptr<const File> parsed(const std::vector<std::byte>& bytes) {
  auto file = File::parse(bytes);
  if (!file.ok()) throw std::runtime_error(file.error().message());
  return *file;
}

// A folder of its own, removed at the end.
class Folder {
 public:
  Folder() {
    std::string pattern = (fs::temp_directory_path() / "tenon_gguf_XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~Folder() { fs::remove_all(path_); }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

template <class T>
class ReaderNumbers : public testing::Test {};
using Numbers =
    testing::Types<uint8_t, int8_t, uint16_t, int16_t, uint32_t, int32_t, uint64_t, int64_t, float, double>;
TYPED_TEST_SUITE(ReaderNumbers, Numbers);

TYPED_TEST(ReaderNumbers, GoThroughAFileUnchanged) {
  using T = TypeParam;
  const std::vector<T> values = {std::numeric_limits<T>::lowest(), T{0}, T{7}, std::numeric_limits<T>::max()};
  Writer writer;
  writer.set("a.key", values)
      .set("low", values.front())
      .set("high", values.back())
      .set("none", std::vector<T>{});
  const auto bytes = writer.to_bytes();
  const auto file = parsed(bytes);
  const Metadata& metadata = file->metadata();
  EXPECT_EQ(*metadata.array<T>("a.key"), values);
  EXPECT_TRUE(metadata.array<T>("none")->empty());
  EXPECT_EQ(metadata.find("a.key")->element, value_type_of<T>());
  EXPECT_EQ(metadata.find("low")->type, value_type_of<T>());
  if constexpr (std::is_floating_point_v<T>) {
    EXPECT_EQ(*metadata.floating("low"), static_cast<double>(values.front()));
    EXPECT_EQ(*metadata.floating("high"), static_cast<double>(values.back()));
  } else {
    EXPECT_EQ(*metadata.unsigned_integer("high"), static_cast<uint64_t>(values.back()));
    if constexpr (!std::is_same_v<T, uint64_t>) {
      EXPECT_EQ(*metadata.signed_integer("low"), static_cast<int64_t>(values.front()));
      EXPECT_EQ(*metadata.integers("a.key"), std::vector<int64_t>(values.begin(), values.end()));
    }
  }
}

TEST(Reader, StringsAndBoolsGoThroughAFileUnchanged) {
  const std::string odd("nul\0, \xff and \xe2\x82\xac", 14);
  Writer writer;
  writer.set("text", odd).set("empty", "").set("yes", true).set("no", false);
  writer.set("words", std::vector<std::string>{"one", "", odd})
      .set("flags", std::vector<bool>{true, false, true});
  const auto bytes = writer.to_bytes();
  const auto file = parsed(bytes);
  const Metadata& metadata = file->metadata();
  EXPECT_EQ(*metadata.string("text"), odd);
  EXPECT_EQ(*metadata.string("empty"), "");
  EXPECT_TRUE(*metadata.boolean("yes"));
  EXPECT_FALSE(*metadata.boolean("no"));
  EXPECT_EQ(*metadata.strings("words"), (std::vector<std::string_view>{"one", "", odd}));
  EXPECT_EQ(*metadata.booleans("flags"), (std::vector<bool>{true, false, true}));
}

TEST(Reader, StringsAreViewsIntoTheFile) {
  Writer writer;
  writer.set("general.architecture", "llama").set("words", std::vector<std::string>{"first", "second"});
  const auto bytes = writer.to_bytes();
  const auto file = parsed(bytes);
  const auto inside = [&](std::string_view text) {
    const auto* begin = reinterpret_cast<const char*>(bytes.data());
    return text.data() >= begin && text.data() + text.size() <= begin + bytes.size();
  };
  EXPECT_TRUE(inside(*file->metadata().architecture()));
  const auto words = *file->metadata().strings("words");
  EXPECT_TRUE(inside(words[0]) && inside(words[1]));
  for (const MetadataEntry& entry : file->metadata().entries()) EXPECT_TRUE(inside(entry.key));
}

TEST(Reader, IntegersConvertWhenTheyFit) {
  Writer writer;
  writer.set("u8", uint8_t{200})
      .set("i16", int16_t{-300})
      .set("u64", UINT64_MAX)
      .set("i64", int64_t{1} << 40);
  writer.set("heads", std::vector<uint16_t>{8, 8, 4}).set("bools", std::vector<bool>{true, false});
  const auto bytes = writer.to_bytes();
  const auto file = parsed(bytes);
  const Metadata& metadata = file->metadata();
  EXPECT_EQ(*metadata.unsigned_integer("u8"), 200u);
  EXPECT_EQ(*metadata.signed_integer("u8"), 200);
  EXPECT_EQ(*metadata.signed_integer("i16"), -300);
  EXPECT_EQ(*metadata.unsigned_integer("u64"), UINT64_MAX);
  EXPECT_EQ(*metadata.unsigned_integer("i64"), uint64_t{1} << 40);
  EXPECT_EQ(*metadata.integers("heads"), (std::vector<int64_t>{8, 8, 4}));
  EXPECT_EQ(*metadata.integers("heads", {ValueType::kI32, ValueType::kU16}), (std::vector<int64_t>{8, 8, 4}));
  EXPECT_EQ(metadata.unsigned_integer("i16").error().found, "-300");
  EXPECT_EQ(metadata.signed_integer("u64").error().found, "18446744073709551615");
  EXPECT_FALSE(metadata.integers("bools").ok());
}

TEST(Reader, AFallbackStandsForAnAbsentKeyOnly) {
  Writer writer;
  writer.set("text", "12").set("number", uint32_t{5}).set("ratio", 0.25f).set("flag", true);
  const auto bytes = writer.to_bytes();
  const auto file = parsed(bytes);
  const Metadata& metadata = file->metadata();
  EXPECT_EQ(*metadata.unsigned_integer("absent", 9), 9u);
  EXPECT_EQ(*metadata.unsigned_integer("number", 9), 5u);
  EXPECT_EQ(metadata.unsigned_integer("text", 9).error().found, "string");
  EXPECT_EQ(*metadata.signed_integer("absent", -9), -9);
  EXPECT_EQ(metadata.signed_integer("ratio", -9).error().found, "f32");
  EXPECT_EQ(*metadata.floating("absent", 1.5), 1.5);
  EXPECT_EQ(*metadata.floating("ratio", 1.5), 0.25);
  EXPECT_EQ(metadata.floating("number", 1.5).error().found, "u32");
  EXPECT_TRUE(*metadata.boolean("absent", true));
  EXPECT_EQ(metadata.boolean("number", true).error().found, "u32");
  EXPECT_EQ(*metadata.string("absent", "none"), "none");
  EXPECT_EQ(metadata.string("flag", "none").error().found, "bool");
}

TEST(Reader, TensorsHaveTheirExtentsOutermostFirst) {
  Writer writer;
  const auto matrix = counting_bytes(3 * 64 / 32 * 34), cube = counting_bytes(2 * 5 * 7 * 2);
  writer.add_tensor("matrix", ElementType::kQ8_0, {3, 64}, matrix);
  writer.add_tensor("cube", ElementType::kF16, {2, 5, 7}, cube);
  writer.add_tensor("scalar", ElementType::kI64, {}, counting_bytes(8));
  const auto bytes = writer.to_bytes();
  const auto file = parsed(bytes);
  ASSERT_EQ(file->tensors().size(), 3u);
  const TensorInfo& first = file->tensors()[0];
  EXPECT_EQ(first.name, "matrix");
  EXPECT_EQ(first.element, ElementType::kQ8_0);
  EXPECT_EQ(first.extents, (std::vector<int64_t>{3, 64}));
  EXPECT_TRUE(std::ranges::equal(first.data, matrix));
  const TensorInfo* second = *file->tensor("cube");
  EXPECT_EQ(second->extents, (std::vector<int64_t>{2, 5, 7}));
  EXPECT_EQ(second->offset, file->data_offset() + 224);  // 3 * 2 blocks of 34 bytes, rounded up to 32
  EXPECT_EQ(second->data.data(), bytes.data() + second->offset);
  EXPECT_TRUE(std::ranges::equal(second->data, cube));
  EXPECT_TRUE(file->find_tensor("scalar")->extents.empty());
  EXPECT_EQ(file->find_tensor("cub"), nullptr);
  EXPECT_EQ(file->alignment(), 32u);
  EXPECT_EQ(file->data_offset() % 32, 0u);
}

TEST(Reader, EveryTypeIdIsEitherRunOrRefusedByName) {
  Writer writer;
  writer.add_tensor("t", ElementType::kI8, {0}, std::span<const std::byte>());
  auto bytes = writer.to_bytes();
  const size_t type_at = 24 + 8 + 1 + 4 + 8;
  for (uint32_t id = 0; id < 43; ++id) {  // 43: GGML_TYPE_COUNT of ggml 0.25
    bytes[type_at] = static_cast<std::byte>(id);
    const auto file = File::parse(bytes);
    ASSERT_EQ(file.ok(), element_type_from_ggml(id).has_value()) << id;
    if (file.ok()) continue;
    EXPECT_EQ(file.error().code, ErrorCode::kUnsupported) << id;
    EXPECT_NE(file.error().found.find("(type " + std::to_string(id) + ")"), std::string::npos);
  }
}

TEST(Reader, ReadsVersions2And3) {
  for (const uint32_t version : {2u, 3u}) {
    Writer writer(version);
    writer.set("general.architecture", "qwen2")
        .add_tensor("t", ElementType::kF32, {2, 2}, counting_bytes(16));
    const auto bytes = writer.to_bytes();
    const auto file = parsed(bytes);
    EXPECT_EQ(file->version(), version);
    EXPECT_EQ(*file->metadata().architecture(), "qwen2");
    EXPECT_TRUE(std::ranges::equal(file->find_tensor("t")->data, counting_bytes(16)));
  }
}

TEST(Reader, OpensPathsByTheirBytes) {
  const Folder folder;
  Writer writer;
  writer.set("general.architecture", "llama").add_tensor("t", ElementType::kF32, {3}, counting_bytes(12));
  for (const char* name : {"модель", "模型", "modèle 🦙", "not\xffutf8"}) {
    const std::string path = (folder.path() / name).string();
    ASSERT_TRUE(writer.write(path).ok()) << name;
    const auto file = File::open(path);
    ASSERT_TRUE(file.ok()) << file.error().message();
    EXPECT_EQ((*file)->mapping()->path(), path);
    EXPECT_EQ((*file)->mapping()->data(), (*file)->bytes().data());
    EXPECT_TRUE(std::ranges::equal((*file)->find_tensor("t")->data, counting_bytes(12)));
    EXPECT_EQ((*file)->located((*file)->tensor("u")).error().where, path + ": tensor 'u'");
  }
}

TEST(Reader, ErrorsNameThePath) {
  const Folder folder;
  const std::string path = (folder.path() / "модель.gguf").string();
  EXPECT_EQ(File::open(path).error().message(),
            path + ": wanted a readable file, found No such file or directory");
  auto bytes = Writer().set("general.architecture", "llama").to_bytes();
  bytes.pop_back();
  std::FILE* out = std::fopen(path.c_str(), "wb");
  ASSERT_NE(out, nullptr);
  std::fwrite(bytes.data(), 1, bytes.size(), out);
  std::fclose(out);
  EXPECT_EQ(File::open(path).error().message(), path +
                                                    ": offset 64, key 'general.architecture': wanted 5 bytes "
                                                    "for a string, found 4 bytes left in the file"
                                                    " (the file is cut short or damaged; fetch it again)");
}

TEST(Reader, AFileKeepsItsOwnerAlive) {
  auto bytes =
      std::make_shared<const std::vector<std::byte>>(Writer().set("general.name", "kept").to_bytes());
  const std::weak_ptr<const std::vector<std::byte>> watch = bytes;
  auto file = *File::parse(*bytes, bytes);
  bytes.reset();
  ASSERT_FALSE(watch.expired());
  EXPECT_EQ(*file->metadata().string("general.name"), "kept");
  file.reset();
  EXPECT_TRUE(watch.expired());
}

TEST(Reader, ShortensLongNamesInErrors) {
  const std::string key(5000, 'k');
  const auto bytes = Writer().set(key, "text").to_bytes();
  const auto file = parsed(bytes);
  const std::string message = file->metadata().boolean(key).error().message();
  EXPECT_LT(message.size(), 200u);
  EXPECT_NE(message.find(key.substr(0, 100) + "…'"), std::string::npos);
}

}  // namespace
}  // namespace tenon::gguf
