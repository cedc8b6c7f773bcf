// S17: what a session can do with its state. Reordering by beams is held in tenon/engine/batch_test.cpp and
// tenon/runtime/paged_walk_test.cpp.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tenon/tenon.h"
#include "tests/fixtures/catalogue.h"
#include "tests/support/breaker.h"
#include "tests/support/model_run.h"

namespace tenon::contracts {
namespace {

const test::Breaker lost_token("S17_lost_token", "the last token is trimmed away before the state is saved");
const test::Breaker no_reset("S17_no_reset", "the session is not reset");
const test::Breaker late_fork("S17_late_fork", "the fork is taken after the parent's next token");
const test::Breaker same_model("S17_same_model", "the state is one of the model that takes it");
const test::Breaker not_cut("S17_whole_file", "the damaged copies are whole");

// Files that go with the test.
class Folder {
 public:
  Folder() : path_(std::filesystem::temp_directory_path() / ("tenon_s17." + std::to_string(getpid()))) {
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

std::string write_fixture(const Folder& folder, std::string_view name) {
  const std::string path = folder / (std::string(name) + ".gguf");
  EXPECT_TRUE(fixtures::make_model(fixtures::fixture(name).spec).write(path).ok());
  return path;
}

Session open(const std::string& path, StateForm form = StateForm::kInPlace, KvType kv = KvType::kF32) {
  return Model::load(path, {.device = "ref"})
      .value()
      .open_session({.context = 64, .kv_type = kv, .state_form = form})
      .value();
}

std::vector<float> after(Session& session, std::span<const int32_t> tokens) {
  EXPECT_TRUE(session.evaluate(tokens).ok());
  return {session.logits().begin(), session.logits().end()};
}

void save(Session& session, const std::string& path) {
  if (lost_token.active()) {
    ASSERT_TRUE(session.trim(session.length() - 1).ok());
  }
  const Status saved = session.save(path);
  ASSERT_TRUE(saved.ok()) << saved.error().message();
}

class S17_Session : public testing::TestWithParam<const char*> {
 protected:
  const fixtures::Fixture& fixture() const { return fixtures::fixture(GetParam()); }
  std::span<const int32_t> past() const { return std::span(fixture().tokens).first(9); }
  std::span<const int32_t> next() const { return std::span(fixture().tokens).subspan(9, 3); }

  Folder folder_;
  std::string model_ = write_fixture(folder_, GetParam());
};

TEST_P(S17_Session, ResetIsAnEmptyOne) {
  Session used = open(model_), fresh = open(model_);
  (void)after(used, next());
  if (!no_reset.active()) used.reset();
  EXPECT_EQ(used.length(), 0);
  EXPECT_EQ(after(used, past()), after(fresh, past()));
}

TEST_P(S17_Session, AForkGoesItsOwnWay) {
  Session session = open(model_), cold = open(model_);
  (void)after(session, past());
  if (late_fork.active()) (void)after(session, next().last(1));
  Session fork = session.fork().value();
  EXPECT_EQ(fork.length(), session.length());
  (void)after(session, next().last(1));  // the fork does not feel it
  (void)after(cold, past());
  EXPECT_EQ(after(fork, next()), after(cold, next()));
}

TEST_P(S17_Session, AStateGoesOnInAnotherProcess) {
  const std::string state = folder_ / "state";
  const pid_t child = ::fork();
  if (child == 0) {
    Session session = open(model_);
    (void)after(session, past());
    save(session, state);
    _exit(testing::Test::HasFailure() ? 1 : 0);
  }
  int status = 1;
  waitpid(child, &status, 0);
  ASSERT_EQ(status, 0);

  Session session = open(model_), cold = open(model_);
  const Status restored = session.restore(state);
  ASSERT_TRUE(restored.ok()) << restored.error().message();
  EXPECT_EQ(session.length(), 9);
  (void)after(cold, past());
  EXPECT_EQ(after(session, next()), after(cold, next()));
}

INSTANTIATE_TEST_SUITE_P(Fixtures, S17_Session, testing::Values("llama-gqa4x2", "gemma3-gqa", "qwen35-gqa"),
                         [](const auto& test) {
                           return test.index == 0 ? "llama" : test.index == 1 ? "gemma3" : "qwen35";
                         });

TEST(S17_State, OfARecurrentModelIsNotTrimmed) {
  const Folder folder;
  Session session = open(write_fixture(folder, "qwen35-gqa"));
  (void)after(session, std::span(fixtures::fixture("qwen35-gqa").tokens).first(5));
  const Status trimmed = session.trim(lost_token.active() ? 5 : 3);
  ASSERT_FALSE(trimmed.ok());
  EXPECT_NE(trimmed.error().message().find("recurrent state"), std::string::npos)
      << trimmed.error().message();
  EXPECT_NE(trimmed.error().remedy.find("reset"), std::string::npos);
  EXPECT_EQ(session.length(), 5);
}

// Each names the field that differs, and the session goes on.
TEST(S17_State, OfAnotherModelIsRefusedByTheFieldThatDiffers) {
  const Folder folder;
  const std::string llama = write_fixture(folder, "llama-gqa4x2"), state = folder / "state";
  const std::span<const int32_t> tokens = fixtures::fixture("llama-gqa4x2").tokens;
  Session saved = open(llama);
  (void)after(saved, tokens.first(4));
  save(saved, state);

  const auto expect_refused = [&](Session session, const char* field) {
    (void)after(session, tokens.first(2));
    const Status restored = session.restore(state);
    ASSERT_FALSE(restored.ok()) << field;
    EXPECT_NE(restored.error().message().find(field), std::string::npos) << restored.error().message();
    EXPECT_EQ(session.length(), 2);
    EXPECT_FALSE(after(session, tokens.subspan(2, 1)).empty());
  };
  expect_refused(open(same_model.active() ? llama : write_fixture(folder, "qwen2-bias-gqa")),
                 "tenon.architecture");
  expect_refused(open(write_fixture(folder, "llama-mqa4x1")), "tenon.hyperparameters");
  expect_refused(open(write_fixture(folder, "llama-bias")), "tenon.");
  expect_refused(open(llama, StateForm::kInPlace, KvType::kF16), "tenon.kv_type");
}

TEST(S17_State, CutAnywhereIsRefusedAndTheSessionLives) {
  const Folder folder;
  const std::string model = write_fixture(folder, "llama-gqa4x2"), state = folder / "state";
  const std::span<const int32_t> tokens = fixtures::fixture("llama-gqa4x2").tokens;
  Session session = open(model);
  (void)after(session, tokens.first(4));
  save(session, state);
  std::ifstream in(state, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(in)), {});
  ASSERT_GT(bytes.size(), 1000u);
  for (size_t length = 0; length < bytes.size(); length += length < 700 ? 13 : 997) {
    const std::string cut = folder / "cut";
    std::ofstream(cut, std::ios::binary) << bytes.substr(0, not_cut.active() ? bytes.size() : length);
    EXPECT_FALSE(session.restore(cut).ok()) << length << " bytes of " << bytes.size();
  }
  EXPECT_FALSE(session.restore(folder / "absent").ok());
  EXPECT_EQ(session.length(), 4);
  EXPECT_FALSE(after(session, tokens.subspan(4, 1)).empty());
}

TEST(S17_State, GoesFromOwnerToOwner) {
  const Folder folder;
  const std::string model = write_fixture(folder, "llama-gqa4x2"), state = folder / "state";
  const std::span<const int32_t> tokens = fixtures::fixture("llama-gqa4x2").tokens;
  Session cold = open(model);
  (void)after(cold, tokens.first(9));
  const std::vector<float> expected = after(cold, tokens.subspan(9, 2));
  for (const StateForm from : {StateForm::kInPlace, StateForm::kStateful, StateForm::kPaged}) {
    Session before = open(model, from);
    (void)after(before, tokens.first(9));
    save(before, state);
    for (const StateForm to : {StateForm::kInPlace, StateForm::kStateless, StateForm::kPaged}) {
      Session session = open(model, to);
      ASSERT_TRUE(session.restore(state).ok());
      EXPECT_LE(test::normalised_error(after(session, tokens.subspan(9, 2)), expected), 1e-12);
    }
  }
}

}  // namespace
}  // namespace tenon::contracts
