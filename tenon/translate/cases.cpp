#include "tenon/translate/cases.h"

namespace tenon::translate {

namespace {

template <class Enum>
std::string named(Enum value, std::span<const std::string_view> names) {
  const auto index = static_cast<size_t>(value);
  return index < names.size() ? std::string(names[index]) : std::to_string(index);
}

struct CaseName {
  template <class Other>
  std::string operator()(const Other&) const {
    return "";
  }
  std::string operator()(const decoder::ArgsortAttributes& a) const { return named(a.order, kArgsortCases); }
  std::string operator()(const decoder::AttentionAttributes& a) const {
    return named(a.layout, kAttentionCases);
  }
  std::string operator()(const decoder::GluAttributes& a) const {
    return named((a.split ? 2 : 0) + (a.swapped ? 1 : 0), kGluCases);
  }
  std::string operator()(const decoder::GluOaiAttributes& a) const { return (*this)(a.operands); }
  std::string operator()(const decoder::PermuteAttributes& a) const {
    return named(a.permute_case, kPermuteCases);
  }
  std::string operator()(const decoder::ReshapeAttributes& a) const {
    return named(a.regroup, kRegroupCases);
  }
  std::string operator()(const decoder::RopeAttributes& a) const { return named(a.mode, kRopeCases); }
  std::string operator()(const decoder::ViewAttributes& a) const { return (*this)(a.reshape); }
};

}  // namespace

std::string case_of(const decoder::NodeAttributes& attributes) { return std::visit(CaseName(), attributes); }

}  // namespace tenon::translate
