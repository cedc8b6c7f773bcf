#include "tenon/pass/lower_set_rows.h"

#include "tenon/op/build.h"
#include "tenon/op/scatter_update.h"
#include "tenon/op/set_rows.h"
#include "tenon/pass/cache_rows.h"

namespace tenon::pass {

namespace {

Status lower(ir::Model& model, ir::Node& write) {
  const ir::Value cache = write.input(2);
  const auto axis = static_cast<int>(write.attributes_as<op::SetRowsAttributes>().axis);
  op::ScatterUpdateAttributes attributes;
  attributes.axis = axis < 0 ? axis + cache.type().rank() : axis;
  const std::string prefix = base_name(write);
  TENON_ASSIGN(const ir::Value rows, rows_in_layout(model, write.input(0), cache.type(),
                                                    static_cast<int>(attributes.axis), prefix));
  TENON_ASSIGN(
      const ir::Value updated,
      op::Builder(model, prefix).add(op::scatter_update_op(), {cache, write.input(1), rows}, attributes));
  TENON_RETURN_IF_ERROR(model.replace_uses(write.output(0), updated));
  model.erase(write);
  return {};
}

Result<bool> run(ir::Model& model, ir::PassContext&) {
  bool changed = false;
  for (ir::Node* const node : model.topological_order()) {
    if (!node->is("SetRows")) continue;
    TENON_RETURN_IF_ERROR(lower(model, *node));
    changed = true;
  }
  return changed;
}

}  // namespace

ir::Pass lower_set_rows() { return {"lower_set_rows", run}; }

}  // namespace tenon::pass
