#!/bin/sh
# Builds the oracle, captures everything again and compares it bit for bit with what is committed; then leaves in
# the cache what is too large to commit: models of test-llama-archs with their logits, and (score.sh) the logits
# of real checkpoints.
#
#   tools/oracle/run.sh            compare; fails on any difference
#   tools/oracle/run.sh --update   replace the committed captures
set -eu

here=$(cd "$(dirname "$0")" && pwd)
tree=$(cd "$here/../.." && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/tenon/oracle
llama_bin=$cache/build/bin
golden=$tree/tests/golden

"$here/setup.sh"
cmake -S "$here" -B "$tree/build/oracle-tool" -G Ninja -DCMAKE_BUILD_TYPE=Release -DORACLE_BUILD="$cache/build" \
  -DORACLE_SOURCE="$cache/llama_cpp_python-0.3.36/vendor/llama.cpp"
cmake --build "$tree/build/oracle-tool"
oracle=$tree/build/oracle-tool/oracle

"$tree/scripts/configure.sh" release
cmake --build "$tree/build/release" --target tenon_write_fixtures tenon_cli

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/ops" "$work/quant" "$work/logits" "$work/tokens" "$work/samplers" "$work/models" "$work/synth"

"$oracle" capture "$work/ops"
"$tree/build/oracle-tool/capture_quant" "$work/quant"
"$oracle" samplers -o "$work/samplers/filters.json"
for pair in smollm2=SmolLM2-135M-Instruct-Q4_1 qwen2.5-coder=Qwen2.5-Coder-0.5B-Instruct-Q4_K_M; do
  "$oracle" tokens "$tree/models/${pair#*=}.gguf" "$golden/tokens/inputs.json" -o "$work/tokens/${pair%%=*}.json"
done
for name in llama-spm gemma-4; do
  "$oracle" tokens "$cache/llama_cpp_python-0.3.36/vendor/llama.cpp/models/ggml-vocab-$name.gguf" \
    "$golden/tokens/inputs.json" -o "$work/tokens/$name.json"
done

# Fixtures. Where one has quantised weights, `exact` is what llama.cpp gives for them as F32; where one has a GELU, what
# llama.cpp gives without the table of f16 from which ggml takes that function.
"$tree/build/release/bin/tenon_write_fixtures" "$work/models"
for vocabulary in "$work"/models/*.vocabulary; do
  name=$(basename "$vocabulary" .vocabulary)
  "$oracle" tokens "$vocabulary" "$golden/tokens/inputs.json" -o "$work/tokens/$name.json"
done
for model in "$work"/models/*.gguf; do
  name=$(basename "$model" .gguf)
  exact=
  case $name in gemma*) exact=--exact-gelu ;; esac
  case $name in
    llama-mixed-types | llama-few-bits | *-mxfp4)
      exact="--exact $work/$name.f32"
      "$llama_bin/llama-quantize" --allow-requantize "$model" "$work/$name.f32" F32 >/dev/null 2>&1
      ;;
  esac
  # shellcheck disable=SC2046,SC2086 # the arguments are words
  "$oracle" logits "$model" $(cat "$work/models/$name.arguments") $exact -o "$work/logits/$name.gguf"
done

# Prompts long enough that llama.cpp's 256 cells of a window layer are taken a second time: it evicts.
long=$(awk 'BEGIN { s = 7; for (i = 0; i < 330; i++) {
  s = (s * 1103515245 + 12345) % 2147483648; printf "%s%d", (i ? "," : ""), 3 + int(s / 65536) % 280 } }')
mkdir "$work/windows"
for name in gemma3-gqa gemma4-shared-kv gpt-oss-gqa; do
  exact=
  case $name in gemma*) exact=--exact-gelu ;; esac
  # shellcheck disable=SC2086 # no word, or one
  "$oracle" logits "$work/models/$name.gguf" $exact --evict --last 40 --tokens "$long" \
    --split 290,17,1,2,1,1,1,1,1,15 -o "$work/windows/$name.gguf"
done

"$here/capture_perplexity.sh" "$llama_bin" "$work/models" "$work/perplexity"

# Synthetic models, dequantised by llama-quantize but for a bf16 matrix that it leaves, and the types that it chooses.
tenon=$tree/build/release/bin/tenon
for name in gemma-4-tiny llama-tiny phi-tiny qwen3-tiny qwen3.5-tiny; do
  exact=
  case $name in gemma*) exact=--exact-gelu ;; esac
  "$tenon" synth "$name" -o "$work/$name.gguf"
  "$llama_bin/llama-quantize" --allow-requantize "$work/$name.gguf" "$work/$name.f32" F32 >/dev/null 2>&1
  "$tenon" quantize "$work/$name.f32" "$work/models/$name.f32" F32
  # shellcheck disable=SC2086 # no word, or one
  "$oracle" logits "$work/models/$name.f32" $exact --tokens 3,40,200,97,311,470,12 --split 5,1,1 \
    -o "$work/synth/$name.gguf"
done
"$here/capture_types.py" "$tenon" "$llama_bin/llama-quantize" >"$work/synth/types.txt"

differences=0
for folder in ops quant logits tokens samplers perplexity synth windows; do
  if [ "${1:-}" = --update ]; then
    cp "$work/$folder"/* "$golden/$folder/"
    continue
  fi
  for capture in "$work/$folder"/*.json "$work/$folder"/*.txt "$work/$folder"/*.kld; do
    [ ! -f "$capture" ] || cmp "$golden/$folder/$(basename "$capture")" "$capture" || differences=1
  done
  if ls "$golden/$folder"/*.gguf >/dev/null 2>&1; then
    "$oracle" compare "$golden/$folder" "$work/$folder" || differences=1
  fi
done

# Chat templates, rendered by Python's jinja2.
if [ "${1:-}" = --update ]; then
  python3 "$here/capture_templates.py"
else
  python3 "$here/capture_templates.py" --check || differences=1
fi

# Models of llama.cpp's own generator: archs/<architecture>-seed<n>.gguf with <…>.logits.gguf beside it.
archs=$cache/archs
mkdir -p "$archs"
for architecture in gemma3 gpt-oss llama mamba2 phi3 qwen2 qwen3 qwen35 qwen3moe; do
  exact= kind=dense
  case $architecture in gemma*) exact=--exact-gelu ;; gpt-oss | *moe) kind=moe ;; esac
  for seed in 1 2 3; do
    model=$archs/$architecture-seed$seed.gguf
    "$llama_bin/test-llama-archs" -a "^$architecture\$" -o "$work/models" -s "$seed" >/dev/null 2>&1
    mv "$work/models/$architecture-$kind.gguf" "$model"
    # shellcheck disable=SC2086 # no word, or one
    "$oracle" logits "$model" $exact --split 17,1,2 -o "${model%.gguf}.logits.gguf" \
      --tokens 96,7,33,120,5,64,64,18,101,2,77,49,88,13,110,59,26,91,40,3
  done
done

"$here/score.sh"
exit "$differences"
