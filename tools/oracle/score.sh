#!/bin/sh
# What llama.cpp makes of real checkpoints, teacher-forced (contract E4): 4608 tokens of the text of the GPL, in nine
# contexts of 512, every token's logits. Kept in the cache, since they are gigabytes; made once per model and run.
#
#   tools/oracle/score.sh [MODEL.gguf …]      default: models/*.gguf
#
# Leaves <cache>/score/<model>/tokens.npy and, in each of these folders, logits_000.npy … (f32 [512, vocabulary]):
#   exact/            weights dequantised to F32, F32 KV, no flash attention: the judge
#   llama.cpp-f32/    the file as it is, F32 KV, no flash attention
#   llama.cpp-f16/    the file as it is, F16 KV, no flash attention
set -eu

here=$(cd "$(dirname "$0")" && pwd)
tree=$(cd "$here/../.." && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/tenon/oracle
oracle=$tree/build/oracle-tool/oracle
text=/usr/share/common-licenses/GPL-3
chunk=512
tokens=$((9 * chunk))

# score FOLDER MODEL [FLAG…]: a folder is complete once it has its name.
score() {
  target=$1
  model=$2
  shift 2
  rm -rf "$target.partial"
  "$oracle" score "$model" --tokens-file "$folder/tokens.npy" --chunk "$chunk" "$@" -o "$target.partial"
  mv "$target.partial" "$target"
}

if [ $# -eq 0 ]; then
  set -- "$tree"/models/*.gguf
fi
for checkpoint in "$@"; do
  folder=$cache/score/$(basename "$checkpoint" .gguf)
  mkdir -p "$folder"
  if [ ! -f "$folder/tokens.npy" ]; then
    "$oracle" tokenize "$checkpoint" "$text" --count "$tokens" -o "$folder/tokens.npy"
  fi
  for kv in f32 f16; do
    if [ ! -d "$folder/llama.cpp-$kv" ]; then
      score "$folder/llama.cpp-$kv" "$checkpoint" --kv "$kv"
    fi
  done
  if [ ! -d "$folder/exact" ]; then
    "$cache/build/bin/llama-quantize" --allow-requantize "$checkpoint" "$folder/exact.gguf" F32 >/dev/null 2>&1
    score "$folder/exact" "$folder/exact.gguf"
    rm "$folder/exact.gguf"
  fi
done
