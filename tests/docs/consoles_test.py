#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tests/docs/consoles.py on pages made up here: what passes, and that each kind of difference fails."""
import contextlib
import io
import os
import stat
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import consoles

PROGRAM = '#!/bin/sh\ncase "$1 $2" in *bad*) echo "no such problem"; exit 1;; esac\necho "said $*"; echo "set: $ONEDNN_VERBOSE"\n'


class ConsolesTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name)
        self.program = self.path / "bin/tessera"
        self.program.parent.mkdir()
        self.program.write_text(PROGRAM)
        self.program.chmod(self.program.stat().st_mode | stat.S_IXUSR)

    def check(self, text, *options, name="page.md"):
        (self.path / name).write_text(text)
        errors = io.StringIO()
        with mock.patch.dict(os.environ, {"ONEDNN_VERBOSE": "2"}), contextlib.redirect_stderr(errors), \
                contextlib.redirect_stdout(io.StringIO()):
            return consoles.main(self.program, *options, self.path / name), errors.getvalue()

    def session(self, *lines):
        return "\n".join(["# Page", "", "```console", *lines, "```", ""])

    def test_passes(self):
        text = self.session("$ tessera layout nchw", "said layout nchw", "set:", "", "$ export ONEDNN_VERBOSE=1; echo one >file",
                            "$ cat file; tessera \\", "  x 2>&1", "one", "said …", "set: 1", "$ ls /nowhere", "ls: …", "$ seq 9", "1", "…", "9")
        self.assertEqual(self.check(text), (0, ""))

    def test_folders_are_empty(self):
        self.assertEqual(self.check(self.session("$ ls"))[0], 0)

    def test_other_blocks_are_not_run(self):
        self.assertEqual(self.check("```sh\n$ rm -rf nothing\n```\n````text\n```console\n$ false\nno\n```\n````\n")[0], 0)

    def test_fails(self):
        for lines in (["$ tessera x", "said y", "set:"], ["$ echo one"], ["$ true", "one"], ["$ seq 3", "1", "3"], ["one", "$ echo one"],
                      ["$ exit 3", "$ echo one", "one"]):
            with self.subTest(lines=lines):
                code, errors = self.check(self.session(*lines))
                self.assertEqual(code, 1)
                self.assertIn("page.md", errors)

    def test_lines(self):
        good = '[one]\nline = "good"\n'
        self.assertEqual(self.check(good, "--lines", name="table.toml"), (0, ""))
        for text in (good + '[two]\nline = "bad"\n', good + '[two]\ntitle = "none"\n'):
            code, errors = self.check(text, "--lines", name="table.toml")
            self.assertEqual(code, 1)
            self.assertIn("two", errors)


if __name__ == "__main__":
    unittest.main()
