// Model files that commands make.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "tenon/base/result.h"
#include "tenon/gguf/writer.h"

namespace tenon::cli {

struct OutputFlags {
  std::string path;
  bool force = false;
};

// -o and --force
void add_output_flags(CLI::App& app, OutputFlags& flags);
// --force alone
void add_force_flag(CLI::App& app, OutputFlags& flags);

// With progress on a terminal, and what was written on stderr. Ctrl-C ends it and leaves nothing. Errors:
// those of gguf::write_new_file.
Status write_model(const gguf::Writer& writer, const OutputFlags& flags);

}  // namespace tenon::cli
