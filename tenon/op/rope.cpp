#include "tenon/op/rope.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "tenon/op/build.h"
#include "tenon/op/concat.h"
#include "tenon/op/element_access.h"
#include "tenon/op/elementwise.h"
#include "tenon/op/gather.h"
#include "tenon/op/reshape.h"
#include "tenon/op/shape_rule.h"
#include "tenon/op/squeeze.h"
#include "tenon/op/transpose.h"
#include "tenon/op/unsqueeze.h"
#include "tenon/op/variadic_split.h"

namespace tenon::op {

namespace {

Status check_positions(const ir::Inference& node) {
  const auto& attributes = node.attributes<RopeAttributes>();
  const TensorType& x = node.type(0);
  const Dim positions = node.type(1).element_count();
  if (attributes.mode != RopeMode::kImrope) {
    if (positions == x.dim(1) || positions == x.dim(0) * x.dim(1)) return {};
    return node.error("a position for each token of " + x.to_string(), node.type(1).to_string());
  }
  const std::vector<int64_t>& sections = attributes.sections;
  const bool no_sections = sections.size() != 4 || *std::min_element(sections.begin(), sections.end()) < 0 ||
                           std::accumulate(sections.begin(), sections.end(), int64_t{0}) < 1;
  if (no_sections) return node.error("four sections, not all of them 0", std::to_string(sections.size()));
  if (positions == Dim(4) * x.dim(1)) return {};
  return node.error("four components of a position for each token of " + x.to_string(),
                    node.type(1).to_string());
}

InferredTypes infer(const ir::Inference& node) {
  const auto& attributes = node.attributes<RopeAttributes>();
  const TensorType& x = node.type(0);
  if (x.element != ElementType::kF32 && x.element != ElementType::kF16) {
    return node.error("x f32 or f16", x.to_string());
  }
  TENON_RETURN_IF_ERROR(require_rank(node, 0, 4));
  TENON_ASSIGN(const int64_t head_size, require_static(node, 0, 3));
  if (attributes.n_rot <= 0 || attributes.n_rot % 2 != 0 || attributes.n_rot > head_size) {
    return node.error("an even n_rot in [2, " + std::to_string(head_size) + "]",
                      std::to_string(attributes.n_rot));
  }
  TENON_RETURN_IF_ERROR(check_positions(node));
  if (node.input_count() == 3) {
    const TensorType& factors = node.type(2);
    if (factors.element != ElementType::kF32 || factors.element_count() != Dim(attributes.n_rot / 2)) {
      return node.error("factors f32[" + std::to_string(attributes.n_rot / 2) + "]", factors.to_string());
    }
  }
  return infer_same_type(node);
}

Status reference(const ReferenceCall& call) {
  const auto& attributes = dynamic_cast<const RopeAttributes&>(call.attributes);
  const TensorRef& x = call.inputs[0];
  const TensorRef& out = call.outputs[0];
  RopeRotation rotation = rope_rotation(attributes);
  if (call.inputs.size() == 3) {
    const std::vector<double> factors = load_all(call.inputs[2]);
    for (size_t i = 0; i < factors.size(); ++i) rotation.frequencies[i] /= factors[i];
  }
  const std::vector<double> positions = load_all(call.inputs[1]);
  const int64_t tokens = x.extent[1], pairs = attributes.n_rot / 2;
  const int64_t components = position_components(attributes.mode);
  const bool per_batch = static_cast<int64_t>(positions.size()) != components * tokens;
  for_each_index(x, 3, [&](Index at) {
    const int64_t token = (per_batch ? at[0] * tokens : 0) + at[1];
    for (int64_t pair = 0; pair < pairs; ++pair) {
      const int64_t component = component_of_pair(attributes, pair);
      const double position = positions[static_cast<size_t>(component * tokens + token)];
      const double angle = position * rotation.frequencies[static_cast<size_t>(pair)];
      const double cosine = std::cos(angle) * rotation.magnitude;
      const double sine = std::sin(angle) * rotation.magnitude;
      Index first = at, second = at;
      first[3] = attributes.mode == RopeMode::kNormal ? 2 * pair : pair;
      second[3] = attributes.mode == RopeMode::kNormal ? 2 * pair + 1 : pair + pairs;
      const double a = load(x, first), b = load(x, second);
      store(out, first, a * cosine - b * sine);
      store(out, second, a * sine + b * cosine);
    }
    for (at[3] = attributes.n_rot; at[3] < x.extent[3]; ++at[3]) copy_element(out, at, x, at);
  });
  return {};
}

// Four components, [4 * T] -> [1, T, 1, n_rot / 2], for each pair its own.
Result<ir::Value> components_by_pair(Builder& build, ir::Value positions, const RopeAttributes& attributes) {
  TENON_ASSIGN(ir::Value floats, build.convert(positions, ElementType::kF32));
  ReshapeAttributes by_component;
  by_component.target = {4, -1};
  TENON_ASSIGN(ir::Value components, build.add(reshape_op(), {floats}, by_component));
  TENON_ASSIGN(components, build.add(transpose_op(), {components, build.integers({1, 0})}));
  std::vector<int64_t> of_pair;
  for (int64_t pair = 0; pair < attributes.n_rot / 2; ++pair)
    of_pair.push_back(component_of_pair(attributes, pair));
  GatherAttributes along_components;
  along_components.axis = 1;
  TENON_ASSIGN(ir::Value chosen,
               build.add(gather_op(), {components, build.integers(std::move(of_pair))}, along_components));
  ReshapeAttributes column;
  column.target = {1, -1, 1, attributes.n_rot / 2};
  return build.add(reshape_op(), {chosen}, column);
}

// Positions as [B or 1, T, 1, 1]. An axis 0 that is the batch's is copied, so that one graph serves [1,1,1,T]
// and [T,1,1,1] alike.
Result<ir::Value> position_column(Builder& build, ir::Value positions, const TensorType& x,
                                  const RopeAttributes& attributes) {
  ReshapeAttributes column;
  column.target = {1, -1, 1, 1};
  const TensorType& type = positions.type();
  if (attributes.mode == RopeMode::kImrope) return components_by_pair(build, positions, attributes);
  if (type.rank() >= 2 && (type.dim(0) == x.dim(0) || type.dim(0) == Dim(1))) {
    column.target[0] = 0;
    column.special_zero = true;
  } else if (type.element_count() != x.dim(1)) {
    column.target[0] = x.dim(0);
  }
  TENON_ASSIGN(ir::Value floats, build.convert(positions, ElementType::kF32));
  return build.add(reshape_op(), {floats}, column);
}

struct Halves {
  ir::Value first, second;
};

// The two elements of every pair, each [B, T, H, n_rot / 2].
Result<Halves> split_pairs(Builder& build, ir::Value rotated, const RopeAttributes& attributes) {
  const int64_t pairs = attributes.n_rot / 2;
  VariadicSplitAttributes last;
  last.axis = -1;
  if (attributes.mode != RopeMode::kNormal) {
    TENON_ASSIGN(ir::Node * split,
                 build.add_node(variadic_split_op(), {rotated, build.integers({pairs, pairs})}, last));
    return Halves{split->output(0), split->output(1)};
  }
  ReshapeAttributes as_pairs;
  as_pairs.target = {0, 0, 0, pairs, 2};
  as_pairs.special_zero = true;
  TENON_ASSIGN(ir::Value grouped, build.add(reshape_op(), {rotated}, as_pairs));
  TENON_ASSIGN(ir::Node * split,
               build.add_node(variadic_split_op(), {grouped, build.integers({1, 1})}, last));
  SqueezeAttributes drop;
  drop.axes = {-1};
  TENON_ASSIGN(ir::Value first, build.add(squeeze_op(), {split->output(0)}, drop));
  TENON_ASSIGN(ir::Value second, build.add(squeeze_op(), {split->output(1)}, drop));
  return Halves{first, second};
}

// The reverse of split_pairs.
Result<ir::Value> join_pairs(Builder& build, Halves halves, const RopeAttributes& attributes) {
  ConcatAttributes last;
  last.axis = -1;
  if (attributes.mode != RopeMode::kNormal)
    return build.add(concat_op(), {halves.first, halves.second}, last);
  UnsqueezeAttributes behind;
  behind.axes = {-1};
  TENON_ASSIGN(ir::Value first, build.add(unsqueeze_op(), {halves.first}, behind));
  TENON_ASSIGN(ir::Value second, build.add(unsqueeze_op(), {halves.second}, behind));
  TENON_ASSIGN(ir::Value joined, build.add(concat_op(), {first, second}, last));
  ReshapeAttributes as_row;
  as_row.target = {0, 0, 0, attributes.n_rot};
  as_row.special_zero = true;
  return build.add(reshape_op(), {joined}, as_row);
}

Result<ir::Value> scaled(Builder& build, ir::Value value, double factor) {
  if (factor == 1) return value;
  return build.add(multiply_op(), {value, build.scalar(factor)});
}

Result<ir::Value> rotate(Builder& build, ir::Node& node, ir::Value rotated) {
  const auto& attributes = node.attributes_as<RopeAttributes>();
  const RopeRotation rotation = rope_rotation(attributes);
  ir::Value frequencies = build.floats({attributes.n_rot / 2}, rotation.frequencies);
  if (node.input_count() == 3) {
    TENON_ASSIGN(frequencies, build.add(divide_op(), {frequencies, node.input(2)}));
  }
  TENON_ASSIGN(ir::Value positions, position_column(build, node.input(1), node.input(0).type(), attributes));
  TENON_ASSIGN(ir::Value angle, build.add(multiply_op(), {positions, frequencies}));
  TENON_ASSIGN(ir::Value cosine, build.add(cos_op(), {angle}));
  TENON_ASSIGN(ir::Value sine, build.add(sin_op(), {angle}));
  TENON_ASSIGN(cosine, scaled(build, cosine, rotation.magnitude));
  TENON_ASSIGN(sine, scaled(build, sine, rotation.magnitude));

  TENON_ASSIGN(Halves x, split_pairs(build, rotated, attributes));
  TENON_ASSIGN(ir::Value first_cosine, build.add(multiply_op(), {x.first, cosine}));
  TENON_ASSIGN(ir::Value second_sine, build.add(multiply_op(), {x.second, sine}));
  TENON_ASSIGN(ir::Value first_sine, build.add(multiply_op(), {x.first, sine}));
  TENON_ASSIGN(ir::Value second_cosine, build.add(multiply_op(), {x.second, cosine}));
  TENON_ASSIGN(ir::Value first, build.add(subtract_op(), {first_cosine, second_sine}));
  TENON_ASSIGN(ir::Value second, build.add(add_op(), {first_sine, second_cosine}));
  return join_pairs(build, {first, second}, attributes);
}

Result<std::vector<ir::Value>> decompose(ir::Model& model, ir::Node& node) {
  Builder build(model, node.name());
  const int64_t n_rot = node.attributes_as<RopeAttributes>().n_rot;
  const ir::Value x = node.input(0);
  TENON_ASSIGN(ir::Value wide, build.convert(x, ElementType::kF32));
  ir::Value out;
  if (x.type().dim(3) == Dim(n_rot)) {
    TENON_ASSIGN(out, rotate(build, node, wide));
  } else {
    VariadicSplitAttributes last;
    last.axis = 3;
    TENON_ASSIGN(ir::Node * parts,
                 build.add_node(variadic_split_op(), {wide, build.integers({n_rot, -1})}, last));
    TENON_ASSIGN(ir::Value rotated, rotate(build, node, parts->output(0)));
    ConcatAttributes join;
    join.axis = 3;
    TENON_ASSIGN(out, build.add(concat_op(), {rotated, parts->output(1)}, join));
  }
  TENON_ASSIGN(out, build.convert(out, x.type().element));
  return std::vector<ir::Value>{out};
}

// The pair whose frequency turns `rotations` times over the original context. In f32, as in ggml: the result
// is rounded to a whole pair.
float pair_of_rotations(const RopeAttributes& attributes, double rotations) {
  const auto context = static_cast<float>(attributes.original_context);
  return static_cast<float>(attributes.n_rot) *
         std::log(context / (static_cast<float>(rotations) * 2 * std::numbers::pi_v<float>)) /
         (2 * std::log(static_cast<float>(attributes.freq_base)));
}

}  // namespace

RopeRotation rope_rotation(const RopeAttributes& attributes) {
  RopeRotation out;
  out.magnitude = attributes.attn_factor;
  double low = 0, high = 0;
  if (attributes.ext_factor != 0) {
    low = std::max(0.0f, std::floor(pair_of_rotations(attributes, attributes.beta_fast)));
    high = std::min(static_cast<float>(attributes.n_rot - 1),
                    std::ceil(pair_of_rotations(attributes, attributes.beta_slow)));
    out.magnitude *= 1 + 0.1 * std::log(1 / attributes.freq_scale);
  }
  const double step = std::pow(attributes.freq_base, -2.0 / static_cast<double>(attributes.n_rot));
  double frequency = 1;
  for (int64_t pair = 0; pair < attributes.n_rot / 2; ++pair, frequency *= step) {
    // 1 extrapolates (fast pairs), 0 interpolates by freq_scale.
    const double ramp =
        1 - std::clamp((static_cast<double>(pair) - low) / std::max(0.001, high - low), 0.0, 1.0);
    const double mix = ramp * attributes.ext_factor;
    out.frequencies.push_back(frequency * (attributes.freq_scale * (1 - mix) + mix));
  }
  return out;
}

int64_t position_components(RopeMode mode) { return mode == RopeMode::kImrope ? 4 : 1; }

int64_t component_of_pair(const RopeAttributes& attributes, int64_t pair) {
  if (attributes.mode != RopeMode::kImrope) return 0;
  const std::vector<int64_t>& sections = attributes.sections;
  const int64_t place = pair % std::accumulate(sections.begin(), sections.end(), int64_t{0});
  const int64_t component = place % 3;
  return place < 3 * sections[static_cast<size_t>(component)] ? component : 3;
}

const OpDefinition& rope_op() {
  static const OpDefinition op{{.name = "Rope",
                                .inputs = {{"x", ir::InputKind::kFloat},
                                           {"positions", ir::InputKind::kIndex},
                                           {"factors", ir::InputKind::kFloat, true}},
                                .make_attributes = ir::make_attributes<RopeAttributes>,
                                .infer = infer},
                               reference,
                               decompose};
  return op;
}

}  // namespace tenon::op
