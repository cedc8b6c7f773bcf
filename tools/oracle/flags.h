// Command lines of the form: MODEL --name value --switch.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "model.h"

namespace tenon::oracle {

class Flags {
 public:
  // `names` take a value, `switches` none; anything else that begins with '-' throws std::invalid_argument.
  Flags(const std::vector<std::string>& arguments, const std::set<std::string>& names,
        const std::set<std::string>& switches = {});

  const std::vector<std::string>& positional() const { return positional_; }
  bool has(const std::string& name) const { return values_.count(name) != 0; }
  const std::string& text(const std::string& name) const;  // throws when absent
  std::string text(const std::string& name, const std::string& fallback) const;
  std::vector<int32_t> integers(const std::string& name) const;  // "17,1,2"

 private:
  std::map<std::string, std::string> values_;
  std::vector<std::string> positional_;
};

// What --kv f16|f32, --flash-attention and --evict ask for.
ModelOptions model_options(const Flags& flags);

}  // namespace tenon::oracle
