#include "tenon/ir/attributes.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

namespace tenon::ir {
namespace {

enum class Mode : uint8_t { kFloor, kRound, kCeil };
constexpr std::array<std::string_view, 3> kModeNames = {"floor", "round", "ceil"};

// One field of every kind.
struct EveryKind : AttributesOf<EveryKind> {
  bool flag = false;
  int64_t axis = -1;
  double epsilon = 1e-5;
  std::string title;
  ElementType element = ElementType::kF32;
  std::vector<int64_t> order = {0, 1};
  std::vector<Dim> target;
  TensorType type{ElementType::kF32, {1}};
  Mode mode = Mode::kRound;

  template <class V>
  void visit_fields(V& v) {
    v.field("flag", flag);
    v.field("axis", axis);
    v.field("epsilon", epsilon);
    v.field("title", title);
    v.field("element", element);
    v.field("order", order);
    v.field("target", target);
    v.field("type", type);
    v.enumeration("mode", mode, kModeNames);
  }
};

std::string printed(const EveryKind& attributes) { return print_attributes(attributes, EveryKind()); }

std::string parse_error(std::string_view text) {
  EveryKind attributes;
  const Status status = parse_attributes(text, attributes);
  return status.ok() ? "" : status.error().message();
}

TEST(Attributes, PrintOnlyWhatDiffersFromTheDefaults) {
  EveryKind attributes;
  EXPECT_EQ(printed(attributes), "");
  attributes.axis = 3;
  attributes.mode = Mode::kCeil;
  EXPECT_EQ(printed(attributes), "{axis=3, mode=ceil}");
}

TEST(Attributes, EveryKindOfFieldHasItsText) {
  EveryKind attributes;
  attributes.flag = true;
  attributes.axis = INT64_MIN;
  attributes.epsilon = 0.1;
  attributes.title = "attn_norm";
  attributes.element = ElementType::kQ4_K;
  attributes.order = {0, 2, -1};
  attributes.target = {Dim(1), Dim::symbol("T"), Dim::symbol("T") * Dim(4) + Dim(2)};
  attributes.type = {ElementType::kF16, {1, {Dim::symbol("KV"), AxisRole::kPosition}}};
  attributes.mode = Mode::kFloor;
  EXPECT_EQ(printed(attributes),
            "{flag=true, axis=-9223372036854775808, epsilon=0.1, title=\"attn_norm\", element=q4_k, "
            "order=[0,2,-1], target=[1,T,4*T+2], type=f16[1,KV:position], mode=floor}");

  EveryKind again;
  ASSERT_TRUE(parse_attributes(printed(attributes), again).ok());
  EXPECT_EQ(again.flag, true);
  EXPECT_EQ(again.axis, INT64_MIN);
  EXPECT_EQ(again.epsilon, 0.1);
  EXPECT_EQ(again.title, "attn_norm");
  EXPECT_EQ(again.element, ElementType::kQ4_K);
  EXPECT_EQ(again.order, attributes.order);
  EXPECT_EQ(again.target, attributes.target);
  EXPECT_EQ(again.type, attributes.type);
  EXPECT_EQ(again.mode, Mode::kFloor);
}

TEST(Attributes, FieldsThatTheTextLeavesOutKeepTheirDefaults) {
  EveryKind attributes;
  ASSERT_TRUE(parse_attributes("{axis=2}", attributes).ok());
  EXPECT_EQ(attributes.axis, 2);
  EXPECT_EQ(attributes.order, (std::vector<int64_t>{0, 1}));
  EXPECT_EQ(attributes.mode, Mode::kRound);
  ASSERT_TRUE(parse_attributes("", attributes).ok());
  EXPECT_EQ(attributes.axis, 2);
}

TEST(Attributes, NumbersKeepEveryBit) {
  for (const double value : {1.0 / 3, 1e-300, -0.0, 5e-324, 1e-6, std::numeric_limits<double>::infinity()}) {
    EveryKind attributes, again;
    attributes.epsilon = value;
    ASSERT_TRUE(parse_attributes(printed(attributes), again).ok()) << printed(attributes);
    EXPECT_EQ(std::signbit(again.epsilon), std::signbit(value));
    EXPECT_EQ(again.epsilon, value);
  }
}

TEST(Attributes, StringsMayHoldTheSyntaxItself) {
  for (const char* const text :
       {"a \"quoted\" word", "back\\slash\\", "{x=1, y=[2}", "ends in \\\"", "", "é"}) {
    EveryKind attributes, again;
    attributes.title = text;
    attributes.axis = 7;
    again.title = "something else";
    if (attributes.title.empty()) again.title.clear();
    ASSERT_TRUE(parse_attributes(printed(attributes), again).ok()) << printed(attributes);
    EXPECT_EQ(again.title, text);
    EXPECT_EQ(again.axis, 7);
  }
}

TEST(Attributes, AnEmptyListIsNoDefault) {
  EveryKind attributes, again;
  attributes.order.clear();
  EXPECT_EQ(printed(attributes), "{order=[]}");
  ASSERT_TRUE(parse_attributes(printed(attributes), again).ok());
  EXPECT_TRUE(again.order.empty());
}

TEST(Attributes, AnUnknownFieldIsRefusedByName) {
  EXPECT_NE(parse_error("{axis=1, width=2}").find("width"), std::string::npos);
}

TEST(Attributes, AValueOfTheWrongKindIsRefusedByFieldAndValue) {
  const struct {
    const char *text, *field, *wanted;
  } cases[] = {
      {"{flag=1}", "flag", "true or false"},
      {"{axis=1.5}", "axis", "an integer"},
      {"{axis=9223372036854775808}", "axis", "an integer"},
      {"{axis=}", "axis", "an integer"},
      {"{epsilon=small}", "epsilon", "a number"},
      {"{title=plain}", "title", "a quoted string"},
      {"{element=q9_k}", "element", "an element type"},
      {"{order=[0,x]}", "order", "a list of integers"},
      {"{order=[0,]}", "order", "a list of integers"},
      {"{order=0}", "order", "a list of integers"},
      {"{target=[T+]}", "target", "a list of extents"},
      {"{type=f32}", "type", "a tensor type"},
      {"{mode=truncate}", "mode", "one of floor round ceil"},
  };
  for (const auto& [text, field, wanted] : cases) {
    const std::string message = parse_error(text);
    EXPECT_NE(message.find(std::string("attribute ") + field), std::string::npos) << text << ": " << message;
    EXPECT_NE(message.find(wanted), std::string::npos) << text << ": " << message;
  }
}

TEST(Attributes, BrokenSyntaxIsRefused) {
  for (const char* const text :
       {"axis=1", "{axis}", "{title=\"open}", "{order=[1,2}", "{order=1]}", "{axis=1, axis=2}", "{", "}"}) {
    EXPECT_NE(parse_error(text), "") << text;
  }
}

TEST(Attributes, ACloneIsOfTheSameKindAndItsOwn) {
  EveryKind attributes;
  attributes.axis = 5;
  const std::unique_ptr<Attributes> clone = attributes.clone();
  attributes.axis = 6;
  EXPECT_EQ(dynamic_cast<const EveryKind&>(*clone).axis, 5);
}

}  // namespace
}  // namespace tenon::ir
