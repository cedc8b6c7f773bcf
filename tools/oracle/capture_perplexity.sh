#!/bin/sh
# What llama-perplexity makes of tests/golden/perplexity/text.txt by the tiny models, into DIR.
#
#   tools/oracle/capture_perplexity.sh LLAMA_BIN MODELS DIR
set -eu

llama_bin=$1
models=$2
target=$3
text=$(cd "$(dirname "$0")/../../tests/golden/perplexity" && pwd)/text.txt

# run MODEL FLAG…: an odd chunk, three side by side, and a last batch that is not full.
run() {
  model=$1
  shift
  "$llama_bin/llama-perplexity" -m "$models/$model.gguf" -c 33 -b 99 --chunks 7 -t 1 -ctk f32 -ctv f32 -fa off "$@" 2>/dev/null
}

mkdir -p "$target"
for model in llama-gqa4x2 gemma3-gqa; do
  run "$model" -f "$text" --kl-divergence-base "$target/$model.kld" | grep '^\[1\]' >"$target/$model.txt"
done
rm "$target/gemma3-gqa.kld"
run qwen2-bias-gqa --kl-divergence-base "$target/llama-gqa4x2.kld" --kl-divergence |
  sed -n '/^chunk/,/^Same top/p' >"$target/qwen2-bias-gqa.txt"
