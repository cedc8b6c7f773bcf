#include "tenon/runtime/reference_step.h"

#include "tenon/op/element_access.h"

namespace tenon::runtime {

namespace {

int64_t bytes_of(const TensorRef& tensor) {
  return static_cast<int64_t>(bytes_for(tensor.element, tensor.element_count()));
}

// The two ops that work on whole caches: the copying update and attention.
void count(std::string_view op, const BoundPart& part, Traffic& traffic) {
  if (op == "ScatterUpdate") {
    traffic.kv_bytes_read += bytes_of(part.inputs[0]);
    traffic.kv_bytes_written += bytes_of(part.outputs[0]);
  } else if (op == "Attention") {
    traffic.kv_bytes_read += bytes_of(part.inputs[1]) + bytes_of(part.inputs[2]);
  }
}

}  // namespace

Result<const op::OpDefinition*> reference_of(const plan::Step& step) {
  const op::OpDefinition* definition = op::find_op(step.op);
  if (definition && definition->reference) return definition;
  return Error{ErrorCode::kUnsupported, step.op + " '" + step.name + "'", "an op with a reference", "none",
               ""};
}

Status run_reference(const op::OpDefinition& definition, const BoundStep& step, Traffic* traffic) {
  for (const BoundPart& part : step.parts) {
    if (traffic) count(step.step->op, part, *traffic);
    const Status status = definition.reference({*step.step->attributes.front(), part.inputs, part.outputs});
    if (status.ok()) continue;
    Error error = status.error();
    error.where = step.step->name + ": " + error.where;
    return error;
  }
  return {};
}

Status run_stateless_kv(const BoundStep& step, Traffic* traffic) {
  for (const BoundPart& part : step.parts) {
    const TensorRef& cache = part.inputs[0];
    const TensorRef& index = part.inputs[1];
    const TensorRef& rows = part.inputs[2];
    const std::vector<double> destinations = op::load_all(index);
    for (size_t t = 0; t < destinations.size(); ++t) {
      const auto to = static_cast<int64_t>(destinations[t]);
      if (to < 0 || to >= cache.extent[1]) return op::index_error(step.step->name, to, cache.extent[1]);
      TensorRef row = rows;
      row.data += static_cast<int64_t>(t) * rows.stride[1];
      row.extent[1] = 1;
      op::for_each_index(row, [&](const op::Index& at) {
        op::Index destination = at;
        destination[1] = to;
        op::store(cache, destination, op::load(row, at));
      });
      if (traffic) traffic->kv_bytes_written += bytes_for(cache.element, row.element_count());
    }
  }
  return {};
}

}  // namespace tenon::runtime
