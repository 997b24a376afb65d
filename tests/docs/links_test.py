#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/docs/links.py on a site made up here: it passes, and each broken link is found."""
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools/docs"))
import links  # noqa: E402

GOOD = '<link href="a.css"><a href="b/">b</a> <a href="b/index.html#part">part</a> <a href="#here">here</a><p id="here">' \
       '<a href="https://example.org/x">out</a> <img src="data:image/png;base64,AA==">'


class LinksTest(unittest.TestCase):
    def found(self, text):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            (root / "b").mkdir()
            (root / "a.css").write_text("")
            (root / "b/index.html").write_text('<h1 id="part">Part</h1>')
            (root / "index.html").write_text(text)
            return [what for _, _, what in links.broken(root)]

    def test_passes(self):
        self.assertEqual(self.found(GOOD), [])

    def test_broken(self):
        for link, what in (('<a href="c.html">', "no file c.html"), ('<a href="#there">', "no anchor #there"),
                           ('<a href="b/#other">', "no anchor b/#other"), ('<img src="d.png">', "no file d.png"),
                           ('<script src="https://example.org/x.js"></script>', "<script> fetches https://example.org/x.js"),
                           ('<link href="//fonts.example.org/f.css">', "<link> fetches //fonts.example.org/f.css")):
            with self.subTest(link=link):
                self.assertEqual(self.found(GOOD + link), [what])


if __name__ == "__main__":
    unittest.main()
