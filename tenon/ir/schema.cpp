#include "tenon/ir/schema.h"

#include <algorithm>

#include "tenon/ir/model.h"

namespace tenon::ir {

const TensorType& Inference::type(int input) const { return inputs_[static_cast<size_t>(input)].type(); }

std::optional<std::vector<Dim>> Inference::value(int input) const {
  return value_as_dims(inputs_[static_cast<size_t>(input)]);
}

Error Inference::error(std::string wanted, std::string found, std::string remedy) const {
  return {ErrorCode::kInvalidGraph, std::string(op_) + " '" + std::string(node_) + "'", std::move(wanted),
          std::move(found), std::move(remedy)};
}

const OpSchema* find_schema(SchemaTable table, std::string_view name) {
  const auto found =
      std::lower_bound(table.begin(), table.end(), name,
                       [](const OpSchema* schema, std::string_view key) { return schema->name < key; });
  return found != table.end() && (*found)->name == name ? *found : nullptr;
}

}  // namespace tenon::ir
