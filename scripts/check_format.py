#!/usr/bin/env python3
"""Names the C++ sources that .clang-format would change; --fix changes them."""

import re
import shutil
import subprocess
import sys

import tree


def main():
    if shutil.which("clang-format") is None:
        print("clang-format is not there (scripts/setup.sh develop)", file=sys.stderr)
        return 1
    sources = [path for path in tree.files() if path.suffix in tree.CPP]
    if sys.argv[1:] == ["--fix"]:
        return subprocess.run(["clang-format", "-i", *sources], cwd=tree.ROOT).returncode
    done = subprocess.run(["clang-format", "--dry-run", *sources], cwd=tree.ROOT, capture_output=True, text=True)
    changed = sorted(set(re.findall(r"^(.+?):\d+:\d+: ", done.stderr, re.M)))
    print("\n".join(f"{path}: not formatted (make format)" for path in changed) or "format: good")
    return 1 if changed or done.returncode else 0


if __name__ == "__main__":
    sys.exit(main())
