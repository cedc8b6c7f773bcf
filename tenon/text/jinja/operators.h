// The operators of Jinja's expressions, with Python's meaning. Everything fails with Python's words where
// Python raises; integers are 64 bits wide, and a result beyond that is a failure.
#pragma once

#include "tenon/text/jinja/ast.h"
#include "tenon/text/jinja/heap.h"
#include "tenon/text/jinja/value.h"

namespace tenon::text::jinja {

Value apply_unary(UnaryOperator op, const Value& operand);
Value apply_binary(Heap& heap, BinaryOperator op, const Value& left, const Value& right);
bool apply_comparison(Heap& heap, ComparisonOperator op, const Value& left, const Value& right);
// needle in container
bool contains(Heap& heap, const Value& container, const Value& needle);

}  // namespace tenon::text::jinja
