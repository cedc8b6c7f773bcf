// L12: tokens stay on one axis.
#include <gtest/gtest.h>

#include "tenon/ir/text.h"
#include "tenon/ir/verify.h"
#include "tenon/op/op.h"
#include "tests/support/breaker.h"

namespace tenon::contracts {
namespace {

const test::Breaker no_roles("L12_no_roles", "the axes of the fixture have lost their roles");

// Verifies Add(%a, %b) of two parameters.
Status verify_sum(std::string a, std::string b) {
  if (no_roles.active()) {
    for (std::string* const type : {&a, &b}) {
      for (size_t at; (at = type->find(":token")) != std::string::npos;) type->erase(at, 6);
    }
  }
  const std::string text = "model \"sum\" {\n  %a = Parameter() {name=\"a\", type=" + a +
                           "}\n  %b = Parameter() {name=\"b\", type=" + b +
                           "}\n  %sum = Add(%a:0, %b:0)\n  %out = Result(%sum:0) {name=\"out\"}\n}\n";
  TENON_ASSIGN(const ir::Model model, ir::parse(text, op::all_schemas()));
  return ir::verify(model, ir::Stage::kTranslated);
}

// The embedding that kept a leading 1, against one whose tokens came first; a merge of heads that lost an
// axis; rotary tables whose positions stand on the wrong axis.
TEST(L12_TokenAxes, ATokenByTokenSumIsRefusedNamingBothProducers) {
  const std::pair<std::string, std::string> faults[] = {
      {"f32[1,1,T:token,64:channel]", "f32[T:token,1,1,64:channel]"},
      {"f32[T:token,1,1,64:channel]", "f32[1,T:token,64:channel]"},
      {"f32[1,T:token,1,32]", "f32[T:token,1,1,32]"},
      {"f32[1,1,T:token,64:channel]", "f32[1,T:token,1,64:channel]"},
  };
  for (const auto& [a, b] : faults) {
    const Status status = verify_sum(a, b);
    ASSERT_FALSE(status.ok()) << a << " + " << b;
    const std::string message = status.error().message();
    for (const std::string& part : {"%a:0 " + a, "%b:0 " + b, std::string("Add 'sum'")}) {
      EXPECT_NE(message.find(part), std::string::npos) << part << " in " << message;
    }
  }
}

TEST(L12_TokenAxes, TokensByPositionsAndTokensOnOneAxisPass) {
  EXPECT_TRUE(verify_sum("f32[1,1,T:token,1]", "f32[1,1,1,KV:position]").ok());
  EXPECT_TRUE(verify_sum("f32[1,1,T:token,64:channel]", "f32[1,1,T:token,64:channel]").ok());
  EXPECT_TRUE(verify_sum("f32[1,1,T:token,64:channel]", "f32[64:channel]").ok());
  EXPECT_EQ(verify_sum("f32[1,1,T:token,1]", "f32[1,T:token,1,1]").ok(), false);
}

}  // namespace
}  // namespace tenon::contracts
