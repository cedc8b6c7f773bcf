// The three GELUs of ggml.
#pragma once

#include "tenon/op/op.h"

namespace tenon::op {

enum class GeluMode : uint8_t {
  kTanh,   // 0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))): GELU
  kErf,    // 0.5 x (1 + erf(x / sqrt(2))): GELU_ERF
  kQuick,  // x sigmoid(1.702 x): GELU_QUICK
};
inline constexpr std::array<std::string_view, 3> kGeluModeNames = {"tanh", "erf", "quick"};

struct GeluAttributes : ir::AttributesOf<GeluAttributes> {
  GeluMode mode = GeluMode::kTanh;

  template <class V>
  void visit_fields(V& v) {
    v.enumeration("mode", mode, kGeluModeNames);
  }
};

// In double.
double gelu(GeluMode mode, double x);

// Gelu(x) of a plain float type.
const OpDefinition& gelu_op();

}  // namespace tenon::op
