#include "tenon/runtime/block_pool.h"

#include <cstring>
#include <numeric>
#include <stdexcept>

namespace tenon::runtime {

Result<BlockPool> BlockPool::create(const Session& session, Backend& backend,
                                    const BlockPoolOptions& options) {
  BlockPool out;
  out.poison_ = options.poison;
  for (const plan::InputBinding& input : session.plan().inputs) {
    if (input.parameter.role != ir::ParameterRole::kCache) continue;
    const TensorType& type = input.parameter.type;
    Cache cache;
    cache.name = input.parameter.name;
    cache.element = type.element;
    cache.heads = type.dim(1).value();
    cache.row_bytes = bytes_for(type.element, type.dim(3).value());
    out.block_size_ = type.dim(2).value();
    TENON_ASSIGN(cache.memory,
                 backend.allocate(static_cast<size_t>(options.blocks * cache.heads * out.block_size_) *
                                  cache.row_bytes));
    out.caches_.push_back(std::move(cache));
  }
  out.users_.assign(static_cast<size_t>(options.blocks), 0);
  out.free_.resize(out.users_.size());
  std::iota(out.free_.rbegin(), out.free_.rend(), 0);
  return out;
}

size_t BlockPool::bytes() const {
  size_t sum = 0;
  for (const Cache& cache : caches_) sum += cache.memory.size;
  return sum;
}

size_t BlockPool::row_bytes(size_t cache) const {
  return static_cast<size_t>(caches_.at(cache).heads) * caches_.at(cache).row_bytes;
}

int32_t BlockPool::take() {
  if (free_.empty()) throw std::logic_error("[BlockPool::take] no block is free");
  const int32_t block = free_.back();
  free_.pop_back();
  users_[static_cast<size_t>(block)] = 1;
  return block;
}

void BlockPool::release(int32_t block) {
  if (--users_.at(static_cast<size_t>(block)) > 0) return;
  if (poison_) poison(block);
  free_.push_back(block);
}

// All bits set is a NaN in f32 and in f16.
void BlockPool::poison(int32_t block) {
  for (const Cache& cache : caches_) {
    std::memset(cache.row(block, 0, 0, block_size_), 0xFF,
                static_cast<size_t>(cache.heads * block_size_) * cache.row_bytes);
  }
}

void BlockPool::copy(int32_t from, int32_t to, int64_t rows) {
  for (const Cache& cache : caches_) {
    for (int64_t head = 0; head < cache.heads; ++head) {
      std::memcpy(cache.row(to, head, 0, block_size_), cache.row(from, head, 0, block_size_),
                  static_cast<size_t>(rows) * cache.row_bytes);
    }
  }
}

Status BlockPool::bind(Session& session) const {
  for (const Cache& cache : caches_) {
    TENON_RETURN_IF_ERROR(session.bind_input(cache.name, cache.memory.data, cache.memory.size));
  }
  return {};
}

void BlockPool::read_row(size_t cache, int32_t block, int64_t row, std::byte* to) const {
  const Cache& from = caches_.at(cache);
  for (int64_t head = 0; head < from.heads; ++head, to += from.row_bytes)
    std::memcpy(to, from.row(block, head, row, block_size_), from.row_bytes);
}

void BlockPool::write_row(size_t cache, int32_t block, int64_t row, const std::byte* from) {
  const Cache& to = caches_.at(cache);
  for (int64_t head = 0; head < to.heads; ++head, from += to.row_bytes)
    std::memcpy(to.row(block, head, row, block_size_), from, to.row_bytes);
}

}  // namespace tenon::runtime
