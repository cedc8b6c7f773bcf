// Several projections that come as one.
#pragma once

#include <string>
#include <utility>

#include "tenon/arch/native_decoder.h"

namespace tenon::arch {

// Consecutive parts of the channels of x [.., F], of rank 4.
class ChannelParts {
 public:
  ChannelParts(GraphBuilder& graph, decoder::Edge x) : graph_(graph), x_(x) {}
  decoder::Edge next(int64_t width, std::string name) {
    const int64_t start = start_;
    start_ += width;
    return graph_.view(x_, 3, start, width, std::move(name));
  }

 private:
  GraphBuilder& graph_;
  decoder::Edge x_;
  int64_t start_ = 0;
};

}  // namespace tenon::arch
