#include "bench/kernels/ggml_matmul.h"

#include <dlfcn.h>

#include <cstring>
#include <stdexcept>
#include <vector>

#include <ggml-cpu.h>
#include <ggml.h>

namespace tenon::bench {

struct Ggml::Functions {
  decltype(&ggml_init) init;
  decltype(&ggml_free) free;
  decltype(&ggml_new_tensor_2d) new_tensor_2d;
  decltype(&ggml_mul_mat) mul_mat;
  decltype(&ggml_new_graph) new_graph;
  decltype(&ggml_build_forward_expand) build_forward_expand;
  decltype(&ggml_row_size) row_size;
  decltype(&ggml_threadpool_params_default) threadpool_params_default;
  decltype(&ggml_cpu_init) cpu_init;
  decltype(&ggml_threadpool_new) threadpool_new;
  decltype(&ggml_threadpool_free) threadpool_free;
  decltype(&ggml_threadpool_pause) threadpool_pause;
  decltype(&ggml_threadpool_resume) threadpool_resume;
  decltype(&ggml_graph_plan) graph_plan;
  decltype(&ggml_graph_compute) graph_compute;
};

namespace {

void* open(const std::string& path) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) throw std::runtime_error(dlerror());
  return library;
}

template <class Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr) throw std::runtime_error(std::string("no function ") + name);
}

}  // namespace

Ggml::Ggml(const std::string& folder, int threads)
    : functions_(std::make_unique<Functions>()), threads_(threads) {
  void* base = open(folder + "/libggml-base.so");
  void* cpu = open(folder + "/libggml-cpu.so");
  Functions& f = *functions_;
  find(base, "ggml_init", f.init);
  find(base, "ggml_free", f.free);
  find(base, "ggml_new_tensor_2d", f.new_tensor_2d);
  find(base, "ggml_mul_mat", f.mul_mat);
  find(base, "ggml_new_graph", f.new_graph);
  find(base, "ggml_build_forward_expand", f.build_forward_expand);
  find(base, "ggml_row_size", f.row_size);
  find(base, "ggml_threadpool_params_default", f.threadpool_params_default);
  find(cpu, "ggml_cpu_init", f.cpu_init);
  find(cpu, "ggml_threadpool_new", f.threadpool_new);
  find(cpu, "ggml_threadpool_free", f.threadpool_free);
  find(cpu, "ggml_threadpool_pause", f.threadpool_pause);
  find(cpu, "ggml_threadpool_resume", f.threadpool_resume);
  find(cpu, "ggml_graph_plan", f.graph_plan);
  find(cpu, "ggml_graph_compute", f.graph_compute);
  f.cpu_init();
  ggml_threadpool_params parameters = f.threadpool_params_default(threads);
  thread_pool_ = f.threadpool_new(&parameters);
}

void Ggml::pause() const { functions_->threadpool_pause(static_cast<ggml_threadpool*>(thread_pool_)); }
void Ggml::resume() const { functions_->threadpool_resume(static_cast<ggml_threadpool*>(thread_pool_)); }

Ggml::~Ggml() { functions_->threadpool_free(static_cast<ggml_threadpool*>(thread_pool_)); }

struct GgmlMatmul::State {
  const Ggml::Functions& f;
  ggml_context* context;
  ggml_tensor* output;
  ggml_cgraph* graph;
  ggml_cplan plan;
  std::vector<uint8_t> work;
};

GgmlMatmul::GgmlMatmul(const Ggml& ggml, ElementType type, int64_t rows, int64_t depth, int64_t tokens,
                       const std::byte* weight, const float* x) {
  const Ggml::Functions& f = ggml.functions();
  const auto ggml_type = static_cast<enum ggml_type>(info(type).ggml_id.value());
  const size_t weight_bytes = f.row_size(ggml_type, depth) * static_cast<size_t>(rows);
  const size_t x_bytes = static_cast<size_t>(tokens * depth) * sizeof(float);
  const size_t y_bytes = static_cast<size_t>(tokens * rows) * sizeof(float);
  ggml_context* context = f.init({weight_bytes + x_bytes + y_bytes + (1u << 20), nullptr, false});
  ggml_tensor* w = f.new_tensor_2d(context, ggml_type, depth, rows);
  ggml_tensor* input = f.new_tensor_2d(context, GGML_TYPE_F32, depth, tokens);
  std::memcpy(w->data, weight, weight_bytes);
  std::memcpy(input->data, x, x_bytes);
  ggml_tensor* output = f.mul_mat(context, w, input);
  ggml_cgraph* graph = f.new_graph(context);
  f.build_forward_expand(graph, output);
  ggml_cplan plan = f.graph_plan(graph, ggml.threads(), static_cast<ggml_threadpool*>(ggml.thread_pool()));
  state_ =
      std::make_unique<State>(State{f, context, output, graph, plan, std::vector<uint8_t>(plan.work_size)});
  state_->plan.work_data = state_->work.data();
}

GgmlMatmul::~GgmlMatmul() { state_->f.free(state_->context); }

void GgmlMatmul::run() { state_->f.graph_compute(state_->graph, &state_->plan); }

const float* GgmlMatmul::output() const { return static_cast<const float*>(state_->output->data); }

}  // namespace tenon::bench
