#!/usr/bin/env python3
"""Writes tenon/text/jinja/case_ranges.inc: the one-to-one case mappings of Python's str.upper and str.lower.

    python3 tools/oracle/make_case_ranges.py > tenon/text/jinja/case_ranges.inc
"""
import sys
import unicodedata


def mapping(convert):
    """{code point: distance to its mapping} of all characters that map to exactly one other character."""
    distances = {}
    for code in range(sys.maxunicode + 1):
        mapped = convert(chr(code))
        if len(mapped) == 1 and ord(mapped) != code:
            distances[code] = ord(mapped) - code
    return distances


def ranges(distances):
    """The mapping as (first, last, step, delta), each range the longer one of step 1 and step 2."""
    codes = sorted(distances)
    at = 0
    while at < len(codes):
        best_end, best_step = at, 1
        for step in (1, 2):
            end = at
            while (end + 1 < len(codes) and codes[end + 1] == codes[end] + step
                   and distances[codes[end + 1]] == distances[codes[at]]):
                end += 1
            if end > best_end:
                best_end, best_step = end, step
        yield codes[at], codes[best_end], best_step, distances[codes[at]]
        at = best_end + 1


def print_table(name, convert):
    print(f"constexpr CaseRange {name}[] = {{")
    line = "   "
    for first, last, step, delta in ranges(mapping(convert)):
        row = f" {{0x{first:x}, 0x{last:x}, {step}, {delta}}},"
        if len(line) + len(row) > 110:
            print(line)
            line = "   "
        line += row
    print(line)
    print("};")


print(f"// Written by tools/oracle/make_case_ranges.py from Unicode {unicodedata.unidata_version}; do not edit.")
print_table("kToUpper", str.upper)
print()
print_table("kToLower", str.lower)
