#include "tenon/base/error.h"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>

#include "tenon/base/result.h"

namespace tenon {
namespace {

TEST(Error, TheMessageLeavesOutWhatIsNotThere) {
  EXPECT_EQ((Error{ErrorCode::kIo, "a.gguf", "a file", "a folder", "give a file"}.message()),
            "a.gguf: wanted a file, found a folder (give a file)");
  EXPECT_EQ((Error{ErrorCode::kIo, "a.gguf", "a file", "", ""}.message()), "a.gguf: wanted a file");
  EXPECT_EQ((Error{ErrorCode::kIo, "a.gguf", "", "a folder", ""}.message()), "a.gguf: a folder");
  EXPECT_EQ((Error{ErrorCode::kContextFull, "", "", "", "start anew"}.message()),
            "context full (start anew)");
}

TEST(Error, TheMessageIsOneLineWhateverTheFileHolds) {
  EXPECT_EQ((Error{ErrorCode::kInvalidFile, "key 'a\nb'", "", "\x1b[31m", ""}.message()),
            "key 'a\\x0ab': \\x1b[31m");
}

TEST(Error, EveryCodeHasItsOwnName) {
  EXPECT_EQ(error_code_name(ErrorCode::kInvalidFile), "invalid file");
  EXPECT_EQ(error_code_name(ErrorCode::kCancelled), "cancelled");
  EXPECT_EQ(error_code_name(static_cast<ErrorCode>(99)), "unknown");
}

TEST(Printable, KeepsUtf8AndEscapesTheRest) {
  EXPECT_EQ(printable("plain text"), "plain text");
  EXPECT_EQ(printable("модель 模型 🦙"), "модель 模型 🦙");
  EXPECT_EQ(printable("tab\t del\x7f"), "tab\\x09 del\\x7f");
  EXPECT_EQ(printable("\xff\xfe"), "\\xff\\xfe");
  EXPECT_EQ(printable("cut \xe2\x82"), "cut \\xe2\\x82");  // two bytes of three
  EXPECT_EQ(printable("\xe2\x28\xa1"), "\\xe2(\\xa1");     // a lead without its continuation
  EXPECT_EQ(printable(std::string_view("\0x", 2)), "\\x00x");
}

Result<int> half(int value) {
  if (value % 2 != 0)
    return Error{ErrorCode::kInvalidArgument, "half", "an even number", std::to_string(value), ""};
  return value / 2;
}

Result<int> quarter(int value) {
  TENON_ASSIGN(const int once, half(value));
  TENON_ASSIGN(const int twice, half(once));
  return twice;
}

Status is_even(int value) {
  TENON_RETURN_IF_ERROR(half(value));
  return {};
}

TEST(Result, TheMacrosPassValuesAndErrorsOn) {
  EXPECT_EQ(*quarter(12), 3);
  EXPECT_EQ(quarter(6).error().found, "3");
  EXPECT_TRUE(is_even(4).ok());
  EXPECT_EQ(is_even(5).error().wanted, "an even number");
}

TEST(Result, AskingAnErrorForItsValueThrows) {
  const Result<int> bad = half(7);
  EXPECT_FALSE(bad);
  EXPECT_THROW(bad.value(), std::logic_error);
  EXPECT_THROW(half(7).value(), std::logic_error);
}

TEST(Result, HoldsWhatCanOnlyBeMoved) {
  Result<std::unique_ptr<int>> result(std::make_unique<int>(5));
  EXPECT_EQ(**result, 5);
  const std::unique_ptr<int> taken = std::move(result).value();
  EXPECT_EQ(*taken, 5);
}

}  // namespace
}  // namespace tenon
