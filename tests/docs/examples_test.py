#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The list of examples: what is taken from the comments; a program without one, or with too many lines, is named."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "docs"))
import examples  # noqa: E402
import pages  # noqa: E402

LICENCE = "// SPDX-License-Identifier: Apache-2.0\n"


class Examples(unittest.TestCase):
    def pages(self, files):
        """(exit code, complaints, {page: text}) of a folder of examples."""
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                path = Path(folder) / "examples" / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            ran = subprocess.run([sys.executable, examples.__file__, f"{folder}/pages", f"{folder}/examples"],
                                 capture_output=True, text=True)
            written = {path.name: path.read_text(encoding="utf-8") for path in Path(folder, "pages").iterdir()}
            return ran.returncode, ran.stderr, written

    def test_the_first_sentence(self):
        for comment, sentence in [
            ("// Moves tensors. More of it.\n", "Moves tensors."),
            ("// Moves tensors of\n// two engines. And more.\n//\n// Other.\n", "Moves tensors of two engines."),
            ("// Version 3.13 of all.\n", "Version 3.13 of all."),
            ("// Two layers:\n// conv -> relu\n", "Two layers."),
            ("// No full stop\n\n// Another comment.\n", "No full stop"),
            ("#include <vector>\n// Too late.\n", ""),
        ]:
            self.assertEqual(examples.first_sentence(LICENCE + comment), sentence)

    def test_markup_of_comments_is_text(self):
        self.assertEqual(examples.escaped("a * b_c | `x_y` <z>"), r"a \* b\_c \| `x_y` \<z\>")

    def test_pages_and_their_list(self):
        code, complaints, pages = self.pages({"primitives/sum.cpp": LICENCE + "// Adds.\n", "primitives/sum.txt": "3\n",
                                              "c/sum.c": LICENCE + "// Adds in C.\n", "topics/late.cpp": "// Waits.\n"})
        self.assertEqual((code, complaints), (0, ""))
        self.assertEqual(set(pages), {"index.md", "sum.md", "c_sum.md", "late.md"})
        self.assertIn("| [sum](sum.md) | Adds. |\n", pages["index.md"])
        self.assertIn("| [sum](c_sum.md) | Adds in C. |\n", pages["index.md"])
        self.assertIn("\nsum\nlate\nc_sum\n", pages["index.md"])
        self.assertIn("../../examples/primitives/sum.txt", pages["sum.md"])
        self.assertNotIn(".txt", pages["late.md"])

    def test_a_program_without_a_comment_is_named(self):
        code, complaints, _ = self.pages({"topics/mute.cpp": LICENCE + "#include <vector>\n"})
        self.assertEqual(code, 1)
        self.assertIn("topics/mute.cpp: no comment", complaints)

    def test_a_long_program_is_named(self):
        for lines, complaint in [(119, ""), (120, "topics/long.cpp: 120 lines; examples have fewer than 120")]:
            code, complaints, _ = self.pages({"topics/long.cpp": LICENCE + "// Long.\n" + "\n" * (lines - 2)})
            self.assertEqual(code, 1 if complaint else 0)
            self.assertIn(complaint, complaints)

    def test_links_to_programs_lead_to_their_pages(self):
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder).resolve()
            (source / "examples").mkdir()
            (source / "examples/c_sum.md").write_text("")
            text = "[a](../../examples/c/sum.c) [b](../../examples/c/other.c) [c](../../examples/topics/sum.cpp)"
            self.assertEqual(pages.without_foreign_links(text, source / "topics/page.md", source),
                             "[a](../examples/c_sum.md) b (`examples/c/other.c`) c (`examples/topics/sum.cpp`)")


if __name__ == "__main__":
    unittest.main()
