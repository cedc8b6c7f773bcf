// Look-up in the tables of builtins, which are arrays sorted by name.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace tenon::text::jinja {

template <class Row, size_t N>
constexpr bool is_sorted_by_name(const std::array<Row, N>& table) {
  return std::is_sorted(table.begin(), table.end(),
                        [](const Row& a, const Row& b) { return a.name < b.name; });
}

// nullptr when no row has that name.
template <class Row, size_t N>
const Row* find_by_name(const std::array<Row, N>& table, std::string_view name) {
  const auto* row =
      std::lower_bound(table.begin(), table.end(), name,
                       [](const Row& candidate, std::string_view wanted) { return candidate.name < wanted; });
  return row != table.end() && row->name == name ? row : nullptr;
}

}  // namespace tenon::text::jinja
