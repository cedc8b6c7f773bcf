// Files that cannot run: every command refuses them by one line that names the place, and exit status 1.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <stdexcept>

#include "tests/e2e/files.h"
#include "tests/e2e/program.h"

namespace tenon::e2e {
namespace {

using testing::HasSubstr;

// The place behind `text`, which occurs in the tiny model's head.
size_t after(const std::string& bytes, std::string_view text) {
  const size_t found = bytes.find(text);
  if (found == std::string::npos) throw std::logic_error("[file_errors_test] no such text");
  return found + text.size();
}

std::string truncated() {
  const std::string bytes = tiny_bytes();
  return write_scratch("truncated.gguf", bytes.substr(0, bytes.size() * 3 / 4));
}

// A tensor's record is its name, the number of extents u32, extents u64, type u32, offset u64.
std::string bad_offset() {
  std::string bytes = tiny_bytes();
  const uint64_t far = uint64_t{1} << 40;
  std::memcpy(bytes.data() + after(bytes, "blk.1.attn_norm.weight") + 4 + 8 + 4, &far, sizeof far);
  return write_scratch("bad_offset.gguf", bytes);
}

std::string missing_tensor() {
  std::string bytes = tiny_bytes();
  bytes.replace(after(bytes, "blk.1.ffn_up") - 2, 2, "xx");
  return write_scratch("missing_tensor.gguf", bytes);
}

// A key's record is its name, the value's type u32, the value.
std::string mistyped_key() {
  constexpr uint32_t kFloat = 6;
  std::string bytes = tiny_bytes();
  std::memcpy(bytes.data() + after(bytes, "llama.block_count"), &kFloat, sizeof kFloat);
  return write_scratch("mistyped_key.gguf", bytes);
}

// A string is its length u64 and its characters.
std::string unknown_architecture() {
  std::string bytes = tiny_bytes();
  bytes.replace(after(bytes, "general.architecture") + 4 + 8, 5, "snail");
  return write_scratch("unknown_architecture.gguf", bytes);
}

struct Damaged {
  std::string path;   // which every error names first
  std::string names;  // what it must name, too
  std::string found;
};

std::vector<Damaged> damaged_files() {
  return {
      {scratch("not_there.gguf"), "", "No such file"},
      {write_scratch("text.gguf", "once upon a time"), "", "magic"},
      {truncated(), "", "bytes"},
      {bad_offset(), "blk.1.attn_norm.weight", "1099511627776"},
      {unknown_architecture(), "general.architecture", "snail"},
      {missing_tensor(), "blk.1.ffn_up.weight", ""},
      {mistyped_key(), "llama.block_count", "f32"},
  };
}

void expect_refusal(const Outcome& outcome, const Damaged& damaged) {
  EXPECT_EQ(outcome.status, 1);
  const std::string error = only_error(outcome);
  EXPECT_THAT(error, testing::StartsWith(damaged.path + ": "));
  EXPECT_THAT(error, HasSubstr(damaged.names));
  EXPECT_THAT(error, HasSubstr(damaged.found));
}

TEST(FileErrors, EveryCommandRefusesByName) {
  for (const Damaged& damaged : damaged_files()) {
    SCOPED_TRACE(damaged.path);
    const Outcome answer = run({"run", damaged.path, "--raw", "-p", "a"});
    expect_refusal(answer, damaged);
    EXPECT_EQ(answer.out, "");
    expect_refusal(run({"inspect", damaged.path}), damaged);
    expect_refusal(run({"logits", damaged.path, "--tokens", "1", "-o", scratch("never.npy")}), damaged);
  }
}

TEST(FileErrors, BenchRefusesByName) {
  for (const Damaged& damaged : damaged_files()) {
    for (const std::string format : {"md", "json"}) {
      const Outcome outcome = run({"bench", damaged.path, "-p", "1", "-n", "0", "-o", format});
      expect_refusal(outcome, damaged);
      EXPECT_EQ(outcome.out, "");
    }
  }
}

TEST(FileErrors, TokenizerThatIsMissingIsNamedWithTheFile) {
  std::string bytes = tiny_bytes();
  bytes.replace(after(bytes, "tokenizer.ggml.mode") - 2, 2, "xx");
  const Damaged damaged = {write_scratch("no_tokenizer.gguf", bytes), "tokenizer.ggml.model", ""};
  expect_refusal(run({"run", damaged.path, "--raw", "-p", "a"}), damaged);
}

TEST(FileErrors, EmptyPathsAreToldInWords) {
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"run", "", "-p", "a"},
                                                    {"inspect", ""},
                                                    {"bench", ""},
                                                    {"logits", "", "--tokens", "1", "-o", "x.npy"},
                                                    {"logits", tiny(), "--tokens", "1", "-o", ""}}) {
    SCOPED_TRACE(testing::PrintToString(arguments));
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.status, 1);
    EXPECT_THAT(only_error(outcome), HasSubstr("wanted the name of a file, found an empty one"));
  }
}

// What cannot run can still be looked at.
TEST(FileErrors, InspectShowsWhatItCould) {
  const Outcome outcome = run({"inspect", unknown_architecture()});
  EXPECT_THAT(outcome.out, HasSubstr("llama.block_count"));
}

}  // namespace
}  // namespace tenon::e2e
