#include "tenon/plan/memory.h"

#include <algorithm>
#include <map>

namespace tenon::plan {

namespace {

constexpr size_t kAlignment = 64;
// Memory is not given away in the next few steps after its last use: steps that have nothing else to do with
// each other then need no barrier between them.
constexpr size_t kRestingSteps = 2;

struct Life {
  int storage;
  size_t first, last;  // step indices
};

template <class Visit>
void for_each_operand(const Step& step, Visit visit) {
  for (const StepPart& part : step.parts) {
    for (const Operand& operand : part.inputs) {
      if (operand.storage >= 0) visit(operand, false);
    }
    for (const Operand& operand : part.outputs) visit(operand, true);
  }
}

}  // namespace

// Largest first, each at the lowest offset where no storage that lives at the same time lies.
size_t assign_arena(const StepList& list, std::vector<Storage>& storages) {
  std::map<int, Life> lives;
  for (size_t i = 0; i < list.steps.size(); ++i) {
    for_each_operand(list.steps[i], [&](const Operand& operand, bool) {
      if (storages[static_cast<size_t>(operand.storage)].kind != StorageKind::kArena) return;
      lives.try_emplace(operand.storage, Life{operand.storage, i, i}).first->second.last = i + kRestingSteps;
    });
  }
  std::vector<Life> order;
  for (const auto& [storage, life] : lives) order.push_back(life);
  const auto size = [&](const Life& life) { return storages[static_cast<size_t>(life.storage)].max_bytes; };
  std::stable_sort(order.begin(), order.end(),
                   [&](const Life& a, const Life& b) { return size(a) > size(b); });

  size_t total = 0;
  std::vector<Life> placed;  // kept sorted by offset
  for (const Life& life : order) {
    size_t offset = 0;
    for (const Life& other : placed) {
      if (other.last < life.first || life.last < other.first) continue;
      const size_t other_offset = storages[static_cast<size_t>(other.storage)].arena_offset;
      if (offset + size(life) <= other_offset) break;
      offset = std::max(offset, (other_offset + size(other) + kAlignment - 1) / kAlignment * kAlignment);
    }
    storages[static_cast<size_t>(life.storage)].arena_offset = offset;
    total = std::max(total, offset + size(life));
    placed.insert(std::upper_bound(placed.begin(), placed.end(), offset,
                                   [&](size_t value, const Life& other) {
                                     return value < storages[static_cast<size_t>(other.storage)].arena_offset;
                                   }),
                  life);
  }
  return (total + kAlignment - 1) / kAlignment * kAlignment;
}

void place_barriers(StepList& list, const std::vector<Storage>& storages) {
  struct Region {
    int storage;  // -1 for any arena storage, told apart by range
    size_t begin, end;
    bool written;
  };
  std::vector<Region> open;  // touched since the last barrier
  bool scratch_in_use = false;
  for (Step& step : list.steps) {
    std::vector<Region> mine;
    for_each_operand(step, [&](const Operand& operand, bool written) {
      const Storage& storage = storages[static_cast<size_t>(operand.storage)];
      if (storage.kind == StorageKind::kConstant) return;
      if (storage.kind == StorageKind::kArena) {
        mine.push_back({-1, storage.arena_offset, storage.arena_offset + storage.max_bytes, written});
      } else {
        mine.push_back({operand.storage, 0, 1, written});
      }
    });
    const auto conflict = [&](const Region& a) {
      return std::any_of(open.begin(), open.end(), [&](const Region& b) {
        return a.storage == b.storage && (a.written || b.written) && a.begin < b.end && b.begin < a.end;
      });
    };
    step.barrier_before =
        (step.scratch_bytes > 0 && scratch_in_use) || std::any_of(mine.begin(), mine.end(), conflict);
    if (step.barrier_before) {
      open.clear();
      scratch_in_use = false;
    }
    scratch_in_use |= step.scratch_bytes > 0;
    open.insert(open.end(), mine.begin(), mine.end());
  }
}

}  // namespace tenon::plan
