// References and decompositions against what real ggml computed (tests/golden/ops).
#include "tenon/op/attention.h"
#include "tenon/op/elementwise.h"
#include "tenon/op/geglu.h"
#include "tenon/op/gelu.h"
#include "tenon/op/matmul.h"
#include "tenon/op/one_node.h"
#include "tenon/op/rms_norm.h"
#include "tenon/op/rope.h"
#include "tenon/op/softmax.h"
#include "tenon/op/swiglu.h"
#include "tests/support/op_capture.h"

namespace tenon::op {
namespace {

// Contract E1's tolerances of elementwise ops; ggml takes GELU and GELU_QUICK from tables of f16.
double exact_tolerance(size_t, double wanted) { return 1e-6 + 1e-5 * std::abs(wanted); }
double table_tolerance(size_t, double wanted) { return 2e-4 + 1e-3 * std::abs(wanted); }

double largest_row_norm(const HostTensor& tensor) {
  const std::vector<double> values = tensor.values();
  const auto row = static_cast<size_t>(tensor.extents.back());
  double largest = 0;
  for (size_t start = 0; start < values.size(); start += row) {
    double squares = 0;
    for (size_t i = start; i < start + row; ++i) squares += values[i] * values[i];
    largest = std::max(largest, std::sqrt(squares));
  }
  return largest;
}

void check_unary(const std::string& capture, const OpDefinition& op, const Tolerance& tolerance,
                 GeluMode mode = GeluMode::kTanh) {
  for (const test::OpCapture& c : test::op_captures(capture)) {
    SCOPED_TRACE(c.name());
    auto attributes = op.schema.make_attributes();
    if (auto* gelu = dynamic_cast<GeluAttributes*>(attributes.get())) gelu->mode = mode;
    OneNode graph(op, {c.tensor("input.0", 4)}, std::move(attributes));
    expect_captured(graph, c.tensor("output", 4), tolerance);
  }
}

TEST(Capture, Activations) {
  check_unary("silu", swish_op(), exact_tolerance);
  check_unary("gelu", gelu_op(), table_tolerance, GeluMode::kTanh);
  check_unary("gelu_erf", gelu_op(), exact_tolerance, GeluMode::kErf);
  check_unary("gelu_quick", gelu_op(), table_tolerance, GeluMode::kQuick);
  check_unary("tanh", tanh_op(), exact_tolerance);
}

TEST(Capture, Binary) {
  const auto check = [](const std::string& capture, const OpDefinition& op) {
    for (const test::OpCapture& c : test::op_captures(capture)) {
      SCOPED_TRACE(c.name());
      OneNode graph(op, {c.tensor("input.0", 4), c.tensor("input.1", 4)}, nullptr);
      expect_captured(graph, c.tensor("output", 4), exact_tolerance);
    }
  };
  check("add", add_op());
  check("mul", multiply_op());
  check("swiglu", swiglu_op());
}

// The table's tolerance is that of gelu(gate), which is multiplied by up.
TEST(Capture, Geglu) {
  for (const test::OpCapture& c : test::op_captures("geglu")) {
    SCOPED_TRACE(c.name());
    const HostTensor up = c.tensor("input.1", 4);
    const std::vector<double> factors = up.values();
    OneNode graph(geglu_op(), {c.tensor("input.0", 4), up}, nullptr);
    expect_captured(graph, c.tensor("output", 4), [&](size_t place, double wanted) {
      return 2e-4 * std::abs(factors[place]) + 1e-3 * std::abs(wanted);
    });
  }
}

TEST(Capture, RmsNorm) {
  for (const test::OpCapture& c : test::op_captures("rms_norm")) {
    SCOPED_TRACE(c.name());
    auto attributes = std::make_unique<RmsNormAttributes>();
    attributes->epsilon = c.number("epsilon");
    OneNode graph(rms_norm_op(), {c.tensor("input.0", 4)}, std::move(attributes));
    expect_captured(graph, c.tensor("output", 4), exact_tolerance);
  }
}

TEST(Capture, Softmax) {
  for (const test::OpCapture& c : test::op_captures("soft_max")) {
    SCOPED_TRACE(c.name());
    if (c.has_tensor("input.1")) continue;  // scale and mask are ops of their own
    OneNode graph(softmax_op(), {c.tensor("input.0", 4)}, nullptr);
    expect_captured(graph, c.tensor("output", 4), exact_tolerance);
  }
}

TEST(Capture, Rope) {
  for (const test::OpCapture& c : test::op_captures("rope")) {
    SCOPED_TRACE(c.name());
    auto attributes = std::make_unique<RopeAttributes>();
    attributes->mode = c.text("mode") == "neox" ? RopeMode::kNeox : RopeMode::kNormal;
    attributes->n_rot = c.integer("n_dims");
    attributes->original_context = c.integer("n_ctx_orig");
    attributes->freq_base = c.number("freq_base");
    attributes->freq_scale = c.number("freq_scale");
    attributes->ext_factor = c.number("ext_factor");
    attributes->attn_factor = c.number("attn_factor");
    attributes->beta_fast = c.number("beta_fast");
    attributes->beta_slow = c.number("beta_slow");
    const HostTensor x = c.tensor("input.0", 4);
    const std::vector<double> positions = c.tensor("input.1", 1).values();
    std::vector<HostTensor> inputs = {x, c.tensor("input.1", 4)};
    if (c.has_tensor("input.2")) inputs.push_back(c.tensor("input.2", 1));
    OneNode graph(rope_op(), inputs, std::move(attributes));
    // ggml multiplies the angle up from pair to pair in f32: an angle of position * 2^-24 either way
    // (contract E1) moves an element by that times the pair's length, here at most 2 * sqrt(2).
    const auto token_size = static_cast<size_t>(x.extents[2] * x.extents[3]);
    expect_captured(graph, c.tensor("output", 4), [&](size_t place, double wanted) {
      return positions[place / token_size] * 0x1p-24 * 2 * std::sqrt(2.0) + exact_tolerance(place, wanted);
    });
  }
}

// The captured product of every type's weights; `exact` is that of the dequantised ones.
TEST(Capture, MatMul) {
  const auto check = [](const test::OpCapture& c) {
    HostTensor b = c.tensor("input.0", 2), a = c.tensor("input.1", 2);
    HostTensor wanted = c.tensor(c.has_tensor("exact") ? "exact" : "output", 2);
    if (b.extents.size() == 3) {  // heads of x share those of the weights: groups broadcast
      const int64_t groups = b.extents[0], heads = a.extents[0];
      b.extents.insert(b.extents.begin() + 1, 1);
      a.extents.insert(a.extents.begin(), groups);
      a.extents[1] = heads / groups;
    }
    const int64_t depth = b.extents.back();
    const double tolerance =
        8 * 0x1p-24 * std::sqrt(static_cast<double>(depth)) * largest_row_norm(a) * largest_row_norm(b);
    auto attributes = std::make_unique<MatMulAttributes>();
    attributes->transpose_b = true;
    OneNode graph(matmul_op(), {a, b}, std::move(attributes));
    expect_captured(graph, wanted, [=](size_t, double) { return tolerance; });
  };
  for (const std::string file : {"mul_mat", "mul_mat_types"}) {
    for (const test::OpCapture& c : test::op_captures(file)) {
      SCOPED_TRACE(file + " " + c.name());
      check(c);
    }
  }
}

// Structured and explicit masks give the same: the captured one is dense.
TEST(Capture, Attention) {
  for (const test::OpCapture& c : test::op_captures("flash_attn_ext")) {
    SCOPED_TRACE(c.name());
    const bool windowed = c.text("mask") == "causal_window";
    const HostTensor q = c.tensor("input.0", 4), k = c.tensor("input.1", 4), v = c.tensor("input.2", 4);
    std::vector<double> positions;
    for (int64_t t = 0; t < q.extents[2]; ++t) {
      positions.push_back(static_cast<double>(c.integer("past") + t));
    }
    const auto positions_tensor = HostTensor::of(ElementType::kI32, {1, 1, 1, q.extents[2]}, positions);
    const double scale = c.number("scale");
    // Contract E1's bound for both reductions: that over keys has weights of norm 1 at most, and an error d
    // of a score moves the result by 2 d max|v| at most.
    const double keys = static_cast<double>(k.extents[2]), depth = static_cast<double>(k.extents[3]);
    const double scores = scale * std::sqrt(depth) * largest_row_norm(q) * largest_row_norm(k);
    const double tolerance = 8 * 0x1p-24 * 2.0 * (keys + 2 * scores);
    for (const ir::MaskKind kind :
         {windowed ? ir::MaskKind::kWindow : ir::MaskKind::kCausal, ir::MaskKind::kExplicit}) {
      SCOPED_TRACE(ir::kMaskKindNames[static_cast<size_t>(kind)]);
      auto attributes = std::make_unique<AttentionAttributes>();
      attributes->scale = scale;
      attributes->mask = kind;
      attributes->window = windowed ? c.integer("window") : 0;
      std::vector<HostTensor> inputs = {q, k, v, c.tensor("input.3", 4), positions_tensor};
      if (c.has_tensor("input.4")) inputs.push_back(c.tensor("input.4", 1));  // sinks
      OneNode graph(attention_op(), inputs, std::move(attributes));
      const bool halved = k.element == ElementType::kF16;  // ggml halves q then, too
      expect_captured(graph, c.tensor(halved ? "exact" : "output", 4),
                      [=](size_t, double) { return tolerance; });
    }
  }
}

}  // namespace
}  // namespace tenon::op
