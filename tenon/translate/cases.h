// The cases that a translator distinguishes, by name: what its errors call them, and what has to be compared
// with real ggml one by one (contract E2).
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "tenon/decoder/decoder.h"

namespace tenon::translate {

// Of ops whose translation does not depend on their attributes' kind: one case, without a name.
inline constexpr std::string_view kOneCase[] = {""};
inline constexpr std::string_view kArgsortCases[] = {"ascending", "descending"};
inline constexpr std::string_view kAttentionCases[] = {"head_axis_1", "head_axis_2"};
inline constexpr std::string_view kGluCases[] = {"halves", "halves_swapped", "split"};
inline constexpr std::string_view kPermuteCases[] = {"plain", "split_sequences_then_swap"};
inline constexpr std::string_view kRegroupCases[] = {"split_heads", "merge_heads", "explicit"};
inline constexpr std::string_view kRopeCases[] = {"normal", "neox", "imrope"};

// The name of a node's case, one of those above; a value that none of them names comes as its number.
std::string case_of(const decoder::NodeAttributes& attributes);

}  // namespace tenon::translate
