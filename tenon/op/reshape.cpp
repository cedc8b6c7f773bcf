#include "tenon/op/reshape.h"

#include <algorithm>

#include "tenon/op/regroup.h"
#include "tenon/op/shape_rule.h"

namespace tenon::op {

namespace {

Dim product(const std::vector<Dim>& dims) {
  Dim out(1);
  for (const Dim& dim : dims) out = out * dim;
  return out;
}

// total(from) / total(by), with equal extents cancelled first: sums such as P+T divide only by themselves.
std::optional<Dim> quotient(std::vector<Dim> from, std::vector<Dim> by) {
  std::erase_if(by, [&](const Dim& dim) {
    const auto same = std::find(from.begin(), from.end(), dim);
    if (same == from.end() || dim == Dim(0)) return false;
    from.erase(same);
    return true;
  });
  return product(from).divide(product(by));
}

InferredTypes infer(const ir::Inference& node) {
  TENON_RETURN_IF_ERROR(require_plain(node, 0));
  const auto& attributes = node.attributes<ReshapeAttributes>();
  const TensorType& x = node.type(0);
  std::vector<Dim> extents = attributes.target;
  std::vector<bool> copied(extents.size());
  std::optional<size_t> rest;
  for (size_t i = 0; i < extents.size(); ++i) {
    if (extents[i] == Dim(-1)) {
      if (rest) {
        return node.error("one extent of -1 at most",
                          "axes " + std::to_string(*rest) + " and " + std::to_string(i));
      }
      rest = i;
    } else if (extents[i] == Dim(0) && attributes.special_zero) {
      if (static_cast<int>(i) >= x.rank()) {
        return node.error("an axis " + std::to_string(i) + " to copy", x.to_string());
      }
      extents[i] = x.dim(static_cast<int>(i));
      copied[i] = true;
    } else if (extents[i].try_value().value_or(0) < 0) {
      return node.error("extents of 0 or more, or -1", extents[i].to_string());
    }
  }
  if (extents.size() > kMaxRank) {
    return node.error("at most " + std::to_string(kMaxRank) + " axes", std::to_string(extents.size()));
  }
  std::vector<Dim> given = extents;
  if (rest) given.erase(given.begin() + static_cast<std::ptrdiff_t>(*rest));
  const std::optional<Dim> left = quotient(x.dims(), given);
  if (!left || (!rest && *left != Dim(1) && product(given) != x.element_count())) {
    return node.error(
        "a target of " + x.element_count().to_string() + " elements",
        product(given).to_string() + (rest ? " with one extent to infer" : "") + ", from " + x.to_string());
  }
  if (rest) extents[*rest] = *left;

  const std::vector<AxisRole> roles = reshape_roles(x.axes, extents);
  TensorType out{x.element, {}};
  for (size_t i = 0; i < extents.size(); ++i) {
    out.axes.emplace_back(extents[i], copied[i] ? x.axes[i].role : roles[i]);
  }
  return std::vector<TensorType>{out};
}

// The roles of the `count` axes that a group of input axes becomes.
std::vector<AxisRole> group_roles(const std::vector<AxisRole>& from, size_t count) {
  using enum AxisRole;
  using Roles = std::vector<AxisRole>;
  if (from.size() == 1 && count == 1) return from;
  if (from == Roles{kChannel} && count == 2) return {kHead, kHeadSize};
  if (from == Roles{kHead, kHeadSize} && count == 1) return {kChannel};
  if (from == Roles{kBatch, kToken} && count == 1) return {kToken};
  if (from == Roles{kToken} && count == 2) return {kBatch, kToken};
  AxisRole common = kNone;
  for (const AxisRole role : from) {
    if (role == kNone || role == common) continue;
    const bool counts_heads = role == kHead || role == kHeadSize;
    if (common != kNone || !counts_heads) return Roles(count, kUnknown);
    common = role;
  }
  return Roles(count, common);
}

// Whether the product of `shorter` wants another axis before it can equal `longer`.
bool is_behind(const Dim& shorter, const Dim& longer) {
  if (shorter.is_constant() && longer.is_constant()) return shorter.value() < longer.value();
  return longer.divide(shorter).has_value() || !shorter.divide(longer).has_value();
}

}  // namespace

std::vector<AxisRole> reshape_roles(const std::vector<Axis>& from, const std::vector<Dim>& to) {
  std::vector<AxisRole> out(to.size(), AxisRole::kNone);
  std::vector<Axis> inputs;     // without extents of 1
  std::vector<size_t> outputs;  // places in `to`, without extents of 1
  std::copy_if(from.begin(), from.end(), std::back_inserter(inputs),
               [](const Axis& a) { return a.extent != Dim(1); });
  for (size_t i = 0; i < to.size(); ++i) {
    if (to[i] != Dim(1)) outputs.push_back(i);
  }
  size_t input = 0, output = 0;
  while (input < inputs.size() && output < outputs.size()) {
    std::vector<AxisRole> roles = {inputs[input].role};
    std::vector<size_t> places = {outputs[output]};
    Dim have = inputs[input++].extent;
    Dim want = to[outputs[output++]];
    while (have != want) {
      const bool more_inputs = is_behind(have, want) && input < inputs.size();
      const bool more_outputs = is_behind(want, have) && output < outputs.size();
      if (!more_inputs && !more_outputs) break;
      if (more_inputs) {
        have = have * inputs[input].extent;
        roles.push_back(inputs[input++].role);
      }
      if (more_outputs) {
        want = want * to[outputs[output]];
        places.push_back(outputs[output++]);
      }
    }
    const std::vector<AxisRole> result = have == want
                                             ? group_roles(roles, places.size())
                                             : std::vector<AxisRole>(places.size(), AxisRole::kUnknown);
    for (size_t i = 0; i < places.size(); ++i) out[places[i]] = result[i];
  }
  for (; output < outputs.size(); ++output) out[outputs[output]] = AxisRole::kUnknown;
  return out;
}

const OpDefinition& reshape_op() {
  static const OpDefinition op{{.name = "Reshape",
                                .inputs = {{"x"}},
                                .make_attributes = ir::make_attributes<ReshapeAttributes>,
                                .infer = infer},
                               copy_in_order};
  return op;
}

}  // namespace tenon::op
