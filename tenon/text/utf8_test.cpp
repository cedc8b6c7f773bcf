#include "tenon/text/utf8.h"

#include <gtest/gtest.h>

#include <vector>

namespace tenon::text {
namespace {

constexpr std::string_view kFamily =
    "\U0001F468\u200D\U0001F469\u200D\U0001F467";  // 18 bytes, five characters

TEST(IsValidUtf8, KnowsTheBorders) {
  for (const std::string_view valid :
       {"", "a", "\u0080", "\u07FF", "\u0800", "\uD7FF", "\uE000", "\U00010000", "\U0010FFFF"}) {
    EXPECT_TRUE(is_valid_utf8(valid)) << valid;
  }
  for (const std::string_view invalid :
       {"\x80", "\xC1\xBF", "\xE0\x9F\xBF", "\xED\xA0\x80", "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80",
        "\xF5\x80\x80\x80", "\xE2\x82", "a\xFF"}) {
    EXPECT_FALSE(is_valid_utf8(invalid));
  }
}

TEST(LenientUtf8, ReadsBrokenBytesAsLlamaCppDoes) {
  EXPECT_EQ(lenient_utf8("caf\u00E9 \U0001F600"), "caf\u00E9 \U0001F600");
  EXPECT_EQ(lenient_utf8("f\xFFo\x80"), "f\uFFFDo\uFFFD");
  EXPECT_EQ(lenient_utf8("\xE2\x82 "), "\uFFFD\uFFFD ") << "each byte of a cut character is one";
  EXPECT_EQ(lenient_utf8("\xC1\x81\xF0\x80\x81\x81"), "AA") << "overlong forms are shortened";
  EXPECT_EQ(lenient_utf8("\xED\xA0\x80"), "\xED\xA0\x80") << "surrogates stay";
  EXPECT_EQ(lenient_utf8("\xF4\x90\x80\x80"), "\uFFFD\uFFFD\uFFFD\uFFFD");
}

TEST(Utf8Stream, NeverEndsInsideACharacter) {
  for (size_t piece = 1; piece <= 5; ++piece) {
    Utf8Stream stream;
    std::string text;
    for (size_t at = 0; at < kFamily.size(); at += piece) {
      const std::string out = stream.append(kFamily.substr(at, piece));
      EXPECT_TRUE(is_valid_utf8(out));
      text += out;
    }
    EXPECT_EQ(stream.flush(), "");
    EXPECT_EQ(text, kFamily);
  }
}

TEST(Utf8Stream, GivesWhatIsCompleteAtOnce) {
  Utf8Stream stream;
  EXPECT_EQ(stream.append("a\xE2"), "a");
  EXPECT_EQ(stream.append("\x82"), "");
  EXPECT_EQ(stream.append("\xAC!"), "\u20AC!");
}

TEST(Utf8Stream, ReplacesWhatCannotBecomeACharacter) {
  Utf8Stream stream;
  EXPECT_EQ(stream.append("\xFF\xFE"), "\uFFFD\uFFFD");
  EXPECT_EQ(stream.append("\xF0\x9F"), "");
  EXPECT_EQ(stream.append("x"), "\uFFFDx") << "one for the whole start of a character";
  EXPECT_EQ(stream.append("\xF0\x9F\x98"), "");
  EXPECT_EQ(stream.flush(), "\uFFFD");
  EXPECT_EQ(stream.append("\x80z"), "\uFFFDz") << "nothing is left from before the flush";
}

}  // namespace
}  // namespace tenon::text
