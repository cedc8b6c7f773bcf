// One captured case, as a decoder of one ggml node and the values to feed it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tests/conform/gate.h"
#include "tests/support/hand_decoder.h"
#include "tests/support/op_capture.h"

namespace tenon::conform {

// How far `found` may be from an expected value; `place` counts the elements of the output.
using Tolerance = std::function<double(size_t place, double expected)>;

struct Trial {
  std::string file;     // of tests/golden/ops
  std::string capture;  // the captured case, and how it was used where that is not the only way
  test::HandDecoder decoder;
  op::HostTensors inputs;
  SymbolValues symbols;
  op::HostTensor expected;
  Tolerance tolerance;  // exact where it is empty
  // Where `expected` is the exact result: what ggml made of operands that it rounds. The mean squared error
  // may be 1.05 times ggml's at most.
  op::HostTensor ggml;
  // Whether the CPU's kernels round that operand too: the tolerance is for the references alone then.
  bool kernels_round = false;
  // What of the output is compared, where that is not its elements in their order; of found and expected
  // alike.
  std::function<std::vector<double>(std::vector<double>)> view;
};

// Adds tensors of a capture as inputs "0", "1", … of a decoder, or as weights.
class TrialBuilder {
 public:
  TrialBuilder(std::string file, const test::OpCapture& capture);

  decoder::Edge input(const op::HostTensor& tensor, std::string_view type = "",
                      std::string value_symbol = "");
  decoder::Edge weight(const op::HostTensor& tensor);
  decoder::Edge cache(const op::HostTensor& tensor, std::string_view type);
  decoder::Edge mask(const op::HostTensor& tensor, decoder::Mask mask);
  test::HandDecoder& decoder() { return trial_.decoder; }

  // The node under test, whose output has the extents of `expected` unless `type` says otherwise.
  Trial finish(std::string_view op, std::vector<decoder::Edge> inputs, decoder::NodeAttributes attributes,
               op::HostTensor expected, Tolerance tolerance = {}, std::string_view type = "");
  // One port of a node under test that has several.
  Trial finish_port(decoder::NodeView node, int port, op::HostTensor expected, Tolerance tolerance);

 private:
  std::string next_name(const op::HostTensor& tensor);
  Trial finish_at(decoder::Edge output, op::HostTensor expected, Tolerance tolerance);

  Trial trial_;
};

// "f32[1,1,5,96]".
std::string type_text(const op::HostTensor& tensor);

// Converts the trial's decoder, as `edit` changes it, runs it on each of runtimes() and compares.
struct Outcome {
  Comparison comparison;
  std::string failure;  // why it does not agree; empty when it does
};
std::vector<Outcome> attempt(const Trial& trial, const test::EditedDecoder::Edit& edit = {});

// attempt() as an assertion; what agrees is recorded for the gate.
void run(const Trial& trial, const test::EditedDecoder::Edit& edit = {});

// E1's tolerances. Activations that ggml takes from f16 tables, and everything else that works element by
// element.
//   tables: 2e-4 + 1e-3 |e|        elements: 1e-6 + 1e-5 |e|
double table_tolerance(size_t place, double expected);
double element_tolerance(size_t place, double expected);
// A sum of `terms` products: each of the terms is rounded to f32, errors of either sign that add up like a
// random walk, so 2^-24 sqrt(K) |x| |w|; 8 times that covers the order in which ggml's vectors add.
double sum_tolerance(int64_t terms, double norm_of_x, double norm_of_w);
// The Euclidean norms of the rows of the last axis.
std::vector<double> row_norms(const op::HostTensor& tensor);

}  // namespace tenon::conform
