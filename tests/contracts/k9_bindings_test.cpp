// K9: who owns a cache's memory, and when it is written.
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <numeric>

#include "tests/fixtures/catalogue.h"
#include "tests/support/breaker.h"
#include "tests/support/model_run.h"

namespace tenon::contracts {
namespace {

const test::Breaker copying("K9_copying_layout", "the plan has a second buffer for each cache");
const test::Breaker in_place("K9_written_in_place", "inplace_kv ran where the caller did not ask for it");

constexpr int64_t kContext = 64;
constexpr float kUntouched = 0.5f;  // what every float of a cache holds before the run

// Buffers of the caller for one step of three tokens on a fixture.
class Caller {
 public:
  Caller(const test::RunDevice& device, StateForm layout) : backend_(test::make_backend(device)) {
    plan_ = test::open_run(test::file_of(fixtures::fixture("llama-gqa4x2").spec), backend_,
                           test::exact_options(layout))
                .compiled.plan;
    session_ = runtime::Session::create(backend_, plan_).value();
    for (const plan::InputBinding& input : plan_->inputs) {
      std::vector<std::byte>& memory = inputs_[input.parameter.name];
      memory.resize(plan_->storages[static_cast<size_t>(input.storage)].max_bytes);
      fill(input.parameter.role, memory);
      EXPECT_TRUE(session_->bind_input(input.parameter.name, memory.data(), memory.size()).ok());
    }
    for (const plan::OutputBinding& output : plan_->outputs) {
      if (output.in_place) continue;
      std::vector<std::byte>& memory = outputs_[output.name];
      memory.resize(plan_->storages[static_cast<size_t>(output.storage)].max_bytes);
      EXPECT_TRUE(session_->bind_output(output.name, memory.data(), memory.size()).ok());
    }
  }

  Status run() {
    const runtime::SymbolValue symbols[] = {{"T", 3}, {"R", 3}, {"KV", 3}};
    return session_->run(symbols);
  }
  runtime::Session& session() { return *session_; }
  const plan::Plan& plan() const { return *plan_; }
  std::vector<std::byte>& input(const std::string& name) { return inputs_.at(name); }
  std::map<std::string, std::vector<std::byte>>& inputs() { return inputs_; }

 private:
  template <class T>
  static void count_up(std::vector<std::byte>& memory) {
    std::vector<T> values(memory.size() / sizeof(T));
    std::iota(values.begin(), values.end(), T{0});
    std::memcpy(memory.data(), values.data(), memory.size());
  }
  // Token ids, positions and rows 0, 1, 2, …; floats that no kernel writes by chance.
  static void fill(ir::ParameterRole role, std::vector<std::byte>& memory) {
    if (role == ir::ParameterRole::kCacheIndex || role == ir::ParameterRole::kAttentionSize) {
      count_up<int64_t>(memory);
    } else if (role == ir::ParameterRole::kCache || role == ir::ParameterRole::kMask) {
      for (size_t at = 0; at < memory.size(); at += sizeof(float))
        std::memcpy(memory.data() + at, &kUntouched, sizeof(float));
    } else {
      count_up<int32_t>(memory);
    }
  }

  std::shared_ptr<runtime::Backend> backend_;
  std::shared_ptr<const plan::Plan> plan_;
  std::unique_ptr<runtime::Session> session_;
  std::map<std::string, std::vector<std::byte>> inputs_, outputs_;
};

// How many floats of a cache were written.
int64_t written(const std::vector<std::byte>& memory) {
  int64_t count = 0;
  for (size_t at = 0; at < memory.size(); at += sizeof(float))
    count += std::memcmp(memory.data() + at, &kUntouched, sizeof(float)) != 0;
  return count;
}

TEST(K9_Bindings, ParameterAndResultAreOneBufferOfTheCaller) {
  for (const test::RunDevice& device : test::run_devices()) {
    SCOPED_TRACE(device.title());
    Caller caller(device, copying.active() ? StateForm::kStateless : StateForm::kInPlace);
    int caches = 0;
    for (const plan::InputBinding& input : caller.plan().inputs) {
      if (input.parameter.role != ir::ParameterRole::kCache) continue;
      const std::string& name = input.parameter.name;
      EXPECT_EQ(caller.plan().find_output(name)->storage, input.storage) << name;
      std::vector<std::byte>& memory = caller.input(name);
      ASSERT_TRUE(caller.session().bind_output(name, memory.data(), memory.size()).ok());
      ++caches;
    }
    EXPECT_EQ(caches, 6);
    // Two steps: what the first wrote, at the address that was bound, is what the second finds there.
    for (int step = 0; step < 2; ++step) {
      const Status status = caller.run();
      ASSERT_TRUE(status.ok()) << status.error().message();
      for (const plan::InputBinding& input : caller.plan().inputs) {
        if (input.parameter.role != ir::ParameterRole::kCache) continue;
        EXPECT_EQ(written(caller.input(input.parameter.name)), 3 * 2 * 16) << input.parameter.name;
      }
    }
  }
}

TEST(K9_Bindings, ASecondBufferForACacheIsAnError) {
  for (const test::RunDevice& device : test::run_devices()) {
    SCOPED_TRACE(device.title());
    Caller caller(device, copying.active() ? StateForm::kStateless : StateForm::kInPlace);
    std::vector<std::byte> second(caller.input("cache_v_l1").size());
    ASSERT_TRUE(caller.session().bind_output("cache_v_l1", second.data(), second.size()).ok());
    const Status status = caller.run();
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().where, "output 'cache_v_l1'");
    EXPECT_EQ(status.error().found, "a second buffer");
  }
}

TEST(K9_Bindings, WithoutInplaceKvNoInputIsWritten) {
  for (const test::RunDevice& device : test::run_devices()) {
    SCOPED_TRACE(device.title());
    Caller caller(device, in_place.active() ? StateForm::kInPlace : StateForm::kStateless);
    const auto before = caller.inputs();
    const Status status = caller.run();
    ASSERT_TRUE(status.ok()) << status.error().message();
    for (const auto& [name, memory] : caller.inputs()) EXPECT_EQ(memory, before.at(name)) << name;
  }
}

}  // namespace
}  // namespace tenon::contracts
