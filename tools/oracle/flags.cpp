#include "flags.h"

#include <sstream>
#include <stdexcept>

namespace tenon::oracle {

Flags::Flags(const std::vector<std::string>& arguments, const std::set<std::string>& names,
             const std::set<std::string>& switches) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (switches.count(argument) != 0) {
      values_[argument];
    } else if (names.count(argument) != 0) {
      if (++i == arguments.size()) throw std::invalid_argument(argument + " wants a value");
      values_[argument] = arguments[i];
    } else if (argument.starts_with("-")) {
      throw std::invalid_argument("unknown flag " + argument);
    } else {
      positional_.push_back(argument);
    }
  }
}

const std::string& Flags::text(const std::string& name) const {
  const auto found = values_.find(name);
  if (found == values_.end()) throw std::invalid_argument(name + " is missing");
  return found->second;
}

std::string Flags::text(const std::string& name, const std::string& fallback) const {
  return has(name) ? text(name) : fallback;
}

std::vector<int32_t> Flags::integers(const std::string& name) const {
  std::vector<int32_t> values;
  std::istringstream list(text(name));
  for (std::string item; std::getline(list, item, ',');) values.push_back(std::stoi(item));
  return values;
}

ModelOptions model_options(const Flags& flags) {
  ModelOptions options;
  const std::string kv = flags.text("--kv", "f32");
  if (kv != "f32" && kv != "f16") throw std::invalid_argument("--kv wants f32 or f16");
  options.kv_type = kv == "f16" ? GGML_TYPE_F16 : GGML_TYPE_F32;
  options.flash_attention = flags.has("--flash-attention");
  options.evict = flags.has("--evict");
  return options;
}

}  // namespace tenon::oracle
