#!/usr/bin/env python3
"""Fails when a shared library exports anything but names of namespace tenon.

    scripts/check_symbols.py path/to/libtenon.so
"""

import re
import subprocess
import sys

OURS = re.compile(r"((typeinfo|typeinfo name|vtable) for )?tenon::")


def main():
    listed = subprocess.run(["nm", "-DC", "--defined-only", sys.argv[1]], capture_output=True, text=True, check=True)
    names = [line.split(maxsplit=2)[2] for line in listed.stdout.splitlines()]
    strangers = [name for name in names if not OURS.match(name)]
    print("\n".join(f"exported, but not ours: {name}" for name in strangers))
    print(f"{len(names)} symbols exported")
    return 1 if strangers or not names else 0


if __name__ == "__main__":
    sys.exit(main())
