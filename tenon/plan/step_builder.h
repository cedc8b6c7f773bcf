// Makes one step list: a step for each row that was chosen, views of storages for the values between.
#pragma once

#include <map>
#include <set>

#include "tenon/plan/plan.h"
#include "tenon/plan/row_choice.h"

namespace tenon::plan {

class StepBuilder {
 public:
  // Storages of inputs, outputs and constants are shared by all lists of `plan`; `limits` are this list's.
  StepBuilder(const ir::Model& model, const Target& target, const Limits& limits, TokenRange tokens,
              Plan& plan);

  Result<StepList> build();

 private:
  using GroupKey = std::pair<std::string_view, ir::Value>;

  const TargetRow* wildcard() const;
  const TargetRow* copy_row() const;
  Status emit(ir::Node& root, const Chosen& chosen);
  Status emit_output(const ir::Node& output);
  Result<std::vector<Operand>> make_outputs(ir::Node& root, const Chosen& chosen, const StepPart& part);
  Result<Operand> shared_table(const Chosen& chosen);
  Result<Operand> resolve(ir::Value value);
  Result<Operand> constant(ir::Value value, std::string_view layout);
  Result<Operand> new_storage(StorageKind kind, const TensorType& type, const std::string& name);
  int input_storage(std::string_view name) const;
  int output_storage(std::string_view name) const;
  Result<size_t> largest(const Dim& bytes, const std::string& name) const;

  const ir::Model& model_;
  const Target& target_;
  const Limits limits_;
  Plan& plan_;
  StepList list_;
  std::map<ir::Value, Operand> operands_;
  std::set<ir::Value> written_in_place_;
  std::map<GroupKey, size_t> groups_;  // open group steps
  std::map<std::string, Operand> shared_;
};

}  // namespace tenon::plan
