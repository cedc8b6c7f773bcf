#include "tenon/perplexity.h"

#include <algorithm>
#include <cmath>

#include "tenon/engine/chunks.h"
#include "tenon/model_state.h"
#include "tenon/session_state.h"
#include "tenon/text/utf8.h"

namespace tenon {

namespace {

constexpr int64_t kStepTokens = 512;  // longer steps of one sequence are no faster

// Whose bytes are text: UTF-8 without NUL.
Status check_text(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const text::Utf8Sequence next = text::next_sequence(text.substr(at));
    if (next.state == text::Utf8Sequence::State::kValid && text[at] != '\0') {
      at += next.bytes;
      continue;
    }
    constexpr const char* kDigits = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(text[at]);
    return Error{ErrorCode::kInvalidArgument, "byte " + std::to_string(at), "text in UTF-8",
                 std::string("0x") + kDigits[byte >> 4] + kDigits[byte & 15],
                 "give a text file, or convert this one to UTF-8"};
  }
  return {};
}

}  // namespace

// One chunk after the other, or many side by side.
struct PerplexityRun::Evaluator {
  std::unique_ptr<engine::Sequence> sequence;
  std::unique_ptr<engine::Batch> batch;
  int64_t side_by_side = 1;

  Status run(const engine::TextChunks& text, const engine::ScoredRowSink& sink) const {
    for (int64_t chunk = 0; chunk < text.count(); chunk += side_by_side) {
      const int64_t count = std::min(side_by_side, text.count() - chunk);
      TENON_RETURN_IF_ERROR(batch ? engine::evaluate_chunks(*batch, text, chunk, count, sink)
                                  : engine::evaluate_chunk(*sequence, text, chunk, sink));
    }
    return {};
  }
};

PerplexityRun::PerplexityRun(const Model& model, const PerplexityOptions& options)
    : model_(model.state_), options_(options) {
  if (options.chunk_tokens < engine::kLeastChunkTokens || options.chunk_tokens > INT32_MAX / 2 ||
      options.most_chunks < 0 || options.batch_tokens < 1)
    throw std::invalid_argument("[PerplexityRun] an option out of its range");
}

int32_t PerplexityRun::vocabulary() const {
  return static_cast<int32_t>(
      std::min<int64_t>(model_->tokenizer->vocabulary_size(), model_->vocabulary_rows));
}

Result<std::vector<int32_t>> PerplexityRun::tokenize(std::string_view text) const {
  TENON_RETURN_IF_ERROR(check_text(text));
  if (text.ends_with('\n')) text.remove_suffix(1);
  std::vector<int32_t> tokens = model_->tokenizer->encode(text);
  const auto found = static_cast<int64_t>(tokens.size());
  if (found < 2 * options_.chunk_tokens) {
    return Error{ErrorCode::kInvalidArgument, "length of the text",
                 std::to_string(2 * options_.chunk_tokens) + " tokens or more, two chunks of " +
                     std::to_string(options_.chunk_tokens),
                 std::to_string(found), "give a longer text or smaller chunks (-c)"};
  }
  int64_t chunks = found / options_.chunk_tokens;
  if (options_.most_chunks > 0) chunks = std::min(chunks, options_.most_chunks);
  tokens.resize(static_cast<size_t>(chunks * options_.chunk_tokens));
  return tokens;
}

Result<PerplexityRun::Evaluator> PerplexityRun::open(int64_t chunk_tokens, int64_t chunks) const {
  SessionOptions options;
  options.context = chunk_tokens;
  options.kv_type = options_.kv_type;
  options.state_form = options_.state_form;
  options.window_cache = options_.window_cache;
  options.all_logits = true;
  Evaluator out;
  if (options_.state_form == StateForm::kPaged)
    out.side_by_side = std::clamp<int64_t>(options_.batch_tokens / chunk_tokens, 1, chunks);
  if (out.side_by_side > 1) {
    options.max_step_tokens = out.side_by_side * (chunk_tokens - engine::first_scored(chunk_tokens));
    TENON_ASSIGN(Compiled compiled,
                 compile(model_->file, *model_->device, *model_->backend, options, out.side_by_side));
    if (refuse_recurrent_states(*compiled.plan, "chunks side by side", "").ok()) {
      const int64_t rows = *runtime::paged_block_size(*compiled.plan);
      TENON_ASSIGN(out.batch,
                   engine::Batch::create(model_->backend, std::move(compiled.plan),
                                         {.blocks = out.side_by_side * ((chunk_tokens + rows - 1) / rows),
                                          .vocabulary_rows = model_->vocabulary_rows}));
      return out;
    }
    out.side_by_side = 1;
  }
  options.max_step_tokens = std::min({options_.batch_tokens, chunk_tokens, kStepTokens});
  TENON_ASSIGN(Compiled compiled, compile(model_->file, *model_->device, *model_->backend, options));
  TENON_ASSIGN(out.sequence, engine::Sequence::create(
                                 model_->backend, std::move(compiled.plan),
                                 {.context = chunk_tokens, .vocabulary_rows = model_->vocabulary_rows}));
  return out;
}

Status PerplexityRun::evaluate(std::span<const int32_t> tokens, int64_t chunk_tokens,
                               const OnRow& on_row) const {
  for (const int32_t token : tokens) TENON_RETURN_IF_ERROR(engine::check_token(token, vocabulary()));
  engine::TextChunks text{tokens, chunk_tokens};
  if (model_->tokenizer->adds_bos()) text.bos = model_->tokenizer->bos();
  TENON_ASSIGN(const Evaluator evaluator, open(chunk_tokens, text.count()));
  return evaluator.run(text, [&](int64_t chunk, int64_t row, std::span<const float> all) -> Status {
    const std::span<const float> logits = all.first(static_cast<size_t>(vocabulary()));
    const double log_sum = engine::log_sum_of_exponentials(logits);
    const int32_t next = text.next_token(chunk, row);
    if (std::isfinite(log_sum - static_cast<double>(logits[static_cast<size_t>(next)])))
      return on_row(chunk, row, logits, log_sum, next);
    return Error{ErrorCode::kInvalidFile,
                 "chunk " + std::to_string(chunk + 1) + ", row " + std::to_string(row), "finite logits",
                 "others", "the model's weights are damaged, or too large for f16 (try --kv f32)"};
  });
}

Result<engine::RunningMean> PerplexityRun::measure(std::span<const int32_t> tokens,
                                                   const std::string& base_path, const OnChunk& on_chunk) {
  const engine::BaseLogitsShape shape{
      static_cast<int32_t>(options_.chunk_tokens), vocabulary(),
      static_cast<int32_t>(static_cast<int64_t>(tokens.size()) / options_.chunk_tokens)};
  std::optional<engine::BaseLogitsWriter> base;
  if (!base_path.empty()) {
    TENON_ASSIGN(engine::BaseLogitsWriter writer, engine::BaseLogitsWriter::create(base_path, shape, tokens));
    base.emplace(std::move(writer));
  }
  const int64_t last = engine::scored_rows(options_.chunk_tokens) - 1;
  engine::RunningMean negative_log;
  const auto on_row = [&](int64_t chunk, int64_t row, std::span<const float> logits, double log_sum,
                          int32_t next) -> Status {
    if (base) TENON_RETURN_IF_ERROR(base->add(logits));
    negative_log.add(log_sum - static_cast<double>(logits[static_cast<size_t>(next)]));
    if (row < last || !on_chunk) return {};
    return on_chunk(chunk + 1, shape.chunks, negative_log);
  };
  TENON_RETURN_IF_ERROR(evaluate(tokens, options_.chunk_tokens, on_row));
  if (base) TENON_RETURN_IF_ERROR(base->finish());
  return negative_log;
}

Result<engine::Divergence> PerplexityRun::compare(const engine::BaseLogits& base,
                                                  const OnCompared& on_compared) {
  const engine::BaseLogitsShape& shape = base.shape();
  if (shape.vocabulary != vocabulary()) {
    return Error{ErrorCode::kInvalidFile, "vocabulary of the base logits",
                 std::to_string(vocabulary()) + " tokens, as the model has", std::to_string(shape.vocabulary),
                 "write them by a model with the same tokenizer"};
  }
  int64_t chunks = shape.chunks;
  if (options_.most_chunks > 0) chunks = std::min(chunks, options_.most_chunks);
  const int64_t last = engine::scored_rows(shape.chunk_tokens) - 1;
  std::vector<float> expected(static_cast<size_t>(shape.vocabulary));
  engine::Divergence divergence;
  const auto on_row = [&](int64_t chunk, int64_t row, std::span<const float> logits, double log_sum,
                          int32_t next) -> Status {
    TENON_RETURN_IF_ERROR(base.row(chunk, row, expected));
    divergence.add(logits, log_sum, expected, next);
    if (row < last || !on_compared) return {};
    return on_compared(chunk + 1, chunks, divergence);
  };
  TENON_RETURN_IF_ERROR(evaluate(base.tokens().first(static_cast<size_t>(chunks * shape.chunk_tokens)),
                                 shape.chunk_tokens, on_row));
  return divergence;
}

}  // namespace tenon
