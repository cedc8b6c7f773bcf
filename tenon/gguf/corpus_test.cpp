// Every file of tests/fuzz/corpus/gguf through the reader: each must end as the manifest beside it says, so
// that each check of the reader has a file that trips it.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tenon/gguf/file.h"

namespace tenon::gguf {
namespace {

namespace fs = std::filesystem;

constexpr char kFolder[] = TENON_SOURCE_DIR "/tests/fuzz/corpus/gguf";

struct Row {
  std::string file, query, code, message;
};

std::vector<Row> manifest() {
  std::ifstream in(std::string(kFolder) + ".tsv");
  std::vector<Row> rows;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream fields(line);
    Row row;
    std::getline(fields, row.file, '\t');
    std::getline(fields, row.query, '\t');
    std::getline(fields, row.code, '\t');
    std::getline(fields, row.message, '\t');
    rows.push_back(row);
  }
  return rows;
}

template <class T>
Status status_of(const Result<T>& result) {
  return result.ok() ? Status() : Status(result.error());
}

// The accessors that the manifest's queries name.
const std::map<std::string, std::function<Status(const File&, const std::string&)>> kAccessors = {
    {"array_f32",
     [](const File& f, const std::string& k) { return status_of(f.metadata().array<float>(k)); }},
    {"boolean", [](const File& f, const std::string& k) { return status_of(f.metadata().boolean(k)); }},
    {"booleans", [](const File& f, const std::string& k) { return status_of(f.metadata().booleans(k)); }},
    {"floating", [](const File& f, const std::string& k) { return status_of(f.metadata().floating(k)); }},
    {"integers", [](const File& f, const std::string& k) { return status_of(f.metadata().integers(k)); }},
    {"integers_i32_u32",
     [](const File& f, const std::string& k) {
       return status_of(f.metadata().integers(k, {ValueType::kI32, ValueType::kU32}));
     }},
    {"signed_integer",
     [](const File& f, const std::string& k) { return status_of(f.metadata().signed_integer(k)); }},
    {"string", [](const File& f, const std::string& k) { return status_of(f.metadata().string(k)); }},
    {"strings", [](const File& f, const std::string& k) { return status_of(f.metadata().strings(k)); }},
    {"tensor", [](const File& f, const std::string& k) { return status_of(f.tensor(k)); }},
    {"unsigned_integer",
     [](const File& f, const std::string& k) { return status_of(f.metadata().unsigned_integer(k)); }},
};

Status outcome(const Row& row, const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string content{std::istreambuf_iterator<char>(in), {}};
  const auto file = File::parse(std::as_bytes(std::span(content)));
  if (!file.ok() || row.query == "open") return status_of(file);
  const size_t space = row.query.find(' ');
  return kAccessors.at(row.query.substr(0, space))(**file, row.query.substr(space + 1));
}

TEST(GgufCorpus, EveryFileEndsAsTheManifestSays) {
  const std::vector<Row> rows = manifest();
  ASSERT_GT(rows.size(), 100u);
  for (const Row& row : rows) {
    SCOPED_TRACE(row.file);
    const fs::path path = fs::path(kFolder) / row.file;
    ASSERT_TRUE(fs::exists(path));
    const Status status = outcome(row, path);
    if (row.code == "ok") {
      EXPECT_TRUE(status.ok()) << status.error().message();
      continue;
    }
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(error_code_name(status.error().code), row.code);
    EXPECT_EQ(status.error().message().substr(0, row.message.size()), row.message);
  }
}

TEST(GgufCorpus, TheManifestNamesEveryFile) {
  std::set<std::string> listed, present;
  for (const Row& row : manifest()) listed.insert(row.file);
  for (const auto& entry : fs::directory_iterator(kFolder)) present.insert(entry.path().filename());
  EXPECT_EQ(listed, present);
}

// A reader that is handed any front part of a sound file must refuse it or find all that it hands out inside.
TEST(GgufCorpus, EveryPrefixOfASoundFileIsRefusedUpToItsData) {
  for (const char* name : {"keys.gguf", "tensors.gguf", "alignment_64.gguf"}) {
    SCOPED_TRACE(name);
    std::ifstream in(fs::path(kFolder) / name, std::ios::binary);
    const std::string content{std::istreambuf_iterator<char>(in), {}};
    const auto whole = File::parse(std::as_bytes(std::span(content)));
    ASSERT_TRUE(whole.ok());
    // What follows the last tensor's last byte is padding, which may be missing.
    uint64_t needed = content.size();
    if (!(*whole)->tensors().empty()) {
      const TensorInfo& last = (*whole)->tensors().back();
      needed = last.offset + last.data.size();
    }
    for (size_t size = 0; size < content.size(); ++size) {
      const std::vector<char> part(content.begin(), content.begin() + static_cast<std::ptrdiff_t>(size));
      EXPECT_EQ(File::parse(std::as_bytes(std::span(part))).ok(), size >= needed) << size;
    }
  }
}

}  // namespace
}  // namespace tenon::gguf
