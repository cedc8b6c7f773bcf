// Runs passes in order. For every pass, in one place: skip it when switched off, time it, collect its
// reasons, verify the model after it.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "tenon/ir/verify.h"

namespace tenon::ir {

// Why a pass left something alone, with the node's name.
struct Reason {
  std::string node;
  std::string text;
};

class PassContext {
 public:
  void explain(std::string_view node, std::string text) {
    reasons_.push_back({std::string(node), std::move(text)});
  }
  const std::vector<Reason>& reasons() const { return reasons_; }

 private:
  std::vector<Reason> reasons_;
};

// run() returns whether it changed the model. After an error the model may be half rewritten: its owner drops
// it.
struct Pass {
  std::string name;
  std::function<Result<bool>(Model&, PassContext&)> run;
};

struct PassReport {
  std::string name;
  bool skipped = false;
  bool changed = false;
  double milliseconds = 0;
  std::vector<Reason> reasons;
};

struct PassOptions {
  std::set<std::string, std::less<>> disabled;                      // pass names
  std::function<void(const PassReport&, const Model&)> after_each;  // may be empty
};

// Stops at the first error; the error names the pass. `last_stage` is verified after the last pass.
Result<std::vector<PassReport>> run_passes(Model& model, const std::vector<Pass>& passes, Stage last_stage,
                                           const PassOptions& options = {});

}  // namespace tenon::ir
