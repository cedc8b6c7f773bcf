// The rules that a model obeys between any two passes. A violation names op, node, input, producer with port
// and type.
#pragma once

#include "tenon/ir/model.h"

namespace tenon::ir {

enum class Stage {
  kTranslated,  // straight from the translators; SetRows may stand
  kConverted,   // after the built-in lowerings; no SetRows
};

// Checks arity, stored against inferred types, index inputs (integers only), acyclic order, token axes of
// elementwise ops (no token × token broadcast), unique names, and SetRows by stage.
Status verify(const Model& model, Stage stage);

}  // namespace tenon::ir
