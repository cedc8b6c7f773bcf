// Which row of a target takes which nodes of a graph.
#pragma once

#include <map>
#include <set>

#include "tenon/plan/plan.h"

namespace tenon::plan {

struct Chosen {
  const TargetRow* row;
  Match match;
};

struct RowChoice {
  std::map<const ir::Node*, Chosen> by_root;
  std::set<const ir::Node*> covered;  // inside a match, below its root
  std::set<ir::Value> needed;         // read by a Result, an Assign or a chosen step

  bool is_needed(ir::Node& node) const;
  // A node that has to run and that no row took.
  bool is_left_over(ir::Node& node) const;
};

// From the results upwards; what no one needs gets no row. `refusals` gets every fusion that fits and was
// refused, each once.
RowChoice choose_rows(const ir::Model& model, const Target& target, const TokenRange& tokens,
                      std::vector<Refusal>& refusals);

// Whether any node of the match reads the value's elements: a mask whose structure is known is not.
bool is_read(const Match& match, ir::Value value);
// The value that a step in place writes: the whole tensor, of which the root may be a view.
ir::Value written_value(const Match& match);
// The Result or Assign that reads the value directly, or null.
const ir::Node* result_of(ir::Value value);

}  // namespace tenon::plan
