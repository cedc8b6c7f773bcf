// Finds the token of a text: open addressing over the vocabulary's ids, since loading a model looks up every
// merge three times.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::text {

// Holds ids only; the texts stay where they are and are handed in again at each call.
class TokenIndex {
 public:
  explicit TokenIndex(size_t tokens = 0) : slots_(std::bit_ceil(2 * tokens + 1)) {}

  // Adds the id, or gives the one that has the same text already.
  std::optional<int32_t> insert(const std::vector<std::string>& texts, int32_t id) {
    const size_t at = place(texts, texts[static_cast<size_t>(id)]);
    if (slots_[at].id >= 0) return slots_[at].id;
    slots_[at] = {hash(texts[static_cast<size_t>(id)]), id};
    return std::nullopt;
  }

  std::optional<int32_t> find(const std::vector<std::string>& texts, std::string_view text) const {
    const int32_t id = slots_[place(texts, text)].id;
    return id < 0 ? std::nullopt : std::optional(id);
  }

 private:
  struct Slot {
    uint32_t hash = 0;
    int32_t id = -1;
  };

  static uint32_t hash(std::string_view text) {
    return static_cast<uint32_t>(std::hash<std::string_view>()(text));
  }

  // Where `text` is, or the free slot where it belongs; at least half of the slots are free.
  size_t place(const std::vector<std::string>& texts, std::string_view text) const {
    const uint32_t wanted = hash(text);
    size_t at = wanted & (slots_.size() - 1);
    while (slots_[at].id >= 0 &&
           (slots_[at].hash != wanted || texts[static_cast<size_t>(slots_[at].id)] != text)) {
      at = (at + 1) & (slots_.size() - 1);
    }
    return at;
  }

  std::vector<Slot> slots_;
};

}  // namespace tenon::text
