// JSON of `tenon inspect`, and the values of metadata as JSON.
#include <charconv>

#include "cli/inspection.h"
#include "cli/model_facts.h"

namespace tenon::cli {

namespace {

using Json = nlohmann::ordered_json;

template <class T>
Json or_null(const Result<T>& value) {
  return value.ok() ? Json(*value) : Json();
}

// The shortest decimal that is this float, so that 1e-5f reads 1e-05 and not 9.999999747378752e-06.
Json float_as_json(float value) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  double out = 0;
  std::from_chars(text, end, out);
  return out;
}

Json floats_as_json(const Result<std::vector<float>>& values) {
  if (!values.ok()) return Json();
  Json out = Json::array();
  for (const float value : *values) out.push_back(float_as_json(value));
  return out;
}

Json array_as_json(const gguf::Metadata& metadata, const gguf::MetadataEntry& entry) {
  switch (entry.element) {
    case gguf::ValueType::kString:
      return or_null(metadata.strings(entry.key));
    case gguf::ValueType::kBool:
      return or_null(metadata.booleans(entry.key));
    case gguf::ValueType::kF32:
      return floats_as_json(metadata.array<float>(entry.key));
    case gguf::ValueType::kF64:
      return or_null(metadata.array<double>(entry.key));
    case gguf::ValueType::kU64:
      return or_null(metadata.array<uint64_t>(entry.key));
    default:
      return or_null(metadata.integers(entry.key));
  }
}

Json metadata_as_json(const gguf::Metadata& metadata) {
  Json out = Json::object();
  for (const gguf::MetadataEntry& entry : metadata.entries()) {
    Json& item = out[std::string(entry.key)];
    item["type"] = name(entry.type);
    if (entry.type == gguf::ValueType::kArray) {
      item["element"] = name(entry.element);
      item["count"] = entry.count;
    }
    item["value"] = value_as_json(metadata, entry);
  }
  return out;
}

Json tensors_as_json(const gguf::File& file) {
  Json out = Json::array();
  for (const gguf::TensorInfo& tensor : file.tensors()) {
    out.push_back({{"name", tensor.name},
                   {"type", name(tensor.element)},
                   {"extents", tensor.extents},
                   {"offset", tensor.offset},
                   {"bytes", tensor.data.size()}});
  }
  return out;
}

void add_overview(const Inspection& inspection, Json& out) {
  const gguf::File& file = *inspection.file;
  out["file"] = {{"path", inspection.path},
                 {"bytes", file.bytes().size()},
                 {"version", file.version()},
                 {"alignment", file.alignment()},
                 {"data_offset", file.data_offset()},
                 {"tensor_count", file.tensors().size()},
                 {"parameter_count", parameter_count(file)}};
  Json& types = out["types"] = Json::object();
  for (const TypeTotal& total : type_totals(file))
    types[std::string(name(total.element))] = {{"tensors", total.tensors}, {"bytes", total.bytes}};
  out["metadata"] = metadata_as_json(file.metadata());
  Json& ops = out["ops"] = Json::object();
  for (const auto& [op, counts] : inspection.ops)
    ops[op] = {{"stateless", counts.stateless}, {"inplace", counts.inplace}};
}

Json plan_as_json(const plan::Plan& plan) {
  Json lists = Json::array(), refusals = Json::array();
  for (const plan::StepList& list : plan.lists) {
    Json steps = Json::array();
    for (const plan::Step& step : list.steps) {
      steps.push_back({{"kernel", step.row},
                       {"op", step.op},
                       {"node", step.name},
                       {"prologue", step.prologue},
                       {"parts", step.parts.size()},
                       {"barrier_before", step.barrier_before}});
    }
    lists.push_back({{"least_tokens", list.tokens.min}, {"most_tokens", list.tokens.max}, {"steps", steps}});
  }
  for (const plan::Refusal& refusal : plan.refusals)
    refusals.push_back({{"kernel", refusal.row}, {"node", refusal.node}, {"reason", refusal.reason}});
  return {{"target", plan.target},
          {"arena_bytes", plan.arena_bytes},
          {"scratch_bytes", plan.scratch_bytes},
          {"lists", lists},
          {"refusals", refusals}};
}

Json pass_as_json(const ir::PassReport& report) {
  Json reasons = Json::array();
  for (const ir::Reason& reason : report.reasons)
    reasons.push_back({{"node", reason.node}, {"reason", reason.text}});
  return {{"name", report.name},
          {"skipped", report.skipped},
          {"changed", report.changed},
          {"milliseconds", report.milliseconds},
          {"reasons", reasons}};
}

}  // namespace

Json value_as_json(const gguf::Metadata& metadata, const gguf::MetadataEntry& entry) {
  switch (entry.type) {
    case gguf::ValueType::kArray:
      return array_as_json(metadata, entry);
    case gguf::ValueType::kString:
      return or_null(metadata.string(entry.key));
    case gguf::ValueType::kBool:
      return or_null(metadata.boolean(entry.key));
    case gguf::ValueType::kF32: {
      const Result<double> value = metadata.floating(entry.key);
      return value.ok() ? float_as_json(static_cast<float>(*value)) : Json();
    }
    case gguf::ValueType::kF64:
      return or_null(metadata.floating(entry.key));
    case gguf::ValueType::kU64:
      return or_null(metadata.unsigned_integer(entry.key));
    default:
      return or_null(metadata.signed_integer(entry.key));
  }
}

std::string as_json(const Inspection& inspection) {
  Json out = Json::object();
  if (inspection.overview) add_overview(inspection, out);
  if (inspection.tensors) out["tensors"] = tensors_as_json(*inspection.file);
  if (inspection.graph) out["graph"] = *inspection.graph;
  if (inspection.pass) out["pass"] = pass_as_json(*inspection.pass);
  if (inspection.plan) out["plan"] = plan_as_json(*inspection.plan);
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tenon::cli
