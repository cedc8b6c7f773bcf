// A model on a backend, by the same way as the facade takes, with a place for a fault between decoder and
// graph.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tenon/engine/sequence.h"
#include "tenon/gguf/file.h"
#include "tests/support/hand_decoder.h"

namespace tenon::checkpoints {

// "ref", and "cpu <isa>" for every instruction set that this machine has.
std::vector<std::string> runtimes();

struct RunOptions {
  std::string runtime;  // one of runtimes()
  ElementType cache_element = ElementType::kF32;
  int64_t context = 0;
  test::EditedDecoder::Edit edit;  // may be empty
};

// Throws std::runtime_error with the error's message when the model cannot run.
std::unique_ptr<engine::Sequence> open_sequence(std::shared_ptr<const gguf::File> file,
                                                const RunOptions& options);

// Logits of every token of one step.
std::vector<std::vector<float>> step(engine::Sequence& sequence, std::span<const int32_t> tokens);

}  // namespace tenon::checkpoints
