// Makes one step list: which row takes which nodes, which values are views of which storages.
#pragma once

#include <map>
#include <set>

#include "tenon/plan/plan.h"

namespace tenon::plan {

class StepBuilder {
 public:
  // Storages of inputs, outputs and constants are shared by all lists of `plan`; `symbols` hold this list's
  // bounds.
  StepBuilder(const ir::Model& model, const Target& target, const Limits& limits, const SymbolBounds& symbols,
              TokenRange tokens, Plan& plan);

  Result<StepList> build();

 private:
  struct Chosen {
    const TargetRow* row;
    Match match;
  };
  using GroupKey = std::pair<std::string_view, ir::Value>;

  // Matching, from the results upwards.
  void choose_rows();
  bool try_row(const TargetRow& row, const Pattern& pattern, ir::Node& node);
  std::string outside_reader(const TargetRow& row, const Match& match) const;
  bool is_needed(ir::Node& node) const;
  const TargetRow* wildcard() const;

  // Emission, from the inputs downwards.
  Status emit(ir::Node& root, const Chosen& chosen);
  Status emit_result(const ir::Node& result);
  Result<std::vector<Operand>> make_outputs(ir::Node& root, const Chosen& chosen, const StepPart& part);
  Result<Operand> shared_table(const Chosen& chosen);
  Result<Operand> resolve(ir::Value value);
  Result<Operand> new_storage(StorageKind kind, const TensorType& type, const std::string& name);
  int input_storage(std::string_view name) const;
  int output_storage(std::string_view name) const;
  Result<size_t> largest(const Dim& bytes, const std::string& name) const;

  const ir::Model& model_;
  const Target& target_;
  const Limits limits_;
  const SymbolBounds& symbols_;
  Plan& plan_;
  StepList list_;
  std::vector<Pattern> patterns_;             // of the target's rows
  std::map<const ir::Node*, Chosen> chosen_;  // by root
  std::set<const ir::Node*> covered_;         // inside a match, below its root
  std::set<ir::Value> needed_;                // read by a result or by a chosen step
  std::map<ir::Value, Operand> operands_;
  std::map<GroupKey, size_t> groups_;  // open group steps
  std::map<std::string, Operand> shared_;
};

}  // namespace tenon::plan
