// The operators of Jinja's expressions, with Python's meaning. Everything fails with Python's words where
// Python raises; integers are 64 bits wide, and a result beyond that is a failure.
#pragma once

#include <optional>

#include "tenon/text/jinja/ast.h"
#include "tenon/text/jinja/heap.h"
#include "tenon/text/jinja/value.h"

namespace tenon::text::jinja {

Value apply_unary(UnaryOperator op, const Value& operand);
Value apply_binary(Heap& heap, BinaryOperator op, const Value& left, const Value& right);
bool apply_comparison(Heap& heap, ComparisonOperator op, const Value& left, const Value& right);
// needle in container
bool contains(Heap& heap, const Value& container, const Value& needle);

// object[index] without the fallback to attributes; nullopt when there is no such element.
std::optional<Value> find_element(Heap& heap, const Value& object, const Value& index);
// object[start:stop:step]; a null bound is an omitted one.
Value slice(Heap& heap, const Value& object, const Value* start, const Value* stop, const Value* step);

}  // namespace tenon::text::jinja
