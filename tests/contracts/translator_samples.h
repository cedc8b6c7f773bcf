// A node of every ggml op and case that has a translator.
#pragma once

#include <string>
#include <vector>

#include "tenon/decoder/decoder.h"

namespace tenon::contracts {

struct TranslatorSample {
  std::string op;
  decoder::NodeAttributes attributes;
  std::vector<std::string> inputs;   // types, optional inputs included
  std::vector<std::string> outputs;  // types of the ports
};

// Sorted by op. A new row of the table needs a sample: T9 and L15 are about the whole of it.
const std::vector<TranslatorSample>& translator_samples();

}  // namespace tenon::contracts
