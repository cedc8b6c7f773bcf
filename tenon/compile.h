// From an opened file to a plan: the whole way of design, in one place.
#pragma once

#include <memory>

#include "tenon/devices.h"
#include "tenon/gguf/file.h"
#include "tenon/ir/pass_manager.h"
#include "tenon/plan/plan.h"
#include "tenon/tenon.h"

namespace tenon {

struct Compiled {
  ir::Model graph;
  std::vector<ir::PassReport> passes;
  std::shared_ptr<const plan::Plan> plan;
};

// The converted graph alone; `context` 0 leaves the caches' extent open.
Result<ir::Model> convert_file(std::shared_ptr<const gguf::File> file, KvType kv_type, KvLayout layout,
                               bool stateless_kv, int64_t context, std::vector<ir::PassReport>* reports);

// `options.context` is set.
Result<Compiled> compile(std::shared_ptr<const gguf::File> file, const Device& device,
                         runtime::Backend& backend, const SessionOptions& options);

}  // namespace tenon
