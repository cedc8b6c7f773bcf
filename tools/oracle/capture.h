// A capture file: the cases of one ggml op with inputs, attributes and what ggml's CPU backend made of them.
//
// The container is GGUF. Keys: oracle.revision, oracle.command, op, cases (names); case<i>.attribute.<name>.
// Tensors: case<i>.input.<j> in the order of the op's sources, case<i>.output, and case<i>.exact where ggml
// itself rounds an operand: the same case by F32 operands and the plainest route.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "array.h"
#include "ggml.h"

namespace tenon::oracle {

using Attribute =
    std::variant<bool, int32_t, int64_t, float, std::string, std::vector<int32_t>, std::vector<int64_t>>;

struct CapturedCase {
  std::string name;
  std::vector<std::pair<std::string, Attribute>> attributes;
  std::vector<std::pair<std::string, Array>> tensors;  // "input.0", …, "output", "exact"
};

class Capture {
 public:
  explicit Capture(std::string op) : op_(std::move(op)) {}
  void add(CapturedCase captured) { cases_.push_back(std::move(captured)); }
  const std::string& op() const { return op_; }

  // Throws std::runtime_error when the file cannot be written.
  void write(const std::string& path, const std::string& command) const;

 private:
  std::string op_;
  std::vector<CapturedCase> cases_;
};

// One case while it is built: inputs are declared, the op is applied by the ggml function itself, run()
// computes on one thread and hands the case to the capture.
class Case {
 public:
  Case(Capture& capture, std::string name);

  ggml_context* context() const { return context_.get(); }
  ggml_tensor* input(Array array);    // recorded as the next input
  ggml_tensor* operand(Array array);  // fed, not recorded (what only the exact route reads)
  void attribute(std::string name, Attribute value);
  void output(ggml_tensor* tensor) { results_.emplace_back("output", tensor); }
  void exact(ggml_tensor* tensor) { results_.emplace_back("exact", tensor); }
  void run();

 private:
  struct FreeContext {
    void operator()(ggml_context* context) const { ggml_free(context); }
  };

  Capture& capture_;
  CapturedCase captured_;
  std::unique_ptr<ggml_context, FreeContext> context_;
  std::vector<std::pair<ggml_tensor*, Array>> fed_;
  std::vector<std::pair<std::string, ggml_tensor*>> results_;
};

}  // namespace tenon::oracle
