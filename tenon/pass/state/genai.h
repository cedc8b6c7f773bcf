#pragma once

#include "tenon/ir/pass_manager.h"

namespace tenon::pass {

struct GenaiOptions {
  // inp_out_ids stays an input: the rows whose logits are wanted, i32 [1,1,1,R], counted over the B*T ids ->
  // logits [R,1,V]. For runtimes that cut prompts into steps or feed sequences of different lengths.
  bool chosen_rows = false;
};

// The interface that OpenVINO GenAI drives, of a model that make_stateful has made stateful:
//
//   input_ids, position_ids i64 [B,T], attention_mask i64 [B,KV] (0: a padded token), beam_idx i32 [B]
//   -> logits [B,1,V], those of each sequence's last token
//
// in place of inp_tokens, inp_pos, inp_out_ids and the masks. Ids are lifted to [1,1,B,T] and positions to
// [B,1,1,T], so that a later pass may flatten the tokens to [T,1] with the same graph: each lookup by tokens
// restores its axis at 1 instead of 0 (Unsqueeze), found by structure, and each selection of rows by
// inp_out_ids gathers from the flattened activation. Attention gets a dense mask that causality, the window
// and the padding are in, and keeps what it knows of its structure. Readers of the count of new tokens (the
// input that gives the tokens' symbol its value) get the count of all ids.
//
// A model with recurrent states runs one sequence: B is 1. Positions of several components (M-RoPE) come as
// [components,B,T].
//
// Without the inputs of a GGUF model nothing is done. A model that is not stateful is an error.
ir::Pass adapt_to_genai(GenaiOptions options = {});

}  // namespace tenon::pass
