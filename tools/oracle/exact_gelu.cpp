#include "exact_gelu.h"

#include <stdexcept>

#include "ggml-cpu/vec.h"

namespace tenon::oracle {
namespace {

bool is_packed_f32(const ggml_tensor* tensor) {
  return tensor != nullptr && tensor->type == GGML_TYPE_F32 && ggml_is_contiguous(tensor);
}

float* floats(const ggml_tensor* tensor) { return static_cast<float*>(tensor->data); }

}  // namespace

bool ExactGelu::on_node(ggml_tensor* node, bool ask, void* self) {
  if (ask) return true;  // every node, so that the one before a GELU is seen
  static_cast<ExactGelu*>(self)->replace(node);
  return true;
}

void ExactGelu::replace(ggml_tensor* node) {
  const bool is_gelu = node->op == GGML_OP_UNARY && ggml_get_unary_op(node) == GGML_UNARY_OP_GELU;
  const bool is_geglu = node->op == GGML_OP_GLU && ggml_get_glu_op(node) == GGML_GLU_OP_GEGLU;
  if (is_gelu || is_geglu) {
    const ggml_tensor *x = node->src[0], *up = node->src[1];
    const bool x_is_kept = x == latest_;
    if (!is_packed_f32(node) || !is_packed_f32(x) || (is_geglu && !is_packed_f32(up)) ||
        (x->data == node->data && !x_is_kept)) {
      throw std::runtime_error(std::string("the operands of ") + node->name + " are not at hand");
    }
    const float* const gate = x_is_kept ? values_.data() : floats(x);
    for (int64_t i = 0; i < ggml_nelements(node); ++i) {
      floats(node)[i] = ggml_gelu_f32(gate[i]) * (is_geglu ? floats(up)[i] : 1.0f);
    }
  }
  latest_ = nullptr;
  if (!is_packed_f32(node)) return;
  latest_ = node;
  values_.assign(floats(node), floats(node) + ggml_nelements(node));
}

}  // namespace tenon::oracle
