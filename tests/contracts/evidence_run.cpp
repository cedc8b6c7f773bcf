#include "tests/contracts/evidence_run.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "tenon/gguf/file.h"
#include "tenon/pass/state/genai.h"
#include "tenon/pass/state/inplace.h"
#include "tenon/pass/state/paged.h"
#include "tenon/pass/state/stateful.h"
#include "tests/contracts/forms.h"

namespace tenon::contracts {

namespace {

using op::HostTensor;

// Rows of whole caches, and blocks out of order; more than the 20 tokens of a fixture need.
constexpr int64_t kCopiedRows = 24, kContext = 32, kBlockRows = 4, kBlocks = 7;
const std::vector<double> kTable = {4, 1, 3, 0, 5};

HostTensor empty_cache(const TensorType& type) {
  std::vector<int64_t> extents;
  for (const Dim& dim : type.dims())
    extents.push_back(dim.is_constant() ? dim.value() : dim == Dim::symbol("KV") ? kCopiedRows : kBlocks);
  HostTensor out = HostTensor::make(type.element, extents);
  return HostTensor::of(type.element, extents,
                        std::vector<double>(static_cast<size_t>(out.element_count()), kUnwritten));
}

op::HostTensors empty_caches(const ir::Model& model) {
  op::HostTensors out;
  for (const ir::Node* node : model.parameters()) {
    const auto& attributes = node->attributes_as<ir::ParameterAttributes>();
    if (attributes.role == ir::ParameterRole::kCache) out[attributes.name] = empty_cache(attributes.type);
  }
  return out;
}

// For hosts that look at it: 0 where token t of this step sees a cached row, else -inf.
HostTensor dense_mask(const ir::ParameterAttributes& mask, int64_t past, int64_t count, int64_t rows) {
  std::vector<double> values(static_cast<size_t>(count * rows), -std::numeric_limits<double>::infinity());
  for (int64_t t = 0; t < count; ++t) {
    for (int64_t key = 0; key <= past + t; ++key) {
      if (mask.mask != ir::MaskKind::kWindow || past + t - key < mask.window)
        values[static_cast<size_t>(t * rows + key)] = 0;
    }
  }
  return f32({1, 1, count, rows}, values);
}

bool has_role(const ir::Model& model, ir::ParameterRole role) {
  for (const ir::Node* node : model.parameters()) {
    if (node->attributes_as<ir::ParameterAttributes>().role == role) return true;
  }
  return false;
}

}  // namespace

std::vector<ir::Pass> owner_passes(Owner owner) {
  const pass::StatefulOptions batched{.dynamic_batch = true};
  switch (owner) {
    case Owner::kStateless:
      return {};
    case Owner::kStateful:
      return {pass::make_stateful()};
    case Owner::kGenai:
      return {pass::make_stateful(batched), pass::adapt_to_genai()};
    case Owner::kPaged:
      return {pass::make_stateful(batched), pass::adapt_to_genai(),
              pass::sdpa_to_paged({.block_size = kBlockRows})};
    case Owner::kInPlace:
      return {pass::inplace_kv({.stateless_kv = true, .context = kContext})};
  }
  return {};
}

std::multiset<std::string> expected_inputs(Owner owner, const fixtures::ModelSpec& spec) {
  std::multiset<std::string> out;
  const bool graph_inputs = owner != Owner::kGenai && owner != Owner::kPaged;
  if (graph_inputs) {
    out = {"inp_tokens i32[1,1,1,T:token]",  "inp_pos i32[1,1,1,T:token]",
           "inp_out_ids i32[1,1,1,R:token]", "inp_kv_idx i64[1,1,1,T:token]",
           "token_len_per_seq i64[1]",       "self_kq_mask f32[1,1,T:token,KV:position]"};
    if (spec.window > 0) out.insert("self_kq_mask_swa f32[1,1,T:token,KV:position]");
  }
  if (owner == Owner::kStateful || owner == Owner::kGenai) out.insert("beam_idx i32[B:batch]");
  if (owner == Owner::kGenai) {
    out.insert({"input_ids i64[B:batch,T:token]", "position_ids i64[B:batch,T:token]",
                "attention_mask i64[B:batch,KV:position]"});
  }
  if (owner == Owner::kPaged) {
    out.insert({"input_ids i64[T:token]", "position_ids i64[T:token]", "past_lens i32[N:batch]",
                "subsequence_begins i32[N+1]", "block_indices i32[n_block_indices]",
                "block_indices_begins i32[N+1]", "max_context_len i32[]"});
  }
  if (owner == Owner::kInPlace) out.insert("attention_size i64[1]");
  const std::string heads = std::to_string(spec.kv_heads) + ":head,",
                    size = std::to_string(spec.head_size) + ":head_size]";
  for (int64_t layer = 0; layer < spec.layers; ++layer) {
    for (const bool keys : {true, false}) {
      const std::string name = keys ? "cache_k_l" : "cache_v_l", number = std::to_string(layer);
      if (owner == Owner::kStateless) out.insert(name + number + " f32[1,KV:position," + heads + size);
      if (owner == Owner::kInPlace)
        out.insert(name + number + " f32[1," + std::to_string(kContext) + ":position," + heads + size);
      if (owner == Owner::kPaged)
        out.insert((keys ? "key_cache." : "value_cache.") + number + " f32[blocks," + heads +
                   std::to_string(kBlockRows) + ":position," + size);
    }
  }
  return out;
}

std::multiset<std::string> expected_outputs(Owner owner, const fixtures::ModelSpec& spec) {
  const std::string width = std::to_string(spec.vocabulary_rows) + ":channel]";
  if (owner == Owner::kGenai) return {"logits f32[B:token,1," + width};  // of their last tokens
  if (owner == Owner::kPaged) return {"logits f32[T:token,1," + width};
  std::multiset<std::string> out = {"logits f32[1,1,R:token," + width};
  if (owner == Owner::kStateful) return out;
  for (const std::string& input : expected_inputs(owner, spec)) {  // the caches go out as they came in
    if (input.starts_with("cache_")) out.insert(input);
  }
  return out;
}

std::vector<std::vector<int32_t>> steps_of(const fixtures::Fixture& fixture) {
  std::vector<std::vector<int32_t>> out;
  auto next = fixture.tokens.begin();
  for (const int32_t length : fixture.split) {
    out.emplace_back(next, next + length);
    next += length;
  }
  return out;
}

std::vector<std::vector<double>> captured_logits(std::string_view fixture) {
  const auto file =
      gguf::File::open(TENON_SOURCE_DIR "/tests/golden/logits/" + std::string(fixture) + ".gguf").value();
  const gguf::TensorInfo* tensor = file->find_tensor("exact");  // where llama.cpp rounds operands
  if (!tensor) tensor = file->tensor("logits").value();
  std::vector<float> values(tensor->data.size() / sizeof(float));
  std::memcpy(values.data(), tensor->data.data(), tensor->data.size());
  std::vector<std::vector<double>> out;
  for (auto row = values.begin(); row != values.end(); row += tensor->extents[1])
    out.emplace_back(row, row + tensor->extents[1]);
  return out;
}

OwnedRun::OwnedRun(const ir::Model& model, std::string runtime)
    : model_(model), steps_(model, std::move(runtime), empty_caches(model)) {}

HostTensor OwnedRun::input(const ir::ParameterAttributes& attributes,
                           const std::vector<int32_t>& tokens) const {
  const auto count = static_cast<int64_t>(tokens.size());
  const auto in_all = static_cast<double>(past_ + count);
  const auto along_tokens = [&](const std::vector<double>& values) {
    std::vector<int64_t> extents(static_cast<size_t>(attributes.type.rank()), 1);
    extents.back() = count;
    return HostTensor::of(attributes.type.element, extents, values);
  };
  switch (attributes.role) {
    case ir::ParameterRole::kTokens:
      return along_tokens({tokens.begin(), tokens.end()});
    case ir::ParameterRole::kPositions:
    case ir::ParameterRole::kCacheIndex:
      return along_tokens(counted(count, past_));
    case ir::ParameterRole::kOutputRows:
      return along_tokens(counted(count));
    case ir::ParameterRole::kMask:
      if (attributes.type.element == ElementType::kI64)  // which tokens are no padding
        return i64({1, past_ + count}, std::vector<double>(static_cast<size_t>(past_ + count), 1));
      return dense_mask(
          attributes, past_, count,
          has_role(model_, ir::ParameterRole::kCache) && !has_role(model_, ir::ParameterRole::kAttentionSize)
              ? kCopiedRows
              : past_ + count);
    case ir::ParameterRole::kAttentionSize:
      return i64({1}, {in_all});
    case ir::ParameterRole::kBeamIndices:
      return beams();
    case ir::ParameterRole::kPastLengths:
      return i32({1}, {static_cast<double>(past_)});
    case ir::ParameterRole::kSequenceBegins:
      return i32({2}, {0, static_cast<double>(count)});
    case ir::ParameterRole::kBlockIndices:
      return i32({static_cast<int64_t>(kTable.size())}, kTable);
    case ir::ParameterRole::kBlockBegins:
      return i32({2}, {0, static_cast<double>(kTable.size())});
    case ir::ParameterRole::kMaxContextLength:
      return i32({}, {in_all});
    default:
      return i64({1}, {static_cast<double>(count)});
  }
}

const op::HostTensors& OwnedRun::step(const std::vector<int32_t>& tokens) {
  op::HostTensors inputs;
  for (const ir::Node* node : model_.parameters()) {
    const auto& attributes = node->attributes_as<ir::ParameterAttributes>();
    if (attributes.role != ir::ParameterRole::kCache) inputs[attributes.name] = input(attributes, tokens);
  }
  outputs_ = steps_.run(std::move(inputs));
  past_ += static_cast<int64_t>(tokens.size());
  return outputs_;
}

op::HostTensors written_rows(const decoder::Decoder& decoder, const fixtures::Fixture& fixture) {
  const ir::Model model = converted(decoder, {fault_pass([](ir::Model& graph) {
                                      for (ir::Node* const node : graph.topological_order()) {
                                        if (!node->is("SetRows")) continue;
                                        const ir::Node& cache = node->input(2).node();
                                        graph.add_result(node->input(0), "rows of " + cache.name());
                                      }
                                    })});
  OwnedRun run(model, "ref");
  std::map<std::string, std::vector<double>> rows;
  std::map<std::string, std::vector<int64_t>> extents;
  for (const std::vector<int32_t>& step : steps_of(fixture)) {
    for (const auto& [name, tensor] : run.step(step)) {
      if (!name.starts_with("rows of ")) continue;
      const std::vector<double> values = tensor.values();
      rows[name.substr(8)].insert(rows[name.substr(8)].end(), values.begin(), values.end());
      extents[name.substr(8)] = {tensor.extents[2], tensor.extents[3]};
    }
  }
  op::HostTensors out;
  for (const auto& [name, values] : rows) {
    const int64_t heads = extents[name][0], size = extents[name][1];
    out[name] = f32({static_cast<int64_t>(values.size()) / (heads * size), heads, size}, values);
  }
  return out;
}

std::string misplaced_rows(Owner owner, const op::HostTensors& outputs, const std::string& cache,
                           const HostTensor& rows) {
  constexpr double kRounding = 1e-5;  // of f32 sums in another order
  std::string name = cache;
  if (owner == Owner::kPaged)
    name = (cache.starts_with("cache_k") ? "key_cache." : "value_cache.") + cache.substr(strlen("cache_k_l"));
  const auto found = outputs.find(name);
  if (found == outputs.end()) return name + " is no state\n";
  const int64_t tokens = rows.extents[0], heads = rows.extents[1], size = rows.extents[2];
  const int64_t held = owner == Owner::kStateless ? kCopiedRows
                       : owner == Owner::kInPlace ? kContext
                                                  : tokens;
  const bool paged = owner == Owner::kPaged;
  if (found->second.extents != (paged ? std::vector<int64_t>{kBlocks, heads, kBlockRows, size}
                                      : std::vector<int64_t>{1, held, heads, size}))
    return name + " has another shape\n";

  const std::vector<double> values = found->second.values(), wanted = rows.values();
  std::vector<double> expected(values.size(), kUnwritten);
  for (int64_t t = 0; t < tokens; ++t) {
    for (int64_t g = 0; g < heads; ++g) {
      const auto block = static_cast<int64_t>(kTable.at(static_cast<size_t>(t / kBlockRows)));
      const int64_t place =
          paged ? ((block * heads + g) * kBlockRows + t % kBlockRows) * size : (t * heads + g) * size;
      std::copy_n(wanted.begin() + (t * heads + g) * size, size, expected.begin() + place);
    }
  }
  size_t elsewhere = 0;
  for (size_t i = 0; i < values.size(); ++i)
    elsewhere += !(std::abs(values[i] - expected[i]) <= kRounding * std::max(1.0, std::abs(expected[i])));
  return elsewhere == 0 ? "" : name + ": " + std::to_string(elsewhere) + " elements are elsewhere\n";
}

}  // namespace tenon::contracts
