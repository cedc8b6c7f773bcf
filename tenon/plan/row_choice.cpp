#include "tenon/plan/row_choice.h"

#include <algorithm>

#include "tenon/op/op.h"
#include "tenon/plan/border.h"
#include "tenon/plan/views.h"

namespace tenon::plan {

namespace {

bool is_inside(const Match& match, const ir::Node& node) {
  return std::find(match.nodes.begin(), match.nodes.end(), &node) != match.nodes.end();
}

// A value inside a fusion is never stored, so no one else may read it. The Result of a tensor that is written
// in place may: it reads the operand's own memory.
std::string outside_reader(const TargetRow& row, const Match& match) {
  for (size_t i = 1; i < match.nodes.size(); ++i) {
    ir::Node& node = *match.nodes[i];
    for (int port = 0; port < node.port_count(); ++port) {
      const bool in_place = row.in_place_operand >= 0 && node.output(port) == written_value(match);
      for (const ir::Use& use : node.port_uses(port)) {
        if (is_inside(match, *use.user) || (in_place && use.user->is("Result"))) continue;
        return "'" + node.name() + "' is read by '" + use.user->name() + "' too";
      }
    }
  }
  return "";
}

// The caller's memory is written only where the caller asks for it: a cache that comes back as a result. No
// one may read it as it was before.
std::string in_place_hazard(const TargetRow& row, const Match& match) {
  const ir::Value tensor = match.operands[static_cast<size_t>(row.in_place_operand)];
  const ir::Node& node = tensor.node();
  if (!node.is("Parameter") ||
      node.attributes_as<ir::ParameterAttributes>().role != ir::ParameterRole::kCache) {
    return "'" + node.name() + "' is no cache";
  }
  for (const ir::Use& use : tensor.uses()) {
    if (!is_inside(match, *use.user))
      return "'" + node.name() + "' is read by '" + use.user->name() + "' as it was before";
  }
  return result_of(written_value(match)) ? "" : "'" + node.name() + "' does not come back as a result";
}

std::string refusal_of(const TargetRow& row, const Match& match) {
  std::string reason = outside_reader(row, match);
  if (reason.empty() && row.in_place_operand >= 0) reason = in_place_hazard(row, match);
  if (reason.empty() && row.refuse) reason = row.refuse(match);
  return reason;
}

class Chooser {
 public:
  Chooser(const Target& target, const TokenRange& tokens, std::vector<Refusal>& refusals)
      : target_(target), tokens_(tokens), refusals_(refusals) {
    for (const TargetRow& row : target.rows) patterns_.push_back(Pattern::parse(row.pattern));
  }

  RowChoice run(const ir::Model& model) {
    for (const ir::Node* output : border_outputs(model)) out_.needed.insert(output->input(0));
    const std::vector<ir::Node*> order = model.topological_order();
    for (auto at = order.rbegin(); at != order.rend(); ++at) {
      ir::Node& node = **at;
      if (is_border(node) || out_.covered.count(&node) != 0 || !out_.is_needed(node)) continue;
      if (!take(node) && is_view(node)) out_.needed.insert(node.input(0));
    }
    return std::move(out_);
  }

 private:
  bool take(ir::Node& node) {
    for (size_t i = 0; i < target_.rows.size(); ++i) {
      const bool any_op = patterns_[i].root_op() == "*";
      if (any_op && (is_view(node) || node.is("SetRows"))) continue;
      if (target_.rows[i].tokens.contains(tokens_) && try_row(target_.rows[i], patterns_[i], node))
        return true;
    }
    return false;
  }

  bool try_row(const TargetRow& row, const Pattern& pattern, ir::Node& node) {
    std::string reason;  // of the first way in which it fits
    for (Match& match : pattern.matches(node)) {
      std::string refusal = refusal_of(row, match);
      if (refusal.empty()) {
        choose(row, std::move(match));
        return true;
      }
      if (reason.empty()) reason = std::move(refusal);
    }
    if (reason.empty()) return false;
    Refusal refusal{std::string(row.id), node.name(), std::move(reason)};
    if (std::find(refusals_.begin(), refusals_.end(), refusal) == refusals_.end())
      refusals_.push_back(std::move(refusal));
    return false;
  }

  void choose(const TargetRow& row, Match match) {
    out_.covered.insert(match.nodes.begin() + 1, match.nodes.end());
    for (const ir::Value& operand : match.operands) {
      if (is_read(match, operand)) out_.needed.insert(operand);
    }
    const ir::Node* root = &match.root();
    out_.by_root.emplace(root, Chosen{&row, std::move(match)});
  }

  const Target& target_;
  const TokenRange tokens_;
  std::vector<Refusal>& refusals_;
  std::vector<Pattern> patterns_;  // of the target's rows
  RowChoice out_;
};

}  // namespace

bool RowChoice::is_needed(ir::Node& node) const {
  for (int port = 0; port < node.port_count(); ++port) {
    if (needed.count(node.output(port)) != 0) return true;
  }
  return false;
}

bool RowChoice::is_left_over(ir::Node& node) const {
  return !is_border(node) && !is_view(node) && by_root.count(&node) == 0 && covered.count(&node) == 0 &&
         is_needed(node);
}

RowChoice choose_rows(const ir::Model& model, const Target& target, const TokenRange& tokens,
                      std::vector<Refusal>& refusals) {
  return Chooser(target, tokens, refusals).run(model);
}

bool is_read(const Match& match, ir::Value value) {
  for (const ir::Node* node : match.nodes) {
    const op::OpDefinition* definition = op::find_op(node->op());
    for (int i = 0; i < node->input_count(); ++i) {
      if (node->input(i) != value) continue;
      if (!definition || !definition->reads || definition->reads(node->attributes(), i)) return true;
    }
  }
  return false;
}

ir::Value written_value(const Match& match) {
  return is_view(match.root()) ? match.root().input(0) : match.root().output(0);
}

const ir::Node* result_of(ir::Value value) {
  for (const ir::Use& use : value.uses()) {
    if (use.user->is("Result") || use.user->is("Assign")) return use.user;
  }
  return nullptr;
}

}  // namespace tenon::plan
