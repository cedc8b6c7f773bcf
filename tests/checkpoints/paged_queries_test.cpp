// L10 on real checkpoints: the first layer's queries of a prompt, paged and not.
#include <gtest/gtest.h>

#include "tenon/arch/architecture.h"
#include "tenon/op/paged_attention.h"
#include "tenon/pass/pipeline.h"
#include "tenon/pass/state/genai.h"
#include "tenon/pass/state/paged.h"
#include "tenon/pass/state/stateful.h"
#include "tests/conform/runtimes.h"
#include "tests/support/breaker.h"

namespace tenon::checkpoints {
namespace {

using op::HostTensor;
using op::HostTensors;

const test::Breaker shifted("L10_checkpoint_positions_off", "paged tokens stand one position further");

constexpr int64_t kTokens = 7;
const std::vector<double> kIds = {504, 2966, 11, 284, 198, 1002, 338};

// Leaves the queries of the first layer and what they need.
ir::Pass only_first_queries() {
  return {"only_first_queries", [](ir::Model& model, ir::PassContext&) -> Result<bool> {
            for (ir::Node* const node : model.topological_order()) {
              if (node->is("PagedAttention")) {
                model.add_result(node->input(op::kPagedQ), "q");
                break;
              }
              if (node->is("Attention")) {
                const ir::Value q =
                    node->input(0).node().is("Convert") ? node->input(0).node().input(0) : node->input(0);
                model.add_result(q.node().input(0), "q");  // before heads and tokens are swapped
                break;
              }
            }
            for (ir::Node* const node : model.topological_order()) {
              const bool other = node->is("Result") && node != model.find_result("q");
              if (other || node->is("Assign")) model.erase(*node);
            }
            model.erase_unreachable();
            const std::vector<ir::Node*> inputs = model.parameters();
            for (ir::Node* const input : inputs) {
              if (input->port_uses(0).empty()) model.erase(*input);
            }
            return true;
          }};
}

ir::Model queries_of(const decoder::Decoder& decoder, std::vector<ir::Pass> form) {
  pass::ConvertOptions options;
  options.extensions = std::move(form);
  options.extensions.push_back(only_first_queries());
  return pass::convert(decoder, options).value();
}

std::vector<double> positions_from(int64_t first) {
  std::vector<double> out;
  for (int64_t t = 0; t < kTokens; ++t) out.push_back(static_cast<double>(first + t));
  return out;
}

class L10_Checkpoint : public testing::TestWithParam<const char*> {};

TEST_P(L10_Checkpoint, FirstQueriesAreBitForBitTheAttentionForms) {
  const auto file = gguf::File::open(TENON_SOURCE_DIR "/models/" + std::string(GetParam()) + ".gguf").value();
  const auto decoder = arch::build_decoder(file).value();
  const ir::Model attention = queries_of(*decoder, {pass::make_stateful()});
  const ir::Model paged = queries_of(*decoder, {pass::make_stateful({.dynamic_batch = true}),
                                                pass::adapt_to_genai(), pass::sdpa_to_paged()});
  const auto i32 = [](const std::vector<double>& values) {
    return HostTensor::of(ElementType::kI32, {1, 1, 1, kTokens}, values);
  };
  const auto i64 = [](const std::vector<double>& values) {
    return HostTensor::of(ElementType::kI64, {kTokens}, values);
  };
  for (const std::string& runtime : conform::runtimes()) {
    SCOPED_TRACE(runtime);
    const auto expected = conform::run_on(
        runtime, attention, {{"inp_tokens", i32(kIds)}, {"inp_pos", i32(positions_from(0))}}, {});
    const auto found = conform::run_on(
        runtime, paged,
        {{"input_ids", i64(kIds)}, {"position_ids", i64(positions_from(shifted.active() ? 1 : 0))}}, {});
    ASSERT_TRUE(expected.ok()) << expected.error().message();
    ASSERT_TRUE(found.ok()) << found.error().message();
    EXPECT_EQ(found->outputs.at("q").extents[0], kTokens);
    EXPECT_TRUE(found->outputs.at("q").bytes == expected->outputs.at("q").bytes);
  }
}

INSTANTIATE_TEST_SUITE_P(Models, L10_Checkpoint,
                         testing::Values("SmolLM2-135M-Instruct-Q4_1", "Qwen2.5-Coder-0.5B-Instruct-Q4_K_M"),
                         [](const auto& model) {
                           return std::string(model.index == 0 ? "SmolLM2" : "Qwen");
                         });

}  // namespace
}  // namespace tenon::checkpoints
