// Models of one node, and comparisons with a tolerance: for the tests of this folder.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "tenon/op/evaluate.h"
#include "tenon/op/op.h"

namespace tenon::op {

// A model of one node over parameters "0", "1", … with a result for each port.
struct OneNode {
  ir::Model model;
  ir::Node* node = nullptr;
  HostTensors inputs;

  OneNode(const OpDefinition& op, const std::vector<HostTensor>& tensors,
          std::unique_ptr<ir::Attributes> attributes) {
    std::vector<ir::Value> values;
    for (const HostTensor& tensor : tensors) {
      ir::ParameterAttributes parameter;
      parameter.name = std::to_string(values.size());
      parameter.type.element = tensor.element;
      for (const int64_t extent : tensor.extents) parameter.type.axes.emplace_back(extent);
      if (tensor.extents.empty()) parameter.value_symbol = "k";
      inputs[parameter.name] = tensor;
      values.push_back(model.add_parameter(parameter).value());
    }
    node = model.add(op.schema, values, std::move(attributes)).value();
    for (int port = 0; port < node->port_count(); ++port) {
      model.add_result(node->output(port), std::to_string(port));
    }
  }

  HostTensor run(const std::string& result = "0") const { return evaluate(model, inputs).value().at(result); }
  // Puts the decomposition in the node's place.
  void decompose() {
    const std::vector<ir::Value> made = find_op(node->op())->decomposition(model, *node).value();
    ASSERT_EQ(made.size(), static_cast<size_t>(node->port_count()));
    for (int port = 0; port < node->port_count(); ++port) {
      EXPECT_EQ(made[static_cast<size_t>(port)].type(), node->port_type(port));
      ASSERT_TRUE(model.replace_uses(node->output(port), made[static_cast<size_t>(port)]).ok());
    }
    model.erase(*node);
  }
};

using Tolerance = std::function<double(size_t place, double wanted)>;

inline void expect_close(const std::vector<double>& found, const std::vector<double>& wanted,
                         const Tolerance& tolerance) {
  ASSERT_EQ(found.size(), wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i) {
    const double allowed = tolerance(i, wanted[i]);
    ASSERT_LE(std::abs(found[i] - wanted[i]), allowed)
        << "at " << i << ": " << found[i] << " for " << wanted[i];
  }
}

// Compares the node's output, then its decomposition's if it has one.
inline void expect_captured(OneNode& graph, const HostTensor& wanted, const Tolerance& tolerance) {
  expect_close(graph.run().values(), wanted.values(), tolerance);
  if (!find_op(graph.node->op())->decomposition) return;
  SCOPED_TRACE("decomposed");
  graph.decompose();
  expect_close(graph.run().values(), wanted.values(), tolerance);
}

}  // namespace tenon::op
