// A file's tensors as weights of a graph. Each request says what is wanted; what the file has must be just
// that.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/arch/native_decoder.h"
#include "tenon/gguf/file.h"

namespace tenon::arch {

class Weights {
 public:
  explicit Weights(std::shared_ptr<const gguf::File> file) : file_(std::move(file)) {}

  // [rows, columns] of any float or block type. Asking again for a tensor gives the same node (tied weights).
  // Errors: kInvalidFile for an absent tensor or another shape, kUnsupported for another type.
  Result<decoder::Edge> matrix(GraphBuilder& graph, const std::string& name, int64_t rows, int64_t columns);
  // f32 [extent].
  Result<decoder::Edge> vector(GraphBuilder& graph, const std::string& name, int64_t extent);
  // nullopt where the file has no such tensor.
  Result<std::optional<decoder::Edge>> optional_vector(GraphBuilder& graph, const std::string& name,
                                                       int64_t extent);
  // The same of any axes, in any float or block type or, with f32_only, in f32.
  Result<decoder::Edge> tensor(GraphBuilder& graph, const std::string& name, std::vector<Axis> axes,
                               bool f32_only = false);

  // The architecture knows the tensor and does not use it.
  void leave_out(const std::string& name) { left_out_.insert(name); }

  bool contains(std::string_view name) const { return file_->find_tensor(name) != nullptr; }
  // The first extent of a matrix; an error where the tensor is absent or no matrix.
  Result<int64_t> rows(const std::string& name) const;

  // An error naming a tensor that no one asked for or left out: a file of a kind that the architecture's
  // graph does not cover must not run as if that part were not there.
  Status check_all_used() const;

 private:
  std::shared_ptr<const gguf::File> file_;
  std::map<std::string, decoder::Edge, std::less<>> used_;
  std::set<std::string, std::less<>> left_out_;
};

}  // namespace tenon::arch
