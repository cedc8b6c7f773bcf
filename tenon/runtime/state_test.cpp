#include "tenon/runtime/state.h"

#include <gtest/gtest.h>

#include "tenon/runtime/session_test_support.h"

namespace tenon::runtime {
namespace {

constexpr int64_t kContext = 8;
constexpr size_t kCacheBytes = 8 * 2 * sizeof(float);

class StateTest : public testing::TestWithParam<const char*> {
 protected:
  // Appends rows {value, value + 0.5}, one for each, and returns what the cache then holds, doubled.
  std::vector<float> append(const std::vector<float>& values) {
    std::vector<float> rows;
    std::vector<int64_t> index;
    for (const float value : values) {
      index.push_back(state_.length() + static_cast<int64_t>(index.size()));
      rows.insert(rows.end(), {value, value + 0.5f});
    }
    const auto count = static_cast<int64_t>(values.size());
    const int64_t cached = state_.length() + count;
    std::vector<float> sum(static_cast<size_t>(2 * cached));
    EXPECT_TRUE(state_.check_room(count).ok());
    std::vector<SymbolValue> none;
    EXPECT_TRUE(state_.bind(*session_, count, none).ok());
    EXPECT_TRUE(bind_input(*session_, "rows", rows).ok());
    EXPECT_TRUE(bind_input(*session_, "index", index).ok());
    EXPECT_TRUE(bind_output(*session_, "sum", sum).ok());
    const SymbolValue symbols[] = {{"T", count}, {"KV", cached}};
    const Status status = session_->run(symbols);
    EXPECT_TRUE(status.ok()) << status.error().message();
    state_.commit(count);
    return sum;
  }
  bool in_place() const { return session_->plan().find_output("cache")->in_place; }

  std::shared_ptr<Backend> backend_ = ref::make_backend();
  std::unique_ptr<Session> session_ = session_of(GetParam());
  State state_ = State::create(*session_, *backend_, kContext).value();
};

TEST_P(StateTest, RowsStayFromStepToStep) {
  EXPECT_EQ(append({1, 2}), (std::vector<float>{2, 3, 4, 5}));
  EXPECT_EQ(append({3}), (std::vector<float>{2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(append({4}), (std::vector<float>{2, 3, 4, 5, 6, 7, 8, 9}));
  EXPECT_EQ(state_.length(), 4);
}

TEST_P(StateTest, TrimmedRowsAreWrittenAgain) {
  append({1, 2, 3});
  ASSERT_TRUE(state_.trim(1).ok());
  EXPECT_EQ(append({7}), (std::vector<float>{2, 3, 14, 15}));
  EXPECT_EQ(state_.trim(3).error().message(), "trim: wanted 0 to 2 tokens, found 3");
  EXPECT_FALSE(state_.trim(-1).ok());
  EXPECT_EQ(state_.length(), 2);
}

TEST_P(StateTest, ResetForgetsAll) {
  append({1, 2, 3});
  state_.reset();
  EXPECT_EQ(state_.length(), 0);
  EXPECT_EQ(append({5}), (std::vector<float>{10, 11}));
}

TEST_P(StateTest, AFullContextIsItsOwnError) {
  append({1, 2, 3, 4});
  append({5, 6, 7});
  EXPECT_TRUE(state_.check_room(1).ok());
  const Status status = state_.check_room(2);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::kContextFull);
  EXPECT_EQ(status.error().found, "7 of 8 in use");
}

TEST_P(StateTest, CopyingTakesTwoBuffers) {
  EXPECT_EQ(state_.bytes(), in_place() ? kCacheBytes : 2 * kCacheBytes);
}

INSTANTIATE_TEST_SUITE_P(Layouts, StateTest, testing::Values(kInPlaceCache, kCopiedCache),
                         [](const auto& test) { return test.index == 0 ? "InPlace" : "Copied"; });

// next = state + x: the sum of all that was fed.
class RecurrentStateTest : public testing::Test {
 protected:
  std::vector<float> feed(float value) {
    std::vector<float> x = {value, 2 * value}, doubled(2);
    std::vector<SymbolValue> none;
    EXPECT_TRUE(state_.bind(*session_, 1, none).ok());
    EXPECT_TRUE(bind_input(*session_, "x", x).ok());
    EXPECT_TRUE(bind_output(*session_, "doubled", doubled).ok());
    const SymbolValue symbols[] = {{"T", 1}, {"KV", 1}};
    EXPECT_TRUE(session_->run(symbols).ok());
    state_.commit(1);
    return doubled;
  }

  std::shared_ptr<Backend> backend_ = ref::make_backend();
  std::unique_ptr<Session> session_ = session_of(R"(
    %s = Parameter() {name="cache_s_l0", type=f32[1,2], role=recurrent_state, layer=0}
    %x = Parameter() {name="x", type=f32[1,2]}
    %next = Add(%s:0, %x:0)
    %sum = Add(%next:0, %next:0)
    %r = Result(%sum:0) {name="doubled"}
    %n = Result(%next:0) {name="cache_s_l0"})");
  State state_ = State::create(*session_, *backend_, kContext).value();
};

TEST_F(RecurrentStateTest, StartsAtZeroAndGoesOnFromStepToStep) {
  EXPECT_EQ(feed(1), (std::vector<float>{2, 4}));
  EXPECT_EQ(feed(2), (std::vector<float>{6, 12}));
  EXPECT_EQ(feed(4), (std::vector<float>{14, 28}));
  EXPECT_EQ(state_.length(), 3);
  EXPECT_EQ(state_.bytes(), 2 * 2 * sizeof(float));
}

TEST_F(RecurrentStateTest, ResetIsZeroWhicheverBufferIsRead) {
  for (const int steps : {1, 2}) {
    for (int i = 0; i < steps; ++i) feed(3);
    state_.reset();
    EXPECT_EQ(state_.length(), 0);
    EXPECT_EQ(feed(1), (std::vector<float>{2, 4})) << "after " << steps << " steps";
    state_.reset();
  }
}

TEST_F(RecurrentStateTest, ATrimIsRefusedByNameAndChangesNothing) {
  feed(1);
  feed(1);
  EXPECT_FALSE(state_.can_trim(0));
  const Status status = state_.trim(1);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(status.error().found, "recurrent state 'cache_s_l0'");
  EXPECT_EQ(status.error().remedy, "reset and evaluate the tokens again, or restore a saved state");
  EXPECT_TRUE(state_.trim(2).ok()) << "nothing is to be forgotten";
  EXPECT_EQ(feed(1), (std::vector<float>{6, 12}));
}

TEST(State, ACacheThatDoesNotComeBackIsRefused) {
  const std::unique_ptr<Session> session = session_of(R"(
    %cache = Parameter() {name="cache", type=f32[1,KV:position,1,2], role=cache}
    %x = Sqrt(%cache:0)
    %r = Result(%x:0) {name="x"})");
  const auto state = State::create(*session, *ref::make_backend(), kContext);
  ASSERT_FALSE(state.ok());
  EXPECT_EQ(state.error().message(), "cache 'cache': wanted a result of the same name, found none");
}

}  // namespace
}  // namespace tenon::runtime
