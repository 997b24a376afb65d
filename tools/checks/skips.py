#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests that cannot run say GTEST_SKIP with a reason: no `return` leaves the body of a TEST, where it reads as passed.

    TEST_P(EmitMemory, Masks) {
        if (!GetParam().masks) return;                                       # reported
        if (!GetParam().masks) GTEST_SKIP() << "masks are AVX-512's";        # fine

Leaving after a failure (HasFatalFailure, HasFailure) is fine, and so is a `return` of a lambda within the test.
"""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BEGIN = re.compile(r"^TEST(_F|_P)?\(")
LAMBDA = re.compile(r"\[[^\[\]]*\]\s*(\([^()]*(\([^()]*\)[^()]*)*\))?\s*(mutable|noexcept)?\s*(->\s*[\w:<>*& ]+)?\s*$")


def silent_returns(lines):
    inside, braces, head = False, [], ""
    for number, line in enumerate(lines, 1):
        if BEGIN.match(line):
            inside, braces, head = True, [], ""
        if not inside:
            continue
        code = re.sub(r'"(\\.|[^"\\])*"|//.*', "", line)
        if re.search(r"\breturn;", code) and not any(braces) and "Failure()" not in head + code:
            # One on the line of its lambda: each(id, [&](auto at) { if (done) return; ... });
            before = code[: code.index("return;")]
            if not LAMBDA.search(before[: before.rfind("{")] if "{" in before else "#"):
                yield number
        for c in code:
            if c == "{":
                braces.append(bool(LAMBDA.search(head)))
            elif c == "}" and braces:
                braces.pop()
            head = "" if c in "{};" else head + c
        if line == "}":
            inside = False


def main():
    files = sorted((ROOT / "tests").rglob("*.cpp"))
    found = [f"{path.relative_to(ROOT)}:{n}" for path in files for n in silent_returns(path.read_text().splitlines())]
    for place in found:
        print(f"{place}: a test that cannot run says GTEST_SKIP() with the reason, or it counts as passed", file=sys.stderr)
    print(f"skips: {len(files)} files of tests, {len(found)} silent returns")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
