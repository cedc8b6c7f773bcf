#include "tenon/pass/pipeline.h"

#include "tenon/pass/lower_set_rows.h"
#include "tenon/pass/prune.h"
#include "tenon/translate/convert.h"

namespace tenon::pass {

Result<ir::Model> convert(const decoder::Decoder& decoder, const ConvertOptions& options,
                          std::vector<ir::PassReport>* reports) {
  TENON_ASSIGN(ir::Model model, translate::translate(decoder));
  TENON_RETURN_IF_ERROR(ir::verify(model, ir::Stage::kTranslated));
  std::vector<ir::Pass> passes = options.extensions;
  passes.push_back(lower_set_rows());
  passes.push_back(prune());
  TENON_ASSIGN(std::vector<ir::PassReport> made,
               ir::run_passes(model, passes, ir::Stage::kConverted, options.passes));
  if (reports) *reports = std::move(made);
  return model;
}

}  // namespace tenon::pass
