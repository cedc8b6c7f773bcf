#!/usr/bin/env python3
"""What a test run counts as passed, failed and skipped."""

import unittest

import run_tests


class TestTotals(unittest.TestCase):
    def totals(self, *tests, exit_status=0, **top):
        document = {"testsuites": [{"name": "A", "testsuite": list(tests)}], **top}
        totals = run_tests.count(document, exit_status)
        return totals.passed, totals.failed, totals.skipped

    GOOD = {"status": "RUN", "result": "COMPLETED"}
    BAD = {"status": "RUN", "result": "COMPLETED", "failures": [{}]}
    SKIPPED = {"status": "RUN", "result": "SKIPPED"}
    DISABLED = {"status": "NOTRUN", "result": "SUPPRESSED"}

    def test_each_result_is_counted(self):
        self.assertEqual(self.totals(self.GOOD, self.GOOD), (2, 0, 0))
        self.assertEqual(self.totals(self.GOOD, self.BAD, exit_status=1), (1, 1, 0))
        self.assertEqual(self.totals(self.GOOD, self.SKIPPED, self.DISABLED), (1, 0, 2))

    def test_an_exit_status_that_no_test_explains_is_a_failure(self):
        self.assertEqual(self.totals(self.GOOD, exit_status=1), (1, 1, 0))

    def test_no_tests_at_all_is_a_failure(self):
        self.assertEqual(self.totals(), (0, 1, 0))

    def test_a_final_check_counts_and_may_not_be_off(self):
        self.assertEqual(self.totals(self.GOOD, final_check_gate="passed"), (2, 0, 0))
        self.assertEqual(self.totals(self.GOOD, final_check_gate="failed", exit_status=1), (1, 1, 0))
        self.assertEqual(self.totals(self.GOOD, final_check_gate="off"), (1, 1, 0))

    def test_the_closing_line(self):
        totals = run_tests.Totals()
        totals.add(passed=3)
        self.assertEqual(totals.line(), "3 passed, 0 failed, 0 skipped")
        self.assertTrue(totals.good())
        totals.add(skipped=1)
        self.assertFalse(totals.good())
        self.assertFalse(run_tests.Totals().good())


if __name__ == "__main__":
    unittest.main()
