// Decoders around cache writes, for the contracts of state.
#pragma once

#include "tests/support/hand_decoder.h"

namespace tenon::contracts {

// `count` caches cache_0, cache_1, … f16 [1,KV,2,4]; data_0, data_1, … f32 [1,T,2,4] go to the rows of the
// one index i64 [1,1,1,T]; returned under the caches' names. `kinds` are those of the first caches.
test::HandDecoder cache_writes(int count, const std::vector<decoder::Cache>& kinds = {});

// One write of "data" into "cache", of these types; the index is i64 [1,1,1,T].
test::HandDecoder one_write(std::string_view cache, std::string_view data, decoder::Cache kind = {});

// A lookup whose rows are cached: inp_tokens i32 [1,1,1,T] -> rows of a table f32 [9,8], in which row r is
// 10r, 10r + 1, …, 10r + 7 -> [1,T,2,4] -> cache f16 [1,KV,2,4].
test::HandDecoder cached_lookup();

}  // namespace tenon::contracts
