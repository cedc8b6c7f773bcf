// The files that the program is run on.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::e2e {

// Real checkpoints; `make models` fetches them. Throw std::runtime_error when they are not there.
std::string smollm2();
std::string qwen();

// A path in a folder that goes when the tests are over.
std::string scratch(std::string_view name);

// A tiny model of tests/fixtures, written at the first call.
std::string tiny(std::string_view fixture = "llama-gqa4x2");
// One with a chat template that marks turns as the real checkpoints do.
std::string tiny_chat();
std::string tiny_bytes();

// Writes `bytes` as scratch(name) and returns that path.
std::string write_scratch(std::string_view name, std::string_view bytes);

}  // namespace tenon::e2e
