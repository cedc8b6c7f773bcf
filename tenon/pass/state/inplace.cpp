#include "tenon/pass/state/inplace.h"

#include "tenon/base/environment.h"
#include "tenon/op/build.h"
#include "tenon/op/concat.h"
#include "tenon/op/read_value.h"
#include "tenon/op/scatter_update.h"
#include "tenon/op/variadic_split.h"
#include "tenon/pass/cache_rows.h"
#include "tenon/pass/state/cache_write.h"

namespace tenon::pass {

namespace {

constexpr const char* kPassName = "inplace_kv";
constexpr const char* kAttentionSize = "attention_size";
constexpr const char* kContext = "ctx";
constexpr int kTokenAxis = 1;

std::vector<CacheWrite> collect(ir::Model& model, ir::PassContext& context, const InplaceOptions& options) {
  std::vector<CacheWrite> out;
  for (ir::Node* const parameter : model.parameters()) {
    const auto& attributes = parameter->attributes_as<ir::ParameterAttributes>();
    if (attributes.role != ir::ParameterRole::kCache) continue;
    CacheWriteMatch match = match_cache_write(*parameter);
    if (!options.stateless_kv) {
      match = {std::nullopt, "the target cannot write a cache in place"};
    } else if (match.write && !out.empty() && match.write->length_symbol != out.front().length_symbol) {
      match = {std::nullopt, "its length " + match.write->length_symbol +
                                 " is not that of the other caches, " + out.front().length_symbol};
    }
    if (match.write)
      out.push_back(std::move(*match.write));
    else
      context.explain(attributes.name, std::move(match.reason));
  }
  for (const ir::Node* node : model.topological_order()) {
    if (!node->is("ReadValue")) continue;
    const auto& variable = node->attributes_as<op::ReadValueAttributes>();
    if (variable.role == ir::ParameterRole::kCache)
      context.explain(variable.variable, "stateful mode: the cache is a variable of the model");
  }
  return out;
}

// The lengths [attention_size, -1] of every split.
Result<ir::Value> add_lengths(ir::Model& model, const std::string& length_symbol) {
  ir::ParameterAttributes size;
  size.name = kAttentionSize;
  size.type = {ElementType::kI64, {1}};
  size.role = ir::ParameterRole::kAttentionSize;
  size.value_symbol = length_symbol;
  TENON_ASSIGN(const ir::Value attention_size, model.add_parameter(std::move(size)));
  op::Builder build(model, kAttentionSize);
  return build.add(op::concat_op(), {attention_size, build.integers({-1})}, op::ConcatAttributes());
}

Status rewrite(ir::Model& model, const CacheWrite& cache, const Dim& context, ir::Value lengths) {
  ir::ParameterAttributes attributes = cache.parameter->attributes_as<ir::ParameterAttributes>();
  attributes.type = cache.layout;
  attributes.type.axes[kTokenAxis].extent = context;
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
  return {};
}

Result<bool> run(ir::Model& model, ir::PassContext& context, const InplaceOptions& options) {
  if (options.disabled || environment("TENON_DISABLE_KV_4D") == "1") {
    context.explain(model.name(), options.disabled ? "switched off: the copying layout is asked for"
                                                   : "switched off by TENON_DISABLE_KV_4D=1");
    return false;
  }
  if (model.find_parameter(kAttentionSize)) {
    return Error{ErrorCode::kInvalidGraph, kPassName, "no input of the name attention_size",
                 "one that is there already", "convert the model once"};
  }
  const std::vector<CacheWrite> caches = collect(model, context, options);
  if (caches.empty()) return false;
  const std::string& length = caches.front().length_symbol;
  const Dim rows = options.context > 0 ? Dim(options.context) : Dim::symbol(kContext);
  TENON_ASSIGN(const ir::Value lengths, add_lengths(model, length));
  for (const CacheWrite& cache : caches) {
    TENON_RETURN_IF_ERROR(rewrite(model, cache, rows, lengths));
  }
  if (options.context > 0) {
    Bounds& bounds = model.symbols()[length];
    bounds.max = std::min(bounds.max, options.context);
  } else {
    model.symbols()[kContext] = {.min = 1};
  }
  return true;
}

}  // namespace

ir::Pass inplace_kv(InplaceOptions options) {
  return {kPassName,
          [options](ir::Model& model, ir::PassContext& context) { return run(model, context, options); }};
}

}  // namespace tenon::pass
