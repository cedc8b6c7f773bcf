// What the parts of a transformer under construction share, and the parts that every one of them has: inputs,
// token embedding, row selection and logits.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/arch/blocks/hyperparameters.h"
#include "tenon/arch/blocks/weights.h"
#include "tenon/arch/native_decoder.h"
#include "tenon/base/result.h"

namespace tenon::arch {

struct BuildOptions {
  ElementType cache_element = ElementType::kF16;  // f16 or f32
  int64_t context = 0;  // tokens that a sequence may come to; 0: what the model was trained for
  // Caches of layers with a window are declared to hold it alone: CacheKind::kWindow, with an index and a
  // length (KV_swa) of their own. For an owner that evicts: a stateless graph of such caches is right only
  // while nothing is evicted.
  bool evicting_windows = false;
};

struct Transformer {
  std::shared_ptr<const gguf::File> file;
  BuildOptions options;
  Hyperparameters hyperparameters;
  GraphBuilder graph;
  Weights weights;

  // The model's inputs. T new tokens, R rows whose logits are wanted, KV cached tokens. A model without
  // attention has tokens and output rows alone.
  decoder::Edge tokens;  // inp_tokens i32 [1, 1, 1, T]
  decoder::Edge
      positions;  // inp_pos i32 [1, 1, 1, T], or its components one after the other [1, 1, 1, 4 * T]
  decoder::Edge output_rows;         // inp_out_ids i32 [1, 1, 1, R]
  decoder::Edge mask;                // self_kq_mask f32 [1, 1, T, KV], causal over inp_pos
  decoder::Edge window_mask;         // self_kq_mask_swa, the same over the window; where a layer has one
  decoder::Edge cache_index;         // inp_kv_idx i64 [1, 1, 1, T], the cache rows that the new tokens take
  decoder::Edge window_cache_index;  // of layers with a window: the same, or inp_kv_idx_swa where they evict

  double logit_softcap = 0;  // c: the logits become c * tanh(logits / c); 0: they stay as they are
  // Caches and recurrent states as the new tokens leave them, in the order of their writing.
  std::vector<decoder::Output> caches;
};

// Adds the inputs that the hyperparameters ask for. Throws std::invalid_argument for a cache type that is
// neither f16 nor f32.
Transformer begin_transformer(std::shared_ptr<const gguf::File> file, const BuildOptions& options,
                              Hyperparameters hyperparameters);
// With read_hyperparameters().
Result<Transformer> begin_transformer(std::shared_ptr<const gguf::File> file, const BuildOptions& options);

// "Qcur" of layer 3 -> "Qcur-3"; "attn_q.weight" of layer 3 -> "blk.3.attn_q.weight".
std::string layer_node(std::string_view name, int64_t layer);
std::string layer_tensor(std::string_view name, int64_t layer);

// Rows of token_embd.weight: f32 [1, 1, T, F].
Result<decoder::Edge> token_embedding(Transformer& model);

// output_norm, then output.weight (token_embd.weight where the file has none), then an optional output.bias
// and the soft cap; makes the result the model's logits f32 [1, 1, R, rows], followed by the caches, and
// checks that no tensor of the file was left out. The matrix may have more rows than the file names tokens
// (padding, masked by who samples); fewer is an error.
Result<std::unique_ptr<decoder::Decoder>> finish_transformer(Transformer&& model, decoder::Edge x);

}  // namespace tenon::arch
