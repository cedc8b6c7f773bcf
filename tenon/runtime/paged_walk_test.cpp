// Thousands of random operations on sequences that share blocks, against lists of what each should hold.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "tenon/runtime/paged_state.h"
#include "tenon/runtime/session_test_support.h"

namespace tenon::runtime {
namespace {

constexpr int64_t kBlocks = 40, kMostTokens = 6, kMostSequences = 8, kFewestSequences = 3;

std::unique_ptr<Session> paged_session(int64_t block_size) {
  const std::string rows = std::to_string(block_size);
  const ir::Model model =
      ir::parse(
          "model \"m\" {\n  symbol T in [1, 48]\n  symbol N in [1, 8]\n  symbol blocks in [1, 40]\n"
          "  symbol n in [1, 320]\n"
          R"(
  %tokens = Parameter() {name="tokens", type=i32[T:token], role=tokens}
  %q = Parameter() {name="q", type=f32[T:token,2]}
  %k = Parameter() {name="k", type=f32[T:token,2]}
  %v = Parameter() {name="v", type=f32[T:token,2]}
  %kc = Parameter() {name="key_cache.0", type=f32[blocks,2:head,)" +
              rows + R"(:position,1:head_size], role=cache}
  %vc = Parameter() {name="value_cache.0", type=f32[blocks,2:head,)" +
              rows + R"(:position,1:head_size], role=cache}
  %past = Parameter() {name="past_lens", type=i32[N], role=past_lengths}
  %begins = Parameter() {name="subsequence_begins", type=i32[N+1], role=sequence_begins}
  %indices = Parameter() {name="block_indices", type=i32[n], role=block_indices}
  %ends = Parameter() {name="block_indices_begins", type=i32[N+1], role=block_begins}
  %longest = Parameter() {name="max_context_len", type=i32[], role=max_context_length}
  %out = PagedAttention(%q:0, %k:0, %v:0, %kc:0, %vc:0, %past:0, %begins:0, %indices:0, %ends:0, %longest:0)
  %r = Result(%out:0) {name="out"}
})",
          op::all_schemas())
          .value();
  return Session::create(ref::make_backend(),
                         plan::make_plan(model, ref::make_backend()->target(), {}).value())
      .value();
}

// What a sequence should hold: for each token the number that its key and value rows were made of.
using List = std::vector<float>;

class Walk {
 public:
  Walk(int64_t block_size, uint32_t seed) : random_(seed), session_(paged_session(block_size)) {
    state_ = PagedState::create(*session_, *backend_, {.blocks = kBlocks, .poison = true}).value();
    for (int64_t i = 0; i < kFewestSequences; ++i) lists_[state_->add()] = {};
  }

  void step() {
    switch (below(7)) {
      case 0:
        return fork();
      case 1:
        return trim();
      case 2:
        return reorder();
      case 3:
        return remove();
      case 4:
        return restore();
      default:
        return append();
    }
  }

  void check() const {
    for (const auto& [id, list] : lists_) {
      ASSERT_EQ(state_->length(id), static_cast<int64_t>(list.size()));
      std::vector<float> expected;
      for (const float sign : {1.0f, -1.0f}) {  // keys, then values
        for (const float number : list)
          expected.insert(expected.end(), {sign * number, sign * (number + 0.5f)});
      }
      const std::vector<std::byte> saved = state_->save(id);
      ASSERT_EQ(saved.size(), expected.size() * sizeof(float));
      const auto bytes = std::as_bytes(std::span(expected));
      ASSERT_TRUE(std::equal(saved.begin(), saved.end(), bytes.begin(), bytes.end())) << "sequence " << id;
    }
    int64_t users = 0, listed = 0;
    for (int32_t block = 0; block < kBlocks; ++block) users += state_->pool().users(block);
    for (const auto& entry : lists_) listed += static_cast<int64_t>(state_->blocks(entry.first).size());
    ASSERT_EQ(users, listed) << "blocks that nobody uses, or too few";
  }

  int appended() const { return appended_; }

 private:
  int64_t below(int64_t count) { return std::uniform_int_distribution<int64_t>(0, count - 1)(random_); }
  SequenceId any() { return std::next(lists_.begin(), below(static_cast<int64_t>(lists_.size())))->first; }

  // New tokens of a random part of the sequences, in one call.
  void append() {
    std::vector<Append> step;
    std::vector<float> keys, values;
    std::map<SequenceId, List> next = lists_;
    for (auto& [id, list] : next) {
      if (below(2) == 0) continue;
      step.push_back({id, 1 + below(kMostTokens)});
      for (int64_t t = 0; t < step.back().tokens; ++t) {
        const auto number = static_cast<float>(++made_);
        list.push_back(number);
        keys.insert(keys.end(), {number, number + 0.5f});
        values.insert(values.end(), {-number, -(number + 0.5f)});
      }
    }
    if (step.empty()) return;
    const int64_t tokens = static_cast<int64_t>(keys.size()) / 2;
    std::vector<int32_t> ids(static_cast<size_t>(tokens));
    std::vector<float> queries(keys.size()), out(keys.size());
    std::vector<SymbolValue> symbols = {{"T", tokens}};
    const Status bound = state_->bind(*session_, step, symbols);
    if (!bound.ok()) {
      EXPECT_EQ(bound.error().code, ErrorCode::kContextFull);
      return;  // nothing has changed: check() says so
    }
    symbols.push_back({"n", symbols[2].value});
    ASSERT_TRUE(bind_input(*session_, "tokens", ids).ok());
    ASSERT_TRUE(bind_input(*session_, "q", queries).ok());
    ASSERT_TRUE(bind_input(*session_, "k", keys).ok());
    ASSERT_TRUE(bind_input(*session_, "v", values).ok());
    ASSERT_TRUE(bind_output(*session_, "out", out).ok());
    const Status status = session_->run(symbols);
    ASSERT_TRUE(status.ok()) << status.error().message();
    for (const float number : out) ASSERT_FALSE(std::isnan(number)) << "a freed row was read";
    state_->commit(step);
    lists_ = std::move(next);
    ++appended_;
  }

  void fork() {
    if (static_cast<int64_t>(lists_.size()) == kMostSequences) return;
    const SequenceId parent = any();
    const SequenceId child = state_->fork(parent);
    lists_[child] = lists_.at(parent);
  }

  void trim() {
    const SequenceId id = any();
    List& list = lists_.at(id);
    list.resize(static_cast<size_t>(below(static_cast<int64_t>(list.size()) + 1)));
    ASSERT_TRUE(state_->trim(id, static_cast<int64_t>(list.size())).ok());
    EXPECT_FALSE(state_->trim(id, static_cast<int64_t>(list.size()) + 1).ok());
  }

  void reorder() {
    std::vector<SequenceId> sequences, parents;
    for (const auto& entry : lists_) {
      sequences.push_back(entry.first);
      parents.push_back(any());
    }
    std::map<SequenceId, List> next;
    for (size_t i = 0; i < sequences.size(); ++i) next[sequences[i]] = lists_.at(parents[i]);
    state_->reorder(sequences, parents);
    lists_ = std::move(next);
  }

  void remove() {
    if (static_cast<int64_t>(lists_.size()) == kFewestSequences) return;
    const SequenceId id = any();
    state_->remove(id);
    lists_.erase(id);
  }

  void restore() {
    const SequenceId from = any(), to = any();
    const List list = lists_.at(from);
    const Status status = state_->restore(to, static_cast<int64_t>(list.size()), state_->save(from));
    if (status.ok()) lists_.at(to) = list;
  }

  std::mt19937 random_;
  std::shared_ptr<Backend> backend_ = ref::make_backend();
  std::unique_ptr<Session> session_;
  std::unique_ptr<PagedState> state_;
  std::map<SequenceId, List> lists_;
  int made_ = 0, appended_ = 0;
};

TEST(PagedWalk, ContentsAndLengthsAreThoseOfListsAfterEveryStep) {
  for (const int64_t block_size : {16, 32}) {
    for (const uint32_t seed : {1u, 2u, 3u}) {
      SCOPED_TRACE("blocks of " + std::to_string(block_size) + ", seed " + std::to_string(seed));
      Walk walk(block_size, seed);
      for (int i = 0; i < 2000; ++i) {
        walk.step();
        walk.check();
        if (testing::Test::HasFatalFailure()) return;
      }
      EXPECT_GT(walk.appended(), 200);
    }
  }
}

}  // namespace
}  // namespace tenon::runtime
