// A cache write as inplace_kv sees it, and the conditions under which it may be done in place.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tenon/ir/model.h"

namespace tenon::pass {

struct CacheWrite {
  ir::Node* parameter = nullptr;
  ir::Node* write = nullptr;   // the SetRows
  ir::Node* result = nullptr;  // the Result that returns the cache
  std::vector<ir::Value>
      reads;  // values [1, KV, G, D] that readers take: the write itself, or head-splitting views
  std::vector<ir::Use> readers;  // who reads those
  TensorType layout;             // [1, KV, G, D] with roles
  std::string length_symbol;     // KV
};

// Either the write, or why it has to stay as it is.
struct CacheWriteMatch {
  std::optional<CacheWrite> write;
  std::string reason;
};

// `parameter` has the role of a cache. A window cache is taken where `evicting` ones are wanted.
CacheWriteMatch match_cache_write(ir::Node& parameter, bool evicting = false);

}  // namespace tenon::pass
