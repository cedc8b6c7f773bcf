// The state of a sequence as a file, a GGUF container: what it belongs to as metadata, what it holds as one
// tensor. Reading checks every byte as that of a model file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tenon/gguf/file.h"

namespace tenon::engine {

// What a state fits.
struct StateIdentity {
  std::string architecture;
  std::string hyperparameters;  // a digest of the architecture's metadata
  std::string tensors;          // a digest of the tensor table: names, types, extents
  std::string kv_type;          // "f16", "f32"
};

// Of a model file.
StateIdentity state_identity(const gguf::File& file, std::string kv_type);

struct SavedState {
  std::vector<int32_t> tokens;   // that were fed; as many as the state is long
  std::vector<std::byte> bytes;  // Sequence::save()
};

// Writes beside `path` and renames, so that what was there before stays until the new file is whole.
Status write_state(const std::string& path, const StateIdentity& identity, const SavedState& state);

// Errors: a file that is cut or damaged; a state of another model or of another type, by the field that
// differs. The file's path comes first.
Result<SavedState> read_state(const std::string& path, const StateIdentity& wanted);

}  // namespace tenon::engine
