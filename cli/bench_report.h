// What `tenon bench` prints: llama-bench's columns and JSON keys, and two of our own.
#pragma once

#include <optional>
#include <string>

#include "cli/bench_test.h"
#include "cli/options.h"

namespace tenon::cli {

struct BenchSubject {
  std::string path;
  std::string type;  // "llama 134.52 M q4_1": architecture, parameters, the type that most bytes have
  uint64_t bytes = 0;
  uint64_t bytes_per_token = 0;  // of weights, that one token reads
  int64_t parameters = 0;
};

// How a text was generated while drafts were measured.
struct BenchDrafts {
  int64_t most = 0;                   // tokens of a guess; 0: without drafts
  int64_t guessed = 0, accepted = 0;  // tokens
  double share_of_plain = 1;          // tokens per second, of those without drafts
};

// One line of the report.
struct BenchRow {
  BenchSubject subject;
  ModelFlags flags;
  int64_t ubatch = 0;
  BenchTest test;
  BenchMeasurement measured;
  std::optional<double> share_of_fastest = {};  // tokens per second, of those without --deterministic
  std::optional<BenchDrafts> drafts = {};
};

enum class BenchFormat { kMarkdown, kJson };

// The report piece by piece, so that each test is told when it is done. One without rows is empty.
class BenchReport {
 public:
  explicit BenchReport(BenchFormat format) : format_(format) {}
  std::string row(const BenchRow& row);  // after the report's head, if it is the first
  std::string end() const;

 private:
  BenchFormat format_;
  int rows_ = 0;
};

}  // namespace tenon::cli
