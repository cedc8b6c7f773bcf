#include "tenon/runtime/paged_state.h"

#include <algorithm>

namespace tenon::runtime {

namespace {

Status bind(Session& session, ir::ParameterRole role, std::byte* data, size_t bytes) {
  for (const plan::InputBinding& input : session.plan().inputs) {
    if (input.parameter.role == role)
      TENON_RETURN_IF_ERROR(session.bind_input(input.parameter.name, data, bytes));
  }
  return {};
}

Status bind(Session& session, ir::ParameterRole role, std::vector<int32_t>& table) {
  return bind(session, role, reinterpret_cast<std::byte*>(table.data()), table.size() * sizeof(int32_t));
}

}  // namespace

std::optional<int64_t> paged_block_size(const plan::Plan& plan) {
  std::optional<int64_t> rows;
  bool paged = false;
  for (const plan::InputBinding& input : plan.inputs) {
    paged |= input.parameter.role == ir::ParameterRole::kBlockIndices;
    if (input.parameter.role == ir::ParameterRole::kCache) rows = input.parameter.type.dim(2).try_value();
  }
  return paged ? rows : std::nullopt;
}

Result<std::unique_ptr<PagedState>> PagedState::create(const Session& session, Backend& backend,
                                                       const BlockPoolOptions& options) {
  TENON_ASSIGN(BlockPool pool, BlockPool::create(session, backend, options));
  return std::unique_ptr<PagedState>(new PagedState(std::move(pool)));
}

SequenceId PagedState::add() {
  tables_[next_] = {};
  return next_++;
}

SequenceId PagedState::fork(SequenceId parent) {
  const Table copy = table(parent);
  for (const int32_t block : copy.blocks) pool_.share(block);
  tables_[next_] = copy;
  return next_++;
}

void PagedState::remove(SequenceId sequence) {
  release_from(table(sequence), 0);
  tables_.erase(sequence);
}

void PagedState::reorder(std::span<const SequenceId> sequences, std::span<const SequenceId> parents) {
  std::vector<Table> next;
  for (const SequenceId parent : parents) {
    next.push_back(table(parent));
    for (const int32_t block : next.back().blocks) pool_.share(block);
  }
  for (size_t i = 0; i < sequences.size(); ++i) {
    release_from(table(sequences[i]), 0);
    table(sequences[i]) = std::move(next[i]);
  }
}

Status PagedState::trim(SequenceId sequence, int64_t length) {
  Table& trimmed = table(sequence);
  if (length < 0 || length > trimmed.length) {
    return Error{ErrorCode::kInvalidArgument, "trim", "0 to " + std::to_string(trimmed.length) + " tokens",
                 std::to_string(length), ""};
  }
  release_from(trimmed, static_cast<size_t>(blocks_for(length)));
  trimmed.length = length;
  return {};
}

void PagedState::release_from(Table& table, size_t block) {
  for (size_t i = block; i < table.blocks.size(); ++i) pool_.release(table.blocks[i]);
  table.blocks.resize(std::min(block, table.blocks.size()));
}

int64_t PagedState::blocks_for(int64_t tokens) const {
  return (tokens + pool_.block_size() - 1) / pool_.block_size();
}

// New ones at the end, and a copy of the last where others use it too and it has room left.
int64_t PagedState::blocks_needed(const Table& table, int64_t tokens) const {
  if (tokens == 0) return 0;
  const bool writes_last = table.length % pool_.block_size() != 0;
  const bool copies = writes_last && pool_.users(table.blocks.back()) > 1;
  return blocks_for(table.length + tokens) - static_cast<int64_t>(table.blocks.size()) + (copies ? 1 : 0);
}

void PagedState::make_room(Table& table, int64_t tokens) {
  if (tokens == 0) return;
  const int64_t used = table.length % pool_.block_size();
  if (used != 0 && pool_.users(table.blocks.back()) > 1) {
    const int32_t own = pool_.take();
    pool_.copy(table.blocks.back(), own, used);
    pool_.release(table.blocks.back());
    table.blocks.back() = own;
  }
  while (static_cast<int64_t>(table.blocks.size()) < blocks_for(table.length + tokens))
    table.blocks.push_back(pool_.take());
}

void PagedState::fill_tables(std::span<const Append> step) {
  past_lengths_.clear();
  sequence_begins_.assign(1, 0);
  block_indices_.clear();
  block_begins_.assign(1, 0);
  longest_ = 0;
  for (const Append& append : step) {
    const Table& of = table(append.sequence);
    past_lengths_.push_back(static_cast<int32_t>(of.length));
    sequence_begins_.push_back(sequence_begins_.back() + static_cast<int32_t>(append.tokens));
    block_indices_.insert(block_indices_.end(), of.blocks.begin(), of.blocks.end());
    block_begins_.push_back(static_cast<int32_t>(block_indices_.size()));
    longest_ = std::max(longest_, static_cast<int32_t>(of.length + append.tokens));
  }
}

Status PagedState::bind(Session& session, std::span<const Append> step, std::vector<SymbolValue>& symbols) {
  int64_t needed = 0;
  for (const Append& append : step) needed += blocks_needed(table(append.sequence), append.tokens);
  if (needed > pool_.free_count()) {
    return Error{ErrorCode::kContextFull, "blocks of the caches", std::to_string(needed) + " more",
                 std::to_string(pool_.free_count()) + " free of " + std::to_string(pool_.block_count()),
                 "end or trim a sequence, or use a larger context"};
  }
  for (const Append& append : step) make_room(table(append.sequence), append.tokens);
  fill_tables(step);
  TENON_RETURN_IF_ERROR(pool_.bind(session));
  TENON_RETURN_IF_ERROR(runtime::bind(session, ir::ParameterRole::kPastLengths, past_lengths_));
  TENON_RETURN_IF_ERROR(runtime::bind(session, ir::ParameterRole::kSequenceBegins, sequence_begins_));
  TENON_RETURN_IF_ERROR(runtime::bind(session, ir::ParameterRole::kBlockIndices, block_indices_));
  TENON_RETURN_IF_ERROR(runtime::bind(session, ir::ParameterRole::kBlockBegins, block_begins_));
  TENON_RETURN_IF_ERROR(runtime::bind(session, ir::ParameterRole::kMaxContextLength,
                                      reinterpret_cast<std::byte*>(&longest_), sizeof longest_));
  symbols.push_back({"N", static_cast<int64_t>(step.size())});
  symbols.push_back({"n_block_indices", static_cast<int64_t>(block_indices_.size())});
  symbols.push_back({"blocks", pool_.block_count()});
  return {};
}

void PagedState::commit(std::span<const Append> step) {
  for (const Append& append : step) table(append.sequence).length += append.tokens;
}

template <class Visit>
void PagedState::for_each_row(const Table& of, int64_t length, Visit visit) const {
  size_t at = 0;
  for (size_t cache = 0; cache < pool_.cache_count(); ++cache) {
    for (int64_t position = 0; position < length; ++position, at += pool_.row_bytes(cache)) {
      visit(cache, of.blocks[static_cast<size_t>(position / pool_.block_size())],
            position % pool_.block_size(), at);
    }
  }
}

size_t PagedState::saved_bytes(int64_t length) const {
  size_t per_token = 0;
  for (size_t cache = 0; cache < pool_.cache_count(); ++cache) per_token += pool_.row_bytes(cache);
  return static_cast<size_t>(length) * per_token;
}

std::vector<std::byte> PagedState::save(SequenceId sequence) const {
  const Table& of = table(sequence);
  std::vector<std::byte> out(saved_bytes(of.length));
  for_each_row(of, of.length, [&](size_t cache, int32_t block, int64_t row, size_t at) {
    pool_.read_row(cache, block, row, out.data() + at);
  });
  return out;
}

Status PagedState::restore(SequenceId sequence, int64_t length, std::span<const std::byte> saved) {
  Table& of = table(sequence);
  const auto own = std::count_if(of.blocks.begin(), of.blocks.end(),
                                 [&](int32_t block) { return pool_.users(block) == 1; });
  if (blocks_for(length) > pool_.free_count() + own) {
    return Error{ErrorCode::kContextFull, "blocks of the caches", std::to_string(blocks_for(length)),
                 std::to_string(pool_.free_count() + own) + " free", "use a larger context"};
  }
  release_from(of, 0);
  of.length = 0;
  make_room(of, length);
  for_each_row(of, length, [&](size_t cache, int32_t block, int64_t row, size_t at) {
    pool_.write_row(cache, block, row, saved.data() + at);
  });
  of.length = length;
  return {};
}

PagedSequence::PagedSequence(std::shared_ptr<PagedState> state, int64_t context)
    : state_(std::move(state)), id_(state_->add()), context_(context) {}

PagedSequence::~PagedSequence() { state_->remove(id_); }

Status PagedSequence::bind(Session& session, int64_t tokens, std::vector<SymbolValue>& symbols) {
  const Append step[] = {{id_, tokens}};
  return state_->bind(session, step, symbols);
}

void PagedSequence::commit(int64_t tokens) {
  const Append step[] = {{id_, tokens}};
  state_->commit(step);
}

void PagedSequence::reset() { (void)state_->trim(id_, 0); }

Status PagedSequence::trim(int64_t length) {
  TENON_RETURN_IF_ERROR(check_trim(length));
  return state_->trim(id_, length);
}

std::vector<std::byte> PagedSequence::save() const { return state_->save(id_); }

Status PagedSequence::restore(int64_t length, std::span<const std::byte> saved) {
  TENON_RETURN_IF_ERROR(check_restore(length, state_->saved_bytes(length), saved.size()));
  return state_->restore(id_, length, saved);
}

}  // namespace tenon::runtime
