// Models in the text form, for the tests of shape and role rules: the types written there are the
// expectation.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tenon/ir/text.h"
#include "tenon/ir/verify.h"
#include "tenon/op/op.h"

namespace tenon::op {

// "%p0", "%p1", … are parameters of the given types in front of `body`.
inline std::string with_parameters(const std::vector<std::string>& types, const std::string& body) {
  std::string text = "model \"m\" {\n";
  for (size_t i = 0; i < types.size(); ++i) {
    const std::string name = "p" + std::to_string(i);
    text += "  %" + name + " = Parameter() {name=\"" + name + "\", type=" + types[i] + "}\n";
  }
  return text + body + "\n}\n";
}

// The body's types are the inferred ones, the verifier agrees, and the text form survives a round trip.
inline void expect_types(const std::vector<std::string>& parameters, const std::string& body) {
  SCOPED_TRACE(body);
  Result<ir::Model> model = ir::parse(with_parameters(parameters, body), all_schemas());
  ASSERT_TRUE(model.ok()) << model.error().message();
  const Status verified = ir::verify(*model, ir::Stage::kTranslated);
  EXPECT_TRUE(verified.ok()) << verified.error().message();
  const std::string printed = ir::print(*model);
  Result<ir::Model> again = ir::parse(printed, all_schemas());
  ASSERT_TRUE(again.ok()) << again.error().message();
  EXPECT_EQ(ir::print(*again), printed);
}

// The body is refused by its last node's rule, in words that name the op, the node and each of `parts`.
inline void expect_error(const std::vector<std::string>& parameters, const std::string& body,
                         const std::vector<std::string>& parts) {
  SCOPED_TRACE(body);
  const Result<ir::Model> model = ir::parse(with_parameters(parameters, body), all_schemas());
  ASSERT_FALSE(model.ok());
  const size_t name = body.rfind('%', body.rfind('=', body.rfind('('))) + 1;
  const std::string node = body.substr(name, body.find(' ', name) - name);
  const std::string message = model.error().message();
  EXPECT_NE(message.find(" '" + node + "'"), std::string::npos) << message;
  for (const std::string& part : parts) EXPECT_NE(message.find(part), std::string::npos) << message;
}

}  // namespace tenon::op
