#include "tenon/compile.h"

#include <algorithm>

#include "tenon/arch/architecture.h"
#include "tenon/pass/pipeline.h"
#include "tenon/pass/state/genai.h"
#include "tenon/pass/state/inplace.h"
#include "tenon/pass/state/paged.h"
#include "tenon/pass/state/stateful.h"

namespace tenon {

namespace {

Result<int64_t> read_trained_context(const gguf::Metadata& metadata) {
  TENON_ASSIGN(const std::string_view architecture, metadata.architecture());
  TENON_ASSIGN(const uint64_t tokens,
               metadata.unsigned_integer(std::string(architecture) + ".context_length"));
  return static_cast<int64_t>(std::min<uint64_t>(tokens, INT32_MAX));
}

// The passes that make a form.
std::vector<ir::Pass> extensions_of(const FormOptions& form) {
  pass::StatefulOptions batched;
  batched.dynamic_batch = true;
  switch (form.state) {
    case StateForm::kInPlace:
    case StateForm::kStateless:
      return {pass::inplace_kv({.stateless_kv = form.stateless_kv,
                                .context = form.context,
                                .disabled = form.state == StateForm::kStateless,
                                .window_step = form.window_step})};
    case StateForm::kStateful:
      if (form.genai) return {pass::make_stateful(batched), pass::adapt_to_genai()};
      return {pass::make_stateful()};
    case StateForm::kPaged:
      return {pass::make_stateful(batched), pass::adapt_to_genai({.chosen_rows = form.chosen_rows}),
              pass::sdpa_to_paged()};
  }
  return {};
}

// Only caches that are written in place can be rings.
bool evicts(const FormOptions& form) {
  return form.window_step > 0 && form.state == StateForm::kInPlace && form.stateless_kv &&
         !pass::inplace_kv_is_switched_off();
}

Result<ir::Model> convert(std::shared_ptr<const gguf::File> file, const FormOptions& form,
                          std::vector<ir::PassReport>* reports) {
  arch::BuildOptions build;
  build.cache_element = form.kv_type == KvType::kF32 ? ElementType::kF32 : ElementType::kF16;
  build.context = form.context;
  build.evicting_windows = evicts(form);
  TENON_ASSIGN(const std::unique_ptr<decoder::Decoder> decoder, arch::build_decoder(std::move(file), build));
  pass::ConvertOptions options;
  options.extensions = extensions_of(form);
  return pass::convert(*decoder, options, reports);
}

void add_paged_symbols(int64_t context, int64_t sequences, SymbolBounds& symbols) {
  const int64_t rows = pass::PagedOptions().block_size;
  const int64_t blocks = sequences * ((context + rows - 1) / rows);
  symbols["N"] = {1, sequences};
  symbols["blocks"] = symbols["n_block_indices"] = {1, blocks};
}

}  // namespace

Result<int64_t> trained_context_of(const gguf::File& file) {
  return file.located(read_trained_context(file.metadata()));
}

Result<ir::Model> convert_file(std::shared_ptr<const gguf::File> file, const FormOptions& form,
                               std::vector<ir::PassReport>* reports) {
  return file->located(convert(file, form, reports));
}

Result<Compiled> compile(std::shared_ptr<const gguf::File> file, const Device& device,
                         runtime::Backend& backend, const SessionOptions& options, int64_t sequences) {
  std::vector<ir::PassReport> reports;
  const bool evicting = options.window_cache == WindowCache::kEvict;
  const FormOptions form{.state = options.state_form,
                         .kv_type = options.kv_type,
                         .stateless_kv = device.stateless_kv,
                         .context = options.context,
                         .chosen_rows = true,
                         .window_step = evicting ? options.max_step_tokens : 0};
  TENON_ASSIGN(ir::Model graph, convert_file(std::move(file), form, &reports));
  plan::PlanOptions plan_options;
  plan_options.workers = backend.workers();
  plan_options.symbols["T"] = {1, options.max_step_tokens};
  const int64_t logit_rows = options.all_logits ? options.max_step_tokens : 1 + options.draft_tokens;
  plan_options.symbols["R"] = {1, std::max(logit_rows, sequences)};
  plan_options.symbols["KV"] = {1, options.context};
  if (options.state_form == StateForm::kStateful) {
    plan_options.symbols["B"] = plan_options.symbols["B_past"] = {1, 1};
  }
  if (options.state_form == StateForm::kPaged)
    add_paged_symbols(options.context, sequences, plan_options.symbols);
  TENON_ASSIGN(std::shared_ptr<const plan::Plan> plan,
               plan::make_plan(graph, backend.target(), plan_options));
  return Compiled{std::move(graph), std::move(reports), std::move(plan)};
}

}  // namespace tenon
