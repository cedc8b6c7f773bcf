#!/bin/sh
# tests/fuzz/run.sh [SECONDS]: builds every fuzz target (preset fuzz: clang, AddressSanitizer, UBSan) and runs each for
# so many seconds (default 20), beginning with its committed corpus. What it finds lies in build/fuzz/findings.
set -eu
seconds=${1:-20}
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${TENON_FUZZ_BUILD:-$root/build/fuzz}

cd "$root"
cmake --preset fuzz -B "$build" -G Ninja >/dev/null
cmake --build "$build" --target fuzzers

mkdir -p "$build/findings"
for target in "$build"/bin/tenon_*_fuzz; do
  name=$(basename "$target" _fuzz)
  name=${name#tenon_}
  mkdir -p "$build/grown/$name"
  log=$build/$name.log
  # No input needs more memory than a few times its own size.
  "$target" -max_total_time="$seconds" -timeout=5 -rss_limit_mb=1024 -malloc_limit_mb=64 -max_len=4096 \
    -print_final_stats=1 -verbosity=0 -artifact_prefix="$build/findings/$name-" \
    "$build/grown/$name" "$root/tests/fuzz/corpus/$name" >"$log" 2>&1 || { tail -n 60 "$log" && exit 1; }
  echo "$name: nothing found in $(grep -o 'executed_units: .*' "$log" | cut -d ' ' -f 2-) inputs"
done
