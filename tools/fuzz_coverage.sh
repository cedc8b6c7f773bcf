#!/bin/sh
# tools/fuzz_coverage.sh: line coverage that each fuzz target's committed corpus alone reaches in the sources it is
# there for; fails below 90 %.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=${TENON_FUZZ_BUILD:-$root/build/fuzz_coverage}
profdata=$(command -v llvm-profdata || command -v llvm-profdata-14)
cov=$(command -v llvm-cov || command -v llvm-cov-14)
least=90

cd "$root"
cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_COMPILER=clang++ -DTENON_DEVELOPER=OFF \
  -DTENON_FUZZ=ON -DCMAKE_CXX_FLAGS="-fprofile-instr-generate -fcoverage-mapping" >/dev/null
cmake --build "$build" --target fuzzers

failed=0
# check NAME SOURCE…: the target tenon_NAME_fuzz over tests/fuzz/corpus/NAME.
check() {
  name=$1
  shift
  LLVM_PROFILE_FILE="$build/$name.profraw" "$build/bin/tenon_${name}_fuzz" -runs=0 -verbosity=0 "tests/fuzz/corpus/$name"
  "$profdata" merge -o "$build/$name.profdata" "$build/$name.profraw"
  report=$("$cov" report "$build/bin/tenon_${name}_fuzz" -instr-profile="$build/$name.profdata" "$@")
  echo "$report"
  # The TOTAL row ends in: lines, missed lines, covered %, branches, missed branches, covered %.
  covered=$(echo "$report" | awk '$1 == "TOTAL" { sub("%", "", $10); print $10 }')
  if awk "BEGIN { exit !($covered < $least) }"; then
    echo "$name: $covered % of lines, wanted at least $least %" >&2
    failed=1
  fi
}

reader=$(ls tenon/gguf/*.cpp tenon/gguf/*.h | grep -v -e _test.cpp -e writer)
check gguf $reader
exit $failed
