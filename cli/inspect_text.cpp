// Text of `tenon inspect`, for people. What comes from the file is escaped, so that a name cannot drive the
// terminal; long values are cut, with their full length beside them.
#include <algorithm>
#include <cstdarg>
#include <cstdio>

#include "cli/inspection.h"
#include "cli/model_facts.h"

namespace tenon::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kShownElements = 8;
constexpr size_t kShownBytes = 100;

[[gnu::format(printf, 2, 3)]] void append(std::string& out, const char* format, ...) {
  std::va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  const int length = std::vsnprintf(nullptr, 0, format, arguments);
  va_end(arguments);
  const size_t begin = out.size();
  out.resize(begin + static_cast<size_t>(length) + 1);
  std::vsnprintf(out.data() + begin, static_cast<size_t>(length) + 1, format, again);
  va_end(again);
  out.pop_back();
}

// Cut in front of a character, not inside.
Json shortened(const Json& value) {
  if (!value.is_string()) return value;
  const auto& text = value.get_ref<const std::string&>();
  size_t length = std::min(text.size(), kShownBytes);
  while (length > 0 && length < text.size() && (static_cast<unsigned char>(text[length]) >> 6) == 2) --length;
  return text.substr(0, length);
}

std::string shown(const Json& value) {
  std::string out = printable(shortened(value).dump(-1, ' ', false, Json::error_handler_t::replace));
  if (value.is_string() && value.get_ref<const std::string&>().size() > kShownBytes) out += " …";
  return out;
}

std::string shown_value(const gguf::Metadata& metadata, const gguf::MetadataEntry& entry) {
  const Json value = value_as_json(metadata, entry);
  if (!value.is_array()) return shown(value);
  std::string out;
  for (size_t i = 0; i < std::min(value.size(), kShownElements); ++i)
    (out += i == 0 ? "" : ", ") += shown(value[i]);
  if (value.size() > kShownElements) out += ", …";
  return "[" + out + "]";
}

std::string shown_type(const gguf::MetadataEntry& entry) {
  if (entry.type != gguf::ValueType::kArray) {
    if (entry.type != gguf::ValueType::kString) return std::string(name(entry.type));
    return "string of " + std::to_string(entry.payload.size() - sizeof(uint64_t));
  }
  return std::to_string(entry.count) + " x " + std::string(name(entry.element));
}

std::string shown_extents(const std::vector<int64_t>& extents) {
  std::string out;
  for (const int64_t extent : extents) out += (out.empty() ? "" : ", ") + std::to_string(extent);
  return "[" + out + "]";
}

void add_overview(const Inspection& inspection, std::string& out) {
  const gguf::File& file = *inspection.file;
  append(out, "%s: GGUF version %u, %s, %zu tensors, %s parameters\n", printable(inspection.path).c_str(),
         file.version(), size_text(file.bytes().size()).c_str(), file.tensors().size(),
         parameters_text(parameter_count(file)).c_str());
  append(out, "\n%-8s %8s %12s\n", "type", "tensors", "size");
  for (const TypeTotal& total : type_totals(file)) {
    append(out, "%-8s %8lld %12s\n", std::string(name(total.element)).c_str(),
           static_cast<long long>(total.tensors), size_text(total.bytes).c_str());
  }
  size_t width = 0;
  for (const gguf::MetadataEntry& entry : file.metadata().entries())
    width = std::max(width, printable(entry.key).size());
  width = std::min<size_t>(width, 48);
  append(out, "\nmetadata (%zu keys)\n", file.metadata().entries().size());
  for (const gguf::MetadataEntry& entry : file.metadata().entries()) {
    append(out, "%-*s  %-16s  %s\n", static_cast<int>(width), printable(entry.key).c_str(),
           shown_type(entry).c_str(), shown_value(file.metadata(), entry).c_str());
  }
  if (inspection.ops.empty()) return;
  append(out, "\n%-16s %10s %10s\n", "op", "stateless", "in place");
  for (const auto& [op, counts] : inspection.ops)
    append(out, "%-16s %10d %10d\n", op.c_str(), counts.stateless, counts.inplace);
}

void add_tensors(const gguf::File& file, std::string& out) {
  append(out, "%-32s %-6s %-16s %12s %12s\n", "tensor", "type", "extents", "bytes", "offset");
  for (const gguf::TensorInfo& tensor : file.tensors()) {
    append(out, "%-32s %-6s %-16s %12zu %12llu\n", printable(tensor.name).c_str(),
           std::string(name(tensor.element)).c_str(), shown_extents(tensor.extents).c_str(),
           tensor.data.size(), static_cast<unsigned long long>(tensor.offset));
  }
}

void add_pass(const ir::PassReport& report, std::string& out) {
  append(out, "%s: %s, %.2f ms\n", report.name.c_str(),
         report.skipped   ? "switched off"
         : report.changed ? "changed the graph"
                          : "changed nothing",
         report.milliseconds);
  for (const ir::Reason& reason : report.reasons)
    append(out, "  %s: %s\n", printable(reason.node).c_str(), printable(reason.text).c_str());
  if (report.reasons.empty()) out += "  there was no node that it had to leave alone\n";
}

}  // namespace

std::string as_text(const Inspection& inspection) {
  std::string out;
  const auto begin_part = [&] {
    if (!out.empty()) out += "\n";
  };
  if (inspection.overview) add_overview(inspection, out);
  if (inspection.tensors) add_tensors(*inspection.file, out);
  if (inspection.graph) begin_part(), out += *inspection.graph;
  if (inspection.pass) begin_part(), add_pass(*inspection.pass, out);
  if (inspection.plan) begin_part(), out += plan::print(*inspection.plan);
  return out;
}

}  // namespace tenon::cli
