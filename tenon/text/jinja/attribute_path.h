// The argument `attribute` of the filters map, selectattr, sort and the like: "a.b.0" is value['a']['b'][0].
#pragma once

#include <vector>

#include "tenon/text/jinja/value.h"

namespace tenon::text::jinja {

class AttributePath {
 public:
  // A string or an integer; nullptr or none: the value itself.
  explicit AttributePath(const Value* attribute);

  // Undefined when there is no such element.
  Value read(Interpreter& interpreter, const Value& value) const;

 private:
  std::vector<Value> parts_;
};

}  // namespace tenon::text::jinja
