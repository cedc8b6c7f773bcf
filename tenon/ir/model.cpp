#include "tenon/ir/model.h"

#include <algorithm>
#include <stdexcept>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace tenon::ir {

namespace {

Status check_arity(const OpSchema& schema, std::string_view name, size_t count) {
  const auto required = static_cast<size_t>(std::count_if(
      schema.inputs.begin(), schema.inputs.end(), [](const InputRule& rule) { return !rule.optional; }));
  if (count >= required && (schema.variadic || count <= schema.inputs.size())) return {};
  std::string wanted = std::to_string(required);
  if (schema.variadic)
    wanted += " or more";
  else if (schema.inputs.size() != required)
    wanted += " to " + std::to_string(schema.inputs.size());
  return Error{ErrorCode::kInvalidGraph, std::string(schema.name) + " '" + std::string(name) + "'",
               wanted + " inputs", std::to_string(count), ""};
}

// Names come from files: the text form can only carry these characters.
std::string printable_name(std::string name) {
  for (char& c : name) {
    const bool letter_or_digit = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!letter_or_digit && c != '_' && c != '.' && c != '-' && c != '/') c = '_';
  }
  return name;
}

}  // namespace

Model::Model(std::string name) : name_(std::move(name)) {}
Model::Model(Model&&) noexcept = default;
Model& Model::operator=(Model&&) noexcept = default;
Model::~Model() = default;

std::string Model::unique_name(std::string name) const {
  name = printable_name(std::move(name));
  std::string unique = name;
  for (int suffix = 1; by_name_.count(unique) != 0; ++suffix) unique = name + "_" + std::to_string(suffix);
  return unique;
}

Result<Node*> Model::add(const OpSchema& schema, std::vector<Value> inputs,
                         std::unique_ptr<Attributes> attributes, std::string name) {
  std::string unique = unique_name(name.empty() ? std::string(schema.name) : std::move(name));
  TENON_RETURN_IF_ERROR(check_arity(schema, unique, inputs.size()));
  if (std::find(inputs.begin(), inputs.end(), Value()) != inputs.end()) {
    throw std::logic_error("[Model::add] " + unique + " has an empty input");
  }

  auto node = std::make_unique<Node>();
  node->schema_ = &schema;
  node->name_ = std::move(unique);
  node->attributes_ = attributes ? std::move(attributes) : schema.make_attributes();
  node->inputs_ = std::move(inputs);
  TENON_ASSIGN(std::vector<TensorType> types,
               schema.infer(Inference(schema.name, node->name_, *node->attributes_, node->inputs_)));
  for (TensorType& type : types) node->ports_.push_back({std::move(type), {}});
  for (int i = 0; i < node->input_count(); ++i) {
    const Value input = node->input(i);
    input.node().ports_[static_cast<size_t>(input.port())].uses.push_back({node.get(), i});
  }

  Node* const raw = node.get();
  by_name_[raw->name_] = raw;
  if (raw->is("Parameter")) parameters_.push_back(raw);
  if (raw->is("Result")) results_.push_back(raw);
  nodes_.push_back(std::move(node));
  return raw;
}

Result<Value> Model::add_parameter(ParameterAttributes attributes) {
  if (find_parameter(attributes.name)) {
    return Error{ErrorCode::kInvalidGraph, "Parameter '" + attributes.name + "'", "a name of its own",
                 "a second input of that name", ""};
  }
  std::string name = attributes.name;
  TENON_ASSIGN(Node * node,
               add(parameter_schema(), {}, std::make_unique<ParameterAttributes>(std::move(attributes)),
                   std::move(name)));
  return node->output(0);
}

Result<Node*> Model::add_in_place_of(Node& old, const OpSchema& schema, std::vector<Value> inputs,
                                     std::unique_ptr<Attributes> attributes) {
  std::string name = std::exchange(old.name_, unique_name(old.name_ + ".old"));
  by_name_.erase(name);
  by_name_[old.name_] = &old;
  return add(schema, std::move(inputs), std::move(attributes), std::move(name));
}

Result<Value> Model::replace_parameter(Node& old, ParameterAttributes attributes) {
  const auto place = std::find(parameters_.begin(), parameters_.end(), &old);
  if (place == parameters_.end())
    throw std::logic_error("[Model::replace_parameter] " + old.name() + " is no parameter");
  const auto index = place - parameters_.begin();
  TENON_ASSIGN(Node * node, add_in_place_of(old, parameter_schema(), {},
                                            std::make_unique<ParameterAttributes>(std::move(attributes))));
  parameters_.pop_back();
  parameters_[static_cast<size_t>(index)] = node;
  return node->output(0);
}

Value Model::add_constant(std::unique_ptr<ConstantAttributes> attributes, std::string name) {
  if (name.empty()) name = attributes->weight.empty() ? "constant" : attributes->weight;
  return add(constant_schema(), {}, std::move(attributes), std::move(name)).value()->output(0);
}

Node& Model::add_result(Value value, std::string name, std::string state) {
  auto attributes = std::make_unique<ResultAttributes>();
  attributes->name = name;
  attributes->state = std::move(state);
  return *add(result_schema(), {value}, std::move(attributes), name + ".result").value();
}

void Model::unlink(Node& node, int input) {
  const Value old = node.input(input);
  auto& uses = old.node().ports_[static_cast<size_t>(old.port())].uses;
  uses.erase(std::find(uses.begin(), uses.end(), Use{&node, input}));
}

void Model::relink(Node& node, int input, Value to) {
  unlink(node, input);
  node.inputs_[static_cast<size_t>(input)] = to;
  to.node().ports_[static_cast<size_t>(to.port())].uses.push_back({&node, input});
}

Status Model::set_input(Node& node, int input, Value to) {
  relink(node, input, to);
  return infer_again({&node});
}

Status Model::replace_uses(Value from, Value to) {
  return replace_uses(std::vector<std::pair<Value, Value>>{{from, to}});
}

std::vector<Node*> Model::relink_uses(const std::vector<std::pair<Value, Value>>& moves) {
  std::vector<Node*> users;
  for (const auto& [from, to] : moves) {
    const std::vector<Use> uses(from.uses().begin(), from.uses().end());
    for (const Use& use : uses) {
      relink(*use.user, use.input, to);
      users.push_back(use.user);
    }
  }
  return users;
}

Status Model::replace_uses(const std::vector<std::pair<Value, Value>>& moves) {
  return infer_again(relink_uses(moves));
}

Status Model::rewire(const std::vector<std::pair<Value, Value>>& moves) {
  std::vector<Node*> users = relink_uses(moves);
  erase_unreachable();
  std::unordered_set<const Node*> left;
  for (const std::unique_ptr<Node>& node : nodes_) left.insert(node.get());
  std::erase_if(users, [&](const Node* user) { return left.count(user) == 0; });
  return infer_again(users);
}

Result<std::vector<TensorType>> Model::infer(const Node& node) {
  TENON_ASSIGN(std::vector<TensorType> types,
               node.schema_->infer(Inference(node.op(), node.name_, *node.attributes_, node.inputs_)));
  if (types.size() == node.ports_.size()) return types;
  return Error{ErrorCode::kInvalidGraph, std::string(node.op()) + " '" + node.name_ + "'",
               std::to_string(node.ports_.size()) + " output ports", std::to_string(types.size()), ""};
}

// Whether elements of the node are extents: what reads it may change although its type does not.
bool Model::carries_extents(Node& node) {
  for (int port = 0; port < node.port_count(); ++port) {
    if (is_integer(node.port_type(port).element) && !node.is("Constant") && value_as_dims(node.output(port)))
      return true;
  }
  return false;
}

// Producers before users: a rule never sees an input that is new already beside one that is still to change.
Status Model::infer_again(const std::vector<Node*>& nodes) {
  const auto keeps_its_types = [](Node* node) {
    if (carries_extents(*node)) return false;
    const Result<std::vector<TensorType>> types = infer(*node);
    return types.ok() &&
           std::equal(types->begin(), types->end(), node->ports_.begin(),
                      [](const TensorType& type, const Node::Port& port) { return type == port.type; });
  };
  if (std::all_of(nodes.begin(), nodes.end(), keeps_its_types)) return {};  // most often, and needs no order

  std::unordered_set<const Node*> pending(nodes.begin(), nodes.end());
  for (Node* const node : topological_order()) {
    if (pending.erase(node) == 0) continue;
    TENON_ASSIGN(std::vector<TensorType> types, infer(*node));
    for (size_t port = 0; port < types.size(); ++port) {
      if (node->ports_[port].type == types[port] && !carries_extents(*node)) continue;
      node->ports_[port].type = std::move(types[port]);
      for (const Use& use : node->ports_[port].uses) pending.insert(use.user);
    }
  }
  return {};
}

void Model::erase(Node& node) {
  for (const Node::Port& port : node.ports_) {
    if (!port.uses.empty()) {
      throw std::logic_error("[Model::erase] " + node.name_ + " is still read by " +
                             port.uses[0].user->name());
    }
  }
  for (int i = 0; i < node.input_count(); ++i) unlink(node, i);
  by_name_.erase(node.name_);
  std::erase(parameters_, &node);
  std::erase(results_, &node);
  std::erase_if(nodes_, [&](const std::unique_ptr<Node>& other) { return other.get() == &node; });
}

int Model::erase_unreachable() {
  std::unordered_set<const Node*> reached(parameters_.begin(), parameters_.end());
  std::vector<Node*> pending(results_.begin(), results_.end());
  for (const std::unique_ptr<Node>& node : nodes_) {
    if (node->schema().sink) pending.push_back(node.get());
  }
  while (!pending.empty()) {
    Node* const node = pending.back();
    pending.pop_back();
    if (!reached.insert(node).second) continue;
    for (const Value& input : node->inputs_) pending.push_back(&input.node());
  }
  int erased = 0;
  for (auto node = nodes_.rbegin(); node != nodes_.rend(); ++node) {
    if (reached.count(node->get()) != 0) continue;
    for (int i = 0; i < (*node)->input_count(); ++i) unlink(**node, i);
    by_name_.erase((*node)->name_);
    (*node)->inputs_.clear();
    ++erased;
  }
  std::erase_if(nodes_, [&](const std::unique_ptr<Node>& node) { return reached.count(node.get()) == 0; });
  return erased;
}

// Depth first from the nodes in the order of their making; an explicit stack, since chains get long.
std::vector<Node*> Model::topological_order() const {
  std::vector<Node*> order;
  order.reserve(nodes_.size());
  std::unordered_map<const Node*, bool> done;  // false while its inputs are being visited
  for (const std::unique_ptr<Node>& root : nodes_) {
    std::vector<std::pair<Node*, int>> stack = {{root.get(), 0}};
    if (!done.emplace(root.get(), false).second) continue;
    while (!stack.empty()) {
      auto& [node, next] = stack.back();
      if (next == node->input_count()) {
        done[node] = true;
        order.push_back(node);
        stack.pop_back();
        continue;
      }
      Node* const producer = &node->input(next++).node();
      const auto [entry, first_visit] = done.emplace(producer, false);
      if (first_visit)
        stack.emplace_back(producer, 0);
      else if (!entry->second)
        throw std::logic_error("[Model::topological_order] a cycle through " + producer->name());
    }
  }
  return order;
}

Node* Model::find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second;
}

Node* Model::find_parameter(std::string_view input_name) const {
  const auto found = std::find_if(parameters_.begin(), parameters_.end(), [&](const Node* node) {
    return node->attributes_as<ParameterAttributes>().name == input_name;
  });
  return found == parameters_.end() ? nullptr : *found;
}

Node* Model::find_result(std::string_view output_name) const {
  const auto found = std::find_if(results_.begin(), results_.end(), [&](const Node* node) {
    return node->attributes_as<ResultAttributes>().name == output_name;
  });
  return found == results_.end() ? nullptr : *found;
}

int Model::count(std::string_view op) const {
  return static_cast<int>(
      std::count_if(nodes_.begin(), nodes_.end(), [&](const auto& node) { return node->is(op); }));
}

}  // namespace tenon::ir
