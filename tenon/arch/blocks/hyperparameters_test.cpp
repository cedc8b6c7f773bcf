#include "tenon/arch/blocks/hyperparameters.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "tenon/gguf/writer.h"

namespace tenon::arch {
namespace {

using Setter = std::function<void(gguf::Writer&)>;

template <class T>
Setter value(std::string key, T given) {
  return [=](gguf::Writer& writer) { writer.set(key, given); };
}

// The keys of a small model; `changes` replace them by key, an empty one leaves the key out.
std::shared_ptr<const gguf::File> file_with(const std::map<std::string, Setter>& changes) {
  std::map<std::string, Setter> keys;
  const auto put = [&](const std::string& key, auto given) { keys[key] = value("llama." + key, given); };
  put("block_count", uint32_t{2});
  put("embedding_length", uint32_t{64});
  put("attention.head_count", uint32_t{4});
  put("attention.head_count_kv", uint32_t{2});
  put("feed_forward_length", uint32_t{96});
  put("context_length", uint32_t{512});
  put("attention.layer_norm_rms_epsilon", 1e-5f);
  for (const auto& [key, change] : changes) keys[key] = change;
  gguf::Writer writer;
  writer.set("general.architecture", "llama");
  for (const auto& [key, set] : keys) {
    if (set) set(writer);
  }
  const auto bytes = std::make_shared<std::vector<std::byte>>(writer.to_bytes());
  return gguf::File::parse(*bytes, bytes).value();
}

Result<Hyperparameters> read(const std::string& key, Setter change) {
  return read_hyperparameters(*file_with({{key, std::move(change)}}));
}

void expect_refused(const Result<Hyperparameters>& found, ErrorCode code, std::string_view message) {
  ASSERT_FALSE(found.ok()) << message;
  EXPECT_EQ(found.error().code, code) << found.error().message();
  EXPECT_NE(found.error().message().find(message), std::string::npos) << found.error().message();
}

TEST(Hyperparameters, ComeFromTheArchitecturesKeys) {
  const Hyperparameters h = read_hyperparameters(*file_with({})).value();
  EXPECT_EQ(h.architecture, "llama");
  EXPECT_EQ(h.layers, 2);
  EXPECT_EQ(h.heads, 4);
  EXPECT_EQ(h.kv_heads, 2);
  EXPECT_EQ(h.head_size, 16);
  EXPECT_EQ(h.rope.n_rot, 16);
  EXPECT_EQ(h.rope.original_context, 512);
  EXPECT_EQ(h.rope.freq_base, 10000);
  EXPECT_EQ(h.vocabulary, 0);
}

TEST(Hyperparameters, HeadCountsMayComePerLayerIfEqual) {
  const auto per_layer = [](std::vector<uint32_t> counts) {
    return value("llama.attention.head_count", std::move(counts));
  };
  EXPECT_EQ(read("attention.head_count", per_layer({4, 4})).value().heads, 4);
  expect_refused(read("attention.head_count", per_layer({4, 8})), ErrorCode::kUnsupported,
                 "llama.attention.head_count: wanted the same count in every layer, found 4 and 8");
  expect_refused(read("attention.head_count", per_layer({4})), ErrorCode::kInvalidFile,
                 "llama.attention.head_count: wanted 2 counts, one for each layer, found 1");
}

TEST(Hyperparameters, HeadsOfTheirOwnSize) {
  const Hyperparameters h =
      read_hyperparameters(
          *file_with({{"attention.key_length", value("llama.attention.key_length", uint32_t{24})},
                      {"attention.value_length", value("llama.attention.value_length", uint32_t{24})}}))
          .value();
  EXPECT_EQ(h.head_size, 24);
  EXPECT_EQ(h.rope.n_rot, 24);
  expect_refused(read("attention.key_length", value("llama.attention.key_length", uint32_t{24})),
                 ErrorCode::kUnsupported,
                 "llama.attention.value_length: wanted the key length, 24, found 16");
}

TEST(Hyperparameters, ExpertsAreCounted) {
  const auto read_experts = [](std::map<std::string, Setter> changes) {
    changes.try_emplace("expert_count", value("llama.expert_count", uint32_t{8}));
    changes.try_emplace("expert_used_count", value("llama.expert_used_count", uint32_t{3}));
    return read_hyperparameters(*file_with(changes), FeedForwardKind::kExperts);
  };
  const ExpertCounts counts = read_experts({}).value().experts;
  EXPECT_EQ(counts.count, 8);
  EXPECT_EQ(counts.used, 3);
  EXPECT_EQ(counts.feed_forward, 32);  // 96 / 3
  const char* const width = "llama.expert_feed_forward_length";
  EXPECT_EQ(read_experts({{width, value(width, uint32_t{48})}}).value().experts.feed_forward, 48);
  expect_refused(read_experts({{"expert_used_count", value("llama.expert_used_count", uint32_t{9})}}),
                 ErrorCode::kInvalidFile, "llama.expert_used_count: wanted at most the 8 experts, found 9");
  expect_refused(read_experts({{"expert_used_count", nullptr}}), ErrorCode::kInvalidFile,
                 "llama.expert_used_count");
  const char* const groups = "llama.expert_group_count";
  expect_refused(read_experts({{groups, value(groups, uint32_t{4})}}), ErrorCode::kUnsupported,
                 "llama.expert_group_count: wanted experts that are chosen from one group, found 4");
}

TEST(Hyperparameters, KeyValueHeadsDefaultToTheHeads) {
  EXPECT_EQ(read("attention.head_count_kv", nullptr).value().kv_heads, 4);
}

TEST(Hyperparameters, RefusesByKeyWhatIsWrong) {
  const ErrorCode invalid = ErrorCode::kInvalidFile;
  expect_refused(read("block_count", nullptr), invalid, "llama.block_count");
  expect_refused(read("block_count", value("llama.block_count", std::string_view("two"))), invalid,
                 "llama.block_count");
  expect_refused(read("block_count", value("llama.block_count", uint32_t{0})), invalid, "llama.block_count");
  expect_refused(read("attention.head_count", value("llama.attention.head_count", 4.0f)), invalid,
                 "llama.attention.head_count");
  expect_refused(read("attention.head_count", value("llama.attention.head_count", uint32_t{0})), invalid,
                 "llama.attention.head_count: wanted a count from 1");
  expect_refused(read("attention.head_count", value("llama.attention.head_count", uint32_t{3})), invalid,
                 "llama.attention.head_count_kv: wanted a divisor of the 3 heads, found 2");
  expect_refused(read("embedding_length", value("llama.embedding_length", uint32_t{66})), invalid,
                 "llama.embedding_length: wanted a multiple of the 4 heads, found 66");
  expect_refused(read("embedding_length", value("llama.embedding_length", uint64_t{1} << 40)), invalid,
                 "llama.embedding_length");
  expect_refused(read("rope.freq_base", value("llama.rope.freq_base", uint32_t{10000})), invalid,
                 "llama.rope.freq_base");
  expect_refused(read("rope.dimension_count", value("llama.rope.dimension_count", uint32_t{18})),
                 ErrorCode::kInvalidFile,
                 "llama.rope.dimension_count: wanted at most the head size, 16, found 18");
  expect_refused(read("expert_count", value("llama.expert_count", uint32_t{8})), ErrorCode::kUnsupported,
                 "llama.expert_count: wanted a model without experts, found 8");
  EXPECT_TRUE(read("expert_count", value("llama.expert_count", uint32_t{0})).ok());
  expect_refused(read("attention.causal", value("llama.attention.causal", false)), ErrorCode::kUnsupported,
                 "llama.attention.causal");
}

TEST(Hyperparameters, RopeScaling) {
  const auto scaled = [](std::map<std::string, Setter> changes) {
    return read_hyperparameters(*file_with(changes));
  };
  const Setter factor = value("llama.rope.scaling.factor", 4.0f);
  const auto kind = [](std::string_view name) { return value("llama.rope.scaling.type", name); };

  EXPECT_EQ(scaled({{"rope.scaling.factor", factor}}).value().rope.freq_scale,
            0.25);  // linear without a type
  EXPECT_EQ(scaled({{"rope.scale_linear", value("llama.rope.scale_linear", 2.0f)}}).value().rope.freq_scale,
            0.5);
  EXPECT_EQ(
      scaled({{"rope.scaling.factor", factor}, {"rope.scaling.type", kind("none")}}).value().rope.freq_scale,
      1);

  const decoder::RopeAttributes yarn =
      scaled({{"rope.scaling.factor", factor},
              {"rope.scaling.type", kind("yarn")},
              {"rope.scaling.original_context_length",
               value("llama.rope.scaling.original_context_length", uint32_t{128})}})
          .value()
          .rope;
  EXPECT_EQ(yarn.freq_scale, 0.25);
  EXPECT_EQ(yarn.ext_factor, 1);
  EXPECT_EQ(yarn.original_context, 128);
  expect_refused(scaled({{"rope.scaling.type", kind("dynamic")}}), ErrorCode::kUnsupported,
                 "llama.rope.scaling.type: wanted none, linear, longrope or yarn, found 'dynamic'");
}

}  // namespace
}  // namespace tenon::arch
