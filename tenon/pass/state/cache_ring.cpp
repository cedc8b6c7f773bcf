#include "tenon/pass/state/cache_ring.h"

#include <algorithm>

#include "tenon/op/attention.h"

namespace tenon::pass {

namespace {

const ir::ParameterAttributes& parameter_of(const CacheWrite& cache) {
  return cache.parameter->attributes_as<ir::ParameterAttributes>();
}

std::string refuse_readers(const CacheWrite& cache) {
  for (const ir::Use& swap : cache.readers) {
    for (const ir::Use& use : swap.user->port_uses(0)) {
      if (!use.user->is("Attention")) return "another read: " + use.user->name();
      const auto& attention = use.user->attributes_as<op::AttentionAttributes>();
      if (attention.mask != ir::MaskKind::kWindow || attention.window != parameter_of(cache).window)
        return "read under a mask that is not its window: " + use.user->name();
    }
  }
  return "";
}

}  // namespace

int64_t ring_rows(int64_t window, int64_t step, int64_t context) {
  const int64_t rows = (window + step + op::kRingRows - 1) / op::kRingRows * op::kRingRows;
  return context > 0 && rows >= context ? 0 : rows;
}

std::string refuse_ring(const std::vector<CacheWrite>& caches) {
  const ir::Node& index = caches.front().write->input(1).node();
  if (!index.is("Parameter")) return "the rows' index is computed: " + index.name();
  for (const ir::Use& use : index.port_uses(0)) {
    if (std::ranges::find(caches, use.user, &CacheWrite::write) == caches.end())
      return "its index is read by " + use.user->name() + ", too";
  }
  for (const CacheWrite& cache : caches) {
    const std::string& name = parameter_of(cache).name;
    if (&cache.write->input(1).node() != &index) return name + ": an index of its own";
    if (parameter_of(cache).window != parameter_of(caches.front()).window) return name + ": another window";
    if (std::string reason = refuse_readers(cache); !reason.empty()) return name + ": " + reason;
  }
  return "";
}

Status read_as_ring(ir::Model& model, const std::vector<ir::Node*>& splits, ir::Node& index, int64_t ring) {
  std::vector<ir::Node*> attentions;  // each once, though it reads keys and values
  for (const ir::Node* split : splits) {
    for (const ir::Use& swap : split->port_uses(0)) {
      for (const ir::Use& use : swap.user->port_uses(0)) {
        if (std::ranges::find(attentions, use.user) == attentions.end()) attentions.push_back(use.user);
      }
    }
  }
  for (ir::Node* const attention : attentions) {
    auto attributes =
        std::make_unique<op::AttentionAttributes>(attention->attributes_as<op::AttentionAttributes>());
    attributes->ring = ring;
    std::vector<ir::Value> inputs;
    for (int i = 0; i < attention->input_count(); ++i) inputs.push_back(attention->input(i));
    TENON_ASSIGN(ir::Node* const of_ring, model.add_in_place_of(*attention, op::attention_op().schema,
                                                                std::move(inputs), std::move(attributes)));
    TENON_RETURN_IF_ERROR(model.replace_uses(attention->output(0), of_ring->output(0)));
    model.erase(*attention);
  }
  ir::ParameterAttributes placed = index.attributes_as<ir::ParameterAttributes>();
  placed.ring = ring;
  TENON_ASSIGN(const ir::Value replaced, model.replace_parameter(index, std::move(placed)));
  TENON_RETURN_IF_ERROR(model.replace_uses(index.output(0), replaced));
  model.erase(index);
  return {};
}

}  // namespace tenon::pass
