// T8: every pass leaves the numbers of random graphs as they are, bit for bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>

#include "tenon/op/build.h"
#include "tenon/op/concat.h"
#include "tenon/op/evaluate.h"
#include "tenon/op/topk.h"
#include "tenon/op/variadic_split.h"
#include "tenon/pass/pipeline.h"
#include "tenon/pass/state/genai.h"
#include "tenon/pass/state/inplace.h"
#include "tenon/pass/state/paged.h"
#include "tenon/pass/state/stateful.h"
#include "tenon/translate/convert.h"
#include "tests/contracts/random_graph.h"
#include "tests/support/breaker.h"

namespace tenon::contracts {
namespace {

using op::HostTensor;
using op::HostTensors;

const test::Breaker other_end("T8_smallest_selected", "the converted graphs select the smallest");
const test::Breaker never_fires("T8_pass_switched_off", "the pass under test is switched off");

constexpr uint32_t kGraphs = 64;
constexpr int kFired = 50;
constexpr int64_t kBlock = 32;

// The graph before any pass, with each append told without a scatter: Concat of the past and the new rows.
Result<HostTensors> before(const RandomGraph& graph) {
  TENON_ASSIGN(ir::Model model, translate::translate(graph.with_numbers));
  for (ir::Node* const node : model.topological_order()) {
    if (!node->is("SetRows")) continue;
    op::Builder build(model, node->name());
    op::VariadicSplitAttributes split;
    split.axis = 1;
    TENON_ASSIGN(ir::Node* const parts,
                 build.add_node(op::variadic_split_op(),
                                {node->input(2), build.integers({graph.past, graph.tokens})}, split));
    op::ConcatAttributes append;
    append.axis = 1;
    TENON_ASSIGN(const ir::Value all, build.add(op::concat_op(), {parts->output(0), node->input(0)}, append));
    TENON_RETURN_IF_ERROR(model.replace_uses(node->output(0), all));
    model.erase(*node);
  }
  return op::evaluate(model, graph.inputs);
}

HostTensor first_rows(const HostTensor& cache, int64_t rows) {
  std::vector<double> values = cache.values();
  values.resize(values.size() / static_cast<size_t>(cache.extents[1]) * static_cast<size_t>(rows));
  return HostTensor::of(cache.element, {1, rows, cache.extents[2], cache.extents[3]}, values);
}

std::string cache_name(const char* kind, int layer) { return kind + std::to_string(layer); }

// [1,P,G,D] in a block [1,G,S,D].
HostTensor in_a_block(const HostTensor& rows) {
  const int64_t past = rows.extents[1], heads = rows.extents[2], size = rows.extents[3];
  const std::vector<double> from = rows.values();
  std::vector<double> to(static_cast<size_t>(heads * kBlock * size));
  for (int64_t p = 0; p < past; ++p) {
    for (int64_t h = 0; h < heads; ++h) {
      for (int64_t i = 0; i < size; ++i)
        to[static_cast<size_t>((h * kBlock + p) * size + i)] =
            from[static_cast<size_t>((p * heads + h) * size + i)];
    }
  }
  return HostTensor::of(ElementType::kF32, {1, heads, kBlock, size}, to);
}

// The same step, as the inputs that a form of the graph has.
HostTensors inputs_of(const ir::Model& model, const RandomGraph& graph) {
  HostTensors out;
  const auto tokens = static_cast<double>(graph.tokens), past = static_cast<double>(graph.past);
  const auto i32 = [](std::vector<double> values) {
    const auto count = static_cast<int64_t>(values.size());
    return HostTensor::of(ElementType::kI32, {count}, values);
  };
  const auto retyped = [&](const char* name, const ir::Node& node) {
    std::vector<int64_t> extents(static_cast<size_t>(node.port_type(0).rank()), 1);
    extents.back() = graph.tokens;
    return HostTensor::of(ElementType::kI64, extents, graph.inputs.at(name).values());
  };
  for (const ir::Node* node : model.parameters()) {
    const std::string& name = node->attributes_as<ir::ParameterAttributes>().name;
    if (graph.inputs.contains(name)) out[name] = graph.inputs.at(name);
    if (name == "beam_idx") out[name] = i32({0});
    if (name == "attention_size") out[name] = HostTensor::of(ElementType::kI64, {1}, {past + tokens});
    if (name == "input_ids") out[name] = retyped("inp_tokens", *node);
    if (name == "position_ids") out[name] = retyped("inp_pos", *node);
    if (name == "attention_mask") {
      const auto cells = static_cast<size_t>(graph.past + graph.tokens);
      out[name] =
          HostTensor::of(ElementType::kI64, {1, static_cast<int64_t>(cells)}, std::vector<double>(cells, 1));
    }
    if (name == "past_lens") out[name] = i32({past});
    if (name == "subsequence_begins") out[name] = i32({0, tokens});
    if (name == "block_indices") out[name] = i32({0});
    if (name == "block_indices_begins") out[name] = i32({0, 1});
    if (name == "max_context_len") out[name] = HostTensor::of(ElementType::kI32, {}, {past + tokens});
    for (int layer = 0; layer < graph.attentions; ++layer) {
      for (const auto& [paged, cache] :
           {std::pair("key_cache.", "cache_k_l"), std::pair("value_cache.", "cache_v_l")}) {
        if (name == cache_name(paged, layer))
          out[name] = in_a_block(first_rows(graph.inputs.at(cache_name(cache, layer)), graph.past));
      }
    }
  }
  if (model.count("ReadValue") == 0) return out;
  for (int layer = 0; layer < graph.attentions; ++layer) {
    for (const char* const kind : {"cache_k_l", "cache_v_l"})
      out[cache_name(kind, layer)] = first_rows(graph.inputs.at(cache_name(kind, layer)), graph.past);
  }
  return out;
}

void put_fault_in(ir::Model& model) {
  for (ir::Node* const node : model.topological_order()) {
    if (!node->is("TopK")) continue;
    auto attributes = std::make_unique<op::TopKAttributes>(node->attributes_as<op::TopKAttributes>());
    attributes->mode = op::TopKMode::kMin;
    const std::vector<ir::Value> inputs(node->inputs().begin(), node->inputs().end());
    ir::Node* const made = model.add(node->schema(), inputs, std::move(attributes)).value();
    ASSERT_TRUE(model.replace_uses(node->output(1), made->output(1)).ok());
  }
}

struct Case {
  std::string pass;
  std::vector<ir::Pass> extensions;
};

std::vector<Case> cases() {
  pass::InplaceOptions in_place;
  in_place.stateless_kv = true;
  return {{"lower_set_rows", {}},
          {"prune", {}},
          {"inplace_kv", {pass::inplace_kv(in_place)}},
          {"make_stateful", {pass::make_stateful()}},
          {"adapt_to_genai", {pass::make_stateful(), pass::adapt_to_genai()}},
          {"sdpa_to_paged", {pass::make_stateful(), pass::adapt_to_genai(), pass::sdpa_to_paged({kBlock})}}};
}

TEST(T8_RandomGraphs, KeepTheirNumbersThroughEveryPass) {
  for (const Case& c : cases()) {
    int fired = 0;
    for (uint32_t seed = 1; seed <= kGraphs; ++seed) {
      SCOPED_TRACE(c.pass + ", graph " + std::to_string(seed));
      const RandomGraph graph(seed);
      const Result<HostTensors> expected = before(graph);
      ASSERT_TRUE(expected.ok()) << expected.error().message();
      pass::ConvertOptions options;
      options.extensions = c.extensions;
      if (never_fires.active()) options.passes.disabled = {"prune"};
      std::vector<ir::PassReport> reports;
      Result<ir::Model> model = pass::convert(graph.with_symbols, options, &reports);
      ASSERT_TRUE(model.ok()) << model.error().message();
      if (other_end.active()) put_fault_in(*model);
      for (const ir::PassReport& report : reports) fired += report.name == c.pass && report.changed;
      const Result<HostTensors> found = op::evaluate(*model, inputs_of(*model, graph));
      ASSERT_TRUE(found.ok()) << found.error().message();
      // The paged form has a row for each token: its last one is the others' only one.
      const std::vector<std::byte>& logits = found->at("logits").bytes;
      const std::vector<std::byte>& wanted = expected->at("logits").bytes;
      ASSERT_GE(logits.size(), wanted.size());
      EXPECT_TRUE(std::equal(wanted.rbegin(), wanted.rend(), logits.rbegin()));
      for (int layer = 0; layer < graph.attentions; ++layer) {
        for (const char* const kind : {"cache_k_l", "cache_v_l"}) {
          const std::string name = cache_name(kind, layer);
          if (c.pass != "sdpa_to_paged") {
            EXPECT_TRUE(found->at(name).bytes == expected->at(name).bytes) << name;
            continue;
          }
          const HostTensor& block =
              found->at(cache_name(kind[6] == 'k' ? "key_cache." : "value_cache.", layer));
          EXPECT_TRUE(block.bytes == in_a_block(expected->at(name)).bytes) << name;
        }
      }
    }
    std::cout << c.pass << " fired on " << fired << " of " << kGraphs << " graphs\n";
    EXPECT_GE(fired, kFired) << c.pass;
  }
}

}  // namespace
}  // namespace tenon::contracts
