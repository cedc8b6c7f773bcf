#include "tests/conform/gate.h"

#include <algorithm>
#include <iomanip>
#include <sstream>

#include "tests/support/final_check.h"

namespace tenon::conform {

namespace {

const bool registered =
    (test::register_final_check(
         "op_gate",
         [](std::string* report) { return all_compared(translate::translators(), comparisons(), report); }),
     true);

std::string shown(std::string_view op, std::string_view op_case) {
  return std::string(op) + (op_case.empty() ? "" : "." + std::string(op_case));
}

}  // namespace

std::vector<Comparison>& comparisons() {
  static std::vector<Comparison> record;
  return record;
}

bool all_compared(std::span<const translate::TranslatorRow> table, std::span<const Comparison> record,
                  std::string* report) {
  std::ostringstream out;
  out << std::left;
  for (const Comparison& c : record) {
    out << std::setw(36) << shown(c.op, c.op_case) << std::setw(34) << c.capture << std::setw(18) << c.type
        << "error " << std::setw(13) << c.worst_error << "of " << std::setw(13) << c.tolerance << c.revision
        << '\n';
  }
  bool complete = !table.empty() && !record.empty();
  if (table.empty()) out << "no translator is registered\n";
  if (record.empty()) out << "nothing was compared\n";
  for (const translate::TranslatorRow& row : table) {
    for (const std::string_view op_case : row.cases) {
      const bool found = std::any_of(record.begin(), record.end(), [&](const Comparison& c) {
        return c.op == row.op && c.op_case == op_case;
      });
      if (found) continue;
      complete = false;
      out << "not compared: " << shown(row.op, op_case) << '\n';
    }
    if (!row.cases.empty()) continue;
    complete = false;
    out << "without cases: " << row.op << '\n';
  }
  *report = out.str();
  return complete;
}

}  // namespace tenon::conform
