#!/usr/bin/env python3
"""Lines of code by folder; fails on a file of more than 500 lines and names those of more than 300."""

import collections
import sys

import tree

SOFT_LIMIT = 300
HARD_LIMIT = 500


def main():
    folders = collections.Counter()
    long_files = []
    for path in tree.files():
        if not tree.is_code(path):
            continue
        lines = len((tree.ROOT / path).read_text().splitlines())
        folders["/".join(path.parts[:2]) if len(path.parts) > 2 else path.parts[0]] += lines
        if lines > SOFT_LIMIT:
            long_files.append((lines, path))
    for folder, lines in sorted(folders.items()):
        print(f"{lines:7} {folder}")
    print(f"{sum(folders.values()):7} in all")
    for lines, path in sorted(long_files, reverse=True):
        print(f"{path}: {lines} lines, more than {HARD_LIMIT if lines > HARD_LIMIT else SOFT_LIMIT}")
    return 1 if any(lines > HARD_LIMIT for lines, _ in long_files) else 0


if __name__ == "__main__":
    sys.exit(main())
