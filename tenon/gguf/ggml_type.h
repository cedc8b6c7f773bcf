// Every tensor type id that ggml has given out, so that a file of a type that Tenon does not run is refused
// by name and not as damaged.
#pragma once

#include <cstdint>

#include "tenon/base/result.h"
#include "tenon/type/element_type.h"

namespace tenon::gguf {

// The element type of a file's type id. Errors (with no `where` yet): kUnsupported naming the type for one
// that Tenon does not run or that was taken out of the format, kInvalidFile for an id that nobody has given
// out.
Result<ElementType> element_type_of_file(uint32_t ggml_id);

}  // namespace tenon::gguf
