#include "tests/checkpoints/model_runner.h"

#include <cstdlib>
#include <stdexcept>

#include "tenon/arch/architecture.h"
#include "tenon/cpu/backend.h"
#include "tenon/cpu/dispatch.h"
#include "tenon/pass/pipeline.h"
#include "tenon/pass/state/inplace.h"
#include "tenon/ref/backend.h"

namespace tenon::checkpoints {

namespace {

constexpr std::string_view kCpu = "cpu ";
constexpr int kThreads = 2;
constexpr int64_t kMaxStepTokens = 512;

template <class T>
T checked(Result<T> result) {
  if (!result.ok()) throw std::runtime_error(result.error().message());
  return std::move(result).value();
}

std::shared_ptr<runtime::Backend> make_backend(const std::string& runtime) {
  if (!runtime.starts_with(kCpu)) return ref::make_backend();
  setenv("TENON_CPU_ISA", runtime.substr(kCpu.size()).c_str(), 1);
  return checked(cpu::make_backend(kThreads));
}

}  // namespace

std::vector<std::string> runtimes() {
  std::vector<std::string> out = {"ref"};
  for (const cpu::KernelTable* kernels : cpu::supported_kernels()) {
    out.push_back(std::string(kCpu) + std::string(kernels->isa));
  }
  return out;
}

std::unique_ptr<engine::Sequence> open_sequence(std::shared_ptr<const gguf::File> file,
                                                const RunOptions& options) {
  arch::BuildOptions build;
  build.cache_element = options.cache_element;
  build.context = options.context;
  const std::unique_ptr<decoder::Decoder> decoder = checked(arch::build_decoder(std::move(file), build));
  const test::EditedDecoder edited(
      *decoder, options.edit ? options.edit : [](decoder::NodeView&) {});
  pass::ConvertOptions convert;
  convert.extensions.push_back(pass::inplace_kv({.stateless_kv = true, .context = options.context}));
  const ir::Model model = checked(pass::convert(edited, convert));

  std::shared_ptr<runtime::Backend> backend = make_backend(options.runtime);
  plan::PlanOptions plan_options;
  plan_options.workers = backend->workers();
  plan_options.symbols["T"] = plan_options.symbols["R"] = {1, std::min(kMaxStepTokens, options.context)};
  plan_options.symbols["KV"] = {1, options.context};
  auto plan = checked(plan::make_plan(model, backend->target(), plan_options));
  const int64_t rows = model.find_result("logits")->input(0).type().dim(-1).value();
  return checked(engine::Sequence::create(std::move(backend), std::move(plan),
                                          {.context = options.context, .vocabulary_rows = rows}));
}

std::vector<std::vector<float>> step(engine::Sequence& sequence, std::span<const int32_t> tokens) {
  std::vector<std::vector<float>> rows;
  const Status status = sequence.evaluate_all(
      tokens, [&](std::span<const float> row) { rows.emplace_back(row.begin(), row.end()); });
  if (!status.ok()) throw std::runtime_error(status.error().message());
  return rows;
}

}  // namespace tenon::checkpoints
