#include "tenon/arch/blocks/ssm_hyperparameters.h"

#include <gtest/gtest.h>

#include <map>

#include "tenon/gguf/file.h"
#include "tenon/gguf/writer.h"

namespace tenon::arch {
namespace {

// The keys of a small model; `changes` replace them by name.
Result<SsmHyperparameters> read(const std::map<std::string, uint32_t>& changes = {}) {
  std::map<std::string, uint32_t> keys = {
      {"conv_kernel", 3}, {"inner_size", 96}, {"state_size", 40}, {"time_step_rank", 4}, {"group_count", 2}};
  for (const auto& [key, value] : changes) keys[key] = value;
  gguf::Writer writer;
  writer.set("general.architecture", "mamba2");
  for (const auto& [key, value] : keys) writer.set("mamba2.ssm." + key, value);
  const std::vector<std::byte> bytes = writer.to_bytes();
  const auto file = gguf::File::parse(bytes).value();
  return read_ssm_hyperparameters(ArchitectureKeys(file->metadata(), "mamba2"));
}

void expect_refused(const Result<SsmHyperparameters>& found, const std::string& message) {
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().code, ErrorCode::kInvalidFile);
  EXPECT_EQ(found.error().message(), message);
}

TEST(SsmHyperparameters, AreReadFromTheMetadata) {
  const SsmHyperparameters ssm = read().value();
  EXPECT_EQ(ssm.kernel, 3);
  EXPECT_EQ(ssm.inner, 96);
  EXPECT_EQ(ssm.state, 40);
  EXPECT_EQ(ssm.heads, 4);
  EXPECT_EQ(ssm.groups, 2);
  EXPECT_EQ(ssm.head_size(), 24);
  EXPECT_EQ(ssm.channels(), 96 + 2 * 2 * 40);
}

TEST(SsmHyperparameters, WhatCannotBeIsRefusedByKey) {
  expect_refused(read({{"conv_kernel", 1}}), "mamba2.ssm.conv_kernel: wanted 2 taps or more, found 1");
  expect_refused(read({{"inner_size", 98}}),
                 "mamba2.ssm.inner_size: wanted a multiple of the 4 heads, found 98");
  expect_refused(read({{"group_count", 3}}),
                 "mamba2.ssm.group_count: wanted a divisor of the 4 heads, found 3");
  EXPECT_FALSE(read({{"time_step_rank", 0}}).ok());
}

}  // namespace
}  // namespace tenon::arch
