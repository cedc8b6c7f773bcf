// Short names for the inputs that most cases share.
#pragma once

#include "array.h"
#include "values.h"

namespace tenon::oracle {

inline Array random_f32(uint64_t seed, const Extents& extents, float limit = 2.0f) {
  return make_array(GGML_TYPE_F32, extents, random_values(seed, static_cast<size_t>(count(extents)), limit));
}

inline Array activations() { return make_array(GGML_TYPE_F32, {110, 7}, activation_values()); }

// The weight types that are captured beside F32.
inline constexpr ggml_type kWeightTypes[] = {
    GGML_TYPE_F16,  GGML_TYPE_BF16, GGML_TYPE_Q4_0,  GGML_TYPE_Q4_1,   GGML_TYPE_Q5_0, GGML_TYPE_Q5_1,
    GGML_TYPE_Q8_0, GGML_TYPE_Q2_0, GGML_TYPE_MXFP4, GGML_TYPE_IQ4_NL, GGML_TYPE_Q2_K, GGML_TYPE_Q3_K,
    GGML_TYPE_Q4_K, GGML_TYPE_Q5_K, GGML_TYPE_Q6_K,  GGML_TYPE_IQ4_XS};

}  // namespace tenon::oracle
