#!/usr/bin/env bash
# Configures build/PRESET, once: again only when the presets change (what else changes, the build itself sees).
#
#   scripts/configure.sh PRESET
set -euo pipefail
cd "$(dirname "$0")/.."

preset=${1:?usage: scripts/configure.sh PRESET}
stamp=build/$preset/.configured
if [ -e "$stamp" ] && [ ! CMakePresets.json -nt "$stamp" ]; then exit 0; fi

if command -v ninja >/dev/null; then export CMAKE_GENERATOR=Ninja; fi
mkdir -p "build/$preset"
cmake --fresh --preset "$preset" >&2
touch "$stamp"
