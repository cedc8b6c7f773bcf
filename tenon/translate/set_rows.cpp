#include "tenon/op/set_rows.h"

#include "tenon/op/convert.h"
#include "tenon/translate/translators.h"

namespace tenon::translate {

// Inputs rows, index, cache. Rows take the cache's type before they are written, so that no Convert ever
// stands between a cache and its readers. The index counts along the cache's position axis; a cache without
// roles has it at 1.
Translation translate_set_rows(NodeContext& context) {
  TENON_ASSIGN(const std::vector<ir::Value> inputs, context.inputs(3));
  const ir::Value cache = inputs[2];
  ir::Value rows = inputs[0];
  if (rows.type().element != cache.type().element) {
    op::ConvertAttributes convert;
    convert.to = cache.type().element;
    TENON_ASSIGN(rows, context.build().add(op::convert_op(), {rows}, convert));
  }
  op::SetRowsAttributes attributes;
  attributes.axis = cache.type().axis_of(AxisRole::kPosition).value_or(1);
  TENON_ASSIGN(const ir::Value result,
               context.build().add(op::set_rows_op(), {rows, inputs[1], cache}, attributes));
  return std::vector{result};
}

}  // namespace tenon::translate
