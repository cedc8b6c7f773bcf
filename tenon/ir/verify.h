// The rules that a model obeys between any two passes. A violation names op, node, input, producer with port
// and type.
#pragma once

#include "tenon/ir/model.h"

namespace tenon::ir {

enum class Stage {
  kTranslated,  // straight from the translators; SetRows may stand
  kConverted,   // after the built-in lowerings; no SetRows
};

// Checks stored against inferred types, index inputs (integers only), token axes of elementwise ops (no
// token × token broadcast), names of inputs and outputs (each once), and SetRows by stage. A cycle is misuse
// of the model and throws std::logic_error.
Status verify(const Model& model, Stage stage);

}  // namespace tenon::ir
