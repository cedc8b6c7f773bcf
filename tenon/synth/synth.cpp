#include "tenon/synth/synth.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "tenon/base/thread_pool.h"
#include "tenon/synth/file_type.h"
#include "tenon/synth/models.h"
#include "tenon/synth/random_blocks.h"

namespace tenon::synth {

namespace {

constexpr uint32_t kQuantizationVersion = 2;

template <class Rows>
std::string names_of(const Rows& rows) {
  std::string out;
  for (const auto& row : rows) (out += out.empty() ? "one of " : ", ") += row.name;
  return out;
}

Error unknown(std::string where, std::string wanted, const std::string& found) {
  return {ErrorCode::kInvalidArgument, std::move(where), std::move(wanted), "'" + found + "'", ""};
}

// FNV-1a, so that a tensor keeps its weights when others come or go.
Words words_of(uint64_t seed, std::string_view name) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return Words(hash ^ Words(seed)[0]);
}

void draw_numbers(const TensorPlan& plan, Words words, std::span<std::byte> data) {
  std::vector<float> values = plan.values;
  if (plan.kind == TensorPlan::Kind::kNumbers) {
    values.resize(data.size() / sizeof(float));
    for (size_t i = 0; i < values.size(); ++i) values[i] = uniform(words, i, plan.low, plan.high);
  }
  std::ranges::copy(std::as_bytes(std::span(values)), data.begin());
}

void add_weights(gguf::Writer& writer, const TensorPlan& plan, ElementType type, Words words,
                 const std::shared_ptr<ThreadPool>& pool) {
  const auto block = static_cast<size_t>(info(type).block_bytes);
  const double deviation = 1 / std::sqrt(static_cast<double>(plan.extents.back()));
  writer.add_tensor_in_parts(
      plan.name, type, plan.extents,
      [type, block, deviation, words, pool](uint64_t offset, std::span<std::byte> data) {
        pool->run([&](const Worker& worker) {
          const auto [begin, end] = worker.share(static_cast<int64_t>(data.size() / block));
          const auto first = static_cast<size_t>(begin), count = static_cast<size_t>(end - begin);
          random_blocks(type, deviation, words, offset / block + first,
                        data.subspan(first * block, count * block));
        });
      });
}

}  // namespace

Result<gguf::Writer> synthesise(const SynthOptions& options) {
  const auto model = std::ranges::find(models(), std::string_view(options.model), &Model::name);
  if (model == models().end()) return unknown("model", names_of(models()), options.model);
  const FileType* const type = find_file_type(options.type);
  if (type == nullptr) return unknown("type", names_of(file_types()), options.type);
  const int64_t layers = options.layers.value_or(model->layers);
  if (layers < model->fewest_layers || layers > kMostLayers) {
    return unknown("layers",
                   "a whole number from " + std::to_string(model->fewest_layers) + " to " +
                       std::to_string(kMostLayers) + " for " + options.model,
                   std::to_string(layers));
  }

  gguf::Writer writer;
  Blueprint blueprint(writer, model->architecture);
  writer.set("general.name", "synthetic " + options.model);
  model->describe(blueprint, layers);
  writer.set("general.file_type", type->id);
  writer.set("general.quantization_version", kQuantizationVersion);
  add_vocabulary(writer, model->vocabulary);

  const auto pool = std::make_shared<ThreadPool>(options.threads);
  const std::vector<ElementType> types = element_types_of(*type, blueprint.tensors(), layers);
  for (size_t i = 0; i < types.size(); ++i) {
    const TensorPlan& plan = blueprint.tensors()[i];
    const Words words = words_of(options.seed, plan.name);
    if (plan.kind == TensorPlan::Kind::kWeights || plan.kind == TensorPlan::Kind::kKept) {
      add_weights(writer, plan, types[i], words, pool);
    } else {
      writer.add_tensor(plan.name, types[i], plan.extents,
                        [plan, words](std::span<std::byte> data) { draw_numbers(plan, words, data); });
    }
  }
  return writer;
}

}  // namespace tenon::synth
