// tenon inspect: what people see, what programs read, and that a file's names cannot drive the terminal.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tenon/ir/text.h"
#include "tenon/op/op.h"
#include "tests/e2e/files.h"
#include "tests/e2e/program.h"
#include "tests/fixtures/catalogue.h"

namespace tenon::e2e {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string inspect(std::vector<std::string> flags) {
  flags.insert(flags.begin(), "inspect");
  const Outcome outcome = run(flags);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  return outcome.out;
}

nlohmann::json inspect_json(std::vector<std::string> flags) {
  flags.push_back("--json");
  return nlohmann::json::parse(inspect(flags));
}

TEST(Inspect, OverviewCutsLongValuesAndTellsTheirLength) {
  const std::string out = inspect({smollm2()});
  EXPECT_THAT(out, HasSubstr("GGUF version 3, 93.81 MiB, 272 tensors, 134.52 M parameters"));
  EXPECT_THAT(
      out, testing::ContainsRegex("tokenizer.ggml.tokens +49152 x string +\\[\"<.endoftext.>\", .*…\\]\n"));
  EXPECT_THAT(out, testing::ContainsRegex("llama.context_length +u32 +8192\n"));
  EXPECT_THAT(out, testing::ContainsRegex("q4_1 +210 "));
  EXPECT_THAT(out, testing::ContainsRegex("Attention +30 +30\n"));
  EXPECT_THAT(out, testing::ContainsRegex("VariadicSplit +0 +60\n"));
  EXPECT_LT(out.size(), 10'000u);
}

TEST(Inspect, JsonOfTheOverview) {
  const nlohmann::json found = inspect_json({smollm2()});
  EXPECT_EQ(found["file"]["tensor_count"], 272);
  EXPECT_EQ(found["file"]["parameter_count"], 134515008);
  EXPECT_EQ(found["metadata"]["general.architecture"]["value"], "llama");
  EXPECT_EQ(found["metadata"]["tokenizer.ggml.merges"]["value"].size(), 48900u);
  EXPECT_EQ(found["metadata"]["llama.attention.layer_norm_rms_epsilon"]["value"], 1e-5);
  EXPECT_EQ(found["types"]["q4_1"]["tensors"], 210);
  EXPECT_EQ(found["ops"]["ScatterUpdate"]["inplace"], 60);
  EXPECT_FALSE(found.contains("tensors"));
}

TEST(Inspect, Tensors) {
  EXPECT_THAT(inspect({tiny(), "--tensors"}),
              testing::ContainsRegex("blk.0.attn_k.weight +f32 +\\[32, 64\\] +8192 +[0-9]+\n"));
  const nlohmann::json found = inspect_json({tiny(), "--tensors"});
  EXPECT_EQ(found.size(), 1u) << "parts that were not asked for";
  ASSERT_EQ(found["tensors"].size(), 30u);
  EXPECT_EQ(found["tensors"][0]["name"], "token_embd.weight");
  EXPECT_EQ(found["tensors"][0]["extents"], (std::vector<int>{288, 64}));
}

TEST(Inspect, GraphsAreTheTextForm) {
  for (const std::string form : {"stateless", "inplace"}) {
    SCOPED_TRACE(form);
    const std::string text = inspect({tiny(), "--graph", form});
    const Result<ir::Model> model = ir::parse(text, op::all_schemas());
    ASSERT_TRUE(model.ok()) << model.error().message();
    EXPECT_EQ(ir::print(*model), text);
    EXPECT_EQ(model->count("VariadicSplit"), form == "inplace" ? 6 : 0);
    EXPECT_EQ(inspect_json({tiny(), "--graph", form})["graph"], text);
  }
}

TEST(Inspect, PlanNamesKernels) {
  for (const std::string device : {"cpu", "ref"}) {
    EXPECT_THAT(inspect({tiny(), "--plan", "--device", device}), HasSubstr("plan for " + device));
    const nlohmann::json plan = inspect_json({tiny(), "--plan", "--device", device})["plan"];
    EXPECT_EQ(plan["target"], device);
    EXPECT_GT(plan["lists"].size(), 0u);
    for (const nlohmann::json& list : plan["lists"]) EXPECT_GT(list["steps"].size(), 20u);
  }
}

TEST(Inspect, PassesExplainThemselves) {
  EXPECT_THAT(inspect({tiny(), "--explain-pass", "inplace_kv"}), HasSubstr("inplace_kv: changed the graph"));
  const nlohmann::json off =
      inspect_json({tiny(), "--explain-pass", "inplace_kv", "--kv-layout", "copy"})["pass"];
  EXPECT_EQ(off["changed"], false);

  for (const std::string unknown : {"no_such_pass", ""}) {
    const Outcome outcome = run({"inspect", tiny(), "--explain-pass", unknown});
    EXPECT_EQ(outcome.status, 2);
    const std::string error = only_error(outcome);
    EXPECT_THAT(error, HasSubstr("inplace_kv, lower_set_rows, prune"));
    EXPECT_THAT(error, HasSubstr("found '" + unknown + "'"));
  }
}

TEST(Inspect, NamesAndValuesAreEscaped) {
  gguf::Writer writer = make_model(fixtures::fixture("llama-gqa4x2").spec);
  writer.set("evil.\x1b[2J\nkey", "\x1b[31mred\nline \xff");
  const std::string path = scratch("evil.gguf");
  ASSERT_TRUE(writer.write(path).ok());
  const std::string out = inspect({path});
  EXPECT_THAT(out, Not(HasSubstr("\x1b")));
  EXPECT_THAT(out, HasSubstr("evil.\\x1b[2J\\x0akey"));
  EXPECT_THAT(out, HasSubstr("red\\nline"));
  EXPECT_EQ(inspect_json({path})["metadata"]["evil.\x1b[2J\nkey"]["value"], "\x1b[31mred\nline \xEF\xBF\xBD");
}

TEST(Inspect, ReaderThatGoesAwayIsNoError) {
  const Outcome outcome = run({"inspect", tiny(), "--graph", "inplace"}, {.reader_is_gone = true});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.err, "");
}

}  // namespace
}  // namespace tenon::e2e
