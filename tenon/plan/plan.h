// An immutable program: for each class of token counts a list of steps over views of storages, and one memory
// plan for the largest. Holds kernel ids and slots, no functions and no memory.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/plan/target.h"

namespace tenon::plan {

enum class StorageKind : uint8_t {
  kInput,     // a Parameter's memory, bound by the caller
  kOutput,    // a Result's memory, bound by the caller
  kConstant,  // a weight or small constant
  kArena,     // lives inside the session's arena
};

struct Storage {
  StorageKind kind = StorageKind::kArena;
  std::string name;
  int device = 0;
  Dim bytes;                                               // exact, for the run's symbols
  size_t max_bytes = 0;                                    // for the largest run
  size_t arena_offset = 0;                                 // kArena
  std::shared_ptr<const ir::ConstantAttributes> constant;  // kConstant
  std::string_view layout = "file";                        // kConstant
};

// A view of a storage. Reshapes, transposes and splits of the graph are nothing but such views.
struct Operand {
  int storage = -1;  // -1: an input that the kernel does not read
  ElementType element = ElementType::kF32;
  std::vector<Dim> extents;  // elements
  // Bytes from one index to the next; of a block for the innermost axis of a block type.
  std::vector<Dim> strides;
  Dim offset;  // bytes
};

struct StepPart {
  std::vector<Operand> inputs;
  std::vector<Operand> outputs;
};

struct Step {
  std::string_view row;  // TargetRow::id or SharedTable::id
  std::string op;        // of the root node
  std::string name;      // of the root node
  std::vector<StepPart> parts;
  std::vector<std::shared_ptr<const ir::Attributes>> attributes;  // of the first part's nodes, root first
  // TargetRow::id of the step that it does first, on its parts' first operand; "" when there is none. That
  // one's other operands are the last inputs of the first part, its attributes the last of `attributes`.
  std::string_view prologue;
  size_t prologue_inputs = 0;
  // Whether it touches what earlier steps since the last barrier wrote or still read.
  bool barrier_before = true;
  size_t scratch_bytes = 0;
  size_t scratch_bytes_of_one = 0;  // what a single worker would need

  template <class A>
  const A* find_attributes() const {
    for (const auto& entry : attributes) {
      if (const auto* typed = dynamic_cast<const A*>(entry.get())) return typed;
    }
    return nullptr;
  }
};

struct StepList {
  TokenRange tokens;
  std::vector<Step> steps;
};

// A fusion that was tried and refused.
struct Refusal {
  std::string row;
  std::string node;
  std::string reason;
  bool operator==(const Refusal&) const = default;
};

struct InputBinding {
  ir::ParameterAttributes parameter;
  int storage = -1;
  bool read = false;  // by any step; the caller need not bind it otherwise
};

struct OutputBinding {
  std::string name;
  TensorType type;
  int storage = -1;
  bool in_place = false;  // the storage is an input's: bind the same memory
};

struct Plan {
  std::string target;
  std::vector<Storage> storages;
  std::vector<StepList> lists;  // ascending, without gaps
  std::vector<InputBinding> inputs;
  std::vector<OutputBinding> outputs;
  size_t arena_bytes = 0;    // for the largest list
  size_t scratch_bytes = 0;  // shared by all steps, one at a time
  std::string token_symbol;  // "" when the model has none: then there is one list
  SymbolBounds symbols;      // with the limits that the plan was made for
  std::vector<Refusal> refusals;

  const InputBinding* find_input(std::string_view name) const;
  const OutputBinding* find_output(std::string_view name) const;
  OutputBinding* find_output(std::string_view name);
  // The list for that many tokens, or nullptr beyond the largest.
  const StepList* list_for(int64_t tokens) const;
  int count(std::string_view row, const StepList& list) const;
};

struct PlanOptions {
  SymbolBounds symbols;  // overrides the model's bounds: T, KV, R
  int workers = 1;       // of the thread pool, for scratch sizes
};

// Errors: an op that no row takes, a SetRows that no lowering took, a symbol without an upper bound.
Result<std::shared_ptr<const Plan>> make_plan(const ir::Model& model, const Target& target,
                                              const PlanOptions& options);

// For people: the kernels of each list with their operands, inputs and outputs, how each weight lies in
// memory, the memory taken, what did not fuse and why.
std::string print(const Plan& plan);

}  // namespace tenon::plan
