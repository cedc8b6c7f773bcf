#include "tenon/synth/file_type.h"

#include <algorithm>

namespace tenon::synth {

namespace {

constexpr FileType kFileTypes[] = {
    {"F32", 0, ElementType::kF32},      {"F16", 1, ElementType::kF16},
    {"BF16", 32, ElementType::kBF16},   {"Q8_0", 7, ElementType::kQ8_0},
    {"Q6_K", 18, ElementType::kQ6_K},   {"Q5_K_M", 17, ElementType::kQ5_K},
    {"Q5_K_S", 16, ElementType::kQ5_K}, {"Q5_1", 9, ElementType::kQ5_1},
    {"Q5_0", 8, ElementType::kQ5_0},    {"Q4_K_M", 15, ElementType::kQ4_K},
    {"Q4_K_S", 14, ElementType::kQ4_K}, {"Q4_1", 3, ElementType::kQ4_1},
    {"Q4_0", 2, ElementType::kQ4_0},
};

// Of a file that is called medium: layers whose values and whose feed-forward's last matrix get more bits:
// the first and the last eighth, and every third between.
bool wants_more_bits(int64_t layer, int64_t layers) {
  const int64_t eighth = layers / 8;
  return layer < eighth || layer >= 7 * layers / 8 || (layer - eighth) % 3 == 2;
}

// For rows that 256 does not divide, and then for those that 32 does not.
ElementType fitting(ElementType type, int64_t columns) {
  const auto fits = [columns](ElementType wanted) { return columns % info(wanted).block_elements == 0; };
  if (fits(type)) return type;
  if (type == ElementType::kQ4_K) type = ElementType::kQ5_0;
  if (type == ElementType::kQ5_K) type = ElementType::kQ5_1;
  if (type == ElementType::kQ6_K) type = ElementType::kQ8_0;
  return fits(type) ? type : ElementType::kF16;
}

class Mix {
 public:
  Mix(const FileType& type, std::span<const TensorPlan> tensors, int64_t layers)
      : type_(type), layers_(layers) {
    for (const TensorPlan& tensor : tensors) {
      tied_ = tied_ && tensor.name != "output.weight";
      if (holds_values(tensor.name)) ++value_matrices_;
    }
  }

  ElementType of(const TensorPlan& tensor) {
    const bool blocks = is_block(type_.element);
    switch (tensor.kind) {
      case TensorPlan::Kind::kNumbers:
      case TensorPlan::Kind::kGiven:
        return ElementType::kF32;
      case TensorPlan::Kind::kKept:
        return blocks ? ElementType::kBF16 : type_.element;
      case TensorPlan::Kind::kWeights:
        break;
    }
    return blocks ? fitting(chosen(tensor), tensor.extents.back()) : type_.element;
  }

 private:
  static bool holds_values(std::string_view name) {
    return name.ends_with("attn_v.weight") || name.ends_with("attn_qkv.weight");
  }

  // A table of tokens that is the output matrix too is stored like one.
  bool is_output(std::string_view name) const {
    return name == "output.weight" || (tied_ && name.ends_with("token_embd.weight"));
  }

  ElementType chosen(const TensorPlan& tensor) {
    const std::string_view name = tensor.name;
    if (is_output(name)) {
      if (tensor.extents.back() % info(type_.element).block_elements != 0) return ElementType::kQ8_0;
      return type_.element == ElementType::kQ8_0 ? ElementType::kQ8_0 : ElementType::kQ6_K;
    }
    constexpr int64_t kFirstValues = 4;
    if (holds_values(name)) {
      const int64_t at = values_seen_++;
      return with_more_bits(wants_more_bits(at, value_matrices_), at < kFirstValues);
    }
    if (name.ends_with("ffn_down.weight")) {
      const int64_t at = downs_seen_++;
      return with_more_bits(wants_more_bits(at, layers_), at < layers_ / 8);
    }
    return type_.element;
  }

  // Medium files give more bits to many matrices, the small one of Q4_K a bit more to a few.
  ElementType with_more_bits(bool of_medium, bool of_small) const {
    if (type_.name.ends_with("_M") && of_medium) return ElementType::kQ6_K;
    return type_.name == "Q4_K_S" && of_small ? ElementType::kQ5_K : type_.element;
  }

  const FileType& type_;
  int64_t layers_;
  bool tied_ = true;
  int64_t value_matrices_ = 0, values_seen_ = 0, downs_seen_ = 0;
};

}  // namespace

std::span<const FileType> file_types() { return kFileTypes; }

const FileType* find_file_type(std::string_view name) {
  const auto* const found = std::ranges::find(kFileTypes, name, &FileType::name);
  return found == std::end(kFileTypes) ? nullptr : found;
}

std::vector<ElementType> element_types_of(const FileType& type, std::span<const TensorPlan> tensors,
                                          int64_t layers) {
  Mix mix(type, tensors, layers);
  std::vector<ElementType> out;
  for (const TensorPlan& tensor : tensors) out.push_back(mix.of(tensor));
  return out;
}

}  // namespace tenon::synth
