#!/usr/bin/env python3
"""Builds a preset and runs every test: each test binary once, unfiltered, in one process.

    scripts/run_tests.py PRESET [--ci]

Closes with one line, `N passed, N failed, N skipped`. A test that is skipped or disabled fails the run, as does a
binary that crashes, writes no report or has a final check that was off. --ci adds the sanitizers and the fuzzers.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
MODEL = ROOT / "models" / "SmolLM2-135M-Instruct-Q4_1.gguf"

# Folders whose tests run under the sanitizers too: those that read bytes from outside or rewrite graphs.
SANITIZED = ["base", "type", "quant", "gguf", "ir", "op", "decoder", "arch", "translate", "pass", "plan", "runtime", "text", "e2e"]

# What would make a test binary run less than all of its tests.
FORBIDDEN = ("GTEST_", "TESTBRIDGE_TEST_ONLY", "TENON_TEST_BREAKER")

TEST_TIME_LIMIT_S = 1200
FUZZ_TIME_S = 20
SHOWN_LINES = 80


class Totals:
    def __init__(self):
        self.passed = self.failed = self.skipped = 0

    def add(self, passed=0, failed=0, skipped=0):
        self.passed += passed
        self.failed += failed
        self.skipped += skipped

    def good(self):
        return self.failed == 0 and self.skipped == 0 and self.passed > 0

    def line(self):
        return f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"


def run(command, log, environment=None, limit=None):
    """Exit status of the command, all that it says going to the file `log`."""
    log.parent.mkdir(parents=True, exist_ok=True)
    with open(log, "wb") as out:
        try:
            return subprocess.run(command, cwd=ROOT, stdout=out, stderr=subprocess.STDOUT, timeout=limit,
                                  env={**os.environ, **(environment or {})}).returncode
        except subprocess.TimeoutExpired:
            out.write(f"\nstopped after {limit} s\n".encode())
            return -1


def tail(log):
    lines = log.read_text(errors="replace").splitlines()
    return "\n".join("    " + line for line in lines[-SHOWN_LINES:])


def report(name, good, detail, seconds):
    print(f"{'ok  ' if good else 'FAIL'}  {name:<34} {detail}  ({seconds:.1f} s)", flush=True)


def count(document, exit_status):
    """Totals of one GoogleTest JSON report. `exit_status` may be bad where every test is good: that is one failure."""
    totals = Totals()
    for suite in document.get("testsuites", []):
        for test in suite.get("testsuite", []):
            if test.get("result") == "SKIPPED" or test.get("status") != "RUN":
                totals.add(skipped=1)
            elif test.get("failures"):
                totals.add(failed=1)
            else:
                totals.add(passed=1)
    for key, state in document.items():
        if key.startswith("final_check_"):
            totals.add(passed=state == "passed", failed=state != "passed")
    nothing_ran = totals.passed + totals.failed == 0
    if nothing_ran or (exit_status != 0 and totals.failed == 0):
        totals.add(failed=1)
    return totals


class Runner:
    def __init__(self, preset):
        self.preset = preset
        self.build = ROOT / "build" / preset
        self.logs = self.build / "test-logs"
        self.totals = Totals()

    def item(self, name, *commands):
        """One thing that passes or fails: its commands, each of which must exit with 0."""
        start = time.monotonic()
        log = self.logs / (name.replace(" ", "-").replace("/", "-") + ".log")
        for command in commands:
            status = run(command, log)
            if status != 0:
                self.totals.add(failed=1)
                report(name, False, f"exit status {status}, log {log.relative_to(ROOT)}", time.monotonic() - start)
                print(tail(log), flush=True)
                return False
        self.totals.add(passed=1)
        report(name, True, "", time.monotonic() - start)
        return True

    def binary(self, build, name, label, environment=None):
        """One GoogleTest binary."""
        start = time.monotonic()
        log = self.logs / f"{label.replace(' ', '-')}.log"
        result = log.with_suffix(".json")
        result.unlink(missing_ok=True)
        status = run([build / "bin" / name, f"--gtest_output=json:{result}"], log, environment, TEST_TIME_LIMIT_S)
        try:
            totals = count(json.loads(result.read_text()), status)
        except (OSError, ValueError):
            totals = Totals()
            totals.add(failed=1)
        self.totals.add(totals.passed, totals.failed, totals.skipped)
        detail = totals.line() + (f", exit status {status}" if status else "")
        report(label, totals.good(), detail, time.monotonic() - start)
        if not totals.good():
            print(tail(log), flush=True)

    def tests(self, build):
        """{name: command} of the tests that CMake knows; the command is there once the test is built.

        Those that tenon_test declares are GoogleTest binaries of the name tenon_NAME_test, the others plain programs.
        """
        listed = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], capture_output=True, text=True)
        tests = json.loads(listed.stdout)["tests"] if listed.returncode == 0 else []
        return {test["name"]: test.get("command", []) for test in tests}

    def configure_and_build(self, preset, targets):
        chosen = ["--target", *targets] if targets else []
        return self.item(f"configure {preset}", ["scripts/configure.sh", preset]) and self.item(
            f"build {preset}", ["cmake", "--build", ROOT / "build" / preset, *chosen])

    def checks(self):
        for check in ["includes", "size", "names"]:
            self.item(f"check {check}", [f"scripts/check_{check}.py"])
        self.item("figures in README.md", ["scripts/bench_table.py"])
        for test in sorted((ROOT / "scripts").glob("*_test.py")):
            self.item(f"scripts/{test.name}", [sys.executable, test])

    def package(self):
        """The installed package serves consumers: those in examples/ find it, link it and run."""
        prefix = self.build / "installed"
        self.item("install", ["rm", "-rf", prefix], ["cmake", "--install", self.build, "--prefix", prefix])
        self.item("exported symbols", ["scripts/check_symbols.py", prefix / "lib" / "libtenon.so"])
        for example, arguments in [("hello", [MODEL, "Say hello."]), ("own_pass", [MODEL])]:
            build = self.build / example
            if self.item(f"build examples/{example}", ["rm", "-rf", build],
                         ["cmake", "-S", f"examples/{example}", "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}"],
                         ["cmake", "--build", build]):
                self.item(f"run examples/{example}", [build / example, *arguments])

    def sanitizers(self):
        build = ROOT / "build" / "asan"
        if not self.item("configure asan", ["scripts/configure.sh", "asan"]):
            return
        names = [name for name in self.tests(build) if name in SANITIZED]
        if self.item("build asan", ["cmake", "--build", build, "--target", "tenon_cli",
                                    *(f"tenon_{name}_test" for name in names)]):
            for name in names:
                self.binary(build, f"tenon_{name}_test", f"asan {name}", {"UBSAN_OPTIONS": "print_stacktrace=1"})

    def all(self, ci):
        self.checks()
        if self.configure_and_build(self.preset, []):
            tests = self.tests(self.build)
            if not tests:
                self.item("list of tests", ["ctest", "--test-dir", self.build, "--show-only", "--no-tests=error"])
            for name, command in tests.items():
                if pathlib.Path(command[0]).name == f"tenon_{name}_test":
                    self.binary(self.build, f"tenon_{name}_test", name)
                else:
                    self.item(name, command)
            self.package()
        if ci:
            self.item("check format", ["scripts/check_format.py"])
            self.sanitizers()
            self.item("fuzz", ["scripts/fuzz.py", "--seconds", str(FUZZ_TIME_S)])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("preset")
    parser.add_argument("--ci", action="store_true", help="also the sanitizers, the fuzzers and the format")
    options = parser.parse_args()
    runner = Runner(options.preset)
    forbidden = [name for name in os.environ if name.startswith(FORBIDDEN) and name != "GTEST_COLOR"]
    if forbidden:
        runner.totals.add(failed=1)
        print(f"FAIL  these variables would leave tests out; unset them: {' '.join(sorted(forbidden))}")
    else:
        runner.all(options.ci)
    print(runner.totals.line())
    return 0 if runner.totals.good() else 1


if __name__ == "__main__":
    sys.exit(main())
