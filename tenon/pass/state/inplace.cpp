#include "tenon/pass/state/inplace.h"

#include "tenon/base/environment.h"
#include "tenon/op/build.h"
#include "tenon/op/concat.h"
#include "tenon/op/read_value.h"
#include "tenon/op/scatter_update.h"
#include "tenon/op/variadic_split.h"
#include "tenon/pass/cache_rows.h"
#include "tenon/pass/state/cache_ring.h"

namespace tenon::pass {

namespace {

constexpr const char* kPassName = "inplace_kv";
constexpr const char* kAttentionSize = "attention_size";
constexpr const char* kContext = "ctx";
constexpr int kTokenAxis = 1;

// Caches of one length: those that hold the whole context, or those of a window.
struct CacheGroup {
  std::string attention_size;  // the input
  std::vector<CacheWrite> caches;
  int64_t ring = 0;  // rows; 0: row p holds position p
  Dim rows;          // of a buffer
};

bool evicts(const ir::Node& parameter) {
  return parameter.attributes_as<ir::ParameterAttributes>().cache == ir::CacheKind::kWindow;
}

void explain_variables(const ir::Model& model, ir::PassContext& context) {
  for (const ir::Node* node : model.topological_order()) {
    if (!node->is("ReadValue")) continue;
    const auto& variable = node->attributes_as<op::ReadValueAttributes>();
    if (variable.role == ir::ParameterRole::kCache)
      context.explain(variable.variable, "stateful mode: the cache is a variable of the model");
  }
}

Error cannot_evict(const std::string& cache, std::string reason) {
  return {ErrorCode::kUnsupported, "cache '" + cache + "'", "a window cache that can be a ring",
          std::move(reason), "build the decoder with caches of the whole context"};
}

// Adds what can be written in place.
Status collect(ir::Model& model, ir::PassContext& context, const InplaceOptions& options, CacheGroup& whole,
               CacheGroup& window) {
  const bool evicting = options.window_step > 0 && options.stateless_kv;
  for (ir::Node* const parameter : model.parameters()) {
    const auto& attributes = parameter->attributes_as<ir::ParameterAttributes>();
    if (attributes.role != ir::ParameterRole::kCache) continue;
    CacheGroup& group = evicts(*parameter) ? window : whole;
    CacheWriteMatch match = match_cache_write(*parameter, evicting);
    if (!options.stateless_kv) {
      match = {std::nullopt, "the target cannot write a cache in place"};
    } else if (match.write && !group.caches.empty() &&
               match.write->length_symbol != group.caches.front().length_symbol) {
      match = {std::nullopt, "its length " + match.write->length_symbol +
                                 " is not that of the other caches, " + group.caches.front().length_symbol};
    }
    if (match.write) {
      group.caches.push_back(std::move(*match.write));
    } else if (evicting && evicts(*parameter)) {
      return cannot_evict(attributes.name, std::move(match.reason));
    } else {
      context.explain(attributes.name, std::move(match.reason));
    }
  }
  explain_variables(model, context);
  if (window.caches.empty()) return {};
  const auto& attributes = window.caches.front().parameter->attributes_as<ir::ParameterAttributes>();
  if (std::string reason = refuse_ring(window.caches); !reason.empty())
    return cannot_evict(attributes.name, std::move(reason));
  window.ring = ring_rows(attributes.window, options.window_step, options.context);
  if (window.ring > 0) window.rows = Dim(window.ring);
  return {};
}

// The lengths [attention size, -1] of every split.
Result<ir::Value> add_lengths(ir::Model& model, const CacheGroup& group) {
  ir::ParameterAttributes size;
  size.name = group.attention_size;
  size.type = {ElementType::kI64, {1}};
  size.role = ir::ParameterRole::kAttentionSize;
  size.ring = group.ring;
  size.value_symbol = group.caches.front().length_symbol;
  TENON_ASSIGN(const ir::Value attention_size, model.add_parameter(std::move(size)));
  op::Builder build(model, group.attention_size);
  return build.add(op::concat_op(), {attention_size, build.integers({-1})}, op::ConcatAttributes());
}

// The split that takes the place of what was read.
Result<ir::Node*> rewrite(ir::Model& model, const CacheWrite& cache, const CacheGroup& group,
                          ir::Value lengths) {
  ir::ParameterAttributes attributes = cache.parameter->attributes_as<ir::ParameterAttributes>();
  attributes.type = cache.layout;
  attributes.type.axes[kTokenAxis].extent = group.rows;
  attributes.ring = group.ring;
  const std::string prefix = base_name(*cache.write);
  op::Builder build(model, prefix);
  TENON_ASSIGN(const ir::Value rows,
               rows_in_layout(model, cache.write->input(0), cache.layout, kTokenAxis, prefix));
  TENON_ASSIGN(const ir::Value whole, model.replace_parameter(*cache.parameter, std::move(attributes)));
  op::ScatterUpdateAttributes scatter;
  scatter.axis = kTokenAxis;
  TENON_ASSIGN(const ir::Value updated,
               build.add(op::scatter_update_op(), {whole, cache.write->input(1), rows}, scatter));
  op::VariadicSplitAttributes split;
  split.axis = kTokenAxis;
  TENON_ASSIGN(ir::Node* const parts, build.add_node(op::variadic_split_op(), {updated, lengths}, split));

  for (const ir::Use& reader : cache.readers) {
    TENON_RETURN_IF_ERROR(model.set_input(*reader.user, reader.input, parts->output(0)));
  }
  TENON_RETURN_IF_ERROR(model.set_input(*cache.result, 0, updated));
  for (const ir::Value& read : cache.reads) {
    if (&read.node() != cache.write) model.erase(read.node());
  }
  model.erase(*cache.write);
  model.erase(*cache.parameter);
  return parts;
}

Status rewrite(ir::Model& model, const CacheGroup& group, const InplaceOptions& options) {
  if (group.caches.empty()) return {};
  ir::Node& index = group.caches.front().write->input(1).node();
  TENON_ASSIGN(const ir::Value lengths, add_lengths(model, group));
  std::vector<ir::Node*> splits;
  for (const CacheWrite& cache : group.caches) {
    TENON_ASSIGN(ir::Node* const split, rewrite(model, cache, group, lengths));
    splits.push_back(split);
  }
  if (group.ring > 0) TENON_RETURN_IF_ERROR(read_as_ring(model, splits, index, group.ring));
  const int64_t rows = group.ring > 0 ? group.ring : options.context;
  Bounds& bounds = model.symbols()[group.caches.front().length_symbol];
  if (rows > 0) bounds.max = std::min(bounds.max, rows);
  if (rows == 0) model.symbols()[kContext] = {.min = 1};
  return {};
}

Result<bool> run(ir::Model& model, ir::PassContext& context, const InplaceOptions& options) {
  if (options.disabled || inplace_kv_is_switched_off()) {
    context.explain(model.name(), options.disabled ? "switched off: the copying layout is asked for"
                                                   : "switched off by TENON_DISABLE_KV_4D=1");
    return false;
  }
  if (model.find_parameter(kAttentionSize)) {
    return Error{ErrorCode::kInvalidGraph, kPassName, "no input of the name attention_size",
                 "one that is there already", "convert the model once"};
  }
  const Dim rows = options.context > 0 ? Dim(options.context) : Dim::symbol(kContext);
  CacheGroup whole{kAttentionSize, {}, 0, rows};
  CacheGroup window{std::string(kAttentionSize) + "_swa", {}, 0, rows};
  TENON_RETURN_IF_ERROR(collect(model, context, options, whole, window));
  if (whole.caches.empty() && window.caches.empty()) return false;
  TENON_RETURN_IF_ERROR(rewrite(model, whole, options));
  TENON_RETURN_IF_ERROR(rewrite(model, window, options));
  return true;
}

}  // namespace

bool inplace_kv_is_switched_off() { return environment("TENON_DISABLE_KV_4D") == "1"; }

ir::Pass inplace_kv(InplaceOptions options) {
  return {kPassName,
          [options](ir::Model& model, ir::PassContext& context) { return run(model, context, options); }};
}

}  // namespace tenon::pass
