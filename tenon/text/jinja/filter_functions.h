// The filters, one function each; filters.cpp has the table.
#pragma once

#include "tenon/text/jinja/value.h"

namespace tenon::text::jinja::filter {

// text_filters.cpp
Value capitalize(Interpreter& interpreter, const Value& operand, const Arguments& arguments);
Value escape(Interpreter& interpreter, const Value& operand, const Arguments& arguments);
Value format(Interpreter& interpreter, const Value& operand, const Arguments& arguments);
Value indent(Interpreter& interpreter, const Value& operand, const Arguments& arguments);
Value join(Interpreter& interpreter, const Value& operand, const Arguments& arguments);
Value lower(Interpreter& interpreter, const Value& operand, const Arguments& arguments);
Value replace(Interpreter& interpreter, const Value& operand, const Arguments& arguments);
Value safe(Interpreter& interpreter, const Value& operand, const Arguments& arguments);
Value string(Interpreter& interpreter, const Value& operand, const Arguments& arguments);
Value title(Interpreter& interpreter, const Value& operand, const Arguments& arguments);
Value to_json(Interpreter& interpreter, const Value& operand, const Arguments& arguments);
Value trim(Interpreter& interpreter, const Value& operand, const Arguments& arguments);
Value upper(Interpreter& interpreter, const Value& operand, const Arguments& arguments);

// number_filters.cpp
Value abs(Interpreter& interpreter, const Value& operand, const Arguments& arguments);
Value default_value(Interpreter& interpreter, const Value& operand, const Arguments& arguments);
Value integer(Interpreter& interpreter, const Value& operand, const Arguments& arguments);
Value length(Interpreter& interpreter, const Value& operand, const Arguments& arguments);
Value real(Interpreter& interpreter, const Value& operand, const Arguments& arguments);
Value round(Interpreter& interpreter, const Value& operand, const Arguments& arguments);

// sequence_filters.cpp
Value dict_sort(Interpreter& interpreter, const Value& operand, const Arguments& arguments);
Value first(Interpreter& interpreter, const Value& operand, const Arguments& arguments);
Value items(Interpreter& interpreter, const Value& operand, const Arguments& arguments);
Value last(Interpreter& interpreter, const Value& operand, const Arguments& arguments);
Value list(Interpreter& interpreter, const Value& operand, const Arguments& arguments);
Value max(Interpreter& interpreter, const Value& operand, const Arguments& arguments);
Value min(Interpreter& interpreter, const Value& operand, const Arguments& arguments);
Value reverse(Interpreter& interpreter, const Value& operand, const Arguments& arguments);
Value sort(Interpreter& interpreter, const Value& operand, const Arguments& arguments);
Value sum(Interpreter& interpreter, const Value& operand, const Arguments& arguments);
Value unique(Interpreter& interpreter, const Value& operand, const Arguments& arguments);

// selection_filters.cpp
Value map(Interpreter& interpreter, const Value& operand, const Arguments& arguments);
Value reject(Interpreter& interpreter, const Value& operand, const Arguments& arguments);
Value reject_attr(Interpreter& interpreter, const Value& operand, const Arguments& arguments);
Value select(Interpreter& interpreter, const Value& operand, const Arguments& arguments);
Value select_attr(Interpreter& interpreter, const Value& operand, const Arguments& arguments);

}  // namespace tenon::text::jinja::filter
