#include <stdexcept>

#include "capture.h"
#include "ggml-backend.h"
#include "ggml-cpu.h"

namespace tenon::oracle {
namespace {

constexpr size_t kMaxTensors = 64;

struct FreeBackend {
  void operator()(ggml_backend* backend) const { ggml_backend_free(backend); }
  void operator()(ggml_backend_buffer* buffer) const { ggml_backend_buffer_free(buffer); }
};

Array read_back(const ggml_tensor* tensor) {
  if (!ggml_is_contiguous(tensor)) throw std::logic_error("[Case::run] a result must be contiguous");
  Array array{tensor->type, Extents(tensor->ne, tensor->ne + ggml_n_dims(tensor)),
              std::vector<std::byte>(ggml_nbytes(tensor))};
  ggml_backend_tensor_get(tensor, array.bytes.data(), 0, array.bytes.size());
  return array;
}

}  // namespace

Case::Case(Capture& capture, std::string name) : capture_(capture) {
  captured_.name = std::move(name);
  context_.reset(ggml_init({kMaxTensors * ggml_tensor_overhead() + ggml_graph_overhead(), nullptr, true}));
}

ggml_tensor* Case::operand(Array array) {
  ggml_tensor* tensor =
      ggml_new_tensor(context(), array.type, static_cast<int>(array.extents.size()), array.extents.data());
  fed_.emplace_back(tensor, std::move(array));
  return tensor;
}

ggml_tensor* Case::input(Array array) {
  captured_.tensors.emplace_back("input." + std::to_string(captured_.tensors.size()), array);
  return operand(std::move(array));
}

void Case::attribute(std::string name, Attribute value) {
  captured_.attributes.emplace_back(std::move(name), std::move(value));
}

void Case::run() {
  ggml_cgraph* graph = ggml_new_graph(context());
  for (const auto& [name, tensor] : results_) ggml_build_forward_expand(graph, tensor);

  const std::unique_ptr<ggml_backend, FreeBackend> backend(ggml_backend_cpu_init());
  ggml_backend_cpu_set_n_threads(backend.get(), 1);
  const std::unique_ptr<ggml_backend_buffer, FreeBackend> buffer(
      ggml_backend_alloc_ctx_tensors(context(), backend.get()));
  for (const auto& [tensor, array] : fed_) {
    ggml_backend_tensor_set(tensor, array.bytes.data(), 0, array.bytes.size());
  }
  if (ggml_backend_graph_compute(backend.get(), graph) != GGML_STATUS_SUCCESS) {
    throw std::runtime_error("ggml could not compute case " + captured_.name);
  }
  for (const auto& [name, tensor] : results_) captured_.tensors.emplace_back(name, read_back(tensor));
  capture_.add(std::move(captured_));
}

}  // namespace tenon::oracle
