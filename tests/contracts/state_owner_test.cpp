// S1, S3: the decoder knows no owner of the state; the caller's passes come first, in the caller's order.
#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <sstream>

#include "tenon/ir/text.h"
#include "tenon/op/build.h"
#include "tenon/op/concat.h"
#include "tenon/op/elementwise.h"
#include "tenon/pass/lower_set_rows.h"
#include "tenon/pass/state/genai.h"
#include "tenon/pass/state/inplace.h"
#include "tenon/pass/state/paged.h"
#include "tenon/pass/state/stateful.h"
#include "tests/contracts/cache_graphs.h"
#include "tests/contracts/forms.h"
#include "tests/contracts/model_queries.h"
#include "tests/contracts/state_forms.h"
#include "tests/contracts/tiny_transformer.h"
#include "tests/support/breaker.h"

namespace tenon::contracts {
namespace {

using op::HostTensors;
using pass::make_stateful;

// ---- S1 ----

const test::Breaker mode_flag("S1_mode_flag", "the decoder's interface has a flag for a mode");
const test::Breaker remembers("S1_decoder_remembers", "a decoder tells another window once it was asked");
const test::Breaker changed_late("S1_type_changed_late", "the caches' type is changed after make_stateful");

// The header without its comments.
std::string code_of(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(TENON_SOURCE_DIR "/" + path).rdbuf();
  return std::regex_replace(text.str(), std::regex("//[^\n]*"), "");
}

TEST(S1_DecoderInterface, CarriesNoExecutionMode) {
  for (const char* const path : {"tenon/decoder/decoder.h", "tenon/decoder/attributes.h"}) {
    std::string code = code_of(path);
    ASSERT_NE(code.find("namespace tenon::decoder"), std::string::npos) << path;
    if (mode_flag.active()) code += "virtual bool is_stateful() const = 0;";
    std::smatch found;
    const std::regex modes("stateful|stateless|is_static|paged|device|beam_?idx|attention_?size",
                           std::regex::icase);
    EXPECT_FALSE(std::regex_search(code, found, modes)) << path << " says " << found.str();
  }
}

std::vector<ir::Pass> stateful_form() { return {make_stateful()}; }
std::vector<ir::Pass> paged_form() {
  return {make_stateful({.dynamic_batch = true}), pass::adapt_to_genai(), pass::sdpa_to_paged()};
}

TEST(S1_DecoderInterface, OneDecoderServesEveryOwnerAndIsAsBefore) {
  const test::HandDecoder graph =
      TinyTransformer{.mask = decoder::MaskStructure::kWindow, .window = 4}.decoder();
  bool asked = false;
  const test::EditedDecoder decoder(graph, [&](decoder::NodeView& node) {
    auto* mask = std::get_if<decoder::Mask>(&node.leaf);
    if (mask && remembers.active() && asked) mask->window = 5;
    asked = asked || node.op == "FLASH_ATTN_EXT";
  });
  const std::string first = ir::print(try_convert(decoder, {}).value());
  const ir::Model stateful = try_convert(decoder, stateful_form()).value();
  EXPECT_EQ(stateful.count("Assign"), 2);
  const ir::Model paged = try_convert(decoder, paged_form()).value();
  EXPECT_EQ(paged.count("PagedAttention"), 1);
  const ir::Model in_place = try_convert(decoder, {pass::inplace_kv({.stateless_kv = true})}).value();
  EXPECT_EQ(in_place.count("VariadicSplit"), 2);
  EXPECT_EQ(ir::print(try_convert(decoder, {}).value()), first);
}

// A consumer's pass: caches and the rows that go there in f32.
ir::Pass caches_in_f32() {
  return fault_pass([](ir::Model& model) {
    for (ir::Node* const node : model.topological_order()) {
      if (!node->is("SetRows")) continue;
      ir::Node& old = node->input(2).node();
      ir::ParameterAttributes attributes = old.attributes_as<ir::ParameterAttributes>();
      attributes.type.element = ElementType::kF32;
      const ir::Value cache = model.replace_parameter(old, attributes).value();
      const ir::Value rows = node->input(0).node().input(0);  // before its Convert
      ASSERT_TRUE(model.replace_uses({{old.output(0), cache}, {node->input(0), rows}}).ok());
      model.erase(old);
    }
  });
}

TEST(S1_DecoderInterface, TheConsumerChangesACachesTypeByAPass) {
  std::vector<ir::Pass> passes = {caches_in_f32(), make_stateful()};
  if (changed_late.active()) std::swap(passes[0], passes[1]);
  const ir::Model model = try_convert(cache_writes(1), passes).value();
  EXPECT_EQ(find_op(model, "ReadValue")->port_type(0).element, ElementType::kF32);
  EXPECT_EQ(model.count("Convert"), 0);
  on_every_runtime([&](const std::string& runtime) {
    StepByStep steps(model, runtime);
    const std::vector<double> thirds(16, 0.333251953125 + 1.0 / 65536);  // no f16 has it
    const op::HostTensor held = steps.run({{"data_0", f32({1, 2, 2, 4}, thirds)},
                                           {"index", i64({1, 1, 1, 2}, {0, 1})},
                                           {"beam_idx", beams()}})["cache_0"];
    EXPECT_EQ(held.values(), thirds);
  });
}

// ---- S3 ----

const test::Breaker other_order("S3_other_order", "the caller's passes run in another order");
const test::Breaker lowered_first("S3_lowered_first",
                                  "the built-in lowering runs before the caller's passes");

// Puts x -> x ∘ number behind the rows of every SetRows, before their Convert.
ir::Pass on_rows(const std::string& name, const op::OpDefinition& op, double number) {
  return {name, [=, &op](ir::Model& model, ir::PassContext&) -> Result<bool> {
            bool changed = false;
            for (ir::Node* const node : model.topological_order()) {
              if (!node->is("SetRows")) continue;
              ir::Node& convert = node->input(0).node();
              op::Builder build(model, name);
              TENON_ASSIGN(const ir::Value rows, build.add(op, {convert.input(0), build.scalar(number)}));
              TENON_RETURN_IF_ERROR(model.set_input(convert, 0, rows));
              changed = true;
            }
            return changed;
          }};
}

std::vector<ir::Pass> in_order(std::vector<ir::Pass> passes) {
  if (other_order.active()) std::reverse(passes.begin(), passes.end());
  if (lowered_first.active()) passes.insert(passes.begin(), pass::lower_set_rows());
  return passes;
}

TEST(S3_CallersPasses, RunInTheirOrderBeforeTheLowering) {
  std::vector<ir::PassReport> reports;
  const ir::Model model =
      try_convert(cache_writes(1),
                  in_order({on_rows("add_one", op::add_op(), 1), on_rows("triple", op::multiply_op(), 3)}),
                  &reports)
          .value();
  EXPECT_EQ(model.count("ScatterUpdate"), 1);
  EXPECT_EQ(model.count("SetRows"), 0);
  EXPECT_TRUE(reports.at(0).changed);
  on_every_runtime([&](const std::string& runtime) {
    StepByStep steps(model, runtime);
    const op::HostTensor written =
        steps.run({{"data_0", f32({1, 1, 2, 4}, {1, 2, 3, 4, 5, 6, 7, 8})},
                   {"index", i64({1, 1, 1, 1}, {0})},
                   {"cache_0", op::HostTensor::make(ElementType::kF16, {1, 1, 2, 4})}})["cache_0"];
    EXPECT_EQ(written.values(), (std::vector<double>{6, 9, 12, 15, 18, 21, 24, 27}));  // (x + 1) * 3
  });
}

// A write of cache_0 in the caller's own way: rows go before what was there.
ir::Pass prepend_rows() {
  return {
      "prepend", [](ir::Model& model, ir::PassContext&) -> Result<bool> {
        for (ir::Node* const node : model.topological_order()) {
          if (!node->is("SetRows") || node->input(2) != model.find_parameter("cache_0")->output(0)) continue;
          op::ConcatAttributes along;
          along.axis = 1;
          TENON_ASSIGN(
              const ir::Value joined,
              op::Builder(model, "prepended").add(op::concat_op(), {node->input(0), node->input(2)}, along));
          TENON_RETURN_IF_ERROR(model.replace_uses(node->output(0), joined));
          model.erase(*node);
          return true;
        }
        return false;
      }};
}

TEST(S3_CallersPasses, ConsumeASetRowsInTheirOwnWay) {
  const ir::Model model = try_convert(cache_writes(2), in_order({prepend_rows()})).value();
  EXPECT_EQ(model.count("SetRows"), 0);
  EXPECT_EQ(model.count("Concat"), 1);
  EXPECT_EQ(model.count("ScatterUpdate"), 1);  // of what it left
  on_every_runtime([&](const std::string& runtime) {
    StepByStep steps(model, runtime);
    const auto f16 = [](const std::vector<double>& x) {
      return op::HostTensor::of(ElementType::kF16, {1, 2, 2, 4}, x);
    };
    HostTensors outputs = steps.run({{"data_0", f32({1, 1, 2, 4}, counted(8, 1))},
                                     {"data_1", f32({1, 1, 2, 4}, counted(8, 101))},
                                     {"index", i64({1, 1, 1, 1}, {0})},
                                     {"cache_0", f16(counted(16, 9))},
                                     {"cache_1", f16(counted(16, 201))}});
    EXPECT_EQ(outputs["cache_0"].values(), counted(24, 1));
    std::vector<double> expected = counted(8, 101);
    for (const double x : counted(8, 209)) expected.push_back(x);
    EXPECT_EQ(outputs["cache_1"].values(), expected);
  });
}

TEST(S3_CallersPasses, MakeStatefulAfterTheLoweringChangesNothingAndSaysSo) {
  const std::string stateless = ir::print(try_convert(cache_writes(2), {}).value());
  std::vector<ir::Pass> passes = {pass::lower_set_rows(), make_stateful()};
  if (other_order.active()) std::swap(passes[0], passes[1]);
  std::vector<ir::PassReport> reports;
  const ir::Model model = try_convert(cache_writes(2), passes, &reports).value();
  EXPECT_EQ(ir::print(model), stateless);
  EXPECT_FALSE(reports.at(1).changed);
  const std::string told = reasons(reports, "make_stateful");
  for (const char* const cache :
       {"cache_0: written by a ScatterUpdate", "cache_1: written by a ScatterUpdate"})
    EXPECT_NE(told.find(cache), std::string::npos) << told;
}

}  // namespace
}  // namespace tenon::contracts
