// The memory of caches that lie in blocks, and who uses which block.
#pragma once

#include <string>
#include <vector>

#include "tenon/runtime/session.h"

namespace tenon::runtime {

struct BlockPoolOptions {
  int64_t blocks = 0;
  bool poison =
      false;  // freed blocks are filled with NaN: for tests that nothing reads what it did not write
};

// Blocks are numbered over all caches of a plan: block b of a sequence is block b of every layer.
class BlockPool {
 public:
  // Takes the memory for the caches of `session`'s plan, inputs [blocks, G, rows, D] of role kCache.
  static Result<BlockPool> create(const Session& session, Backend& backend, const BlockPoolOptions& options);

  int64_t block_size() const { return block_size_; }  // rows
  int64_t block_count() const { return static_cast<int64_t>(users_.size()); }
  int64_t free_count() const { return static_cast<int64_t>(free_.size()); }
  int users(int32_t block) const { return users_.at(static_cast<size_t>(block)); }
  size_t bytes() const;

  // A free block with one user; throws std::logic_error when there is none (ask free_count() first).
  int32_t take();
  void share(int32_t block) { ++users_.at(static_cast<size_t>(block)); }
  // One user less; without any the block is free again.
  void release(int32_t block);
  // The first `rows` rows of `from` in every cache.
  void copy(int32_t from, int32_t to, int64_t rows);

  Status bind(Session& session) const;

  // One position of one cache, [G, D].
  size_t cache_count() const { return caches_.size(); }
  size_t row_bytes(size_t cache) const;
  void read_row(size_t cache, int32_t block, int64_t row, std::byte* to) const;
  void write_row(size_t cache, int32_t block, int64_t row, const std::byte* from);

 private:
  struct Cache {
    std::string name;
    ElementType element;
    int64_t heads = 0;
    size_t row_bytes = 0;  // of one head
    Buffer memory;
    std::byte* row(int32_t block, int64_t head, int64_t row, int64_t block_size) const {
      return memory.data + static_cast<size_t>((block * heads + head) * block_size + row) * row_bytes;
    }
  };
  void poison(int32_t block);

  std::vector<Cache> caches_;
  std::vector<int> users_;     // of each block
  std::vector<int32_t> free_;  // the last one is taken next
  int64_t block_size_ = 0;
  bool poison_ = false;
};

}  // namespace tenon::runtime
