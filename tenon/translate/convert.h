// From a decoder to an IR model: translate every node, run the caller's passes in their order, then the
// built-in lowerings on what they left. Stateless unless a caller's pass says otherwise.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "tenon/decoder/decoder.h"
#include "tenon/ir/pass_manager.h"

namespace tenon::translate {

class NodeContext;

// One ggml op's translation: a value for each of the node's declared output ports.
using Translator = Result<std::vector<ir::Value>> (*)(NodeContext&);

struct TranslatorRow {
  std::string_view op;
  Translator translate;
};

// The registered translators, sorted by op.
std::span<const TranslatorRow> translators();

// Only the translation, no pass at all. `table` is for tests that take a row away.
Result<ir::Model> translate(const decoder::Decoder& decoder,
                            std::span<const TranslatorRow> table = translators());

}  // namespace tenon::translate
