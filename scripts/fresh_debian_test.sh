#!/usr/bin/env bash
# Shows that a newcomer's two commands work on a fresh Debian 12: makes one in FOLDER (debootstrap, a chroot), puts the
# sources of HEAD in and runs there `make run`, `make run` again, and `make test`. Needs root and debootstrap.
#
#   scripts/fresh_debian_test.sh FOLDER [set-up|run|all]     how far to go (default: all)
#
# Beyond the minimal system only make is put in, which the README asks for. Packages come from where this machine's
# apt and pip get them.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=$(realpath -m "${1:?usage: scripts/fresh_debian_test.sh FOLDER [set-up|run|all]}")
stage=${2:-all}
sources=/srv/tenon  # inside

say() { printf '\n== %s\n' "$*"; }

unmount() {
  umount "$folder/dev/pts" "$folder/dev" "$folder/proc" 2>/dev/null || true
}
trap unmount EXIT

inside() {
  local passed=() name
  while read -r name; do passed+=("$name=${!name}"); done < <(compgen -e | grep -Ei '^PIP_|^(https?|no)_proxy$' || true)
  chroot "$folder" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 "${passed[@]}" \
    bash -c "cd $sources && $*"
}

seconds_of() {  # runs the command inside; its output to FOLDER/log, its seconds to stdout
  local start=$EPOCHREALTIME
  inside "$*" >"$folder/log" 2>&1 || { cat "$folder/log" >&2; return 1; }
  awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.2f", b - a }'
}

if [ ! -e "$folder/etc/debian_version" ]; then
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -v security | head -n 1)
  say "debootstrap into $folder"
  debootstrap --variant=minbase --include=make,ca-certificates bookworm "$folder" "$mirror" >"$folder.log" 2>&1 ||
    { tail "$folder.log"; exit 1; }
fi

say "configuration of apt, pip, certificates and name resolution"
cp -L /etc/resolv.conf "$folder/etc/resolv.conf"
rm -f "$folder/etc/apt/sources.list"
for path in /etc/apt /etc/pip.conf /etc/ssl/certs/ca-certificates.crt /usr/local/share/ca-certificates "$HOME/.config/pip"; do
  if [ -e "$path" ]; then
    target=$folder$([ "${path#"$HOME"}" = "$path" ] && echo "$path" || echo "/root${path#"$HOME"}")
    mkdir -p "$(dirname "$target")"
    cp -rLT "$path" "$target"
  fi
done
mountpoint -q "$folder/proc" || mount -t proc proc "$folder/proc"
mountpoint -q "$folder/dev" || mount --bind /dev "$folder/dev"
mountpoint -q "$folder/dev/pts" || mount --bind /dev/pts "$folder/dev/pts"  # chats are tested on a terminal

rm -rf "${folder:?}$sources"
mkdir -p "$folder$sources"
git archive HEAD | tar -x -C "$folder$sources"

if [ "$stage" = set-up ]; then
  say "scripts/setup.sh, make models"
  inside "scripts/setup.sh && scripts/setup.sh && make models && ls -l models"
  exit
fi

say "make run: the first time"
first=$(seconds_of make run)
cat "$folder/log"
say "make run: the second time"
second=$(seconds_of make run)
grep -Eiq 'building|fetching|installing' "$folder/log" && { cat "$folder/log"; echo "it built or fetched again"; exit 1; }
program=$(seconds_of 'build/release/bin/tenon run models/SmolLM2-135M-Instruct-Q4_1.gguf -p "Name three rivers of Europe."')
say "first $first s, second $second s, the program alone $program s"

if [ "$stage" = all ]; then
  say "make test"
  inside "make test"
fi
