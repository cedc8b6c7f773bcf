#include "tests/support/model_run.h"

#include <cstdlib>
#include <stdexcept>

#include "tenon/cpu/dispatch.h"

namespace tenon::test {

namespace {

template <class T>
T checked(Result<T> result) {
  if (!result.ok()) throw std::runtime_error(result.error().message());
  return std::move(result).value();
}

}  // namespace

std::vector<RunDevice> run_devices() {
  std::vector<RunDevice> out = {{"ref", ""}};
  for (const cpu::KernelTable* kernels : cpu::supported_kernels())
    out.push_back({"cpu", std::string(kernels->isa)});
  if (out.size() == 1)
    throw std::runtime_error("[run_devices] no instruction set of the CPU backend is supported here");
  return out;
}

std::shared_ptr<runtime::Backend> make_backend(const RunDevice& device, int threads, bool deterministic) {
  if (!device.isa.empty()) setenv("TENON_CPU_ISA", device.isa.c_str(), 1);
  auto backend = checked(checked(find_device(device.name))->make(threads, deterministic));
  unsetenv("TENON_CPU_ISA");
  return backend;
}

std::shared_ptr<const gguf::File> file_of(const fixtures::ModelSpec& spec) {
  const auto bytes = std::make_shared<std::vector<std::byte>>(fixtures::make_model(spec).to_bytes());
  return checked(gguf::File::parse(*bytes, bytes));
}

std::vector<std::vector<float>> ModelRun::logits(std::span<const int32_t> tokens,
                                                 std::span<const int32_t> split) {
  std::vector<std::vector<float>> out;
  for (const int32_t length : split) {
    const Status status =
        sequence->evaluate_all(tokens.first(static_cast<size_t>(length)),
                               [&](std::span<const float> row) { out.emplace_back(row.begin(), row.end()); });
    if (!status.ok()) throw std::runtime_error(status.error().message());
    tokens = tokens.subspan(static_cast<size_t>(length));
  }
  return out;
}

SessionOptions exact_options(StateForm layout) {
  return {.context = 64,
          .kv_type = KvType::kF32,
          .state_form = layout,
          .max_step_tokens = 64,
          .all_logits = true};
}

ModelRun open_run(const std::shared_ptr<const gguf::File>& file,
                  const std::shared_ptr<runtime::Backend>& backend, const SessionOptions& options) {
  Compiled compiled = checked(compile(file, *checked(find_device(backend->name())), *backend, options));
  const Dim rows = compiled.graph.find_result("logits")->input(0).type().dim(-1);
  auto sequence = checked(engine::Sequence::create(
      backend, compiled.plan, {.context = options.context, .vocabulary_rows = rows.value()}));
  return {std::move(compiled), std::move(sequence)};
}

double normalised_error(std::span<const float> found, std::span<const float> expected) {
  if (found.size() != expected.size())
    throw std::runtime_error("[normalised_error] rows of different lengths");
  double error = 0, scale = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    const double difference = static_cast<double>(found[i]) - static_cast<double>(expected[i]);
    error += difference * difference;
    scale += static_cast<double>(expected[i]) * static_cast<double>(expected[i]);
  }
  return error / scale;
}

}  // namespace tenon::test
