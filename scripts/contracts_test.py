#!/usr/bin/env python3
"""The contracts' gate: which id a name belongs to, what an empty test is, and that the gate fails where it should."""

import contextlib
import io
import pathlib
import tempfile
import textwrap
import unittest
from unittest import mock

import assertions
import contracts

SOURCE = textwrap.dedent('''\
    void expect_same(int a) { EXPECT_EQ(a, 1); }
    void twice(int a) { expect_same(a); }
    void silent(int a) { call(a); }
    TEST(S1_A, Asserts) {
      EXPECT_EQ(1, 1);
    }
    TEST(S1_A, ByHelperOfHelper) { twice(1); }
    TEST(S1_A, OnlyTalks) {
      // EXPECT_EQ(1, 2);
      silent(1);
      log("EXPECT_EQ(1, 2) } {");
    }
    TEST(S1_A, AlwaysTrue) { EXPECT_TRUE(true); }
    TEST(S1_A, AtCompileTime) { static_assert(sizeof(int) == 4); }
''')


class Names(unittest.TestCase):
    def test_the_id_is_that_of_suite_or_test(self):
        self.assertEqual(contracts.contract_of("S2_OneCache.Default"), "S2")
        self.assertEqual(contracts.contract_of("OneCache.S19_Refused"), "S19")
        self.assertEqual(contracts.contract_of("Every/K3_Plan.Fuses/avx2"), "K3")
        self.assertEqual(contracts.contract_of("S2_scatter_axis_0"), "S2")
        self.assertEqual(contracts.contract_of("Cache.DISABLED_S2_Default"), "S2")
        self.assertIsNone(contracts.contract_of("Cache.ReadsS2_Block"))

    def test_a_state_is_due_or_open(self):
        self.assertEqual(contracts.read_states("# text\nS1: open\nS2: due  # now\n"), {"S1": "open", "S2": "due"})
        with self.assertRaises(ValueError):
            contracts.read_states("S1: done\n")


class Assertions(unittest.TestCase):
    def asserts(self, name):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "a_test.cpp")
            file.write_text(SOURCE)
            line = next(n for n, row in enumerate(SOURCE.splitlines(), 1) if f", {name})" in row)
            return assertions.Sources(pathlib.Path(folder)).asserts(file, line)

    def test_found_in_the_body_and_in_helpers(self):
        for name in ["Asserts", "ByHelperOfHelper", "AtCompileTime"]:
            self.assertTrue(self.asserts(name), name)

    def test_not_found_in_comments_strings_and_tautologies(self):
        for name in ["OnlyTalks", "AlwaysTrue"]:
            self.assertFalse(self.asserts(name), name)


class Gate(unittest.TestCase):
    BINARY = pathlib.Path("tenon_x_test")

    def named(self, name):
        return contracts.Test(self.BINARY, name, "x_test.cpp", 1)

    def run_gate(self, gate, outcome, *arguments):
        """Whether the gate passes, with outcome(test name, breaker) in the place of real runs."""
        def results(tests, breaker=None):
            return {test: outcome(test.name, breaker) for test in tests}
        class Sources:
            def __init__(self, root):
                pass

            def asserts(self, file, line):
                return file != "empty_test.cpp"
        with mock.patch.object(contracts, "results", results), mock.patch.object(assertions, "Sources", Sources), \
                contextlib.redirect_stdout(io.StringIO()):
            return gate(*arguments)

    def check(self, tests, outcome=lambda name, breaker: ("passed", {})):
        return self.run_gate(contracts.check, outcome, ["S2"], tests)

    def test_check(self):
        self.assertTrue(self.check([self.named("S2_A.B")]))
        self.assertFalse(self.check([]))
        self.assertFalse(self.check([self.named("S21_A.B")]))
        self.assertFalse(self.check([self.named("S2_A.DISABLED_B")]))
        self.assertFalse(self.check([contracts.Test(self.BINARY, "S2_A.B", "empty_test.cpp", 1)]))
        for result in ["failed", "skipped", "crashed"]:
            self.assertFalse(self.check([self.named("S2_A.B")], lambda name, breaker: (result, {})))

    def bite(self, tests, breakers, outcome):
        faults = [contracts.Breaker(self.BINARY, name) for name in breakers]
        return self.run_gate(contracts.bite, outcome, ["S2"], tests, faults)

    def test_bite(self):
        def failed(name, breaker):
            return "failed", {"breaker": breaker}

        def passed(name, breaker):
            return "passed", {"breaker": breaker}

        def each_its_own(name, breaker):
            return ("failed" if name[-1] == breaker[-1] else "passed"), {}
        both = [self.named("S2_A.B1"), self.named("S2_A.B2")]
        self.assertTrue(self.bite(both, ["S2_x"], failed))
        self.assertTrue(self.bite(both, ["S2_1", "S2_2"], each_its_own))
        self.assertFalse(self.bite(both, ["S2_1"], each_its_own))            # B2 notices nothing
        self.assertFalse(self.bite(both, ["S2_1", "S2_2", "S2_3"], each_its_own))  # nobody notices 3
        self.assertFalse(self.bite(both, ["S2_x"], passed))
        self.assertFalse(self.bite(both, [], failed))
        self.assertFalse(self.bite([], ["S2_x"], failed))
        self.assertFalse(self.bite(both, ["S2_x"], lambda name, breaker: ("crashed", {})))


if __name__ == "__main__":
    unittest.main()
