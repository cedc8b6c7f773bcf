// Plans of models in the text form for a small target, and what tests ask of them.
#pragma once

#include <algorithm>
#include <string>

#include "tenon/ir/text.h"
#include "tenon/op/op.h"
#include "tenon/plan/plan.h"

namespace tenon::plan {

inline std::string refuse_wide(const Match& match) {
  const TensorType& weight = match.node("MatMul").input(1).type();
  return weight.dim(0).value() > 16 ? "the weight has more than 16 rows" : "";
}

inline TensorType table_type(const Match& match) {
  return {ElementType::kF32, {match.operands[1].type().element_count(), 8}};
}
inline const SharedTable kTable{"table", {1, 2}, table_type};

inline size_t scratch(const Match& match, const Limits& limits) {
  return static_cast<size_t>(limits.largest(match.operands[0].type().dim(-2)) * limits.workers * 4);
}

inline const Target& test_target() {
  static const Target target{
      "test",
      {{.id = "biased",
        .pattern = "Add(MatMul(x, w:Constant), b:Constant)",
        .refuse = refuse_wide,
        .group = "product",
        .scratch_bytes = scratch},
       {.id = "product", .pattern = "MatMul(x, w:Constant)", .group = "product", .scratch_bytes = scratch},
       {.id = "one_token", .pattern = "SwiGLU(gate, up)", .tokens = {1, 1}},
       {.id = "rope", .pattern = "Rope", .shared = &kTable},
       {.id = "StatelessKV",
        .pattern = "VariadicSplit(ScatterUpdate(cache:Parameter, index, Convert(rows)), lengths)",
        .in_place_operand = 0},
       {.id = "StatelessKV",
        .pattern = "VariadicSplit(ScatterUpdate(cache:Parameter, index, rows), lengths)",
        .in_place_operand = 0},
       {.id = "reference", .pattern = "*"}}};
  return target;
}

inline Result<std::shared_ptr<const Plan>> try_plan(const std::string& body, const PlanOptions& options = {},
                                                    const Target& target = test_target()) {
  TENON_ASSIGN(const ir::Model model,
               ir::parse("model \"m\" {\n  symbol T in [1, 4]\n" + body + "\n}", op::all_schemas()));
  return make_plan(model, target, options);
}

inline std::shared_ptr<const Plan> plan_of(const std::string& body, const PlanOptions& options = {},
                                           const Target& target = test_target()) {
  return try_plan(body, options, target).value();
}

inline std::string plan_error(const std::string& body, const PlanOptions& options = {}) {
  const auto plan = try_plan(body, options);
  return plan.ok() ? "" : plan.error().message();
}

// "row name, row name": the steps of the list for one token.
inline std::string steps(const Plan& plan, int64_t tokens = 1) {
  std::string out;
  for (const Step& step : plan.list_for(tokens)->steps)
    out += (out.empty() ? "" : ", ") + std::string(step.row) + " " + step.name;
  return out;
}

inline const Step& step(const Plan& plan, std::string_view name) {
  const auto& all = plan.lists[0].steps;
  return *std::find_if(all.begin(), all.end(), [&](const Step& each) { return each.name == name; });
}

inline const Storage& storage(const Plan& plan, const Operand& operand) {
  return plan.storages[static_cast<size_t>(operand.storage)];
}

inline std::string extents(const Operand& operand) {
  std::string out;
  for (const Dim& extent : operand.extents) out += (out.empty() ? "" : ",") + extent.to_string();
  return out;
}

inline constexpr const char* kInputs = R"(
    %tokens = Parameter() {name="tokens", type=i32[1,1,1,T:token], role=tokens}
    %x = Parameter() {name="x", type=f32[1,1,T:token,8]}
    %w = Constant() {type=f32[16,8], weight="w"}
    %b = Constant() {type=f32[16], weight="b"}
)";

}  // namespace tenon::plan
