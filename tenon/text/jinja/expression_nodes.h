// How the expression parser makes nodes: each knows the depth of the tree below it, which is bounded.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "tenon/text/jinja/ast.h"
#include "tenon/text/jinja/failure.h"

namespace tenon::text::jinja {

inline constexpr int kMaxExpressionDepth = 150;

inline int depth_of(const ExpressionPointer& expression) { return expression ? expression->depth : 0; }

template <class... Rest>
inline int depth_of(const ExpressionPointer& first, const Rest&... rest) {
  return std::max(depth_of(first), depth_of(rest...));
}

inline int depth_of(const std::vector<ExpressionPointer>& expressions) {
  int depth = 0;
  for (const auto& expression : expressions) depth = std::max(depth, depth_of(expression));
  return depth;
}

inline int depth_of(const ArgumentList& arguments) {
  int depth = std::max(depth_of(arguments.positional), depth_of(arguments.spread, arguments.named_spread));
  for (const auto& [name, value] : arguments.named) depth = std::max(depth, depth_of(value));
  return depth;
}

// `depth`: of the deepest child.
template <class Node>
ExpressionPointer make(int line, int depth, Node node) {
  if (depth >= kMaxExpressionDepth) {
    throw Failure{ErrorCode::kInvalidFile,
                  "expressions of at most " + std::to_string(kMaxExpressionDepth) + " levels", "a deeper one",
                  line};
  }
  return std::make_unique<const Expression>(Expression{line, depth + 1, std::move(node)});
}

// The value of true, false and none, in either spelling.
inline std::optional<Value> keyword_constant(std::string_view name) {
  if (name == "true" || name == "True") return Value(true);
  if (name == "false" || name == "False") return Value(false);
  if (name == "none" || name == "None") return Value::none();
  return std::nullopt;
}

}  // namespace tenon::text::jinja
