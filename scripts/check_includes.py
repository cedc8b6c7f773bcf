#!/usr/bin/env python3
"""Fails on an include that goes against the directions of scripts/include_directions.txt.

What a folder of tenon/ may include is the DEPENDS of the tenon_library line in its CMakeLists.txt, and what those
reach; a test may also include the DEPENDS of its tenon_test. The lines are held against the table.
"""

import pathlib
import re
import sys

import tree

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)[">]', re.M)
CALL = re.compile(r"^\s*(tenon_library|tenon_test|tenon_fuzz|tenon_public_library)\(([^)]*)\)", re.M)
KEYWORDS = {"SOURCES", "DEPENDS", "LIBRARIES", "HEADERS"}


def closure(start, edges):
    """All that is reachable from the folders `start`, themselves included."""
    seen, todo = set(), list(start)
    while todo:
        folder = todo.pop()
        if folder not in seen:
            seen.add(folder)
            todo += edges.get(folder, ())
    return seen


class Directions:
    """The table: allowed edges, edges that are never allowed, and what folders outside tenon/ may not include."""

    def __init__(self, text):
        self.allowed, self.never, self.outside = {}, {}, {}
        for line in text.splitlines():
            line = line.split("#")[0].strip()
            if not line:
                continue
            left, right = line.split("->")
            words = left.split()
            kind = {"never": self.never, "outside": self.outside}.get(words[0], self.allowed)
            kind[words[-1]] = right.split()


def calls(text):
    """(function, folder, DEPENDS) of each tenon_… call in a CMakeLists.txt."""
    text = re.sub(r"#.*", "", text)
    for function, arguments in CALL.findall(text):
        words = arguments.split()
        folder = "facade" if function == "tenon_public_library" else words[0]
        depends, keyword = [], None
        for word in words:
            if word in KEYWORDS:
                keyword = word
            elif keyword == "DEPENDS":
                depends.append(word)
        yield function, folder, depends


def included_folder(header):
    """Folder of a header of ours: "gguf" of tenon/gguf/reader.h, "facade" of tenon/tenon.h."""
    parts = pathlib.PurePosixPath(header).parts
    return parts[1] if len(parts) > 2 else "facade"


def check(root):
    """Lines that say what is wrong."""
    directions = Directions((root / "scripts" / "include_directions.txt").read_text())
    problems, libraries, tests = [], {}, {}
    paths = tree.files(root)
    for path in paths:
        if path.name != "CMakeLists.txt":
            continue
        for function, folder, depends in calls((root / path).read_text()):
            if function in ("tenon_library", "tenon_public_library"):
                libraries[folder] = depends
            else:
                tests.setdefault(path.parts[:2], set()).update(depends)

    for folder, depends in libraries.items():
        if folder not in directions.allowed:
            problems.append(f"{folder}: not in scripts/include_directions.txt")
        for other in set(depends) - closure(directions.allowed.get(folder, ()), directions.allowed):
            problems.append(f"{folder}: its CMakeLists.txt DEPENDS on {other}, which the table does not allow")
        for other in closure(depends, libraries) & set(directions.never.get(folder, ())):
            problems.append(f"{folder}: reaches {other}, which it never may")

    for path in paths:
        if path.suffix not in tree.CPP:
            continue
        is_test = "test" in path.stem.split("_") or path.parts[0] == "tests"  # x_test.cpp, x_test_support.h
        if path.parts[0] == "tenon":
            own = path.parts[1] if len(path.parts) > 2 else "facade"
            may = closure([own, *libraries.get(own, ()), *(tests.get(path.parts[:2], ()) if is_test else ())], libraries)
        else:
            own = path.parts[0]
            refused = directions.outside.get(own, ())
            everything = {"facade", *libraries, *directions.allowed}
            may = {"facade"} if "*" in refused else everything - set(refused)
        text = (root / path).read_text()
        for match in INCLUDE.finditer(text):
            quote, header = match.groups()
            place = f"{path}:{text.count(chr(10), 0, match.start()) + 1}"
            if header.startswith("tenon/"):
                if included_folder(header) not in may:
                    problems.append(f'{place}: {own} may not include "{header}"')
            elif header.startswith("tests/"):
                if not is_test:
                    problems.append(f'{place}: only tests may include "{header}"')
            elif quote == '"' and own != "tools" and not (root / header).exists():
                problems.append(f'{place}: "{header}" is not written from the root of the repository')
    return problems


def main():
    problems = check(tree.ROOT)
    print("\n".join(problems) if problems else "include directions: good")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
