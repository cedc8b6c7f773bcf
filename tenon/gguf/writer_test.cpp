#include "tenon/gguf/writer.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tenon/gguf/file.h"

namespace tenon::gguf {
namespace {

std::string text_of(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string raw(std::initializer_list<int> bytes) { return {bytes.begin(), bytes.end()}; }

// The layout that ggml's docs/gguf.md describes, byte by byte.
TEST(Writer, LaysTheFileOutAsTheFormatSays) {
  Writer writer;
  writer.set_alignment(8).set("k", int16_t{-2}).set("w", std::vector<std::string>{"ab"});
  const float values[] = {1.0f, -2.0f, 0.5f};
  writer.add_tensor("t", ElementType::kF32, {1, 3}, std::as_bytes(std::span(values)));
  const std::string expected =
      "GGUF" + raw({3, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0}) +  // version, counts
      raw({17, 0, 0, 0, 0, 0, 0, 0}) + "general.alignment" + raw({4, 0, 0, 0, 8, 0, 0, 0}) +  // u32 8
      raw({1, 0, 0, 0, 0, 0, 0, 0}) + "k" + raw({3, 0, 0, 0, 0xfe, 0xff}) +                   // i16 -2
      raw({1, 0, 0, 0, 0, 0, 0, 0}) + "w" + raw({9, 0, 0, 0, 8, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0}) +
      raw({2, 0, 0, 0, 0, 0, 0, 0}) + "ab" +                     // array of one string
      raw({1, 0, 0, 0, 0, 0, 0, 0}) + "t" + raw({2, 0, 0, 0}) +  // rank
      raw({3, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0}) +    // ne, innermost first
      raw({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}) +                // type f32, offset
      std::string(4, '\0') +                                     // 148 bytes to 152
      raw({0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0, 0, 0, 0, 0x3f}) + std::string(4, '\0');
  EXPECT_EQ(text_of(writer.to_bytes()), expected);
}

TEST(Writer, GivesEqualBytesForEqualCalls) {
  const auto make = [] {
    Writer writer(2);
    writer.set("a", 1.5).set("b", std::vector<bool>{true, false});
    writer.add_tensor("t", ElementType::kQ4_0, {2, 32}, [](std::span<std::byte> data) {
      for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::byte>(i);
    });
    return writer;
  };
  EXPECT_EQ(make().to_bytes(), make().to_bytes());
  const auto path = std::filesystem::temp_directory_path() / ("tenon_writer_" + std::to_string(::getpid()));
  ASSERT_TRUE(make().write(path.string()).ok());
  std::ifstream in(path, std::ios::binary);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), text_of(make().to_bytes()));
  std::filesystem::remove(path);
}

TEST(Writer, FillsTensorsFromACallback) {
  Writer writer;
  writer.add_tensor("t", ElementType::kI8, {2, 5}, [](std::span<std::byte> data) {
    ASSERT_EQ(data.size(), 10u);
    data[9] = std::byte{9};
  });
  const auto bytes = writer.to_bytes();
  const auto file = File::parse(bytes);
  ASSERT_TRUE(file.ok()) << file.error().message();
  EXPECT_EQ((*file)->find_tensor("t")->data[0], std::byte{0});
  EXPECT_EQ((*file)->find_tensor("t")->data[9], std::byte{9});
}

TEST(Writer, NamesThePathThatItCannotWrite) {
  EXPECT_EQ(
      Writer().write("/no/such/folder/модель.gguf").error().message(),
      "/no/such/folder/модель.gguf: wanted a file that can be written, found No such file or directory");
  EXPECT_EQ(Writer().write("/dev/full").error().message(),
            "/dev/full: wanted a file that can be written, found No space left on device");
}

template <class Call>
std::string misuse(const Call& call) {
  try {
    call();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "nothing thrown";
}

TEST(Writer, ThrowsOnMisuse) {
  Writer writer;
  const std::vector<std::byte> data(12);
  writer.set("k", true).add_tensor("t", ElementType::kF32, {3}, data);
  const auto before = writer.to_bytes();
  EXPECT_EQ(misuse([] { Writer(1); }), "[gguf::Writer::Writer] version must be 2 or 3, not 1");
  EXPECT_EQ(misuse([&] { writer.set("k", 1.0f); }), "[gguf::Writer::set] key k is set twice");
  EXPECT_EQ(misuse([&] { writer.set("", 1.0f); }), "[gguf::Writer::set] a key is empty");
  EXPECT_EQ(misuse([&] { writer.set_alignment(48); }),
            "[gguf::Writer::set_alignment] 48 is not a power of two");
  EXPECT_EQ(misuse([&] { writer.add_tensor("t", ElementType::kF32, {3}, data); }),
            "[gguf::Writer::add_tensor] tensor t is added twice");
  EXPECT_EQ(misuse([&] { writer.add_tensor("", ElementType::kF32, {3}, data); }),
            "[gguf::Writer::add_tensor] a name is empty");
  EXPECT_EQ(misuse([&] { writer.add_tensor("u", ElementType::kF32, {4}, data); }),
            "[gguf::Writer::add_tensor] tensor u has 16 bytes, not 12");
  EXPECT_EQ(misuse([&] {
              writer.add_tensor("u", ElementType::kQ8_0, {2, 16}, data);
            }),
            "[gguf::Writer::add_tensor] tensor u: extents do not fit the type");
  EXPECT_EQ(misuse([&] { writer.add_tensor("u", ElementType::kF32, {-3}, data); }),
            "[gguf::Writer::add_tensor] tensor u: extents do not fit the type");
  EXPECT_EQ(misuse([&] { writer.add_tensor("u", ElementType::kU8, {12}, data); }),
            "[gguf::Writer::add_tensor] tensor u: GGUF has no type u8");
  EXPECT_EQ(writer.to_bytes(), before);
}

}  // namespace
}  // namespace tenon::gguf
