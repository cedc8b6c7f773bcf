#include "tenon/base/mapped_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

namespace tenon {
namespace {

namespace fs = std::filesystem;

class MappedFileTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "tenon_mapped_XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& content) const {
    const std::string path = (folder_ / name).string();
    std::ofstream(path, std::ios::binary) << content;
    return path;
  }

  fs::path folder_;
};

TEST_F(MappedFileTest, ShowsTheFilesBytes) {
  const std::string path = write("файл 文件 🦙", "some bytes");
  const auto file = MappedFile::open(path);
  ASSERT_TRUE(file.ok()) << file.error().message();
  ASSERT_EQ((*file)->size(), 10u);
  EXPECT_EQ(std::memcmp((*file)->data(), "some bytes", 10), 0);
  EXPECT_EQ((*file)->path(), path);
}

TEST_F(MappedFileTest, AnEmptyFileHasNoBytes) {
  const auto file = MappedFile::open(write("empty", ""));
  ASSERT_TRUE(file.ok()) << file.error().message();
  EXPECT_TRUE((*file)->bytes().empty());
}

TEST_F(MappedFileTest, StaysReadableAfterRemoval) {
  std::string content(5 * 4096 + 100, '\0');
  for (size_t i = 0; i < content.size(); ++i) content[i] = static_cast<char>(i * 31 / 7);
  const std::string path = write("pages", content);
  const auto file = *MappedFile::open(path);
  fs::remove(path);
  EXPECT_EQ(std::memcmp(file->data(), content.data(), content.size()), 0);
}

TEST_F(MappedFileTest, ErrorsNamePathAndReason) {
  EXPECT_EQ(MappedFile::open("").error().message(), "path: wanted the name of a file, found an empty one");
  const std::string absent = (folder_ / "нет").string();
  EXPECT_EQ(MappedFile::open(absent).error().message(),
            absent + ": wanted a readable file, found No such file or directory");
  EXPECT_EQ(MappedFile::open(folder_.string()).error().message(),
            folder_.string() + ": wanted a regular file, found a directory");
  const std::string pipe = (folder_ / "pipe").string();
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const Error error = MappedFile::open(pipe).error();
  EXPECT_EQ(error.code, ErrorCode::kIo);
  EXPECT_EQ(error.message(), pipe + ": wanted a regular file, found a device or pipe");
}

}  // namespace
}  // namespace tenon
