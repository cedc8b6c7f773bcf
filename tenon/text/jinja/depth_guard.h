// A bound on recursion: source text and values from outside decide how deep the parser and the evaluator go.
#pragma once

#include <string>

#include "tenon/text/jinja/failure.h"

namespace tenon::text::jinja {

// Counts the levels of a recursion and fails on too many.
class DepthGuard {
 public:
  DepthGuard(int& depth, int limit, const char* what, int line) : depth_(depth) {
    if (++depth_ > limit) {
      --depth_;
      throw Failure{ErrorCode::kInvalidArgument,
                    std::string(what) + " at most " + std::to_string(limit) + " levels deep", "more", line};
    }
  }
  ~DepthGuard() { --depth_; }
  DepthGuard(const DepthGuard&) = delete;
  DepthGuard& operator=(const DepthGuard&) = delete;

 private:
  int& depth_;
};

}  // namespace tenon::text::jinja
