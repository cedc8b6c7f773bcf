#include "tenon/text/jinja/filters.h"

#include "tenon/text/jinja/filter_functions.h"
#include "tenon/text/jinja/sorted_table.h"

namespace tenon::text::jinja {
namespace {

struct Row {
  std::string_view name;
  FilterFunction call;
};

constexpr std::array<Row, 38> kFilters = {{{"abs", filter::abs},
                                           {"capitalize", filter::capitalize},
                                           {"count", filter::length},
                                           {"d", filter::default_value},
                                           {"default", filter::default_value},
                                           {"dictsort", filter::dict_sort},
                                           {"e", filter::escape},
                                           {"escape", filter::escape},
                                           {"first", filter::first},
                                           {"float", filter::real},
                                           {"format", filter::format},
                                           {"indent", filter::indent},
                                           {"int", filter::integer},
                                           {"items", filter::items},
                                           {"join", filter::join},
                                           {"last", filter::last},
                                           {"length", filter::length},
                                           {"list", filter::list},
                                           {"lower", filter::lower},
                                           {"map", filter::map},
                                           {"max", filter::max},
                                           {"min", filter::min},
                                           {"reject", filter::reject},
                                           {"rejectattr", filter::reject_attr},
                                           {"replace", filter::replace},
                                           {"reverse", filter::reverse},
                                           {"round", filter::round},
                                           {"safe", filter::safe},
                                           {"select", filter::select},
                                           {"selectattr", filter::select_attr},
                                           {"sort", filter::sort},
                                           {"string", filter::string},
                                           {"sum", filter::sum},
                                           {"title", filter::title},
                                           {"tojson", filter::to_json},
                                           {"trim", filter::trim},
                                           {"unique", filter::unique},
                                           {"upper", filter::upper}}};
static_assert(is_sorted_by_name(kFilters));

}  // namespace

FilterFunction find_filter(std::string_view name) {
  const Row* row = find_by_name(kFilters, name);
  return row != nullptr ? row->call : nullptr;
}

}  // namespace tenon::text::jinja
