#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The comparison of the program's page with its help finds what either has alone."""
import unittest

import program

HELP = "Usage: x\n\nSubcommands:\n  draw      Draws\n\nExamples:\n"
OF_DRAW = "Usage: x draw\n\nOptions:\n  -h,--help     Help\n  -o,--output FILE     A file\n  --rows INT:INT=5   Rows\n\nExample:\n  x draw --not-one\n"
PAGE = "# x\n\n`--color` is everywhere.\n\n## draw\n\n```console\n$ x draw --in-a-session\n```\n\n| `-o` | a file |\n| `--rows` | rows |\n"


class Program(unittest.TestCase):
    def faults(self, page):
        return program.faults(page, HELP, {"draw": OF_DRAW}.get)

    def test_a_complete_page(self):
        self.assertEqual(self.faults(PAGE), [])

    def test_what_is_missing(self):
        self.assertEqual(self.faults(PAGE.replace("--rows", "rows")), ["draw: the page does not say --rows"])
        self.assertEqual(self.faults(PAGE.replace("## draw", "## other")), ["no section `draw`"])

    def test_what_is_invented(self):
        self.assertEqual(self.faults(PAGE + "and `--columns`\n"), ["draw: the program has no --columns"])


if __name__ == "__main__":
    unittest.main()
