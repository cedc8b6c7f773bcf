#!/usr/bin/env bash
# Sees that everything a build needs is there, and installs what is missing by apt-get where that is allowed (root or
# sudo). Where it is not, prints what to install and fails. Says nothing when all is there.
#
#   scripts/setup.sh [run|test|develop]     what make run needs (default), make test too, and all make targets
set -euo pipefail

# purpose  Debian package   version in Debian 12  probe: a command, or a header below an include folder
packages='
run        g++              12.2.0      command g++
run        cmake            3.25.1      command cmake
run        ninja-build      1.11.1      command ninja
run        pkg-config       1.8.1       command pkg-config
run        libpcre2-dev     10.42       header pcre2.h
run        nlohmann-json3-dev 3.11.2    header nlohmann/json.hpp
run        libcli11-dev     2.1.2       header CLI/CLI.hpp
run        libgtest-dev     1.12.1      header gtest/gtest.h
run        libgmock-dev     1.12.1      header gmock/gmock.h
run        libbenchmark-dev 1.7.1       header benchmark/benchmark.h
run        python3          3.11.2      command python3
run        python3-pip      23.0.1      command pip3
run        ca-certificates  20230311    command update-ca-certificates
develop    ccache           4.7.5       command ccache
develop    clang            14.0.6      command clang++
develop    clang-format     14.0.6      command clang-format
'

present() {  # kind name
  case $1 in
    command) command -v "$2" >/dev/null ;;
    header)
      local folder folders
      IFS=: read -r -a folders <<<"${CPATH:-}:/usr/include:/usr/local/include"
      for folder in "${folders[@]}"; do
        if [ -n "$folder" ] && [ -e "$folder/$2" ]; then return 0; fi
      done
      return 1
      ;;
  esac
}

purpose=${1:-run}
case $purpose in
  run | test) wanted=' run ' ;;
  develop) wanted=' run develop ' ;;
  *)
    echo "usage: scripts/setup.sh [run|test|develop]" >&2
    exit 2
    ;;
esac

missing=()
described=''
while read -r for_what package version kind name; do
  if [ -z "$for_what" ] || [[ $wanted != *" $for_what "* ]] || present "$kind" "$name"; then continue; fi
  missing+=("$package")
  described+=$(printf '  %-20s %-10s (no %s %s)' "$package" "$version" "$kind" "$name")$'\n'
done <<<"$packages"

if [ ${#missing[@]} -eq 0 ]; then exit 0; fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  # sudo may ask for a password only where somebody can answer.
  if command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then as_root=(sudo); else as_root=(none); fi
fi
if ! command -v apt-get >/dev/null || [ "${as_root[*]}" = none ]; then
  printf 'Missing, and not installable from here (needs apt-get and root or sudo). Debian package, its version there:\n'
  printf '%s\nOn Debian or Ubuntu:  apt-get install %s\n' "$described" "${missing[*]}"
  exit 1
fi >&2

printf 'Installing what the build needs:\n%s' "$described" >&2
log=$(mktemp)
trap 'rm -f "$log"' EXIT
install() {
  "${as_root[@]}" apt-get -q update &&
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q install -y --no-install-recommends "${missing[@]}"
}
if ! install >"$log" 2>&1; then
  tail -n 20 "$log"
  printf 'apt-get failed (its last lines above). Install these by hand and run again:\n  %s\n' "${missing[*]}"
  exit 1
fi >&2
