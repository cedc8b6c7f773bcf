#!/bin/sh
# Gets the sources that the oracle is made of (the sdist of llama-cpp-python carries ggml and llama.cpp with their
# tools and tests) and builds them once, for this machine. A stamp file says that it was done.
set -eu

revision=0.3.36
sha256=832db0699007f1be95a7e41ef12e88926b02ba836461e36a36372db2760c1a2e
root=${XDG_CACHE_HOME:-$HOME/.cache}/tenon/oracle
stamp=$root/llama_cpp_python-$revision.built
sdist=$root/llama_cpp_python-$revision.tar.gz
source=$root/llama_cpp_python-$revision/vendor/llama.cpp
build=$root/build

if [ -f "$stamp" ]; then
  exit 0
fi
mkdir -p "$root"
if [ ! -f "$source/CMakeLists.txt" ]; then
  # pip makes the metadata of an sdist in an isolated environment of its own.
  python3 -m pip download --no-deps --no-binary llama-cpp-python --dest "$root" "llama-cpp-python==$revision"
  echo "$sha256  $sdist" | sha256sum --check --quiet
  mkdir -p "$root/unpacked"
  tar -xzf "$sdist" -C "$root/unpacked"
  mv "$root/unpacked/llama_cpp_python-$revision" "$root/"  # whole, or not there
  rm -r "$sdist" "$root/unpacked"
fi

launcher=
if command -v ccache >/dev/null; then
  launcher='-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache'
fi
# shellcheck disable=SC2086 # two flags, or none
cmake -S "$source" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DGGML_NATIVE=ON -DGGML_OPENMP=OFF \
  -DLLAMA_BUILD_EXAMPLES=OFF -DLLAMA_BUILD_SERVER=OFF -DLLAMA_BUILD_APP=OFF -DLLAMA_OPENSSL=OFF \
  -DLLAMA_CURL=OFF -DBUILD_SHARED_LIBS=ON $launcher
cmake --build "$build" -j "$(nproc)" --target llama-bench llama-quantize test-llama-archs llama-tokenize \
  llama-perplexity llama-completion
date > "$stamp"
