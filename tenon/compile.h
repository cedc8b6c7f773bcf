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

// Tokens. Errors name the file and the key.
Result<int64_t> trained_context_of(const gguf::File& file);

// What a graph is converted for.
struct FormOptions {
  StateForm state = StateForm::kInPlace;
  KvType kv_type = KvType::kF16;
  bool stateless_kv = true;  // kInPlace: the device can write caches in place
  int64_t context = 0;       // tokens; kInPlace: rows of a cache; 0: as trained, and the rows stay open
  bool genai = false;        // kStateful: under the inputs of OpenVINO GenAI
  bool chosen_rows = false;  // kPaged: logits of the rows that inp_out_ids names, not of every token
  // kInPlace: tokens of the longest step beside which caches of a window evict; 0: they hold the context.
  int64_t window_step = 0;
};

// The converted graph alone. Errors name the file.
Result<ir::Model> convert_file(std::shared_ptr<const gguf::File> file, const FormOptions& form,
                               std::vector<ir::PassReport>* reports);

// `options.context` is set. Of the paged form: for so many sequences that share the blocks, each of which may
// take the whole context.
Result<Compiled> compile(std::shared_ptr<const gguf::File> file, const Device& device,
                         runtime::Backend& backend, const SessionOptions& options, int64_t sequences = 1);

}  // namespace tenon
