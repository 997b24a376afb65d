#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The check of the public headers: what it finds, and what it leaves alone."""
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / "checks"))
import headers  # noqa: E402

GOOD = """\
/// Adds.
/// @param a One number.
/// @param[out] b Another,
///     in two lines.
/// @returns dnnl_success.
DNNL_API dnnl_status_t add(int a, const int* b);
"""
CLASS = """\
namespace dnnl {
struct box : public handle<int> {
    /// @param size Bytes.
    /// @param fill Value of each.
    explicit box(size_t size, std::function<int(int, int)> fill = {}) : size_(size), fill_(fill) {}
    /// Whether it is empty.
    /// @returns true if it is.
    template <typename T, int n = 1> bool empty() const { return size_ == 0; }
    ~box() = default;
private:
    void grow(int by);
};
} // namespace dnnl
"""


class Headers(unittest.TestCase):
    def found(self, text):
        return [why for _, why in headers.complaints(text)]

    def test_good_ones_are_left_alone(self):
        self.assertEqual(self.found(GOOD), [])
        self.assertEqual(self.found(CLASS), [])
        self.assertEqual([f.name for f in headers.functions(CLASS)], ["box", "empty"])
        self.assertEqual(headers.functions(CLASS)[0].parameters, ["size", "fill"])

    def test_each_defect_is_found_at_its_line(self):
        for old, new, line, why in [
            (GOOD[:GOOD.index("DNNL_API")], "", 1, "no /// comment"),
            ("@param a", "@param x", 6, "add: @param says (x, b), the declaration (a, b)"),
            ("/// @param a One number.\n", "", 5, "@param says (b)"),
            ("int a, const int* b", "const int* b, int a", 6, "the declaration (b, a)"),
            ("/// @returns dnnl_success.\n", "", 5, "no @returns"),
            ("dnnl_status_t add", "void add", 6, "@returns, but no value"),
            ("Adds.", "Adds (SUM-01).", 1, "SUM-01"),
            ("Adds.", "Errors: none.", 1, "say errors with @returns"),
            ("a One number.", "a", 6, "@param says (b)"),  # a name alone describes nothing
        ]:
            with self.subTest(why):
                found = list(headers.complaints(GOOD.replace(old, new)))
                self.assertEqual(len(found), 1, found)
                self.assertEqual(found[0][0], line)
                self.assertIn(why, found[0][1])

    def test_unbuilt_calls_say_so(self):
        unbuilt = GOOD.replace("@returns dnnl_success", f"@returns {headers.UNBUILT}")
        self.assertEqual(list(headers.complaints(unbuilt, {"add"})), [])
        self.assertIn("is implemented", self.found(unbuilt)[0])
        self.assertIn("does not say", list(headers.complaints(GOOD, {"add"}))[0][1])
        self.assertIn("dnnl_graph_op_create", headers.unbuilt_calls())

    def test_members_are_found_and_private_ones_are_not(self):
        self.assertIn("box", self.found(CLASS.replace("/// @param size Bytes.\n", ""))[0])
        self.assertIn("grow", self.found(CLASS.replace("private:", "protected:"))[0])


if __name__ == "__main__":
    unittest.main()
