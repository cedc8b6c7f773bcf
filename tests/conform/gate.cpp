#include "tests/conform/gate.h"

#include <algorithm>
#include <iomanip>
#include <sstream>

#include "tests/conform/runtimes.h"
#include "tests/support/final_check.h"

namespace tenon::conform {

namespace {

const bool registered = (test::register_final_check("op_gate",
                                                    [](std::string* report) {
                                                      return all_compared(translate::translators(),
                                                                          comparisons(), runtimes(), report);
                                                    }),
                         true);

std::string shown(std::string_view op, std::string_view op_case) {
  return std::string(op) + (op_case.empty() ? "" : "." + std::string(op_case));
}

void print(const Comparison& c, std::ostream& out) {
  out << std::setw(36) << shown(c.op, c.op_case) << std::setw(34) << c.capture << std::setw(18) << c.type
      << std::setw(12) << c.runtime << std::setw(22) << c.kernels << "error " << std::setw(13)
      << c.worst_error << "of " << std::setw(13) << c.tolerance << c.revision;
  if (c.squared_error_of_ggml) out << "  squared error " << *c.squared_error_of_ggml << " of ggml's";
  out << '\n';
}

}  // namespace

std::vector<Comparison>& comparisons() {
  static std::vector<Comparison> record;
  return record;
}

bool all_compared(std::span<const translate::TranslatorRow> table, std::span<const Comparison> record,
                  std::span<const std::string> runtimes, std::string* report) {
  std::ostringstream out;
  out << std::left;
  for (const Comparison& c : record) print(c, out);
  bool complete = !table.empty() && !record.empty() && !runtimes.empty();
  if (table.empty()) out << "no translator is registered\n";
  if (record.empty()) out << "nothing was compared\n";
  if (runtimes.empty()) out << "there is no runtime\n";
  for (const translate::TranslatorRow& row : table) {
    for (const std::string_view op_case : row.cases) {
      for (const std::string& runtime : runtimes) {
        const bool found = std::any_of(record.begin(), record.end(), [&](const Comparison& c) {
          return c.op == row.op && c.op_case == op_case && c.runtime == runtime;
        });
        if (found) continue;
        complete = false;
        out << "not compared: " << shown(row.op, op_case) << " on " << runtime << '\n';
      }
    }
    if (!row.cases.empty()) continue;
    complete = false;
    out << "without cases: " << row.op << '\n';
  }
  *report = out.str();
  return complete;
}

}  // namespace tenon::conform
