// What the IR knows of an op: its name, its inputs and the rule that gives its outputs' types, shapes and
// axis roles.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "tenon/ir/attributes.h"
#include "tenon/type/tensor_type.h"

namespace tenon::ir {

class Value;

enum class InputKind : uint8_t {
  kAny,
  kFloat,  // f32, f16, bf16 or a block type
  kIndex,  // i32 or i64; the verifier refuses a float here, and nothing converts one
};

struct InputRule {
  std::string_view name;
  InputKind kind = InputKind::kAny;
  bool optional = false;  // only at the end of the list; absent inputs are left out
};

// What a shape rule sees. Types are those of the producers' ports.
class Inference {
 public:
  Inference(std::string_view op, std::string_view node, const Attributes& attributes,
            std::span<const Value> inputs)
      : op_(op), node_(node), attributes_(attributes), inputs_(inputs) {}

  int input_count() const { return static_cast<int>(inputs_.size()); }
  const TensorType& type(int input) const;
  // The input's elements as extents, where they are known before the run: see value_as_dims.
  std::optional<std::vector<Dim>> value(int input) const;
  template <class A>
  const A& attributes() const {
    return dynamic_cast<const A&>(attributes_);
  }

  // An error that names op and node.
  Error error(std::string wanted, std::string found, std::string remedy = "") const;

 private:
  std::string_view op_;
  std::string_view node_;
  const Attributes& attributes_;
  std::span<const Value> inputs_;
};

struct OpSchema {
  std::string_view name;
  std::vector<InputRule> inputs;
  bool variadic = false;     // the last input rule may repeat
  bool sink = false;         // has an effect beyond its outputs: never unreachable
  bool elementwise = false;  // broadcasts its inputs numpy-wise; the verifier watches its token axes
  std::unique_ptr<Attributes> (*make_attributes)() = nullptr;
  Result<std::vector<TensorType>> (*infer)(const Inference&) = nullptr;
};

template <class A>
std::unique_ptr<Attributes> make_attributes() {
  return std::make_unique<A>();
}

// Schemas by name; sorted. The op catalogue gives one, tests may give their own.
using SchemaTable = std::span<const OpSchema* const>;
const OpSchema* find_schema(SchemaTable table, std::string_view name);

}  // namespace tenon::ir
