// A model file from another one.
#pragma once

#include <memory>

#include "tenon/gguf/file.h"
#include "tenon/gguf/writer.h"

namespace tenon::rewrite {

// The same model with every weight stored as the f32 value for which its block stands: what a quantised
// model computes when nothing is rounded on the way. Keys stay as they are but for general.file_type, and so
// do tensors of other types than weights have. The writer reads `file`, which it shares, when it writes.
gguf::Writer exact_model(std::shared_ptr<const gguf::File> file, int threads);

}  // namespace tenon::rewrite
