// What matmul needs of a weight format, on groups of kLanes rows at a time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tenon/cpu/kernels/activations.h"

namespace tenon::cpu {

// kLanes rows of a weight, of which `count` exist; the last one stands in for the rest.
struct WeightRows {
  const std::byte* first;
  int64_t row_bytes;
  int64_t count;

  TENON_INLINE const std::byte* row(int64_t i) const { return first + smaller(i, count - 1) * row_bytes; }
};

// Everything about x; which parts are filled depends on the job's weights and number of tokens.
struct Activations {
  int64_t tokens = 0, depth = 0;
  const float* x = nullptr;  // [tokens, depth]
  int64_t x_stride = 0;
  QuantisedRows rows;
  QuantisedTiles tiles;
  const float* packed = nullptr;  // [tiles, depth, tile tokens]
};

struct FormatOps {
  bool quantised;       // reads the quantised x, else f32
  int64_t tile_tokens;  // tokens of a tile

  // Few tokens. c[t, r] = x[t] · row r, for all tokens of x.
  void (*dot)(const WeightRows&, const Activations&, float* c);

  // Many tokens: unpack the rows once, then multiply them by every tile.
  int64_t (*panel_bytes)(int64_t depth);  // of kLanes unpacked rows
  void (*unpack)(const WeightRows&, int64_t depth, std::byte* panel);
  // What the sums of all rows of the format have in common for a tile (2 * tiles.groups * tile_tokens numbers
  // of 32 bits).
  void (*prepare)(const Activations&, int64_t tile, int32_t* start);
  // c[t, r] = x[t] · row r for the tokens of a tile; tokens beyond x's last are garbage.
  void (*multiply)(const std::byte* panel, const Activations&, int64_t tile, const int32_t* start, float* c);
};

}  // namespace tenon::cpu
