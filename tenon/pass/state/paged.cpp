#include "tenon/pass/state/paged.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "tenon/op/assign.h"
#include "tenon/op/attention.h"
#include "tenon/op/build.h"
#include "tenon/op/paged_attention.h"
#include "tenon/op/read_value.h"
#include "tenon/op/reshape.h"
#include "tenon/op/unsqueeze.h"
#include "tenon/pass/cache_rows.h"
#include "tenon/pass/state/cached_attention.h"
#include "tenon/pass/state/recurrent.h"

namespace tenon::pass {

namespace {

constexpr const char* kPassName = "sdpa_to_paged";
using Move = std::pair<ir::Value, ir::Value>;

// The tables, in the order of PagedAttention's inputs.
Result<std::array<ir::Value, 5>> add_tables(ir::Model& model) {
  const Axis sequences(Dim::symbol("N"), AxisRole::kBatch), ends(Dim::symbol("N") + Dim(1)),
      blocks(Dim::symbol("n_block_indices"));
  model.symbols()["N"] = {.min = 1};
  model.symbols()["n_block_indices"] = {.min = 1};
  const auto add = [&](std::string name, std::vector<Axis> axes, ir::ParameterRole role) {
    ir::ParameterAttributes attributes;
    attributes.name = std::move(name);
    attributes.type = {ElementType::kI32, std::move(axes)};
    attributes.role = role;
    return model.add_parameter(std::move(attributes));
  };
  std::array<ir::Value, 5> out;
  TENON_ASSIGN(out[0], add("past_lens", {sequences}, ir::ParameterRole::kPastLengths));
  TENON_ASSIGN(out[1], add("subsequence_begins", {ends}, ir::ParameterRole::kSequenceBegins));
  TENON_ASSIGN(out[2], add("block_indices", {blocks}, ir::ParameterRole::kBlockIndices));
  TENON_ASSIGN(out[3], add("block_indices_begins", {ends}, ir::ParameterRole::kBlockBegins));
  TENON_ASSIGN(out[4], add("max_context_len", {}, ir::ParameterRole::kMaxContextLength));
  return out;
}

// The two caches of a layer, and whether this step's rows are written already.
struct LayerCaches {
  ir::Value keys, values;
  bool written = false;
};

class Caches {
 public:
  Caches(ir::Model& model, int64_t block_size) : model_(model), block_size_(block_size) {
    model_.symbols()["blocks"] = {.min = 1};
  }

  // Those of the layer whose variables these are; made at the first call.
  Result<LayerCaches*> of(const CachedOperand& k, const CachedOperand& v) {
    const auto [entry, is_new] = made_.try_emplace({k.variable, v.variable});
    if (is_new) {
      const std::string index = std::to_string(made_.size() - 1);
      TENON_ASSIGN(entry->second.keys, add("key_cache." + index, k));
      TENON_ASSIGN(entry->second.values, add("value_cache." + index, v));
    }
    return &entry->second;
  }

 private:
  Result<ir::Value> add(std::string name, const CachedOperand& operand) {
    ir::ParameterAttributes attributes;
    attributes.name = std::move(name);
    attributes.role = ir::ParameterRole::kCache;
    attributes.type = {operand.type.element,
                       {Dim::symbol("blocks"),
                        operand.type.axes[2],
                        {block_size_, AxisRole::kPosition},
                        operand.type.axes[3]}};
    return model_.add_parameter(std::move(attributes));
  }

  ir::Model& model_;
  int64_t block_size_;
  std::map<std::pair<std::string, std::string>, LayerCaches> made_;
};

// [B,T,H,D] -> [tokens, H*D]; a Convert comes last, where a kernel can take it along.
Result<ir::Value> as_rows(op::Builder& build, ir::Value value) {
  if (value.node().is("Convert")) {
    TENON_ASSIGN(const ir::Value rows, as_rows(build, value.node().input(0)));
    return build.convert(rows, value.type().element);
  }
  op::ReshapeAttributes attributes;
  attributes.target = {-1, value.type().dim(2) * value.type().dim(3)};
  return build.add(op::reshape_op(), {value}, attributes);
}

Result<ir::Value> page(ir::Model& model, const CachedAttention& attention, Caches& caches,
                       const std::array<ir::Value, 5>& tables, bool one_sequence) {
  const auto& attributes = attention.node->attributes_as<op::AttentionAttributes>();
  op::Builder build(model, base_name(*attention.node) + ".paged");
  TENON_ASSIGN(LayerCaches* const layer, caches.of(attention.k, attention.v));
  op::PagedAttentionAttributes paged;
  paged.scale = attributes.scale;
  paged.window = attributes.structure == ir::MaskKind::kWindow ? attributes.window : 0;
  paged.writes = !std::exchange(layer->written, true);
  std::vector<ir::Value> inputs;
  for (const ir::Value& value : {attention.q, attention.k.rows, attention.v.rows}) {
    TENON_ASSIGN(const ir::Value rows, as_rows(build, value));
    inputs.push_back(rows);
  }
  inputs.insert(inputs.end(), {layer->keys, layer->values});
  inputs.insert(inputs.end(), tables.begin(), tables.end());
  if (attention.sinks) inputs.push_back(*attention.sinks);
  TENON_ASSIGN(const ir::Value result, build.add(op::paged_attention_op(), std::move(inputs), paged));
  op::ReshapeAttributes heads;
  heads.target = {one_sequence ? 1 : -1, one_sequence ? -1 : 1, attention.q.type().dim(2),
                  attention.v.type.dim(3)};
  return build.add(op::reshape_op(), {result}, heads);
}

// [T] -> [T,1], or [1,T] of the one sequence, in the place of a [B,T] of the same name; positions of several
// components keep those in front.
Result<Move> flatten(ir::Model& model, ir::Node& input, bool one_sequence) {
  ir::ParameterAttributes attributes = input.attributes_as<ir::ParameterAttributes>();
  std::vector<Axis>& axes = attributes.type.axes;
  const auto components = static_cast<int64_t>(axes.size()) - 2;
  axes.erase(axes.begin() + components);  // the batch
  TENON_ASSIGN(const ir::Value flat, model.replace_parameter(input, std::move(attributes)));
  op::UnsqueezeAttributes batch;
  batch.axes = {components + (one_sequence ? 0 : 1)};
  TENON_ASSIGN(const ir::Value column,
               op::Builder(model, flat.node().name() + ".column").add(op::unsqueeze_op(), {flat}, batch));
  return Move{input.output(0), column};
}

std::vector<ir::Node*> inputs_of_role(const ir::Model& model,
                                      std::initializer_list<ir::ParameterRole> roles) {
  std::vector<ir::Node*> out;
  for (ir::Node* const node : model.parameters()) {
    const auto role = node->attributes_as<ir::ParameterAttributes>().role;
    if (std::find(roles.begin(), roles.end(), role) != roles.end()) out.push_back(node);
  }
  return out;
}

Result<std::vector<CachedAttention>> collect(const ir::Model& model) {
  std::vector<CachedAttention> out;
  for (ir::Node* const node : model.topological_order()) {
    if (!node->is("Attention")) continue;
    TENON_ASSIGN(CachedAttention found, match_cached_attention(*node));
    out.push_back(std::move(found));
  }
  return out;
}

// The Assigns of variables that become blocks.
void erase_assigns(ir::Model& model) {
  std::set<std::string> states;
  std::vector<ir::Node*> assigns;
  for (ir::Node* const node : model.topological_order()) {
    if (node->is("ReadValue")) {
      const auto& variable = node->attributes_as<op::ReadValueAttributes>();
      if (variable.role == ir::ParameterRole::kRecurrentState) states.insert(variable.variable);
    }
    if (node->is("Assign")) assigns.push_back(node);
  }
  for (ir::Node* const node : assigns) {
    if (!states.contains(node->attributes_as<op::AssignAttributes>().variable)) model.erase(*node);
  }
}

Result<bool> run(ir::Model& model, ir::PassContext&, const PagedOptions& options) {
  const auto adapted = inputs_of_role(model, {ir::ParameterRole::kTokens, ir::ParameterRole::kPositions});
  for (const ir::Node* input : adapted) {
    if (input->port_type(0).rank() == 2 || input->port_type(0).rank() == 3) continue;
    return Error{ErrorCode::kInvalidGraph, kPassName, "input_ids and position_ids [B,T]",
                 input->attributes_as<ir::ParameterAttributes>().name + " " + input->port_type(0).to_string(),
                 "run make_stateful and adapt_to_genai before"};
  }
  TENON_ASSIGN(const std::vector<CachedAttention> attentions, collect(model));
  std::array<ir::Value, 5> tables;
  if (!attentions.empty()) {
    TENON_ASSIGN(tables, add_tables(model));
  }
  const bool one_sequence = has_recurrent_state(model);
  Caches caches(model, options.block_size);
  std::vector<Move> moves;
  for (const CachedAttention& attention : attentions) {
    TENON_ASSIGN(const ir::Value paged, page(model, attention, caches, tables, one_sequence));
    moves.emplace_back(attention.node->output(0), paged);
  }
  const auto dropped = inputs_of_role(model, {ir::ParameterRole::kMask, ir::ParameterRole::kBeamIndices});
  for (ir::Node* const input : adapted) {
    TENON_ASSIGN(Move move, flatten(model, *input, one_sequence));
    moves.push_back(std::move(move));
  }
  erase_assigns(model);
  TENON_RETURN_IF_ERROR(model.rewire(moves));
  for (ir::Node* const input : dropped) {
    if (input->port_uses(0).empty()) model.erase(*input);
  }
  return true;
}

}  // namespace

ir::Pass sdpa_to_paged(PagedOptions options) {
  return {kPassName,
          [options](ir::Model& model, ir::PassContext& context) { return run(model, context, options); }};
}

}  // namespace tenon::pass
