#include "tenon/op/evaluate.h"

#include <algorithm>

#include "tenon/op/assign.h"
#include "tenon/op/element_access.h"
#include "tenon/op/op.h"
#include "tenon/op/read_value.h"

namespace tenon::op {

namespace {

const std::string kRankLimit = "at most " + std::to_string(kMaxRank) + " axes";

class Evaluation {
 public:
  Evaluation(const ir::Model& model, const HostTensors& inputs, SymbolValues symbols)
      : model_(model), inputs_(inputs), symbols_(std::move(symbols)) {}

  Result<HostTensors> run() {
    TENON_RETURN_IF_ERROR(bind_symbols());
    for (ir::Node* node : model_.topological_order()) TENON_RETURN_IF_ERROR(step(*node));
    HostTensors outputs;
    for (const ir::Node* result : model_.results()) {
      outputs[result->attributes_as<ir::ResultAttributes>().name] = copy_of(tensors_.at(result->input(0)));
    }
    for (const auto& [name, value] : effects_) outputs[name] = copy_of(value);
    return outputs;
  }

  Result<SymbolValues> symbols() {
    TENON_RETURN_IF_ERROR(bind_symbols());
    return symbols_;
  }

 private:
  static HostTensor copy_of(const TensorRef& value) {
    const auto bytes = bytes_for(value.element, value.element_count());
    return {value.element,
            {value.extent.begin(), value.extent.begin() + value.rank},
            {value.data, value.data + bytes}};
  }

  static Error input_error(std::string_view name, std::string wanted, std::string found) {
    return {ErrorCode::kInvalidArgument, "input '" + std::string(name) + "'", std::move(wanted),
            std::move(found), ""};
  }

  Status bind(const std::string& symbol, int64_t value, std::string_view input) {
    if (const auto bounds = model_.symbols().find(symbol);
        bounds != model_.symbols().end() && (value < bounds->second.min || value > bounds->second.max)) {
      return input_error(input,
                         symbol + " from " + std::to_string(bounds->second.min) + " to " +
                             std::to_string(bounds->second.max),
                         std::to_string(value));
    }
    const auto [entry, is_new] = symbols_.emplace(symbol, value);
    if (is_new || entry->second == value) return {};
    return input_error(input, symbol + " = " + std::to_string(entry->second), std::to_string(value));
  }

  Status bind_symbols() {
    for (const auto& [name, tensor] : inputs_) {
      if (!model_.find_parameter(name) && !find_variable(name)) {
        return input_error(name, "an input that the model has", "none of that name");
      }
    }
    for (const ir::Node* node : model_.parameters()) {
      const auto& parameter = node->attributes_as<ir::ParameterAttributes>();
      const auto found = inputs_.find(parameter.name);
      if (found == inputs_.end()) return input_error(parameter.name, parameter.type.to_string(), "nothing");
      const HostTensor& tensor = found->second;
      if (node->port_type(0).rank() > kMaxRank) {
        return node_error(*node, kRankLimit, parameter.type.to_string());
      }
      TENON_RETURN_IF_ERROR(check_tensor(parameter.name, parameter.type, tensor));
      TENON_RETURN_IF_ERROR(bind_axes(parameter.name, parameter.type, tensor));
      if (parameter.value_symbol.empty()) continue;
      if (tensor.element_count() != 1) {
        return input_error(parameter.name, "one element", std::to_string(tensor.element_count()));
      }
      TENON_RETURN_IF_ERROR(bind(parameter.value_symbol, load_integer(tensor.view(), {}), parameter.name));
    }
    for (const ir::Node* node : model_.topological_order()) {
      if (node->is("ReadValue")) TENON_RETURN_IF_ERROR(bind_variable(*node));
    }
    return {};
  }

  const ir::Node* find_variable(std::string_view id) const {
    for (const ir::Node* node : model_.topological_order()) {
      if (node->is("ReadValue") && node->attributes_as<ReadValueAttributes>().variable == id) return node;
    }
    return nullptr;
  }

  Status bind_variable(const ir::Node& node) {
    const auto& attributes = node.attributes_as<ReadValueAttributes>();
    const auto given = inputs_.find(attributes.variable);
    if (given == inputs_.end()) {
      const HostTensor initial = HostTensor::make(attributes.type.element, initial_extents(node));
      return bind_axes(attributes.variable, attributes.type, initial);
    }
    TENON_RETURN_IF_ERROR(check_tensor(attributes.variable, attributes.type, given->second));
    return bind_axes(attributes.variable, attributes.type, given->second);
  }

  static std::vector<int64_t> initial_extents(const ir::Node& read) {
    std::vector<int64_t> out;
    for (const Axis& axis : read.input(0).type().axes) out.push_back(axis.extent.value());
    return out;
  }

  Status check_tensor(const std::string& name, const TensorType& type, const HostTensor& tensor) const {
    if (tensor.element != type.element || static_cast<int>(tensor.extents.size()) != type.rank()) {
      return input_error(
          name, type.to_string(),
          std::string(tenon::name(tensor.element)) + " of rank " + std::to_string(tensor.extents.size()));
    }
    if (tensor.bytes.size() == bytes_for(tensor.element, tensor.element_count())) return {};
    return input_error(name, "the bytes of its extents", std::to_string(tensor.bytes.size()) + " bytes");
  }

  Status bind_axes(const std::string& name, const TensorType& type, const HostTensor& tensor) {
    for (size_t i = 0; i < tensor.extents.size(); ++i) {
      TENON_RETURN_IF_ERROR(bind_extent(name, type.axes[i].extent, tensor.extents[i]));
    }
    return {};
  }

  // Of an extent that is one symbol, or a sum in which one symbol is not known yet (KV - T), gives that
  // symbol its value.
  Status bind_extent(const std::string& name, const Dim& extent, int64_t value) {
    std::vector<std::string> unknown;
    extent.collect_symbols(unknown);
    std::erase_if(unknown, [&](const std::string& symbol) { return symbols_.count(symbol) != 0; });
    if (extent.symbol_name()) return bind(*extent.symbol_name(), value, name);
    if (unknown.size() != 1 || extent.terms().count({unknown[0]}) == 0) return {};
    SymbolValues with_zero = symbols_;
    with_zero[unknown[0]] = 0;
    const int64_t coefficient = extent.terms().at({unknown[0]});
    return bind(unknown[0], (value - extent.evaluate(with_zero)) / coefficient, name);
  }

  Result<std::vector<int64_t>> extents_of(const ir::Node& node, int port) const {
    if (node.port_type(port).rank() > kMaxRank) {
      return node_error(node, kRankLimit, node.port_type(port).to_string());
    }
    std::vector<int64_t> out;
    for (const Axis& axis : node.port_type(port).axes) {
      std::vector<std::string> names;
      axis.extent.collect_symbols(names);
      for (const std::string& symbol : names) {
        if (symbols_.count(symbol) == 0) return node_error(node, "a value for symbol " + symbol, "none");
      }
      out.push_back(axis.extent.evaluate(symbols_));
      if (out.back() < 0) {
        return node_error(node, "an extent " + axis.extent.to_string() + " of 0 or more",
                          std::to_string(out.back()));
      }
    }
    return out;
  }

  static Error node_error(const ir::Node& node, std::string wanted, std::string found) {
    return {ErrorCode::kInvalidArgument, std::string(node.op()) + " '" + node.name() + "'", std::move(wanted),
            std::move(found), ""};
  }

  Status step(ir::Node& node) {
    if (node.is("Result")) return {};
    if (node.is("Parameter")) return parameter(node);
    if (node.is("Constant")) return constant(node);
    if (node.is("ReadValue")) return read_value(node);
    if (node.is("Assign")) {
      effects_[node.attributes_as<AssignAttributes>().variable] = tensors_.at(node.input(0));
      return {};
    }
    const OpDefinition* const op = find_op(node.op());
    if (!op || !op->reference) return node_error(node, "an op that runs", "one without reference");

    std::vector<TensorRef> inputs, outputs;
    for (const ir::Value& input : node.inputs()) inputs.push_back(tensors_.at(input));
    for (int port = 0; port < node.port_count(); ++port) {
      TENON_ASSIGN(std::vector<int64_t> extents, extents_of(node, port));
      storage_.push_back(HostTensor::make(node.port_type(port).element, std::move(extents)));
      outputs.push_back(storage_.back().ref());
      tensors_[node.output(port)] = outputs.back();
    }
    for (const int input : op->written_inputs) outputs.push_back(own(node.input(input)));
    for (size_t i = 0; i < inputs.size(); ++i) inputs[i] = tensors_.at(node.input(static_cast<int>(i)));
    Status status = op->reference({node.attributes(), inputs, outputs});
    if (status.ok()) return {};
    Error error = std::move(status).error();
    error.where += " '" + node.name() + "'";
    return error;
  }

  // A copy of a parameter's memory, in its place from now on: the caller's is not ours to write.
  TensorRef own(ir::Value value) {
    const std::string& name = value.node().attributes_as<ir::ParameterAttributes>().name;
    if (const auto found = effects_.find(name); found != effects_.end()) return found->second;
    storage_.push_back(inputs_.at(name));
    return effects_[name] = tensors_[value] = storage_.back().ref();
  }

  Status read_value(ir::Node& node) {
    const auto& attributes = node.attributes_as<ReadValueAttributes>();
    const auto given = inputs_.find(attributes.variable);
    if (given == inputs_.end()) {
      tensors_[node.output(0)] = tensors_.at(node.input(0));
      return {};
    }
    TENON_ASSIGN(const std::vector<int64_t> extents, extents_of(node, 0));
    if (extents != given->second.extents) {
      return node_error(node, "the extents of " + attributes.type.to_string(), "others");
    }
    tensors_[node.output(0)] = given->second.view();
    return {};
  }

  Status parameter(ir::Node& node) {
    const HostTensor& tensor = inputs_.at(node.attributes_as<ir::ParameterAttributes>().name);
    TENON_ASSIGN(std::vector<int64_t> extents, extents_of(node, 0));
    if (extents != tensor.extents) {
      const auto differs = std::mismatch(extents.begin(), extents.end(), tensor.extents.begin());
      return node_error(node,
                        "extent " + std::to_string(*differs.first) + " on axis " +
                            std::to_string(differs.first - extents.begin()),
                        std::to_string(*differs.second));
    }
    tensors_[node.output(0)] = tensor.view();
    return {};
  }

  Status constant(ir::Node& node) {
    const ir::ConstantData& data = node.attributes_as<ir::ConstantAttributes>().data;
    TENON_ASSIGN(std::vector<int64_t> extents, extents_of(node, 0));
    TensorRef out{const_cast<std::byte*>(data.bytes),
                  node.port_type(0).element,
                  static_cast<int>(extents.size()),
                  {},
                  {}};
    std::copy(extents.begin(), extents.end(), out.extent.begin());
    set_contiguous_strides(out);
    const size_t wanted = bytes_for(out.element, out.element_count());
    if (data.size != wanted) {
      return node_error(node, std::to_string(wanted) + " bytes", std::to_string(data.size));
    }
    tensors_[node.output(0)] = out;
    return {};
  }

  const ir::Model& model_;
  const HostTensors& inputs_;
  SymbolValues symbols_;
  std::vector<HostTensor> storage_;
  std::map<std::string, TensorRef> effects_;  // variables and written parameters, by name
  std::map<ir::Value, TensorRef> tensors_;
};

}  // namespace

Result<HostTensors> evaluate(const ir::Model& model, const HostTensors& inputs, SymbolValues symbols) {
  return Evaluation(model, inputs, std::move(symbols)).run();
}

Result<SymbolValues> symbol_values(const ir::Model& model, const HostTensors& inputs, SymbolValues symbols) {
  return Evaluation(model, inputs, std::move(symbols)).symbols();
}

}  // namespace tenon::op
