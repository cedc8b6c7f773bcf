// K7: what a decode step costs, whatever the context's size: no memory, one row per cache.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstdlib>

#include "tests/contracts/allocation_counter.h"
#include "tests/fixtures/catalogue.h"
#include "tests/support/breaker.h"
#include "tests/support/model_run.h"

namespace tenon::contracts {
namespace {

const test::Breaker by_reference("K7_attention_by_reference",
                                 "attention and cache writes have no kernels and run by their references");
const test::Breaker copying("K7_copying_layout", "each step copies the caches");
const test::Breaker growing("K7_buffer_that_grows", "a buffer of the step grows with the tokens");

constexpr int64_t kContexts[] = {512, 32768};
constexpr int64_t kPrompt = 40;
constexpr int kSteps = 8;

const fixtures::Fixture& fixture() { return fixtures::fixture("llama-gqa4x2"); }

// Rows of all caches of one token: 3 layers, keys and values, 2 heads of 16 in f16.
constexpr int64_t kRowBytes = 3 * 2 * 2 * 16 * 2;

// A CPU backend without the kernels that touch caches.
class WithoutKernels : public runtime::Backend {
 public:
  explicit WithoutKernels(std::shared_ptr<runtime::Backend> inner)
      : inner_(std::move(inner)), target_(inner_->target()) {
    std::erase_if(target_.rows, [](const plan::TargetRow& row) {
      return row.id == "attention" || row.id == "StatelessKV" || row.id == "scatter_rows";
    });
  }
  std::string_view name() const override { return inner_->name(); }
  const plan::Target& target() const override { return target_; }
  int workers() const override { return inner_->workers(); }
  Result<runtime::Buffer> allocate(size_t bytes) override { return inner_->allocate(bytes); }
  Result<runtime::Buffer> prepare(const ir::ConstantAttributes& constant, std::string_view layout) override {
    return inner_->prepare(constant, layout);
  }
  Result<std::shared_ptr<const runtime::Program>> load(std::shared_ptr<const plan::Plan> plan) override {
    return inner_->load(std::move(plan));
  }

 private:
  std::shared_ptr<runtime::Backend> inner_;
  plan::Target target_;
};

class Decoding {
 public:
  Decoding(const test::RunDevice& device, int64_t context, StateForm layout = StateForm::kInPlace) {
    std::shared_ptr<runtime::Backend> backend = test::make_backend(device);
    if (by_reference.active()) backend = std::make_shared<WithoutKernels>(std::move(backend));
    if (copying.active()) layout = StateForm::kStateless;
    run_ = test::open_run(test::file_of(fixture().spec), backend,
                          {.context = context, .state_form = layout, .max_step_tokens = 64});
    for (int64_t token = 0; token < kPrompt; ++token)
      prompt_.push_back(static_cast<int32_t>(7 * token % 256));
    EXPECT_TRUE(run_.sequence->evaluate(prompt_).ok());
    decode();  // whatever is made at the first step of a class is made now
  }

  void decode() {
    const int32_t token = 11;
    if (growing.active()) grown_.push_back(grown_.size()), grown_.shrink_to_fit();
    ok_ &= run_.sequence->evaluate({&token, 1}).ok();
  }
  runtime::Traffic& traffic() { return traffic_; }
  void count() { run_.sequence->count_traffic(&traffic_); }
  int64_t length() const { return run_.sequence->length(); }
  bool ok() const { return ok_; }

 private:
  test::ModelRun run_;
  std::vector<int32_t> prompt_;
  std::vector<size_t> grown_;
  runtime::Traffic traffic_;
  bool ok_ = true;
};

std::vector<test::RunDevice> cpus() {
  std::vector<test::RunDevice> all = test::run_devices();
  all.erase(all.begin());  // the references are no runtime to measure
  return all;
}

TEST(AllocationCounter, CountsEveryWayToTakeMemory) {
  test::start_counting_allocations();
  void* volatile memory = std::malloc(100);
  memory = std::realloc(memory, 200);
  void* volatile zeroed = std::calloc(3, 100);
  std::vector<int>* volatile made = new std::vector<int>(1000);
  void* const mapped = mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const test::Allocations seen = test::stop_counting_allocations();
  std::free(memory);
  std::free(zeroed);
  delete made;
  munmap(mapped, 4096);
  EXPECT_EQ(seen.heap, 5);
  EXPECT_EQ(seen.maps, 1);
  memory = std::malloc(100);
  std::free(memory);
  EXPECT_EQ(test::stop_counting_allocations().heap, 5);
}

TEST(K7_DecodeStep, TakesNoMemory) {
  for (const test::RunDevice& device : cpus()) {
    for (const int64_t context : kContexts) {
      Decoding decoding(device, context);
      test::start_counting_allocations();
      for (int step = 0; step < kSteps; ++step) decoding.decode();
      const test::Allocations taken = test::stop_counting_allocations();
      EXPECT_TRUE(decoding.ok());
      EXPECT_EQ(taken.heap, 0) << device.title() << ", context " << context;
      EXPECT_EQ(taken.maps, 0) << device.title() << ", context " << context;
    }
  }
}

TEST(K7_DecodeStep, WritesOneRowOfEachCacheAndReadsWhatAttentionSees) {
  for (const test::RunDevice& device : cpus()) {
    for (const int64_t context : kContexts) {
      SCOPED_TRACE(device.title() + ", context " + std::to_string(context));
      Decoding decoding(device, context);
      decoding.count();
      int64_t seen = 0;
      for (int step = 0; step < kSteps; ++step) {
        decoding.decode();
        seen += decoding.length();
      }
      ASSERT_TRUE(decoding.ok());
      EXPECT_EQ(decoding.traffic().kv_bytes_written, kSteps * kRowBytes);
      EXPECT_EQ(decoding.traffic().kv_bytes_read, seen * kRowBytes);
    }
  }
}

// Shows that the count would tell.
TEST(K7_DecodeStep, OfTheCopyingLayoutWritesEveryRow) {
  for (const test::RunDevice& device : cpus()) {
    SCOPED_TRACE(device.title());
    Decoding in_place(device, 512), copied(device, 512, StateForm::kStateless);
    in_place.count(), copied.count();
    in_place.decode(), copied.decode();
    EXPECT_EQ(copied.traffic().kv_bytes_written, (copied.length() + 1) * kRowBytes);
    EXPECT_GT(copied.traffic().kv_bytes_written, 10 * in_place.traffic().kv_bytes_written);
    EXPECT_EQ(copied.traffic().kv_bytes_read, 2 * copied.length() * kRowBytes);
  }
}

}  // namespace
}  // namespace tenon::contracts
