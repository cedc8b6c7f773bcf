#include "tenon/pass/state/append_write.h"

#include <algorithm>

#include "tenon/op/set_rows.h"
#include "tenon/pass/cache_rows.h"

namespace tenon::pass {

namespace {

const ir::ParameterAttributes& attributes_of(const ir::Node& parameter) {
  return parameter.attributes_as<ir::ParameterAttributes>();
}

Error cache_error(const ir::Node& parameter, std::string wanted, std::string remedy) {
  const auto& attributes = attributes_of(parameter);
  return {ErrorCode::kInvalidGraph, "make_stateful: cache '" + attributes.name + "'", std::move(wanted),
          attributes.type.to_string(), std::move(remedy)};
}

std::vector<int> dynamic_axes(const TensorType& type) {
  std::vector<int> out;
  for (int axis = 0; axis < type.rank(); ++axis) {
    if (!type.dim(axis).is_constant()) out.push_back(axis);
  }
  return out;
}

Result<int> append_axis(const ir::Node& parameter, const StatefulOptions& options) {
  const TensorType& type = attributes_of(parameter).type;
  const std::vector<int> dynamic = dynamic_axes(type);
  const std::string remedy = "give append_axis, or list the cache in skip_caches";
  int64_t axis = options.append_axis;
  if (axis == -1) {
    if (dynamic.size() != 1) return cache_error(parameter, "one dynamic axis to append along", remedy);
    axis = dynamic[0];
  }
  if (axis < 1 || axis >= type.rank()) {
    return cache_error(
        parameter,
        "an append axis from 1 to " + std::to_string(type.rank() - 1) + ", not " + std::to_string(axis),
        "give the cache's token axis, or -1 to have it inferred");
  }
  const auto position = type.axis_of(AxisRole::kPosition);
  if (position && *position != axis) {
    return cache_error(parameter, "the position axis as append axis, not " + std::to_string(axis),
                       "give append_axis " + std::to_string(*position) + ", or list it in skip_caches");
  }
  for (const int other : dynamic) {
    if (other != axis) return cache_error(parameter, "no dynamic axis beside the append axis", remedy);
  }
  return static_cast<int>(axis);
}

Status check(const AppendWrite& cache) {
  const auto& attributes = attributes_of(*cache.parameter);
  if (attributes.cache != ir::CacheKind::kAppend) {
    return Error{ErrorCode::kInvalidGraph, "make_stateful: cache '" + attributes.name + "'",
                 "a cache that appends",
                 "one of kind " + std::string(ir::kCacheKindNames[static_cast<size_t>(attributes.cache)]),
                 "list it in skip_caches: it stays an input and an output"};
  }
  for (const ir::Use& use : cache.parameter->port_uses(0)) {
    const bool other_write = use.user != cache.write && use.user->is("SetRows") && use.input == 2;
    if (other_write) return cache_error(*cache.parameter, "one write", "list it in skip_caches");
  }
  for (const ir::Use& use : cache.write->port_uses(0)) {
    if (use.user->is("SetRows") && use.input == 2)
      return cache_error(*cache.parameter, "one write", "list it in skip_caches");
  }
  return check_rows_layout(cache.write->input(0).type(), attributes.type, cache.axis,
                           base_name(*cache.write));
}

// Why a cache is not taken although it is one.
void explain_others(const ir::Model& model, ir::PassContext& context) {
  for (const ir::Node* parameter : model.parameters()) {
    for (const ir::Use& use : parameter->port_uses(0)) {
      if (use.user->is("ScatterUpdate") && use.input == 0) {
        context.explain(attributes_of(*parameter).name,
                        "written by a ScatterUpdate: make_stateful has to run before lower_set_rows");
      }
    }
  }
}

}  // namespace

Result<std::vector<AppendWrite>> collect_append_writes(ir::Model& model, ir::PassContext& context,
                                                       const StatefulOptions& options) {
  std::vector<AppendWrite> out;
  std::set<std::string> unknown = options.skip_caches;
  for (const ir::Node* parameter : model.parameters()) {
    if (attributes_of(*parameter).role == ir::ParameterRole::kCache)
      unknown.erase(attributes_of(*parameter).name);
  }
  if (!unknown.empty()) {
    return Error{ErrorCode::kInvalidArgument, "make_stateful: skip_caches", "names of caches of the model",
                 "'" + *unknown.begin() + "'", ""};
  }
  for (ir::Node* const node : model.topological_order()) {
    if (!node->is("SetRows")) continue;
    ir::Node& destination = node->input(2).node();
    if (!destination.is("Parameter")) {
      context.explain(node->name(), "it writes '" + destination.name() + "', which is no input of the model");
      continue;
    }
    if (options.skip_caches.contains(attributes_of(destination).name)) {
      context.explain(attributes_of(destination).name, "skip_caches has it");
      continue;
    }
    AppendWrite cache{&destination, node, {}, 1};
    TENON_ASSIGN(cache.axis, append_axis(destination, options));
    TENON_RETURN_IF_ERROR(check(cache));
    for (const ir::Use& use : node->port_uses(0)) {
      if (use.user->is("Result")) cache.results.push_back(use.user);
    }
    out.push_back(std::move(cache));
  }
  explain_others(model, context);
  return out;
}

Result<std::vector<StateUpdate>> collect_state_updates(ir::Model& model) {
  std::vector<StateUpdate> out;
  for (ir::Node* const parameter : model.parameters()) {
    const auto& attributes = attributes_of(*parameter);
    if (attributes.role != ir::ParameterRole::kRecurrentState) continue;
    const auto state_error = [&](std::string wanted, std::string found) {
      return Error{ErrorCode::kInvalidGraph, "make_stateful: recurrent state '" + attributes.name + "'",
                   std::move(wanted), std::move(found), ""};
    };
    if (!dynamic_axes(attributes.type).empty())
      return state_error("constant extents", attributes.type.to_string());
    const auto result = std::find_if(model.results().begin(), model.results().end(), [&](ir::Node* node) {
      return node->attributes_as<ir::ResultAttributes>().state == attributes.name;
    });
    if (result == model.results().end()) return state_error("a result that is its next value", "none");
    if ((*result)->input(0).type().dims() != attributes.type.dims() ||
        (*result)->input(0).type().element != attributes.type.element) {
      return state_error("a next value of type " + attributes.type.to_string(),
                         (*result)->input(0).describe());
    }
    out.push_back({parameter, *result});
  }
  return out;
}

}  // namespace tenon::pass
