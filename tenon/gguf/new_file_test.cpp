#include "tenon/gguf/new_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace tenon::gguf {
namespace {

namespace fs = std::filesystem;

class NewFile : public testing::Test {
 protected:
  NewFile() : folder_(fs::temp_directory_path() / ("tenon_new_file_" + std::to_string(::getpid()))) {
    fs::create_directory(folder_);
    writer_.set("k", uint32_t{7});
    writer_.add_tensor_in_parts("t", ElementType::kI8, {5, int64_t{7} << 20},
                                [](uint64_t offset, std::span<std::byte> data) {
                                  for (size_t i = 0; i < data.size(); ++i) {
                                    data[i] = static_cast<std::byte>((offset + i) % 251);
                                  }
                                });
  }
  ~NewFile() override { fs::remove_all(folder_); }

  std::string path() const { return folder_ / "model.gguf"; }
  void put(const std::string& text) const { std::ofstream(path()) << text; }
  std::string text() const {
    std::ifstream in(path(), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  int64_t files() const { return std::distance(fs::directory_iterator(folder_), {}); }

  fs::path folder_;
  Writer writer_;
};

TEST_F(NewFile, HoldsWhatTheWriterGives) {
  uint64_t last = 0;
  int calls = 0;
  const auto progress = [&](uint64_t written, uint64_t all) {
    EXPECT_GT(written, last);
    EXPECT_EQ(all, writer_.file_bytes());
    last = written;
    return ++calls > 0;
  };
  ASSERT_TRUE(write_new_file(writer_, path(), {.progress = progress}).ok());
  EXPECT_EQ(last, writer_.file_bytes());
  EXPECT_EQ(calls, 4) << "the head, and 35 MiB in parts of 16";
  const auto bytes = writer_.to_bytes();
  EXPECT_EQ(text(), std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  EXPECT_EQ(files(), 1);
}

TEST_F(NewFile, TakesNoOtherFilesNameUnlessTold) {
  put("mine");
  EXPECT_EQ(write_new_file(writer_, path()).error().message(),
            path() +
                ": wanted a new file, found one that is there already (choose another name, or replace "
                "it with --force)");
  EXPECT_EQ(text(), "mine");
  ASSERT_TRUE(write_new_file(writer_, path(), {.replace = true}).ok());
  EXPECT_THAT(text(), testing::StartsWith("GGUF"));
}

TEST_F(NewFile, LeavesNothingWhenStopped) {
  put("mine");
  const auto stopped = write_new_file(
      writer_, path(),
      {.replace = true, .progress = [](uint64_t written, uint64_t) { return written < 1024; }});
  EXPECT_EQ(stopped.error().code, ErrorCode::kCancelled);
  EXPECT_EQ(text(), "mine");
  EXPECT_EQ(files(), 1);
}

TEST_F(NewFile, AsksForRoomFirst) {
  writer_.add_tensor_in_parts("huge", ElementType::kI8, {int64_t{1} << 20, int64_t{1} << 34},
                              [](uint64_t, std::span<std::byte>) { ADD_FAILURE() << "nothing is made"; });
  EXPECT_THAT(write_new_file(writer_, path()).error().message(),
              testing::MatchesRegex(".*model.gguf: wanted room for [0-9]+ bytes \\(16777216.03 GiB\\), found "
                                    "[0-9]+ bytes .* free .*"));
  EXPECT_EQ(files(), 0);
}

TEST_F(NewFile, NamesThePathThatItCannotWrite) {
  EXPECT_EQ(write_new_file(writer_, "/no/such/folder/x.gguf").error().message(),
            "/no/such/folder/x.gguf: wanted a file that can be written, found No such file or directory");
  EXPECT_THAT(write_new_file(writer_, folder_.string(), {.replace = true}).error().message(),
              testing::HasSubstr("wanted a new file or a regular one"));
}

}  // namespace
}  // namespace tenon::gguf
