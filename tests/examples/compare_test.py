#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The comparison of what examples print: what it accepts, and how it fails."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from compare import first_difference

COMPARE = Path(__file__).with_name("compare.py")


class Compare(unittest.TestCase):
    def compare(self, expected, printed, code=0, complaint=""):
        """(exit code, what it says)"""
        with tempfile.TemporaryDirectory() as folder:
            text = Path(folder) / "text.txt"
            if expected is not None:
                text.write_text(expected, encoding="utf-8")
            program = f"import sys; sys.stdout.buffer.write({printed!r}.encode()); sys.stderr.write({complaint!r}); sys.exit({code})"
            ran = subprocess.run([sys.executable, COMPARE, text, sys.executable, "-c", program], capture_output=True, text=True)
            self.assertEqual(ran.stderr, "")
            return ran.returncode, ran.stdout

    def test_what_fits(self):
        for expected, printed in [
            ("a\nb\n", "a\nb\n"),
            ("", ""),
            ("took … ms (…)\n", "took 12.5 ms (avx2)\n"),
            ("took …ms\n", "took ms\n"),                          # none is a run, too
            ("first\n…\nlast\n", "first\n1\n2\n3\nlast\n"),
            ("first\n…\nlast\n", "first\nlast\n"),
            ("…\na\n…\nb\n", "a\n0\na\nb\n"),                     # the first a is not the last before b
            ("…\n", "anything\nat\nall\n"),
            ("[1.5] (2) a+ .*\n", "[1.5] (2) a+ .*\n"),           # nothing else is special
            ("größer … µs\n", "größer 7 µs\n"),
        ]:
            self.assertIsNone(first_difference(expected.splitlines(), printed.splitlines()), expected)

    def test_what_does_not_fit(self):
        for expected, printed in [
            ("a\nb\n", "a\nc\n"),
            ("a\n", "a \n"),
            ("a\nb\nc\n", "a\nc\n"),           # a line is missing
            ("a\nb\n", "a\n"),                 # the last one is
            ("a\n", "a\nb\n"),                 # one too many
            ("", "a\n"),
            ("a\n", ""),
            ("took … ms\n", "took 3 s\n"),
            ("took … ms\n", "took 3\n ms\n"),  # `…` within a line ends with it
            ("a\n…\nlast\n", "a\n1\n2\n"),
            ("a.c\n", "abc\n"),
        ]:
            self.assertIsNotNone(first_difference(expected.splitlines(), printed.splitlines()), expected)

    def test_the_program(self):
        self.assertEqual(self.compare("größer … µs\n", "größer 7 µs\n"), (0, ""))
        code, said = self.compare("took … ms\n", "took 3 s\n")
        self.assertEqual(code, 1)
        self.assertRegex(said, "Expected:\n.*took … ms\n(.*\n)*Printed:\n.*took 3 s\n")

    def test_the_first_line_that_differs_is_marked(self):
        code, said = self.compare("1\n2\n3\n4\n5\n6\n", "1\n2\n3\nfour\n5\n6\n")
        self.assertEqual(code, 1)
        self.assertIn("text.txt:4 differs", said)
        self.assertIn("  >    4 4\n", said)
        self.assertIn("  >    4 four\n", said)
        code, said = self.compare("…\nb\nc\n", "0\n1\nb\nd\n")
        self.assertIn("  >    3 c\n", said)
        self.assertIn("  >    4 d\n", said)

    def test_a_program_that_fails(self):
        code, said = self.compare("a\n", "a\n", code=3, complaint="out of luck\n")
        self.assertEqual(code, 1)
        self.assertIn("the program ends with 3\nout of luck\n", said)
        self.assertEqual(self.compare("a\n", "b\n", code=1)[0], 1)

    def test_a_text_that_is_missing(self):
        code, said = self.compare(None, "hello\n")
        self.assertEqual(code, 1)
        self.assertIn("text.txt is missing", said)
        self.assertIn("hello", said)

    def test_a_program_that_cannot_run_here(self):
        self.assertEqual(self.compare("a\n", "no device\n", code=77), (77, "no device\n"))


if __name__ == "__main__":
    unittest.main()
