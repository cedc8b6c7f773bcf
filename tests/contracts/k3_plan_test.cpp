// K3: caches in place as the plan sees them, for the shape of Llama 3.2 1B.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <set>

#include "tenon/op/build.h"
#include "tenon/op/concat.h"
#include "tenon/op/elementwise.h"
#include "tenon/op/reshape.h"
#include "tenon/op/variadic_split.h"
#include "tenon/plan/plan.h"
#include "tests/support/breaker.h"
#include "tests/support/model_run.h"

namespace tenon::contracts {
namespace {

const test::Breaker copying("K3_copying_layout", "caches keep the layout that each step copies");
const test::Breaker read_twice("K3_read_before_the_write", "someone reads a cache as it was before");
const test::Breaker no_row("K3_target_cannot", "the target has no step that writes a cache in place");
const test::Breaker last_tokens("K3_reads_the_last_tokens", "attention reads the last attention_size rows");
const test::Breaker copy_of_k("K3_copy_of_k", "keys are regrouped in a way that strides cannot express");

constexpr int kLayers = 16;
constexpr int64_t kContext = 4096;

std::vector<ir::Node*> splits(const ir::Model& model) {
  std::vector<ir::Node*> out;
  for (ir::Node* const node : model.topological_order()) {
    if (node->is("VariadicSplit")) out.push_back(node);
  }
  return out;
}

// The other order of lengths: [-1, attention_size], of which port 1 is read.
Status read_last_tokens(ir::Model& model) {
  for (ir::Node* const split : splits(model)) {
    ir::Node& lengths = split->input(1).node();
    op::Builder build(model, "last");
    TENON_ASSIGN(const ir::Value swapped,
                 build.add(op::concat_op(), {lengths.input(1), lengths.input(0)}, op::ConcatAttributes()));
    TENON_ASSIGN(ir::Node * last, build.add_node(op::variadic_split_op(), {split->input(0), swapped},
                                                 split->attributes_as<op::VariadicSplitAttributes>()));
    TENON_RETURN_IF_ERROR(model.replace_uses(split->output(0), last->output(1)));
    model.erase(*split);
  }
  return {};
}

// Tokens and head size of K become one axis and two again, which strides cannot say once heads come first.
Status regroup_keys(ir::Model& model) {
  for (ir::Node* const node : model.topological_order()) {
    if (!node->is("Attention")) continue;
    op::Builder build(model, node->name());
    op::ReshapeAttributes merge, part;
    merge.target = {0, 0, -1};
    part.target = {0, 0, -1, 64};
    merge.special_zero = part.special_zero = true;
    TENON_ASSIGN(const ir::Value merged, build.add(op::reshape_op(), {node->input(1)}, merge));
    TENON_ASSIGN(const ir::Value parted, build.add(op::reshape_op(), {merged}, part));
    TENON_RETURN_IF_ERROR(model.set_input(*node, 1, parted));
  }
  return {};
}

Status read_before_the_write(ir::Model& model) {
  const ir::Value cache = model.find_parameter("cache_k_l0")->output(0);
  TENON_ASSIGN(const ir::Value read, op::Builder(model, "before").add(op::sqrt_op(), {cache}));
  model.add_result(read, "before");
  return {};
}

void put_fault_in(ir::Model& model) {
  Status done;
  if (read_twice.active()) done = read_before_the_write(model);
  if (last_tokens.active()) done = read_last_tokens(model);
  if (copy_of_k.active()) done = regroup_keys(model);
  ASSERT_TRUE(done.ok()) << "the fault itself: " << done.error().message();
}

class K3_Plan : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    const std::string path = testing::TempDir() + "k3_llama32_1b_shape.gguf";
    ASSERT_TRUE(fixtures::write_llama32_1b_shape(path).ok());
    file_ = gguf::File::open(path).value();
    std::remove(path.c_str());  // the mapping stays
  }
  static void TearDownTestSuite() { file_ = nullptr; }

  void SetUp() override {
    const auto backend = test::make_backend(test::run_devices().at(1), 1);
    SessionOptions options{.context = kContext};
    if (copying.active()) options.state_form = StateForm::kStateless;
    Compiled compiled = compile(file_, *find_device("cpu").value(), *backend, options).value();
    put_fault_in(compiled.graph);
    plan::Target target = backend->target();
    if (no_row.active())
      std::erase_if(target.rows, [](const plan::TargetRow& row) { return row.id == "StatelessKV"; });
    plan::PlanOptions plan_options;
    plan_options.symbols = {{"T", {1, 512}}, {"R", {1, 1}}, {"KV", {1, kContext}}};
    plan_ = plan::make_plan(compiled.graph, target, plan_options).value();
    for (const plan::InputBinding& input : plan_->inputs) {
      if (input.parameter.role == ir::ParameterRole::kCache) caches_.insert(input.storage);
    }
  }

  template <class Visit>
  void for_each_step(Visit visit) const {
    ASSERT_EQ(plan_->lists.size(), 3u);
    for (const plan::StepList& list : plan_->lists) {
      for (const plan::Step& step : list.steps) visit(step);
    }
  }
  const plan::Storage& storage(const plan::Operand& operand) const {
    return plan_->storages[static_cast<size_t>(operand.storage)];
  }

  static std::shared_ptr<const gguf::File> file_;
  std::shared_ptr<const plan::Plan> plan_;
  std::set<int> caches_;  // storages
};

std::shared_ptr<const gguf::File> K3_Plan::file_;

TEST_F(K3_Plan, HasTwoStatelessKvAndOneAttentionForEachLayer) {
  EXPECT_EQ(caches_.size(), size_t{2 * kLayers});
  for (const plan::StepList& list : plan_->lists) {
    EXPECT_EQ(plan_->count("StatelessKV", list), 2 * kLayers);
    EXPECT_EQ(plan_->count("attention", list), kLayers);
    EXPECT_EQ(plan_->count("scatter_rows", list), 0);
    for (const plan::Step& step : list.steps) EXPECT_NE(step.op, "ScatterUpdate") << step.name;
  }
}

TEST_F(K3_Plan, PortZeroIsTheInputsOwnMemoryAndPortOneItsFirstTokens) {
  std::set<int> written;
  for_each_step([&](const plan::Step& step) {
    if (step.row != "StatelessKV") return;
    SCOPED_TRACE(step.name);
    const plan::StepPart& part = step.parts.at(0);
    const plan::Operand& cache = part.inputs.at(0);
    ASSERT_EQ(part.outputs.size(), 2u);
    for (const plan::Operand& output : part.outputs) {
      EXPECT_EQ(output.storage, cache.storage);
      EXPECT_EQ(output.strides, cache.strides);
      EXPECT_EQ(output.offset, Dim(0));
    }
    EXPECT_EQ(storage(cache).kind, plan::StorageKind::kInput);
    EXPECT_EQ(part.outputs[0].extents, (std::vector<Dim>{1, kContext, 8, 64}));
    EXPECT_EQ(part.outputs[1].extents, (std::vector<Dim>{1, Dim::symbol("KV"), 8, 64}));
    written.insert(cache.storage);
  });
  EXPECT_EQ(written, caches_);
  int in_place = 0;
  for (const plan::OutputBinding& output : plan_->outputs) in_place += output.in_place;
  EXPECT_EQ(in_place, 2 * kLayers);
}

// Reading and writing caches is the business of these two steps alone: nothing copies K or V.
TEST_F(K3_Plan, AttentionReadsTheCachesThemselves) {
  std::set<int> read;
  for_each_step([&](const plan::Step& step) {
    SCOPED_TRACE(step.name);
    for (const plan::StepPart& part : step.parts) {
      for (size_t i = 0; i < part.inputs.size(); ++i) {
        const plan::Operand& input = part.inputs[i];
        if (caches_.count(input.storage) == 0 || step.row == "StatelessKV") continue;
        EXPECT_EQ(step.row, "attention");
        EXPECT_TRUE(i == 1 || i == 2) << "as its input " << i;
        EXPECT_EQ(input.extents, (std::vector<Dim>{1, 8, Dim::symbol("KV"), 64}));
        EXPECT_EQ(input.offset, Dim(0));
        read.insert(input.storage);
      }
      for (const plan::Operand& output : part.outputs) {
        EXPECT_TRUE(caches_.count(output.storage) == 0 || step.row == "StatelessKV");
      }
    }
  });
  EXPECT_EQ(read, caches_);
}

TEST_F(K3_Plan, NoTensorGrowsWithTheCachedTokens) {
  int tensors = 0;
  for (const plan::Storage& each : plan_->storages) {
    if (each.kind == plan::StorageKind::kArena || each.kind == plan::StorageKind::kOutput) {
      EXPECT_FALSE(each.bytes.mentions("KV")) << each.name << ": " << each.bytes.to_string() << " bytes";
      ++tensors;
    }
  }
  EXPECT_GT(tensors, kLayers);
}

TEST_F(K3_Plan, ViewsAreNoSteps) {
  for_each_step([&](const plan::Step& step) {
    if (step.row == "StatelessKV") return;
    for (const char* const view : {"Reshape", "Transpose", "VariadicSplit", "Squeeze", "Unsqueeze", "Concat"})
      EXPECT_NE(step.op, view) << step.row << " " << step.name;
  });
}

}  // namespace
}  // namespace tenon::contracts
