// Runs a plan: holds the arena, the caller's bindings and the steps bound to addresses. One thread at a time.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tenon/runtime/backend.h"
#include "tenon/runtime/extent.h"

namespace tenon::runtime {

class Session {
 public:
  static constexpr size_t kMaxSymbols = 64;

  // Prepares the plan's constants through the backend and takes the arena. Errors: the backend's own; a plan
  // of more symbols than kMaxSymbols.
  static Result<std::unique_ptr<Session>> create(std::shared_ptr<Backend> backend,
                                                 std::shared_ptr<const plan::Plan> plan);

  const plan::Plan& plan() const { return *plan_; }

  // The memory of an input or output for the runs that follow; it stays the caller's. It must hold the
  // tensor's packed bytes for the symbols of every run. An output that the plan writes in place must be bound
  // to its input's memory (or not at all). Errors name the tensor.
  Status bind_input(std::string_view name, std::byte* data, size_t bytes);
  Status bind_output(std::string_view name, std::byte* data, size_t bytes);

  // One run. Every symbol of the bound tensors needs a value within the plan's bounds. Errors: an input that
  // the plan reads or an output that it writes is not bound or too small; a kernel's own refusal.
  Status run(std::span<const SymbolValue> symbols);

  // From now on the kernels add to `traffic`; null stops that. It must outlive the runs.
  void count_traffic(Traffic* traffic) { traffic_ = traffic; }

 private:
  // A view whose extents are ready to be evaluated.
  struct View {
    int storage = -1;  // -1: the kernel does not read it
    ElementType element = ElementType::kF32;
    std::vector<Extent> extents, strides;
    Extent offset;
  };
  struct PartViews {
    std::vector<View> inputs, outputs;
  };
  // A step list bound to addresses; kept from run to run, so that a run only touches what changed.
  struct BoundList {
    std::vector<BoundStep> steps;
    std::vector<std::vector<PartViews>> views;  // of each step
    std::vector<uint64_t> mentions;             // which symbols each step's views mention, as bits
    std::vector<int64_t> values;                // the symbols' values for which it is bound
    bool valid = false;
  };
  struct Memory {
    std::byte* data = nullptr;
    size_t size = 0;
  };

  Session(std::shared_ptr<Backend> backend, std::shared_ptr<const plan::Plan> plan);
  Status prepare_memory();
  void prepare_lists();
  View view_of(const plan::Operand& operand, uint64_t& mentions) const;
  Status set_symbols(std::span<const SymbolValue> symbols);
  Status check_bindings() const;
  void bind_steps(BoundList& list);
  TensorRef bind(const View& view) const;
  Status set_storage(int storage, std::string_view name, std::byte* data, size_t bytes);

  std::shared_ptr<Backend> backend_;
  std::shared_ptr<const plan::Plan> plan_;
  std::shared_ptr<const Program> program_;
  std::vector<std::string> symbols_;
  std::vector<int64_t> values_;               // of the present run
  std::vector<Buffer> owned_;                 // arena, constants
  std::vector<Memory> storages_;              // by the plan's storage index
  std::vector<Extent> storage_bytes_;         // likewise
  std::vector<std::byte*> in_place_outputs_;  // as the caller bound them, by the plan's output index
  std::byte* scratch_ = nullptr;
  Traffic* traffic_ = nullptr;
  std::vector<BoundList> lists_;
};

}  // namespace tenon::runtime
