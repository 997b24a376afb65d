#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bench/report/page.py on results made up here: figures of the tables, plots, reasons, and what it refuses."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "bench/report/page.py"
HEAD = "set\tcase\tunit\tbest\tmedian\tp90\tbytes\telements\tmemcpy\tflat\ttarget\trefusal\n"
FACTS = "# library 3.2.0\n# processor Test\n# caches 1 MiB\n# compiler GCC\n# threads 2\n"


def row(name, best, memcpy, flat=0, target=0.65, refusal="", set_name="reorder"):
    return f"{set_name}\t{name}\tus\t{best}\t{best}\t{best}\t0\t0\t{memcpy}\t{flat}\t{target}\t{refusal}\n"


class PageTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = Path(self.folder.name)

    def run_page(self, *options, **files):
        for name, text in files.items():
            (self.path / f"{name.replace('_', '-')}.tsv").write_text(text)
        done = subprocess.run([sys.executable, PAGE, *sorted(self.path.glob("*.tsv")), "--page", self.path / "page.md",
                               "--plots", self.path / "plots", *options], capture_output=True, text=True)
        return done.returncode, done.stderr, (self.path / "page.md").read_text() if done.returncode == 0 else ""

    def test_tables(self):
        slow = "f32->f32 acdb->abcd 8x64x56x56"
        code, errors, page = self.run_page(
            tessera=FACTS + HEAD + row("f32->f32 abcd->abcd 8x64x56x56", 10, 10) + row(slow, 20, 10)
            + row("f32->s8 abcd->abcd 8x64x56x56", 20, 10, flat=16)
            + row("create", 1, 0, target=0, set_name="calls"),
            tessera_1=FACTS + HEAD + row(slow, 20, 18))
        self.assertEqual((code, errors), (0, ""))
        # 1, 0.5 and 0.5 of memcpy; the conversion is the limit of the last: 16 / 20.
        self.assertIn("| reorder | Tessera | 3 | 0 | 0.500 | 0.630 | 0.500 | 0.737 | 1 |", page)
        self.assertIn(f"| 0.500 | 0.500 | 0.65 | reorder {slow} | with one thread it reaches 0.90 |", page)
        self.assertIn("2 of 3 (reorder) reach their target", page)
        self.assertNotIn("peers", page.split("## Every case")[1])
        self.assertNotIn("{{", page)
        for plot in ("sorted-reorder", "reorder-types", "reorder-layouts"):
            self.assertIn(f"(plots/{plot}.svg)", page)
            self.assertIn("</svg>", (self.path / f"plots/{plot}.svg").read_text())

    def test_reasons(self):
        (self.path / "reasons.txt").write_text("# Of this machine.\nreorder .*acdb->\tits lines lie apart\n")
        slow = "f32->f32 acdb->abcd 8x64x56x56"
        code, _, page = self.run_page("--reasons", self.path / "reasons.txt",
                                      tessera=FACTS + HEAD + row(slow, 20, 10))
        self.assertEqual(code, 0)
        self.assertIn(f"| 0.500 | 0.500 | 0.65 | reorder {slow} | its lines lie apart |", page)

    def test_peers(self):
        name = "f32->f32 abcd->abcd 8x64x56x56"
        (self.path / "onednn-3.2.tsv").write_text(FACTS + HEAD + row(name, 10, 20) + row("s8->s8 abcd->abcd 1", 0, 0,
                                                                                         refusal="no"))
        code, _, page = self.run_page(tessera=FACTS + HEAD + row(name, 10, 10) + row("s8->s8 abcd->abcd 1", 10, 10))
        self.assertEqual(code, 0)
        self.assertIn("| reorder | oneDNN 3.2.0 (OpenMP) | 2 | 1 | 2.000 | 2.000 |  |  |  |", page)
        self.assertIn(f"| 0.50 | reorder {name} |", page)

    def test_reduce(self):
        name = "max f32 nhwc 1x2x3x3"
        (self.path / "onednn-3.2.tsv").write_text(FACTS + HEAD + row(name, 40, 10, set_name="pool"))
        code, _, page = self.run_page(tessera=FACTS + HEAD + row(name, 20, 10, target=0, set_name="pool")
                                      + row("max f32 nhwc 1x2x9x9", 20, 20, target=0, set_name="pool"))
        self.assertEqual(code, 0)
        self.assertIn("| pool | max f32 nhwc | 2 | 0.71 (0.50) | 2.00 (2.00) |", page)
        self.assertIn("| pool | 1 | 2.00 | 2.0 | 2 | 0 |", page)

    def test_pointwise(self):
        def cases(relu, relu_16, exp):
            return "".join(row(f"{name} nchw 8x64x56x56", 10, memcpy, target=target, set_name="pointwise")
                           for name, memcpy, target in (("relu_fwd f32", relu, 0.85), ("relu_fwd bf16", relu_16, 0.85),
                                                        ("exp_fwd f32", exp, 0)))
        code, _, page = self.run_page(tessera=FACTS + HEAD + cases(9, 4, 2))
        self.assertEqual(code, 0)
        self.assertIn("| relu_fwd | 2 | 0.60 (0.40) | 0.85 |", page)
        self.assertRegex(page, r"\| exp_fwd \| 1 \| 0.20 \(0.20\) \| bounded by arithmetic")
        self.assertIn("1 of 2 (pointwise) reach their target", page)  # exp has none
        self.assertNotIn("| pointwise exp_fwd", page.split("## What misses")[1])

        (self.path / "onednn-3.2.tsv").write_text(FACTS + HEAD + cases(3, 8, 1))
        code, _, page = self.run_page()
        self.assertEqual(code, 0)
        self.assertIn("| relu_fwd | 2 | 0.60 (0.40) | 0.49 (0.30) | 1.22 (0.50) | 0.85 |", page)

    def test_dot(self):
        def product(types, layouts, best, reading, arithmetic, target=0.85, set_name="squares"):
            return (f"{set_name}\t{set_name} {types} {layouts} 512x512x512\tus\t{best}\t{best}\t0\t3000\t268435456\t{reading}"
                    f"\t{arithmetic}\t{target}\t\n")
        f32 = "f32:f32:f32"
        # Arithmetic is the limit of the first, reading that of the second, which is one file of its own.
        mine = (product(f32, "ab:ab:ab", 1000, 10, 900) + product(f32, "ab:any:ab", 1000, 500, 100)
                + product(f32, "ab:ab:ab", 1000, 10, 900, 0, "layouts") + product(f32, "ba:ab:ab", 4000, 10, 900, 0, "layouts"))
        (self.path / "tessera+dot.tsv").write_text(FACTS + HEAD + mine)
        (self.path / "onednn-3.2+dot.tsv").write_text(FACTS + HEAD + product(f32, "ab:any:ab", 2000, 500, 100))
        code, errors, page = self.run_page(tessera=FACTS + HEAD + row("f32->f32 abcd->abcd 8x64x56x56", 10, 10))
        self.assertEqual((code, errors), (0, ""))
        self.assertIn("| squares | Tessera | 2 | 0 | 0.500 | 0.671 | 1 |", page)
        self.assertIn("| squares | 1 | 2.00 | 2.0 | 2 | 0 |", page)
        self.assertIn(f"| squares | squares {f32} | 2 | 268 (268 to 268) | 0.67 (0.50) | 2.00 (2.00) |", page)
        self.assertIn(f"| Tessera | {f32} | 512x512x512 | 0.25 | ba:ab:ab |", page)
        self.assertIn(f"| 0.500 |  | 0.85 | squares squares {f32} ab:any:ab 512x512x512 |", page)
        self.assertIn("| reorder | Tessera | 1 | 0 | 1.000 |", page)  # both files make one run

    def test_capped(self):
        def products(*times):
            return FACTS + HEAD + "".join(f"squares\ta f32:f32:f32 {i}\tus\t{t}\t{t}\t0\t3000\t4096\t1\t1\t0\t\n"
                                          for i, t in enumerate(times))
        code, errors, page = self.run_page(tessera=products(1, 1), tessera_1=products(1, 1))
        self.assertEqual((code, errors), (0, ""))
        self.assertNotIn("capped to |", page)
        self.assertIn("## Matrix products", page)  # alone, without the prose of movers
        for of_movers in ("## Every case, sorted", "## Reorder by type", "## Pointwise", "move limit"):
            self.assertNotIn(of_movers, page)
        for name, text in (("tessera", products(10, 10, 10)), ("onednn-3.2", products(5, 80)), ("mkl", products(8, 20))):
            (self.path / f"{name}@avx2+dot.tsv").write_text(text)
        code, errors, page = self.run_page()
        self.assertEqual((code, errors), (0, ""))
        # The faster peer of each case, and none of what no peer did: 5 / 10 and 20 / 10.
        self.assertIn("| AVX2 | squares | 2 | 0.50 | 1.00 | 1 | 0.50 a f32:f32:f32 0 |", page)
        self.assertNotIn("Slower than the faster peer", page)  # capped runs are nobody's peers
        (self.path / "tessera@sse9+dot.tsv").write_text(products(1))
        self.assertIn("no cap is called 'sse9'", self.run_page()[1])

    def test_refusals(self):
        code, errors, _ = self.run_page(unknown=FACTS + HEAD)
        self.assertEqual(code, 1)
        self.assertIn("no run is called 'unknown'", errors)

    def test_malformed(self):
        code, errors, _ = self.run_page(tessera=FACTS + HEAD + "reorder\tname\n")
        self.assertEqual(code, 1)
        self.assertIn("2 fields, expected 12", errors)


if __name__ == "__main__":
    unittest.main()
