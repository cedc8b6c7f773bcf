// Tokens to the syntax tree.
#pragma once

#include <string_view>

#include "tenon/text/jinja/ast.h"

namespace tenon::text::jinja {

// Throws Failure with the line, what was wanted and what was found. Jinja's include, import, extends, block
// and autoescape are refused: a chat template is one file.
Body parse_template(std::string_view source);

}  // namespace tenon::text::jinja
