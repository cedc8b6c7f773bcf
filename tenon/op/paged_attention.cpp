#include "tenon/op/paged_attention.h"

#include <cmath>
#include <limits>

#include "tenon/op/element_access.h"
#include "tenon/op/shape_rule.h"

namespace tenon::op {

namespace {

constexpr int kWrittenInputs[] = {kPagedKeyCache, kPagedValueCache};

// Heads of q and of the caches; the innermost extents must say the same.
InferredTypes infer(const ir::Inference& node) {
  for (const int input : {kPagedQ, kPagedK, kPagedV}) TENON_RETURN_IF_ERROR(require_rank(node, input, 2));
  for (const int input : {kPagedKeyCache, kPagedValueCache}) {
    TENON_RETURN_IF_ERROR(require_rank(node, input, 4));
    for (const int axis : {1, 2, 3}) {
      const auto extent = require_static(node, input, axis);
      if (!extent.ok()) return extent.error();
    }
    const ElementType element = node.type(input).element;
    if (element != ElementType::kF32 && element != ElementType::kF16) {
      return node.error("caches f32 or f16", node.type(input).to_string());
    }
  }
  const TensorType &q = node.type(kPagedQ), &keys = node.type(kPagedKeyCache),
                   &values = node.type(kPagedValueCache);
  TENON_ASSIGN(const int64_t width, require_static(node, kPagedQ, 1));
  const int64_t groups = keys.dim(1).value(), size = keys.dim(3).value(), value_size = values.dim(3).value();
  if (groups < 1 || size < 1 || width % (groups * size) != 0) {
    return node.error(
        "q [T, H*D] with H a multiple of " + std::to_string(groups) + " and D " + std::to_string(size),
        q.to_string());
  }
  if (values.dim(1) != keys.dim(1) || values.dim(2) != keys.dim(2)) {
    return node.error("a value cache with the heads and rows of " + keys.to_string(), values.to_string());
  }
  for (const auto& [input, wanted] : {std::pair{kPagedK, groups * size}, {kPagedV, groups * value_size}}) {
    if (node.type(input).dim(1) != Dim(wanted) || node.type(input).dim(0) != q.dim(0)) {
      return node.error(TensorType{ElementType::kF32, {q.axes[0], Dim(wanted)}}.to_string(),
                        node.type(input).to_string());
    }
  }
  for (int input = kPagedPastLengths; input <= kPagedMaxContext; ++input) {
    if (node.type(input).element != ElementType::kI32 ||
        node.type(input).rank() != (input == kPagedMaxContext ? 0 : 1)) {
      return node.error("i32 tables of rank 1 and an i32 number", node.type(input).to_string());
    }
  }
  const int64_t heads = width / size;
  if (node.input_count() > kPagedSinks && node.type(kPagedSinks).element_count() != Dim(heads)) {
    return node.error("a sink for each of " + std::to_string(heads) + " heads",
                      node.type(kPagedSinks).to_string());
  }
  return std::vector<TensorType>{{ElementType::kF32, {q.axes[0], {heads * value_size, AxisRole::kChannel}}}};
}

void write_rows(const TensorRef& rows, const TensorRef& cache, const PagedTables& tables) {
  const int64_t groups = cache.extent[1], size = cache.extent[3];
  for (int64_t s = 0; s < tables.sequences; ++s) {
    for (int64_t t = 0; t < tables.tokens_of(s); ++t) {
      const int64_t position = tables.past_lengths[s] + t;
      for (int64_t i = 0; i < groups * size; ++i) {
        store(cache, {tables.block_of(s, position), i / size, position % tables.block_size, i % size},
              load(rows, {tables.sequence_begins[s] + t, i}));
      }
    }
  }
}

// softmax(scores of the visible keys, and the sink) · values, for one query of one head.
void attend(const ReferenceCall& call, const PagedTables& tables, int64_t sequence, int64_t t, int64_t head) {
  const auto& attributes = dynamic_cast<const PagedAttentionAttributes&>(call.attributes);
  const TensorRef &keys = call.inputs[kPagedKeyCache], &values = call.inputs[kPagedValueCache];
  const int64_t size = keys.extent[3], value_size = values.extent[3];
  const int64_t heads = call.inputs[kPagedQ].extent[1] / size;
  const int64_t group = head / (heads / keys.extent[1]);
  const int64_t token = tables.sequence_begins[sequence] + t;
  const int64_t position = tables.past_lengths[sequence] + t;
  const int64_t first = attributes.window > 0 ? std::max<int64_t>(0, position - attributes.window + 1) : 0;
  const auto row_of = [&](const TensorRef& cache, int64_t p) {
    return load_row(cache, {tables.block_of(sequence, p), group, p % tables.block_size});
  };

  std::vector<double> scores;
  double largest = -std::numeric_limits<double>::infinity();
  for (int64_t p = first; p <= position; ++p) {
    const std::vector<double> key = row_of(keys, p);
    double score = 0;
    for (int64_t i = 0; i < size; ++i)
      score += load(call.inputs[kPagedQ], {token, head * size + i}) * key[static_cast<size_t>(i)];
    score *= attributes.scale;
    if (attributes.softcap > 0) score = attributes.softcap * std::tanh(score / attributes.softcap);
    scores.push_back(score);
    largest = std::max(largest, score);
  }
  double total = 0;
  if (call.inputs.size() > kPagedSinks) {
    const double sink = load(call.inputs[kPagedSinks], {head});
    largest = std::max(largest, sink);
    total = std::exp(sink - largest);
  }
  std::vector<double> sum(static_cast<size_t>(value_size));
  for (size_t j = 0; j < scores.size(); ++j) {
    const double weight = std::exp(scores[j] - largest);
    const std::vector<double> value = row_of(values, first + static_cast<int64_t>(j));
    total += weight;
    for (size_t i = 0; i < sum.size(); ++i) sum[i] += weight * value[i];
  }
  for (int64_t i = 0; i < value_size; ++i)
    store(call.outputs[0], {token, head * value_size + i}, sum[static_cast<size_t>(i)] / total);
}

Status reference(const ReferenceCall& call) {
  TENON_ASSIGN(const PagedTables tables, paged_tables(call.inputs));
  if (dynamic_cast<const PagedAttentionAttributes&>(call.attributes).writes) {
    write_rows(call.inputs[kPagedK], call.outputs[1], tables);
    write_rows(call.inputs[kPagedV], call.outputs[2], tables);
  }
  const int64_t heads = call.inputs[kPagedQ].extent[1] / call.inputs[kPagedKeyCache].extent[3];
  for (int64_t s = 0; s < tables.sequences; ++s) {
    for (int64_t t = 0; t < tables.tokens_of(s); ++t) {
      for (int64_t head = 0; head < heads; ++head) attend(call, tables, s, t, head);
    }
  }
  return {};
}

bool reads(const ir::Attributes& attributes, int input) {
  const bool rows = input == kPagedK || input == kPagedV;
  return !rows || dynamic_cast<const PagedAttentionAttributes&>(attributes).writes;
}

Error table_error(std::string wanted, std::string found) {
  return {ErrorCode::kInvalidArgument, "PagedAttention", std::move(wanted), std::move(found), ""};
}

}  // namespace

Result<PagedTables> paged_tables(std::span<const TensorRef> inputs) {
  const TensorRef &past = inputs[kPagedPastLengths], &begins = inputs[kPagedSequenceBegins];
  const TensorRef &blocks = inputs[kPagedBlockIndices], &block_begins = inputs[kPagedBlockBegins];
  const TensorRef& cache = inputs[kPagedKeyCache];
  PagedTables out{past.as<int32_t>(),         begins.as<int32_t>(), blocks.as<int32_t>(),
                  block_begins.as<int32_t>(), past.extent[0],       cache.extent[2]};
  for (const TensorRef* table : {&past, &begins, &blocks, &block_begins}) {
    if (!is_contiguous(*table)) return table_error("tables without gaps", "strides");
  }
  if (begins.extent[0] != out.sequences + 1 || block_begins.extent[0] != out.sequences + 1) {
    return table_error("begins of " + std::to_string(out.sequences) + " sequences and their end",
                       std::to_string(begins.extent[0]) + " and " + std::to_string(block_begins.extent[0]));
  }
  if (out.sequence_begins[0] != 0 || out.sequence_begins[out.sequences] != inputs[kPagedQ].extent[0]) {
    return table_error(
        "subsequence_begins from 0 to the tokens, " + std::to_string(inputs[kPagedQ].extent[0]),
        std::to_string(out.sequence_begins[0]) + " to " + std::to_string(out.sequence_begins[out.sequences]));
  }
  for (int64_t s = 0; s < out.sequences; ++s) {
    const int64_t first = out.block_begins[s], last = out.block_begins[s + 1];
    if (out.tokens_of(s) < 0 || out.past_lengths[s] < 0 || first < 0 || last < first ||
        last > blocks.extent[0]) {
      return table_error("begins that ascend within " + std::to_string(blocks.extent[0]) + " block indices",
                         "others at sequence " + std::to_string(s));
    }
    const int64_t length = out.past_lengths[s] + out.tokens_of(s);
    if ((last - first) * out.block_size < length) {
      return table_error(
          "blocks for the " + std::to_string(length) + " tokens of sequence " + std::to_string(s),
          std::to_string(last - first) + " of " + std::to_string(out.block_size) + " rows");
    }
    for (int64_t i = first; i < last; ++i) {
      if (out.block_indices[i] < 0 || out.block_indices[i] >= cache.extent[0])
        return index_error("PagedAttention", out.block_indices[i], cache.extent[0]);
    }
  }
  return out;
}

const OpDefinition& paged_attention_op() {
  static const OpDefinition op{{.name = "PagedAttention",
                                .inputs = {{"q", ir::InputKind::kFloat},
                                           {"k", ir::InputKind::kFloat},
                                           {"v", ir::InputKind::kFloat},
                                           {"key_cache", ir::InputKind::kFloat},
                                           {"value_cache", ir::InputKind::kFloat},
                                           {"past_lens", ir::InputKind::kIndex},
                                           {"subsequence_begins", ir::InputKind::kIndex},
                                           {"block_indices", ir::InputKind::kIndex},
                                           {"block_indices_begins", ir::InputKind::kIndex},
                                           {"max_context_len", ir::InputKind::kIndex},
                                           {"sinks", ir::InputKind::kFloat, true}},
                                .make_attributes = ir::make_attributes<PagedAttentionAttributes>,
                                .infer = infer},
                               reference,
                               nullptr,
                               reads,
                               kWrittenInputs};
  return op;
}

}  // namespace tenon::op
