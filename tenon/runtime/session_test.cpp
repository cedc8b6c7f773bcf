#include "tenon/runtime/session.h"

#include <gtest/gtest.h>

#include <thread>

#include "tenon/runtime/session_test_support.h"

namespace tenon::runtime {
namespace {

constexpr const char* kSquareRoots = R"(
  %tokens = Parameter() {name="tokens", type=i32[1,1,1,T:token], role=tokens}
  %x = Parameter() {name="x", type=f32[1,1,T:token,3]}
  %mid = Sqrt(%x:0)
  %out = Add(%mid:0, %mid:0)
  %r = Result(%out:0) {name="out"}
  %copy = Result(%x:0) {name="copy"}
)";

std::string message(const Status& status) { return status.ok() ? "" : status.error().message(); }

class SquareRoots : public testing::Test {
 protected:
  void bind_all() {
    ASSERT_TRUE(bind_input(*session_, "x", x_).ok());
    ASSERT_TRUE(bind_output(*session_, "out", out_).ok());
    ASSERT_TRUE(bind_output(*session_, "copy", copy_).ok());
  }
  Status run(int64_t tokens) {
    const SymbolValue symbols[] = {{"T", tokens}, {"KV", 1}};
    return session_->run(symbols);
  }

  std::unique_ptr<Session> session_ = session_of(kSquareRoots);
  std::vector<float> x_ = {1, 4, 9, 16, 25, 36, 49, 64, 81, 100, 121, 144};
  std::vector<float> out_ = std::vector<float>(12), copy_ = std::vector<float>(12);
};

TEST_F(SquareRoots, RunsForEveryNumberOfTokens) {
  bind_all();
  for (const int64_t tokens : {1, 3, 4, 2, 1}) {
    std::fill(out_.begin(), out_.end(), -1.0f);
    ASSERT_EQ(message(run(tokens)), "");
    for (size_t i = 0; i < out_.size(); ++i) {
      EXPECT_EQ(out_[i], i < static_cast<size_t>(3 * tokens) ? 2.0f * static_cast<float>(i + 1) : -1.0f) << i;
    }
  }
}

TEST_F(SquareRoots, AResultOfAnInputIsACopy) {
  bind_all();
  ASSERT_EQ(message(run(4)), "");
  EXPECT_EQ(copy_, x_);
}

TEST_F(SquareRoots, OtherMemoryTakesTheOldOnesPlace) {
  bind_all();
  ASSERT_EQ(message(run(2)), "");
  std::vector<float> other_x = {4, 4, 4, 9, 9, 9}, other_out(6);
  ASSERT_TRUE(bind_input(*session_, "x", other_x).ok());
  ASSERT_TRUE(bind_output(*session_, "out", other_out).ok());
  std::fill(out_.begin(), out_.end(), -1.0f);
  ASSERT_EQ(message(run(2)), "");
  EXPECT_EQ(other_out, (std::vector<float>{4, 4, 4, 6, 6, 6}));
  EXPECT_EQ(out_, std::vector<float>(12, -1.0f));
  bind_all();
  ASSERT_EQ(message(run(2)), "");
  EXPECT_EQ(out_[5], 12.0f);
}

TEST_F(SquareRoots, UnknownNamesAreRefused) {
  EXPECT_EQ(message(bind_input(*session_, "y", x_)),
            "input 'y': wanted a name that the plan has, found none such");
  EXPECT_EQ(message(bind_output(*session_, "x", x_)),
            "output 'x': wanted a name that the plan has, found none such");
  EXPECT_NE(message(session_->bind_input("x", nullptr, 12)).find("tensor 'x'"), std::string::npos);
}

TEST_F(SquareRoots, WhatIsNotBoundIsNamedWithItsSize) {
  EXPECT_EQ(message(run(2)), "input 'x': wanted a binding of 24 bytes or more, found none");
  ASSERT_TRUE(bind_input(*session_, "x", x_).ok());
  EXPECT_EQ(message(run(2)), "output 'out': wanted a binding of 24 bytes or more, found none");
  std::vector<float> small(5);
  ASSERT_TRUE(bind_output(*session_, "out", small).ok());
  EXPECT_EQ(message(run(2)), "output 'out': wanted a binding of 24 bytes or more, found 20 bytes");
}

TEST_F(SquareRoots, AnInputThatNoStepReadsNeedsNoBinding) {
  bind_all();
  EXPECT_FALSE(session_->plan().find_input("tokens")->read);
  EXPECT_EQ(message(run(1)), "");
}

TEST_F(SquareRoots, EverySymbolNeedsAValueWithinItsBounds) {
  bind_all();
  const SymbolValue none[] = {{"KV", 1}};
  EXPECT_EQ(message(session_->run(none)), "symbol T: wanted a value for this run, found none");
  EXPECT_EQ(message(run(5)), "symbol T: wanted 1 to 4, found 5");
  EXPECT_EQ(message(run(0)), "symbol T: wanted 1 to 4, found 0");
  const SymbolValue more[] = {{"T", 1}, {"KV", 1}, {"experts", 7}};
  EXPECT_EQ(message(session_->run(more)), "");
}

// The plan and its functions are shared; arenas and bindings are not.
TEST(Session, SessionsOfOnePlanRunSideBySide) {
  const auto backend = ref::make_backend();
  const auto plan = plan_of(kSquareRoots);
  const auto work = [&](float base, bool* good) {
    const std::unique_ptr<Session> session = Session::create(backend, plan).value();
    std::vector<float> x(12, base * base), out(12), copy(12);
    *good = bind_input(*session, "x", x).ok() && bind_output(*session, "out", out).ok() &&
            bind_output(*session, "copy", copy).ok();
    const SymbolValue symbols[] = {{"T", 4}, {"KV", 1}};
    for (int i = 0; i < 200 && *good; ++i) {
      std::fill(out.begin(), out.end(), 0.0f);
      *good = session->run(symbols).ok() && out == std::vector<float>(12, 2 * base);
    }
  };
  bool first = false, second = false;
  std::thread other(work, 3.0f, &first);
  work(5.0f, &second);
  other.join();
  EXPECT_TRUE(first);
  EXPECT_TRUE(second);
}

TEST(Session, MoreSymbolsThanItsMasksHoldAreRefused) {
  std::string extents;
  for (int i = 0; i < 65; ++i)
    extents += "%p" + std::to_string(i) + " = Parameter() {name=\"p" + std::to_string(i) + "\", type=f32[N" +
               std::to_string(i) + "]}\n";
  const auto session = Session::create(ref::make_backend(), plan_of(extents));
  ASSERT_FALSE(session.ok());
  EXPECT_NE(session.error().message().find("64 symbols"), std::string::npos);
}

// ---- caches ----

class Cache : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    ASSERT_TRUE(bind_input(*session_, "rows", rows_).ok());
    ASSERT_TRUE(bind_input(*session_, "index", index_).ok());
    ASSERT_TRUE(bind_input(*session_, "cache", cache_).ok());
    ASSERT_TRUE(bind_output(*session_, "sum", sum_).ok());
    if (!in_place()) {
      ASSERT_TRUE(bind_output(*session_, "cache", written_).ok());
    }
  }
  bool in_place() const { return session_->plan().find_output("cache")->in_place; }
  Status run(int64_t tokens, int64_t cached) {
    const SymbolValue symbols[] = {{"T", tokens}, {"KV", cached}};
    return session_->run(symbols);
  }

  std::unique_ptr<Session> session_ = session_of(GetParam());
  std::vector<float> cache_ = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
                     written_ = std::vector<float>(16), sum_ = std::vector<float>(16, -1),
                     rows_ = {100, 101, 200, 201};
  std::vector<int64_t> index_ = {3, 1};
};

TEST_P(Cache, ReadersSeeTheRowsOfTheirOwnStep) {
  ASSERT_EQ(message(run(2, 4)), "");
  EXPECT_EQ(sum_, (std::vector<float>{0, 2, 400, 402, 8, 10, 200, 202, -1, -1, -1, -1, -1, -1, -1, -1}));
}

TEST_P(Cache, IsWrittenInPlaceOrNotAtAll) {
  const std::vector<float> before = cache_;
  ASSERT_EQ(message(run(2, 4)), "");
  const std::vector<float> wanted = {0, 1, 200, 201, 4, 5, 100, 101};
  const std::vector<float>& found = in_place() ? cache_ : written_;
  EXPECT_EQ(std::vector<float>(found.begin(), found.begin() + 8), wanted);
  if (in_place()) {
    EXPECT_EQ(cache_[8], 8.0f);
  } else {
    EXPECT_EQ(cache_, before);
  }
}

TEST_P(Cache, AnIndexOutsideIsTheStepsError) {
  for (const int64_t bad : {int64_t{-1}, int64_t{8}}) {
    index_[1] = bad;
    const Status status = run(2, 8);
    ASSERT_FALSE(status.ok());
    EXPECT_NE(message(status).find(in_place() ? "split" : "written"), std::string::npos) << message(status);
    EXPECT_NE(message(status).find(std::to_string(bad)), std::string::npos) << message(status);
  }
}

TEST_P(Cache, TrafficIsCountedWhileAskedFor) {
  Traffic traffic;
  session_->count_traffic(&traffic);
  ASSERT_EQ(message(run(2, 4)), "");
  const int64_t row = 2 * sizeof(float);
  EXPECT_EQ(traffic.kv_bytes_written, in_place() ? 2 * row : 4 * row);
  const int64_t before = traffic.kv_bytes_written;
  session_->count_traffic(nullptr);
  ASSERT_EQ(message(run(2, 4)), "");
  EXPECT_EQ(traffic.kv_bytes_written, before);
}

INSTANTIATE_TEST_SUITE_P(Layouts, Cache, testing::Values(kInPlaceCache, kCopiedCache),
                         [](const auto& test) { return test.index == 0 ? "InPlace" : "Copied"; });

TEST(InPlaceCache, TheOutputIsTheInputsMemoryOrNothing) {
  const std::unique_ptr<Session> session = session_of(kInPlaceCache);
  std::vector<float> cache(16), other(16), sum(16), rows(2);
  std::vector<int64_t> index = {0};
  ASSERT_TRUE(bind_input(*session, "rows", rows).ok());
  ASSERT_TRUE(bind_input(*session, "index", index).ok());
  ASSERT_TRUE(bind_input(*session, "cache", cache).ok());
  ASSERT_TRUE(bind_output(*session, "sum", sum).ok());
  const SymbolValue symbols[] = {{"T", 1}, {"KV", 1}};
  EXPECT_TRUE(session->run(symbols).ok());
  ASSERT_TRUE(bind_output(*session, "cache", cache).ok());
  EXPECT_TRUE(session->run(symbols).ok());
  ASSERT_TRUE(bind_output(*session, "cache", other).ok());
  const Status two = session->run(symbols);
  ASSERT_FALSE(two.ok());
  EXPECT_NE(message(two).find("output 'cache'"), std::string::npos) << message(two);
}

}  // namespace
}  // namespace tenon::runtime
