// What the tests of translators share.
#pragma once

#include <sstream>
#include <string>

#include "tenon/ir/text.h"
#include "tenon/translate/convert.h"
#include "tests/support/hand_decoder.h"

namespace tenon::translate {

// The lines of the text form that belong to nodes, without the leaves; or the error.
inline std::string body(const test::HandDecoder& graph) {
  const Result<ir::Model> model = translate(graph);
  if (!model.ok()) return model.error().message();
  std::string out;
  std::istringstream lines(ir::print(*model));
  for (std::string line; std::getline(lines, line);) {
    const bool leaf =
        line.find("= Parameter(") != std::string::npos || line.find("= Result(") != std::string::npos;
    if (!leaf && line.find(" = ") != std::string::npos) out += line.substr(line.find('%')) + "\n";
  }
  return out;
}

}  // namespace tenon::translate
