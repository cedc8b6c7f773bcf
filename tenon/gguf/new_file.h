// A GGUF file that appears under its name when all of it is there, or not at all.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "tenon/base/result.h"
#include "tenon/gguf/writer.h"

namespace tenon::gguf {

struct NewFileOptions {
  bool replace = false;  // a regular file of that name
  // Bytes written so far, of all; false: stop.
  std::function<bool(uint64_t written, uint64_t all)> progress = {};
};

// Writes to a temporary name beside `path` (UTF-8) and renames at the end; after an error nothing is left.
// Errors name the path: kIo for a name that is taken or no file's, for a disk without the room (asked before
// anything is written) and from the system; kCancelled when `progress` said so.
Status write_new_file(const Writer& writer, const std::string& path, const NewFileOptions& options = {});

}  // namespace tenon::gguf
