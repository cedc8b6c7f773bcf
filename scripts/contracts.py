#!/usr/bin/env python3
"""The gate of the contracts: every id that docs/contracts.yaml calls due has tests, and they pass.

    scripts/contracts.py PRESET           print id, test, result
    scripts/contracts.py PRESET --bite    run the tests with each of their breakers in: they must fail

A test belongs to id S4 when its suite's or its own name begins with S4_. Beside a failure, it counts against a due id
that it has no test, or one that is disabled, skipped or without an assertion. Of an id's breakers, each must be noticed
by a test, and each test must notice one. docs/dev/contracts.md has the whole of it.
"""

import argparse
import collections
import dataclasses
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import assertions
import tree

TIME_LIMIT_S = 1200


@dataclasses.dataclass(frozen=True)
class Test:
    binary: pathlib.Path
    name: str  # Suite.Test
    file: str
    line: int

    @property
    def disabled(self):
        return any(part.startswith("DISABLED_") for part in re.split(r"[./]", self.name))


@dataclasses.dataclass(frozen=True)
class Breaker:
    binary: pathlib.Path
    name: str


def read_states(text):
    """{id: "due" or "open"} of docs/contracts.yaml, a plain mapping."""
    states = {}
    for line in text.splitlines():
        line = line.split("#")[0].strip()
        if line:
            name, state = (word.strip() for word in line.split(":"))
            if state not in ("due", "open"):
                raise ValueError(f"docs/contracts.yaml: {name} is {state}, wanted due or open")
            states[name] = state
    return states


def contract_of(name):
    """Id of a test or a breaker, by its name ("Suite.Test", "Instance/Suite.Test/0"), or None."""
    for part in re.split(r"[./]", name):
        match = re.match(r"(?:DISABLED_)?([A-Z][0-9]+)_", part)
        if match:
            return match[1]
    return None


def run_binary(binary, arguments, breaker=None):
    """(exit status, JSON report or None, output) of one run of a test binary."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GTEST_")}
    environment.pop("TENON_TEST_BREAKER", None)
    if breaker:
        environment["TENON_TEST_BREAKER"] = breaker
    with tempfile.NamedTemporaryFile(suffix=".json") as report:
        try:
            done = subprocess.run([binary, *arguments, f"--gtest_output=json:{report.name}"], env=environment,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                                  timeout=TIME_LIMIT_S)
        except subprocess.TimeoutExpired:
            return -1, None, f"stopped after {TIME_LIMIT_S} s\n"
        text = pathlib.Path(report.name).read_text()
    return done.returncode, json.loads(text) if text else None, done.stdout


def tests_of(document):
    """(name, test) of every test in a report of GoogleTest."""
    for suite in document.get("testsuites", []):
        for test in suite.get("testsuite", []):
            yield f"{suite['name']}.{test['name']}", test


def find_tests(binaries):
    for binary in binaries:
        status, document, output = run_binary(binary, ["--gtest_list_tests"])
        if status != 0 or document is None:
            raise RuntimeError(f"{binary.name} does not list its tests: {output}")
        for name, test in tests_of(document):
            yield Test(binary, name, test["file"], test["line"])


def find_breakers(binaries):
    for binary in binaries:
        listed = subprocess.run([binary, "--list_breakers"], capture_output=True, text=True, check=True).stdout
        for line in listed.splitlines():
            yield Breaker(binary, line.split("\t")[0])


def results(tests, breaker=None):
    """{test: (result, report's entry)} of the tests, which are one binary's, in one process.

    The result is passed, failed, skipped or crashed.
    """
    names = ":".join(test.name for test in tests)
    _, document, _ = run_binary(tests[0].binary, [f"--gtest_filter={names}"], breaker)
    reported = dict(tests_of(document)) if document else {}
    out = {}
    for test in tests:
        entry = reported.get(test.name)
        if entry is None:
            result = "crashed"
        elif entry.get("failures"):
            result = "failed"
        elif entry["status"] != "RUN" or entry["result"] == "SKIPPED":
            result = "skipped"
        else:
            result = "passed"
        out[test] = (result, entry or {})
    return out


def by_binary(items):
    groups = collections.defaultdict(list)
    for item in items:
        groups[item.binary].append(item)
    return groups.values()


def check(due, tests):
    """Prints id, test, result of each; returns whether all is well."""
    sources = assertions.Sources(tree.ROOT)
    good = True
    for contract in due:
        own = [test for test in tests if contract_of(test.name) == contract]
        if not own:
            print(f"{contract:4} no test")
            good = False
        for group in by_binary(own):
            for test, (result, _) in results(group).items():
                if test.disabled:
                    result = "disabled"
                elif result == "passed" and not sources.asserts(test.file, test.line):
                    result = "asserts nothing"
                print(f"{contract:4} {test.name:<70} {result}", flush=True)
                good &= result == "passed"
    return good


def bite(due, tests, breakers):
    """Runs each test of a due id with each breaker of that id in its binary; returns whether all is well."""
    good = True
    for contract in due:
        own = [test for test in tests if contract_of(test.name) == contract]
        faults = [breaker for breaker in breakers if contract_of(breaker.name) == contract]
        noticing, unreached = set(), collections.defaultdict(list)
        for breaker in faults:
            group = [test for test in own if test.binary == breaker.binary]
            noticed = []
            for test, (result, entry) in (results(group, breaker.name) if group else {}).items():
                if result == "failed":
                    noticed.append(test.name)
                    noticing.add(test)
                elif result == "passed" and "breaker" not in entry:
                    unreached[test].append(breaker.name)
                elif result != "passed":
                    print(f"{contract:4} {breaker.name:<40} {test.name} {result}")
                    good = False
            print(f"{contract:4} {breaker.name:<40} {'noticed by ' + ', '.join(noticed) if noticed else 'NOT NOTICED'}",
                  flush=True)
            good &= bool(noticed)
        for test in own:
            if test not in noticing:
                never = f" (never reached {', '.join(unreached[test])})" if unreached[test] else ""
                print(f"{contract:4} {test.name} passes with every breaker of {contract} in{never}")
                good = False
        if not own:
            print(f"{contract:4} no test")
            good = False
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("preset")
    parser.add_argument("--bite", action="store_true", help="run the tests with their faults put in")
    parser.add_argument("ids", nargs="*", help="only these (default: all that are due)")
    options = parser.parse_intermixed_args()
    states = read_states((tree.ROOT / "docs" / "contracts.yaml").read_text())
    due = options.ids or [name for name, state in states.items() if state == "due"]
    binaries = sorted((tree.ROOT / "build" / options.preset / "bin").glob("tenon_*_test"))
    tests = list(find_tests(binaries))
    good = True
    breakers = list(find_breakers(binaries)) if options.bite else []
    for item in [*tests, *breakers]:
        contract = contract_of(item.name)
        if contract is not None and contract not in states or contract is None and isinstance(item, Breaker):
            print(f"{item.name}: docs/contracts.yaml has no such id")
            good = False
    good &= bite(due, tests, breakers) if options.bite else check(due, tests)
    print(f"{len(due)} contracts {'bite' if options.bite else 'hold'}" if good else "contracts: FAILED")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
