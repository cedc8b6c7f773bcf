// T11: every axis has a role, and from tokens to logits each value has one axis of tokens.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tenon/arch/architecture.h"
#include "tenon/op/op.h"
#include "tenon/pass/pipeline.h"
#include "tenon/pass/state/genai.h"
#include "tenon/pass/state/paged.h"
#include "tenon/pass/state/stateful.h"
#include "tests/contracts/forms.h"
#include "tests/fixtures/catalogue.h"
#include "tests/support/breaker.h"

namespace tenon::contracts {
namespace {

const test::Breaker role_lost("T11_role_lost", "an activation's token axis has lost its role");
const test::Breaker second_axis("T11_second_token_axis", "an activation has a second axis of tokens");

enum class Form { kStateless, kGenai, kPaged };
constexpr const char* kFormNames[] = {"stateless", "adapt_to_genai", "sdpa_to_paged"};

Result<ir::Model> convert(const fixtures::Fixture& fixture, Form form) {
  const auto bytes = std::make_shared<std::vector<std::byte>>(fixtures::make_model(fixture.spec).to_bytes());
  TENON_ASSIGN(const auto file, gguf::File::parse(*bytes, bytes));
  TENON_ASSIGN(const std::unique_ptr<decoder::Decoder> decoder, arch::build_decoder(file, {}));
  pass::ConvertOptions options;
  if (form != Form::kStateless) options.extensions = {pass::make_stateful(), pass::adapt_to_genai()};
  if (form == Form::kPaged) options.extensions.push_back(pass::sdpa_to_paged());
  return pass::convert(*decoder, options);
}

// Values that carry what `tokens` says; a shape that is read from them does not.
std::set<ir::Value> carriers(ir::Node& tokens) {
  std::set<ir::Value> out;
  std::vector<ir::Value> open = {tokens.output(0)};
  while (!open.empty()) {
    const ir::Value value = open.back();
    open.pop_back();
    if (!out.insert(value).second) continue;
    for (const ir::Use& use : value.uses()) {
      if (use.user->is("ShapeOf")) continue;
      for (int port = 0; port < use.user->port_count(); ++port) open.push_back(use.user->output(port));
    }
  }
  return out;
}

// Those of them that the logits depend on, in no order.
std::set<ir::Value> between(ir::Node& tokens, const ir::Node& logits) {
  const std::set<ir::Value> from = carriers(tokens);
  std::set<ir::Value> out;
  std::vector<ir::Value> open = {logits.input(0)};
  while (!open.empty()) {
    const ir::Value value = open.back();
    open.pop_back();
    if (!from.contains(value) || !out.insert(value).second) continue;
    for (const ir::Value& input : value.node().inputs()) open.push_back(input);
  }
  return out;
}

TensorType type_of(const ir::Value& value) {
  TensorType type = value.type();
  if (!value.node().is("MatMul")) return type;
  for (Axis& axis : type.axes) {
    if (role_lost.active() && axis.role == AxisRole::kToken) axis.role = AxisRole::kUnknown;
    if (second_axis.active() && axis.role == AxisRole::kChannel) axis.role = AxisRole::kToken;
  }
  return type;
}

// Tokens of this step; a cache's positions, where this step's tokens are among them.
int token_axes(const TensorType& type) {
  const auto count = [&](AxisRole role) {
    return std::count_if(type.axes.begin(), type.axes.end(), [&](const Axis& a) { return a.role == role; });
  };
  const auto tokens = count(AxisRole::kToken);
  return static_cast<int>(tokens == 0 ? count(AxisRole::kPosition) : tokens);
}

// The last token of a model's only sequence: an extent of 1 needs no role.
bool is_one_token(const TensorType& type) {
  return std::all_of(type.axes.begin(), type.axes.end(), [](const Axis& axis) {
    return axis.extent == Dim(1) || axis.role == AxisRole::kChannel || axis.role == AxisRole::kExpert;
  });
}

TEST(T11_Roles, EveryArchitectureKeepsOneAxisOfTokens) {
  std::set<std::string_view> seen;
  for (const fixtures::Fixture& fixture : fixtures::catalogue()) {
    if (!seen.insert(fixture.spec.architecture).second) continue;
    for (const Form form : {Form::kStateless, Form::kGenai, Form::kPaged}) {
      SCOPED_TRACE(std::string(fixture.name) + ", " + kFormNames[static_cast<size_t>(form)]);
      const Result<ir::Model> model = convert(fixture, form);
      ASSERT_TRUE(model.ok()) << model.error().message();
      ir::Node* const tokens = model->find_parameter(form == Form::kStateless ? "inp_tokens" : "input_ids");
      const std::set<ir::Value> values = between(*tokens, *model->find_result("logits"));
      EXPECT_GT(values.size(), 20u);
      for (const ir::Value& value : values) {
        const TensorType type = type_of(value);
        const int wanted = form != Form::kStateless && is_one_token(type) ? 0 : 1;
        EXPECT_EQ(token_axes(type), wanted) << value.describe();
        for (int axis = 0; axis < type.rank(); ++axis)
          EXPECT_NE(type.role(axis), AxisRole::kUnknown) << value.describe();
      }
    }
  }
  for (const arch::Architecture& architecture : arch::architectures())
    EXPECT_TRUE(seen.contains(architecture.name)) << architecture.name << " has no fixture";
}

TEST(T11_Roles, EverySchemaHasARule) {
  for (const op::OpDefinition* op : op::all_ops())
    EXPECT_NE(role_lost.active() && op->schema.name == "MatMul" ? nullptr : op->schema.infer, nullptr)
        << op->schema.name;
}

}  // namespace
}  // namespace tenon::contracts
