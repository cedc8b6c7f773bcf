#include "tenon/pass/state/cache_write.h"

#include "tenon/op/set_rows.h"
#include "tenon/pass/state/head_swap.h"

namespace tenon::pass {

namespace {

CacheWriteMatch refuse(std::string reason) { return {std::nullopt, std::move(reason)}; }

// [1, KV, G, D] with constant heads and head size.
bool has_heads(const TensorType& type, const Dim& cached) {
  return type.rank() == 4 && type.dim(0) == Dim(1) && type.dim(1) == cached && type.dim(2).is_constant() &&
         type.dim(3).is_constant();
}

// The only SetRows that writes the parameter, or a reason.
std::string find_write(ir::Node& parameter, CacheWrite& out) {
  for (const ir::Use& use : parameter.port_uses(0)) {
    if (use.user->is("ScatterUpdate") && use.input == 0) return "another write: " + use.user->name();
    if (!use.user->is("SetRows") || use.input != 2)
      return "another read, of the cache before the write: " + use.user->name();
    if (out.write) return "another write: " + use.user->name();
    out.write = use.user;
  }
  return out.write ? "" : "the cache is not written here";
}

// Who takes what was written: one Result, and readers by heads.
std::string find_readers(const Dim& cached, CacheWrite& out) {
  const ir::Value written = out.write->output(0);
  const bool flat = written.type().dim(1) != cached;
  for (const ir::Use& use : written.uses()) {
    ir::Node& user = *use.user;
    if (user.is("SetRows") || user.is("ScatterUpdate")) return "another write: " + user.name();
    if (user.is("Result")) {
      if (out.result) return "the cache is returned twice, as " + out.result->name() + " and " + user.name();
      out.result = &user;
    } else if (!flat) {
      out.readers.push_back(use);
    } else if (user.is("Reshape") && has_heads(user.port_type(0), cached)) {
      out.reads.push_back(user.output(0));
      const auto uses = user.port_uses(0);
      out.readers.insert(out.readers.end(), uses.begin(), uses.end());
    } else {
      return "another read: " + user.name();
    }
  }
  if (!flat) out.reads.push_back(written);
  if (!out.result) return "the cache is not returned";
  if (out.readers.empty()) return "split graph: the cache is written here but not read here";
  for (const ir::Use& reader : out.readers) {
    if (reader.input != 0 || !swaps_heads_and_tokens(*reader.user))
      return "another read: " + reader.user->name();
  }
  return "";
}

}  // namespace

CacheWriteMatch match_cache_write(ir::Node& parameter, bool evicting) {
  const auto& attributes = parameter.attributes_as<ir::ParameterAttributes>();
  const TensorType& type = attributes.type;
  CacheWrite out;
  out.parameter = &parameter;
  const bool taken =
      attributes.cache == ir::CacheKind::kAppend || (evicting && attributes.cache == ir::CacheKind::kWindow);
  if (!taken) {
    return refuse("the cache does not append: its kind is " +
                  std::string(ir::kCacheKindNames[static_cast<size_t>(attributes.cache)]));
  }
  if (std::string reason = find_write(parameter, out); !reason.empty()) return refuse(std::move(reason));

  const int axis = static_cast<int>(out.write->attributes_as<op::SetRowsAttributes>().axis);
  if (type.rank() != 4) return refuse("the cache has not four axes: " + type.to_string());
  const Dim cached = type.dim(axis);
  if (type.dim(0) != Dim(1)) return refuse("several streams: " + type.to_string());
  const auto symbol = cached.symbol_name();
  if (cached.is_constant() || out.write->input(1).type().element_count().is_constant()) {
    return refuse("static token dimension: " + type.to_string() + " written at " +
                  out.write->input(1).type().to_string());
  }
  if (!symbol) return refuse("the cached tokens are not one symbol: " + type.to_string());
  const bool token_rows = axis == 1 || (axis == 2 && type.dim(1) == Dim(1));
  if (!token_rows || (type.axis_of(AxisRole::kPosition) && type.axis_of(AxisRole::kPosition) != axis)) {
    return refuse("transposed cache: a row is not one token in " + type.to_string());
  }
  out.length_symbol = *symbol;
  if (std::string reason = find_readers(cached, out); !reason.empty()) return refuse(std::move(reason));
  out.layout = out.reads.front().type();
  if (!has_heads(out.layout, cached)) return refuse("heads that are not constant: " + out.layout.to_string());
  for (const ir::Value& read : out.reads) {
    if (read.type() != out.layout)
      return refuse("read as " + out.layout.to_string() + " and as " + read.type().to_string());
  }
  out.layout.axes[1].role = AxisRole::kPosition;
  return {out, ""};
}

}  // namespace tenon::pass
