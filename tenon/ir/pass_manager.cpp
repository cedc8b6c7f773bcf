#include "tenon/ir/pass_manager.h"

#include <chrono>

namespace tenon::ir {

namespace {

Error in_pass(const std::string& pass, Error error) {
  error.where = "pass " + pass + ": " + error.where;
  return error;
}

}  // namespace

Result<std::vector<PassReport>> run_passes(Model& model, const std::vector<Pass>& passes, Stage last_stage,
                                           const PassOptions& options) {
  using Clock = std::chrono::steady_clock;
  std::vector<PassReport> reports;
  for (size_t i = 0; i < passes.size(); ++i) {
    const Pass& pass = passes[i];
    PassReport report;
    report.name = pass.name;
    if (options.disabled.count(pass.name) != 0) {
      report.skipped = true;
    } else {
      PassContext context;
      const Clock::time_point start = Clock::now();
      Result<bool> changed = pass.run(model, context);
      if (!changed.ok()) return in_pass(pass.name, std::move(changed).error());
      report.changed = *changed;
      report.milliseconds = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
      report.reasons = context.reasons();
      const Status status = verify(model, Stage::kTranslated);
      if (!status.ok()) return in_pass(pass.name, status.error());
    }
    if (options.after_each) options.after_each(report, model);
    reports.push_back(std::move(report));
  }
  TENON_RETURN_IF_ERROR(verify(model, last_stage));
  return reports;
}

}  // namespace tenon::ir
