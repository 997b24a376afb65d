#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tests/docs/tree.py on a tree made up here: it passes, and each mistake that is planted is found."""
import tempfile
import unittest
from pathlib import Path

import tree

GOOD = {
    "README.md": "# Name\n\nSee [start](doc/start.md#first-steps).\n\n```cpp\nint x;\n```\n",
    "doc/index.md": "# Front\n\n```{toctree}\nstart\nTitle <topics/one>\ntopics/*\nprimitives/index\n```\n",
    "doc/start.md": "# Start\n\n## First steps\n\n[here](#first-steps) [one](topics/one.md) [made](primitives/one.md)\n"
                    "[file](../examples/one.cpp) `[no](link)`\n\n```sh\n[no](link)\n# no heading\n```\n",
    "doc/topics/one.md": "# One\n\n```{literalinclude} ../../examples/one.cpp\n:language: cpp\n:start-after: [part]\n:end-before: [/part]\n```\n",
    "doc/topics/two.md": "# Two\n",
    "doc/tour.md": "# Tour\n\n```cpp\nint x;\n```\n",
    "doc/api/pages.toml": '[[page]]\nfile = "memory"\n',
    "doc/primitives/table.toml": '[one]\ntitle = "One"\n',
    "examples/one.cpp": "// [part]\nint x;\n// [/part]\n",
    "src/core/problem/primitives.def": "PRIMITIVE(one, 1)\n",
}
GOOD["doc/index.md"] += "\n```{toctree}\ntour\n```\n"


class TreeTest(unittest.TestCase):
    def check(self, **changes):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {**GOOD, **changes}.items():
                path = Path(folder) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            return list(tree.problems(Path(folder).resolve()))

    def test_passes(self):
        self.assertEqual(self.check(), [])

    def test_mistakes(self):
        start, one = GOOD["doc/start.md"], GOOD["doc/topics/one.md"]
        for name, text, words in (
                ("README.md", "# Name\n\n[x](doc/primitives/one.md)\n", "doc/primitives/one.md does not exist"),
                ("README.md", "# Name\n\n```cpp\nint y;\n```\n", "not lines of an example"),
                ("README.md", "# Name\n\n```text\n5\n```\n", "not lines of an example"),
                ("doc/start.md", start.replace("topics/one.md", "topics/three.md"), "topics/three.md does not exist"),
                ("doc/start.md", start.replace("(#first-steps)", "(#last-steps)"), "#last-steps: no such heading"),
                ("README.md", "# Name\n\n[x](doc/start.md#last-steps)\n", "doc/start.md#last-steps: no such heading"),
                ("doc/start.md", start.replace("primitives/one.md", "primitives/two.md"), "primitives/two.md does not exist"),
                ("doc/topics/one.md", one.replace("one.cpp", "two.cpp"), "examples/two.cpp does not exist"),
                ("doc/topics/one.md", one.replace(": [part]", ": [other]"), "has '[other]' 0 times"),
                ("examples/one.cpp", "// [/part]\nint x;\n// [part]\n", "comes before the start"),
                ("examples/one.cpp", "// [part]\n" + GOOD["examples/one.cpp"], "has '[part]' 2 times"),
                ("doc/topics/two.md", "# Two\n\n```cpp\nint x;\n```\n", "code on a page for users"),
                ("doc/topics/two.md", "# Two\n\n```c\nint x;\n```\n", "code on a page for users"),
                ("doc/other.md", "# Other\n", "no toctree names this page"),
                ("src/core/problem/primitives.def", "PRIMITIVE(one, 1)\nPRIMITIVE(two, 2)\n", "no entry two")):
            with self.subTest(name=name, words=words):
                found = self.check(**{name: text})
                self.assertEqual(len(found), 1, found)
                self.assertIn(words, found[0])


if __name__ == "__main__":
    unittest.main()
