#!/usr/bin/env python3
"""Fails on what has no place in the repository: paths of one machine, and notes of work left undone."""

import re
import sys

import tree

REFUSED = [
    (re.compile(r"(?<![\w./])/(root|work|home/\w+)/"), "a path of one machine"),
    (re.compile(r"\b(TO" r"DO|FIX" r"ME|X" r"XX)\b"), "work left undone"),
]
LEFT_OUT = {"LICENSE"}


def problems_in(text):
    """(line number, what is wrong, the line) of each."""
    for number, line in enumerate(text.splitlines(), 1):
        for pattern, meaning in REFUSED:
            if pattern.search(line):
                yield number, meaning, line.strip()


def main():
    bad = False
    for path in tree.files():
        if str(path) in LEFT_OUT:
            continue
        try:
            text = (tree.ROOT / path).read_text()
        except UnicodeDecodeError:
            continue  # a capture, not text
        for number, meaning, line in problems_in(text):
            print(f"{path}:{number}: {meaning}: {line[:100]}")
            bad = True
    if not bad:
        print("names: good")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
