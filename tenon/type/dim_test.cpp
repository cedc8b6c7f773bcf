#include "tenon/type/dim.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace tenon {
namespace {

const Dim T = Dim::symbol("T"), P = Dim::symbol("P");

TEST(Dim, EqualExtentsCompareEqualHoweverTheyCameAbout) {
  EXPECT_EQ(T + P, P + T);
  EXPECT_EQ(T * Dim(4), T + T + T + T);
  EXPECT_EQ((T + P) * Dim(2), T * 2 + P * 2);
  EXPECT_EQ(T * P, P * T);
  EXPECT_EQ(T + P - T, P);
  EXPECT_EQ(T - T, Dim(0));
  EXPECT_TRUE((T - T).is_constant());
  EXPECT_EQ((T + 1) * (T - 1), T * T - 1);
  EXPECT_FALSE(T == P);
  EXPECT_FALSE(T == Dim(1));
}

TEST(Dim, TextGoesBothWays) {
  for (const char* text : {"0", "12", "T", "4*T", "P+T", "2*P*T+3", "-1", "T-1", "-2*T+5", "T*T"}) {
    const Result<Dim> dim = Dim::parse(text);
    ASSERT_TRUE(dim.ok()) << text;
    EXPECT_EQ(dim->to_string(), text);
  }
  EXPECT_EQ(Dim::parse("T+P")->to_string(), "P+T");
  EXPECT_EQ(Dim::parse("T*4+T")->to_string(), "5*T");
}

TEST(Dim, ParseNamesTheTextThatItCannotRead) {
  for (const char* text : {"", "+", "T+", "4*", "T T", "4.5", "9223372036854775808", "(T)", "--T"}) {
    const Result<Dim> dim = Dim::parse(text);
    ASSERT_FALSE(dim.ok()) << text;
    EXPECT_EQ(dim.error().found, "'" + std::string(text) + "'");
  }
}

TEST(Dim, AConstantHasAValueAndASymbolAName) {
  EXPECT_EQ(Dim(7).value(), 7);
  EXPECT_EQ(Dim(7).try_value(), 7);
  EXPECT_FALSE(Dim(7).symbol_name());
  EXPECT_EQ(T.symbol_name(), "T");
  EXPECT_FALSE((T * 2).symbol_name());
  EXPECT_FALSE((T + 1).symbol_name());
  EXPECT_FALSE(T.try_value());
  EXPECT_THROW(T.value(), std::logic_error);
}

TEST(Dim, MentionsAndCollectsSymbols) {
  const Dim dim = T * P * 2 + Dim::symbol("N") + 3;
  EXPECT_TRUE(dim.mentions("N") && dim.mentions("P"));
  EXPECT_FALSE(dim.mentions("K"));
  std::vector<std::string> symbols;
  dim.collect_symbols(symbols);
  EXPECT_EQ(symbols, (std::vector<std::string>{"N", "P", "T"}));
}

TEST(Dim, EvaluatesWithValuesForAllSymbols) {
  const Dim dim = T * P * 2 + T + 3;
  EXPECT_EQ(dim.evaluate({{"T", 5}, {"P", 7}}), 78);
  EXPECT_THROW((void)dim.evaluate({{"T", 5}}), std::logic_error);
}

TEST(Dim, SaturatesInsteadOfWrapping) {
  EXPECT_EQ((T * T).evaluate({{"T", int64_t{1} << 40}}), INT64_MAX);
  EXPECT_EQ((T + INT64_MAX).evaluate({{"T", 3}}), INT64_MAX);
  EXPECT_EQ((Dim(INT64_MAX) * 2).value(), INT64_MAX);
  EXPECT_EQ((Dim(INT64_MAX) * -2).value(), INT64_MIN);
}

TEST(Dim, BoundsFollowTheSymbols) {
  const SymbolBounds symbols = {{"T", {1, 512}}, {"P", {0, 4096}}};
  EXPECT_EQ((T * 4 + 2).bounds(symbols), (Bounds{6, 2050}));
  EXPECT_EQ((T + P).bounds(symbols), (Bounds{1, 4608}));
  EXPECT_EQ((P - T).bounds(symbols), (Bounds{-512, 4095}));
  EXPECT_EQ((T * P).bounds(symbols), (Bounds{0, 512 * 4096}));
  EXPECT_EQ(Dim::symbol("N").bounds(symbols), (Bounds{0, INT64_MAX}));
  EXPECT_EQ(Dim(9).bounds(symbols), (Bounds{9, 9}));
}

TEST(Dim, DividesOnlyExactly) {
  EXPECT_EQ((T * 64).divide(64), T);
  EXPECT_EQ((T * 256).divide(T), Dim(256));
  EXPECT_EQ((T * P * 6).divide(P * 2), T * 3);
  EXPECT_EQ((T + P).divide(T + P), Dim(1));
  EXPECT_EQ((T * 8 + 4).divide(4), T * 2 + 1);
  EXPECT_EQ(Dim(12).divide(3), Dim(4));
  EXPECT_FALSE((T * 64).divide(48));
  EXPECT_FALSE((T * 2 + 1).divide(2));
  EXPECT_FALSE((T + 1).divide(T));
  EXPECT_FALSE((T * P).divide(T + P));
  EXPECT_FALSE(T.divide(0));
}

}  // namespace
}  // namespace tenon
