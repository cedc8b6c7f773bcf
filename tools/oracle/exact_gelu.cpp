#include "exact_gelu.h"

#include <stdexcept>

#include "ggml-cpu/vec.h"

namespace tenon::oracle {
namespace {

bool is_packed_f32(const ggml_tensor* tensor) {
  return tensor->type == GGML_TYPE_F32 && ggml_is_contiguous(tensor);
}

// The element at a place of `like`, whose extents are the tensor's.
float element(const ggml_tensor* tensor, const ggml_tensor* like, int64_t place) {
  const auto* data = static_cast<const char*>(tensor->data);
  for (int axis = 0; axis < GGML_MAX_DIMS; ++axis) {
    data += static_cast<size_t>(place % like->ne[axis]) * tensor->nb[axis];
    place /= like->ne[axis];
  }
  return *reinterpret_cast<const float*>(data);
}

}  // namespace

bool ExactGelu::on_node(ggml_tensor* node, bool ask, void* self) {
  if (ask) return true;  // every node, so that the one before a GELU is seen
  static_cast<ExactGelu*>(self)->replace(node);
  return true;
}

void ExactGelu::replace(ggml_tensor* node) {
  const bool is_gelu = node->op == GGML_OP_UNARY && ggml_get_unary_op(node) == GGML_UNARY_OP_GELU;
  const bool is_geglu = node->op == GGML_OP_GLU && ggml_get_glu_op(node) == GGML_GLU_OP_GEGLU;
  auto* const out = static_cast<float*>(node->data);
  if (is_gelu || is_geglu) {
    const ggml_tensor *x = node->src[0], *up = node->src[1];
    const bool x_is_kept = x == latest_;
    if (!is_packed_f32(node) || x->type != GGML_TYPE_F32 || (is_geglu && up == nullptr) ||
        (x->data == node->data && !x_is_kept)) {
      throw std::runtime_error(std::string("the operands of ") + node->name + " are not at hand");
    }
    for (int64_t i = 0; i < ggml_nelements(node); ++i) {
      const float gate = x_is_kept ? values_[static_cast<size_t>(i)] : element(x, node, i);
      out[i] = ggml_gelu_f32(gate) * (is_geglu ? element(up, node, i) : 1.0f);
    }
  }
  latest_ = nullptr;
  if (!is_packed_f32(node)) return;
  latest_ = node;
  values_.assign(out, out + ggml_nelements(node));
}

}  // namespace tenon::oracle
