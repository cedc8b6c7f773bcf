// The two places where a translated graph says that tokens lie behind a leading 1, made to follow the ids.
#pragma once

#include "tenon/ir/model.h"

namespace tenon::pass {

// Every Unsqueeze(0) ← optional Convert ← Gather(table, indices ← optional Squeeze ← `tokens`) becomes
// Unsqueeze(1). Returns how many there were.
//   [1,T] -> [1,T,F] -> [1,1,T,F];  [T,1] -> [T,1,F] -> [T,1,1,F]
Result<int> move_embedding_axes(ir::Model& model, ir::Node& tokens);

// Every Unsqueeze(0) ← optional Convert ← Gather(Squeeze(activation), Squeeze(`output_rows`)) selects from
// the tokens of all sequences instead: Gather(Reshape(activation,[-1,F]), Reshape(indices,[-1,1])) [R,1,F] ->
// Unsqueeze(1) [R,1,1,F]. Returns how many there were.
Result<int> flatten_row_selections(ir::Model& model, ir::Node& output_rows);

}  // namespace tenon::pass
