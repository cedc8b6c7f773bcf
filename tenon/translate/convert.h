// From a decoder to an IR model, node by node. Passes come later (tenon/pass/pipeline.h): what stands here is
// the graph as the decoder tells it, with SetRows for every cache write.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "tenon/decoder/decoder.h"
#include "tenon/ir/model.h"

namespace tenon::translate {

class NodeContext;

// One ggml op's translation: a value for each of the node's declared output ports.
using Translator = Result<std::vector<ir::Value>> (*)(NodeContext&);

struct TranslatorRow {
  std::string_view op;
  Translator translate;
  std::span<const std::string_view> cases;  // those that it distinguishes (cases.h)
};

// The registered translators, sorted by op.
std::span<const TranslatorRow> translators();

// Only the translation, no pass at all. `table` is for tests that take a row away. Errors name ggml op and
// node: an op without a row, ports that a translator did not give, a type that is not the declared one, and
// what a translator or a shape rule has to say.
Result<ir::Model> translate(const decoder::Decoder& decoder,
                            std::span<const TranslatorRow> table = translators());

}  // namespace tenon::translate
