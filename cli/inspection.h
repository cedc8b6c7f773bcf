// What `tenon inspect` found, before it becomes text or JSON.
#pragma once

#include <nlohmann/json.hpp>

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "tenon/gguf/file.h"
#include "tenon/ir/pass_manager.h"
#include "tenon/plan/plan.h"

namespace tenon::cli {

struct OpCounts {
  int stateless = 0;
  int inplace = 0;
};

// Parts that were not asked for are absent.
struct Inspection {
  std::string path;
  std::shared_ptr<const gguf::File> file;
  bool overview = false;                // of the file, with its metadata
  std::map<std::string, OpCounts> ops;  // with the overview; empty when the file cannot be converted
  bool tensors = false;
  std::optional<std::string> graph;  // the text form
  std::shared_ptr<const plan::Plan> plan;
  std::optional<ir::PassReport> pass;
};

std::string as_text(const Inspection& inspection);
std::string as_json(const Inspection& inspection);

// A value of the file's metadata with all its elements. What JSON cannot say (a number that is not finite) is
// null; bytes that are no UTF-8 are replaced when it is printed.
nlohmann::ordered_json value_as_json(const gguf::Metadata& metadata, const gguf::MetadataEntry& entry);

}  // namespace tenon::cli
