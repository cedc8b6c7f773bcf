#include "tenon/compile.h"

#include "tenon/arch/architecture.h"
#include "tenon/pass/pipeline.h"
#include "tenon/pass/state/inplace.h"

namespace tenon {

Result<ir::Model> convert_file(std::shared_ptr<const gguf::File> file, KvType kv_type, KvLayout layout,
                               bool stateless_kv, int64_t context, std::vector<ir::PassReport>* reports) {
  arch::BuildOptions build;
  build.cache_element = kv_type == KvType::kF32 ? ElementType::kF32 : ElementType::kF16;
  TENON_ASSIGN(const std::unique_ptr<decoder::Decoder> decoder, arch::build_decoder(std::move(file), build));
  pass::ConvertOptions convert;
  convert.extensions.push_back(pass::inplace_kv(
      {.stateless_kv = stateless_kv, .context = context, .disabled = layout == KvLayout::kCopy}));
  return pass::convert(*decoder, convert, reports);
}

Result<Compiled> compile(std::shared_ptr<const gguf::File> file, const Device& device,
                         runtime::Backend& backend, const SessionOptions& options) {
  std::vector<ir::PassReport> reports;
  TENON_ASSIGN(ir::Model graph, convert_file(std::move(file), options.kv_type, options.kv_layout,
                                             device.stateless_kv, options.context, &reports));
  plan::PlanOptions plan_options;
  plan_options.workers = backend.workers();
  plan_options.symbols["T"] = {1, options.max_step_tokens};
  plan_options.symbols["R"] = {1, options.all_logits ? options.max_step_tokens : 1};
  plan_options.symbols["KV"] = {1, options.context};
  TENON_ASSIGN(std::shared_ptr<const plan::Plan> plan,
               plan::make_plan(graph, backend.target(), plan_options));
  return Compiled{std::move(graph), std::move(reports), std::move(plan)};
}

}  // namespace tenon
