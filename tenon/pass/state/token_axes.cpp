#include "tenon/pass/state/token_axes.h"

#include "tenon/op/build.h"
#include "tenon/op/gather.h"
#include "tenon/op/reshape.h"
#include "tenon/op/unsqueeze.h"
#include "tenon/pass/cache_rows.h"

namespace tenon::pass {

namespace {

// Unsqueeze(0) ← optional Convert ← Gather.
struct Lookup {
  ir::Node* unsqueeze = nullptr;
  ir::Node* convert = nullptr;
  ir::Node* gather = nullptr;
};

// All lookups whose indices come from `ids`, through a Squeeze or directly.
std::vector<Lookup> find_lookups(const ir::Model& model, const ir::Node& ids) {
  std::vector<Lookup> out;
  for (ir::Node* const node : model.topological_order()) {
    if (!node->is("Unsqueeze") ||
        node->attributes_as<op::UnsqueezeAttributes>().axes != std::vector<int64_t>{0})
      continue;
    Lookup found{node};
    ir::Node* behind = &node->input(0).node();
    if (behind->is("Convert")) {
      found.convert = behind;
      behind = &behind->input(0).node();
    }
    if (!behind->is("Gather")) continue;
    found.gather = behind;
    const ir::Node& indices = behind->input(1).node();
    if (&indices == &ids || (indices.is("Squeeze") && &indices.input(0).node() == &ids)) out.push_back(found);
  }
  return out;
}

std::unique_ptr<ir::Attributes> unsqueeze_at_1() {
  auto attributes = std::make_unique<op::UnsqueezeAttributes>();
  attributes->axes = {1};
  return attributes;
}

void erase_if_unread(ir::Model& model, ir::Node& node) {
  for (int port = 0; port < node.port_count(); ++port) {
    if (!node.port_uses(port).empty()) return;
  }
  const std::vector<ir::Value> inputs(node.inputs().begin(), node.inputs().end());
  model.erase(node);
  for (const ir::Value& input : inputs) {
    if (!input.node().is("Parameter")) erase_if_unread(model, input.node());
  }
}

}  // namespace

Result<int> move_embedding_axes(ir::Model& model, ir::Node& tokens) {
  const std::vector<Lookup> lookups = find_lookups(model, tokens);
  std::vector<std::pair<ir::Value, ir::Value>> moves;
  for (const Lookup& lookup : lookups) {
    TENON_ASSIGN(ir::Node* const made, model.add_in_place_of(*lookup.unsqueeze, op::unsqueeze_op().schema,
                                                             {lookup.unsqueeze->input(0)}, unsqueeze_at_1()));
    moves.emplace_back(lookup.unsqueeze->output(0), made->output(0));
  }
  TENON_RETURN_IF_ERROR(model.replace_uses(moves));
  for (const Lookup& lookup : lookups) model.erase(*lookup.unsqueeze);
  return static_cast<int>(lookups.size());
}

Result<int> flatten_row_selections(ir::Model& model, ir::Node& output_rows) {
  std::vector<Lookup> taken;
  std::vector<std::pair<ir::Value, ir::Value>> moves;
  for (const Lookup& lookup : find_lookups(model, output_rows)) {
    const ir::Node& squeezed = lookup.gather->input(0).node();
    if (!squeezed.is("Squeeze")) continue;
    const ir::Value activation = squeezed.input(0);
    op::Builder build(model, base_name(*lookup.gather));
    op::ReshapeAttributes rows, column;
    rows.target = {-1, activation.type().dim(-1)};
    column.target = {-1, 1};
    TENON_ASSIGN(const ir::Value flat, build.add(op::reshape_op(), {activation}, rows));
    TENON_ASSIGN(const ir::Value indices, build.add(op::reshape_op(), {output_rows.output(0)}, column));
    TENON_ASSIGN(ir::Node * made,
                 model.add_in_place_of(*lookup.gather, op::gather_op().schema, {flat, indices},
                                       std::make_unique<op::GatherAttributes>()));
    if (lookup.convert) {
      TENON_ASSIGN(made, model.add_in_place_of(*lookup.convert, lookup.convert->schema(), {made->output(0)},
                                               lookup.convert->attributes().clone()));
    }
    TENON_ASSIGN(made, model.add_in_place_of(*lookup.unsqueeze, op::unsqueeze_op().schema, {made->output(0)},
                                             unsqueeze_at_1()));
    moves.emplace_back(lookup.unsqueeze->output(0), made->output(0));
    taken.push_back(lookup);
  }
  TENON_RETURN_IF_ERROR(model.replace_uses(moves));
  for (const Lookup& lookup : taken) erase_if_unread(model, *lookup.unsqueeze);
  return static_cast<int>(taken.size());
}

}  // namespace tenon::pass
