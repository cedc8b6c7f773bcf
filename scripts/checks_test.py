#!/usr/bin/env python3
"""The checks of sources, run on small trees that break their rules."""

import pathlib
import tempfile
import unittest

import check_includes
import check_names

TABLE = """
base ->
type -> base
ir -> type
plan -> ir
cpu -> plan
facade -> cpu
never ir -> cpu
outside cli -> cpu
outside examples -> *
"""

GOOD = {
    "scripts/include_directions.txt": TABLE,
    "tenon/base/CMakeLists.txt": "tenon_library(base SOURCES a.cpp)",
    "tenon/base/a.h": "#include <map>\n",
    "tenon/type/CMakeLists.txt": "tenon_library(type\n  SOURCES t.cpp  # DEPENDS cpu\n  DEPENDS base)",
    "tenon/type/t.h": '#include "tenon/base/a.h"\n',
    "tenon/ir/CMakeLists.txt": "tenon_library(ir SOURCES i.cpp DEPENDS type)\ntenon_test(ir SOURCES i_test.cpp DEPENDS ir cpu)",
    "tenon/ir/i.h": '#include "tenon/base/a.h"\n#include "tenon/type/t.h"\n',
    "tenon/ir/i_test.cpp": '#include "tests/support/s.h"\n#include "tenon/cpu/c.h"\n',
    "tenon/plan/CMakeLists.txt": "tenon_library(plan SOURCES p.cpp DEPENDS ir)",
    "tenon/cpu/CMakeLists.txt": "tenon_library(cpu SOURCES c.cpp DEPENDS plan)",
    "tenon/cpu/c.h": '#include "tenon/ir/i.h"\n',
    "tenon/CMakeLists.txt": "tenon_public_library(SOURCES tenon.cpp HEADERS tenon.h DEPENDS cpu)",
    "tenon/tenon.h": "",
    "tenon/tenon.cpp": '#include "tenon/cpu/c.h"\n#include "tenon/tenon.h"\n',
    "cli/main.cpp": '#include "tenon/tenon.h"\n#include "tenon/ir/i.h"\n',
    "examples/hello/main.cpp": "#include <tenon/tenon.h>\n",
    "tests/support/s.h": "",
}


class Includes(unittest.TestCase):
    def problems(self, **changed):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {**GOOD, **changed.pop("files", {})}.items():
                path = pathlib.Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            return check_includes.check(pathlib.Path(folder))

    def assert_refused(self, name, text, *words):
        problems = self.problems(files={name: text})
        self.assertEqual(len(problems), 1, problems)
        for word in words:
            self.assertIn(word, problems[0])

    def test_a_good_tree(self):
        self.assertEqual(self.problems(), [])

    def test_an_include_against_the_arrows(self):
        self.assert_refused("tenon/type/t.h", '\n#include "tenon/ir/i.h"\n', "tenon/type/t.h:2", "type may not")
        self.assert_refused("tenon/ir/j.cpp", '# include <tenon/cpu/c.h>\n', "tenon/ir/j.cpp:1", "tenon/cpu/c.h")
        self.assert_refused("tenon/ir/j.cpp", '#include "tenon/tenon.h"\n', "ir may not")

    def test_a_library_may_not_include_what_only_its_test_depends_on(self):
        self.assert_refused("tenon/ir/i.cpp", '#include "tenon/cpu/c.h"\n', "ir may not")

    def test_only_tests_include_tests(self):
        self.assert_refused("tenon/ir/i.cpp", '#include "tests/support/s.h"\n', "only tests")

    def test_a_dependency_that_the_table_lacks(self):
        problems = self.problems(files={
            "tenon/ir/CMakeLists.txt": "tenon_library(ir SOURCES i.cpp DEPENDS cpu type)"})
        self.assertTrue(any("DEPENDS on cpu" in line for line in problems), problems)
        self.assertTrue(any("reaches cpu, which it never may" in line for line in problems), problems)
        self.assert_refused("tenon/new/CMakeLists.txt", "tenon_library(new SOURCES n.cpp)", "new: not in")

    def test_outside_tenon(self):
        self.assert_refused("cli/main.cpp", '#include "tenon/cpu/c.h"\n', "cli may not")
        self.assert_refused("examples/hello/main.cpp", "#include <tenon/ir/i.h>\n", "examples may not")
        self.assert_refused("cli/main.cpp", '#include "main.h"\n', "root of the repository")


class Names(unittest.TestCase):
    def test_refused(self):
        for text in ["see /wo" "rk/main", "# TO" "DO: later", "a FIX" "ME", "/ro" "ot/models"]:
            self.assertEqual(len(list(check_names.problems_in("first\n" + text))), 1, text)

    def test_good(self):
        for text in ["build/work/x", "the root/of", "/usr/include", "a to-do list"]:
            self.assertEqual(list(check_names.problems_in(text)), [], text)


if __name__ == "__main__":
    unittest.main()
