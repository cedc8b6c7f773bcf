"""Finds out from the sources whether a GoogleTest test asserts anything, itself or by the helpers that it calls."""

import pathlib
import re

import tree

ASSERTION = re.compile(r"\b(EXPECT_\w+|ASSERT_\w+|ADD_FAILURE|ADD_FAILURE_AT|FAIL)\s*\(")
# Always true, whatever the code does.
EMPTY = re.compile(r"\b(?:EXPECT|ASSERT)_TRUE\s*\(\s*true\s*\)|\b(?:EXPECT|ASSERT)_FALSE\s*\(\s*false\s*\)")
STATIC = re.compile(r"\bstatic_assert\s*\(")
HELPER = re.compile(r"\b(\w+)\s*\([^;{}]*\)\s*(?:const\s*|noexcept\s*|->\s*[\w:<>]+\s*)*\{")
CALL = re.compile(r"\b(\w+)\s*(?:<[^;(){}]*>\s*)?\(")
NOISE = re.compile(r'R"(\w*)\((?:.|\n)*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'|//[^\n]*|/\*(?:.|\n)*?\*/')
NOT_HELPERS = {"if", "for", "while", "switch", "catch", "TEST", "TEST_F", "TEST_P", "TYPED_TEST", "TYPED_TEST_P"}


def without_noise(text):
    """The text with comments and literals blanked; lines stay where they are."""
    return NOISE.sub(lambda match: '""' + "\n" * match[0].count("\n"), text)


def body_after(text, start):
    """What stands between the first { at or after `start` and its }."""
    begin = text.find("{", start)
    depth = 0
    for end in range(begin, len(text)):
        depth += {"{": 1, "}": -1}.get(text[end], 0)
        if depth == 0:
            return text[begin + 1:end]
    return ""


class Sources:
    """The test sources below a root and the functions that they define."""

    def __init__(self, root):
        self.helpers = {}  # name -> bodies, wherever it is defined
        for path in tree.files(root):
            if path.suffix in tree.CPP and (path.stem.endswith("_test") or path.parts[0] == "tests"):
                text = without_noise((root / path).read_text())
                for match in HELPER.finditer(text):
                    if match[1] not in NOT_HELPERS:
                        self.helpers.setdefault(match[1], []).append(body_after(text, match.end() - 1))

    def asserts(self, file, line):
        """Whether the test that begins on `line` of `file` does."""
        text = without_noise(pathlib.Path(file).read_text())
        start = sum(len(row) + 1 for row in text.split("\n")[:line - 1])
        return self.body_asserts(body_after(text, start), set())

    def body_asserts(self, body, seen):
        if ASSERTION.search(EMPTY.sub("", body)) or STATIC.search(body):
            return True
        for name in set(CALL.findall(body)) - seen:
            seen.add(name)
            if any(self.body_asserts(helper, seen) for helper in self.helpers.get(name, ())):
                return True
        return False
