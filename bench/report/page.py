#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Turns results of bench/movers, bench/dot, bench/reduce, bench/contention and bench/devices into doc/benchmarks.md and its plots.

    bench/report/page.py build/bench/*.tsv
    bench/report/page.py --page other.md --plots other/plots FILE...

The name of a file says which run it holds (see RUNS), and behind a + of which program; what is missing is left out. The prose and the order of the
tables are in page.md.in: `{{name}}` becomes what fill_name() returns, and `{{if NAME}} ... {{end}}` stays if there is a
run whose name begins so, for `movers`, `dot` and `reduce` if Tessera ran a case of that program, for `peers` and
`blas` if there is one, for `capped` if a peer ran under the same cap. Reasons say why cases miss their target on that
machine.
"""
import argparse
import re
import sys
from collections import defaultdict
from pathlib import Path

import plots
from results import BLAS_RUNS, CAPS, DOT_SETS, REDUCE_SETS, RUNS, geomean, read_capped, read_runs

HERE = Path(__file__).resolve().parent
SETS = ("reorder", "shuffle", "transpose", "dram", "shapes", "pointwise")
TYPES = ("f32", "bf16", "f16", "s8", "u8", "s32")
LAYOUTS = ("abcd", "acdb", "aBcd16b")
NOISE = 0.97  # what is slower than a peer by more than that


def spread(values):
    values = list(values)
    return f"{geomean(values):.2f} ({min(values):.2f})" if values else ""


def table(head, rows):
    lines = ["| " + " | ".join(map(str, cells)) + " |" for cells in (head, ["---"] * len(head), *rows)]
    return "\n".join(lines).replace("| --- ", "|---").replace("--- |", "---|")


def summary(ratios):
    """Of sorted pairs of a ratio and a case: how many, the least, the mean, how many are below noise, the slowest three."""
    slow = [(r, case) for r, case in ratios if r < NOISE]
    return [len(ratios), f"{ratios[0][0]:.2f}", f"{geomean(r for r, _ in ratios):.2f}", len(slow),
            "; ".join(f"{r:.2f} {case}" for r, case in slow[:3])]


class Page:
    def __init__(self, runs, capped, reasons, plot_folder, link):
        self.runs, self.capped, self.reasons, self.plot_folder, self.link = runs, capped, reasons, plot_folder, link
        self.main = next((runs[name] for name in ("tessera", *RUNS) if name in runs), None)
        self.blas = [runs[name] for name in BLAS_RUNS if name in runs]
        self.peers = [run for name, run in runs.items() if name.startswith("onednn")] + self.blas

    def has(self, what):
        for kind, sets in (("movers", SETS), ("dot", DOT_SETS), ("reduce", REDUCE_SETS)):
            if what == kind:
                return any(c.set in sets for c in self.main.measured())
        if what == "peers":
            return bool(self.peers)
        if what == "capped":
            return any("tessera" in of_cap and len(of_cap) > 1 for of_cap in self.capped.values())
        if what == "blas":
            return bool(self.blas) and self.has("dot")
        return any(name.startswith(what) for name in self.runs)

    def movers(self):
        """The runs of whole sets: a BLAS has a few cases of each, which say nothing beside means of all."""
        return [run for name, run in self.runs.items() if not name.startswith(("contention", "devices", *BLAS_RUNS))]

    def plot(self, name, svg, meaning):
        (self.plot_folder / f"{name}.svg").write_text(svg)
        return f"![{meaning}]({self.link}/{name}.svg)"

    def fill_machine(self):
        return "{processor} ({caches}), {threads} threads, {compiler}".format(**self.main.facts)

    def fill_flat(self):
        flat = [c.memcpy / c.flat for c in self.main.measured() if c.flat > 0]
        if not flat:
            return "No case of this run has such types."
        slower = sum(f < 1 for f in flat)
        return (f"Here the conversion is slower than memcpy in {slower} of {len(flat)} cases: {min(flat):.2f} of memcpy at "
                f"least, {geomean(flat):.2f} in the geometric mean.")

    def fill_summary(self):
        rows = []
        for name in SETS:
            for run in self.movers():
                cases = [c for c in run.cases if c.set == name]
                done = [c for c in cases if not c.refusal]
                if not done:
                    continue
                # A library's own slow conversions would flatter it: the limit is for Tessera alone.
                limit = [c.of_limit for c in done] if run.ours else []
                rows.append([name, run.title, len(cases), len(cases) - len(done),
                             f"{min(c.of_memcpy for c in done):.3f}", f"{geomean(c.of_memcpy for c in done):.3f}",
                             f"{min(limit):.3f}" if limit else "", f"{geomean(limit):.3f}" if limit else "",
                             sum(c.missed for c in done) if limit else ""])
        return table(["set", "library", "cases", "refused", "of memcpy: least", "mean", "of the move limit: least", "mean",
                      "below the target"], rows)

    def fill_dot_summary(self):
        rows = []
        for name in DOT_SETS:
            for run in self.movers():
                cases = [c for c in run.cases if c.set == name]
                done = [c for c in cases if not c.refusal]
                if done:
                    rows.append([name, run.title, len(cases), len(cases) - len(done), f"{min(c.of_limit for c in done):.3f}",
                                 f"{geomean(c.of_limit for c in done):.3f}", sum(c.missed for c in done) if run.ours else ""])
        return table(["set", "library", "cases", "refused", "of the limit: least", "mean", "below the target"], rows)

    def fill_dot_capped(self):
        """A row a cap and set: the time of the fastest peer over Tessera's, and the cases that lose most."""
        rows = []
        for cap in (c for c in CAPS if "tessera" in self.capped.get(c, ())):
            ours, *peers = sorted(self.capped[cap].values(), key=lambda run: run.name != "tessera")
            times = defaultdict(list)
            for case in (c for peer in peers for c in peer.measured()):
                times[case.key].append(case.best)
            for name in DOT_SETS:
                ratios = sorted(((min(times[c.key]) / c.best, c.name) for c in ours.measured()
                                 if c.set == name and c.key in times))
                if ratios:
                    rows.append([CAPS[cap], name, *summary(ratios)])
        return table(["capped to", "set", "cases both do", "speed-up over the fastest: least", "mean", "below 0.97",
                      "the slowest"], rows)

    def fill_dot_sorted(self):
        return self.sorted_plots(DOT_SETS, "the limit")

    def fill_dot_groups(self):
        """A row a kind of case and types: fractions of the limit, rates, and Tessera's over the faster peer's."""
        groups = defaultdict(list)
        for case in self.main.measured():
            if case.set in DOT_SETS:
                groups[case.set, case.group, case.name.split()[1]].append(case)
        ratios = {c.key: ratio for ratio, c in self.compared()}
        rows = []
        for (name, group, types), cases in groups.items():
            over = [ratios[c.key] for c in cases if c.key in ratios]
            rates = [c.elements / c.best * 1e-3 for c in cases]
            rows.append([name, f"{group} {types}", len(cases), f"{geomean(rates):.0f} ({min(rates):.0f} to {max(rates):.0f})",
                         f"{geomean(c.of_limit for c in cases):.2f} ({min(c.of_limit for c in cases):.2f})",
                         f"{geomean(over):.2f} ({min(over):.2f})" if over else ""])
        return table(["set", "cases of", "", "billion operations a second", "of the limit", "over the faster peer"], rows)

    def fill_dot_layouts(self):
        """The slowest of the eight layouts of src, weights and dst over the fastest."""
        rows = []
        for run in self.movers():
            groups = defaultdict(list)
            for case in run.measured():
                if case.set == "layouts":
                    _, types, layouts, shape = case.name.split()
                    groups[types, shape].append((case.best, layouts))
            for (types, shape), times in groups.items():
                worst = max(times)
                rows.append([run.title, types, shape, f"{min(times)[0] / worst[0]:.2f}", worst[1]])
        return table(["library", "types", "shape", "slowest over fastest", "the slowest"], rows)

    def fill_blas(self):
        """Cases in f32 that a BLAS ran, of every library: a row a set and kind of case, and all of them sorted."""
        keys = {c.key for run in self.blas for c in run.measured()}
        cases = {run.title: [c for c in run.measured() if c.key in keys] for run in (self.main, *self.peers)}
        groups = dict.fromkeys((c.set, c.group) for c in cases[self.main.title])
        ratios = {c.key: ratio for ratio, c in self.compared()}
        rows = []
        for group in groups:
            of_group = [[c for c in of_run if (c.set, c.group) == group] for of_run in cases.values()]
            over = [ratios[c.key] for c in of_group[0]]
            rows.append([*group, len(of_group[0]), *(spread(c.of_limit for c in of_run) for of_run in of_group), spread(over)])
        curves = [plots.Curve(run.title, run.color, sorted(c.of_limit for c in cases[run.title]), len(cases[run.title]))
                  for run in (self.main, *self.peers) if cases[run.title]]
        return (table(["set", "cases of", "", *cases, "Tessera over the fastest"], rows) + "\n\n"
                + self.plot("sorted-blas", plots.sorted_curves("products in f32: fraction of the limit", curves, "the limit"),
                            "Sorted fractions of the limit, products in f32"))

    def fill_sorted(self):
        return self.sorted_plots(SETS, "memcpy")

    def sorted_plots(self, sets, yardstick):
        parts = []
        for name in sets:
            curves = []
            for run in self.movers():
                cases = [c for c in run.cases if c.set == name]
                values = sorted(c.fraction for c in cases if not c.refusal)
                if values:
                    curves.append(plots.Curve(run.title, run.color, values, len(cases)))
            if curves:
                parts.append(self.plot(f"sorted-{name}", plots.sorted_curves(f"{name}: fraction of {yardstick}", curves,
                                                                             yardstick),
                                       f"Sorted fractions of {yardstick}, set {name}"))
        return "\n\n".join(parts)

    def compared(self):
        """(our fraction of the yardstick over the faster peer's, the case) of all cases that a peer does too. Fractions
        rather than times: the runs are minutes apart, and the yardsticks were measured beside each."""
        peer_cases = defaultdict(list)
        for run in self.peers:
            for case in run.measured():
                peer_cases[case.key].append(case.fraction)
        return [(c.fraction / max(peer_cases[c.key]), c) for c in self.main.measured() if c.key in peer_cases]

    def fill_peers(self):
        rows, slower = [], []
        for name in (*SETS, *DOT_SETS, *REDUCE_SETS):
            ratios = [(r, c) for r, c in self.compared() if c.set == name]
            if not ratios:
                continue
            rows.append([name, len(ratios), f"{min(r for r, _ in ratios):.2f}", f"{geomean(r for r, _ in ratios):.1f}",
                         f"{max(r for r, _ in ratios):.0f}", sum(r < 1 for r, _ in ratios)])
            slower += [(r, c) for r, c in ratios if r < 1]
        text = table(["set", "cases both do", "speed-up over the faster peer: least", "mean", "most", "slower than the peer"],
                     rows)
        if slower:
            slower.sort(key=lambda pair: pair[0])
            text += "\n\nSlower than the faster peer:\n\n" + table(
                ["speed-up", "case", "reason"],
                [[f"{r:.2f}", c.label, self.known_reason(c) if r < NOISE else ""] for r, c in slower])
        return text

    def grouped(self, run, key):
        """Fractions of memcpy of the set `reorder`, by what `key` makes of (types, layouts)."""
        groups = defaultdict(list)
        for case in run.measured():
            if case.set == "reorder":
                groups[key(case)].append(case)
        return groups

    def matrix(self, labels, key, cell):
        parts = []
        for run in [r for r in self.movers() if r.ours and r.name in ("tessera", "tessera-1")]:
            groups = self.grouped(run, key)
            if groups:
                rows = [[f"{s}"] + [cell(groups[s, d]) if (s, d) in groups else "" for d in labels] for s in labels]
                parts.append(f"{run.title}, of memcpy:\n\n" + table(["src \\ dst", *labels], rows))
        return "\n\n".join(parts)

    def bars(self, name, title, labels, key):
        series = []
        for run in [r for r in self.movers() if r.name in ("tessera", "tessera-avx2") or not r.ours]:
            groups = self.grouped(run, key)
            if groups:
                values = [geomean(c.of_memcpy for c in groups[pair]) if pair in groups else None
                          for pair in ((s, d) for s in labels for d in labels)]
                series.append(plots.Series(run.title, run.color, values))
        if not series:
            return ""
        rows = [f"{s} to {d}" for s in labels for d in labels]
        return self.plot(name, plots.bars(title, rows, series), title) + "\n\n"

    def fill_by_type(self):
        def cell(cases):
            return f"{geomean(c.of_memcpy for c in cases):.2f} ({min(c.of_memcpy for c in cases):.2f})"
        bars = self.bars("reorder-types", "reorder by types: fraction of memcpy, mean over the layout pairs", TYPES,
                         lambda c: c.types)
        return f"{bars}Geometric means over the nine layout pairs, the least in brackets. " + self.matrix(
            TYPES, lambda c: c.types, cell)

    def fill_by_layout(self):
        def cell(cases):
            same = [c.of_memcpy for c in cases if c.types[0] == c.types[1]]
            mean = f"{geomean(c.of_memcpy for c in cases):.2f}"
            return f"{mean}, same type {geomean(same):.2f}" if same else mean
        bars = self.bars("reorder-layouts", "reorder by layouts: fraction of memcpy, mean over the type pairs", LAYOUTS,
                         lambda c: c.layouts)
        return f"{bars}Geometric means over the 36 type pairs. " + self.matrix(LAYOUTS, lambda c: c.layouts, cell)

    def fill_reduce(self):
        """A row a kind of case, type and layout: fractions of memcpy, and Tessera's over each peer's."""
        groups = defaultdict(list)
        for case in self.main.measured():
            if case.set in REDUCE_SETS:
                groups[(case.set, *case.name.split()[:3])].append(case)
        peers = [run for run in self.peers if run not in self.blas]
        rows = []
        for (name, *words), cases in groups.items():
            cells = []
            for peer in peers:
                over = [c.of_memcpy / peer.by_key[c.key].of_memcpy for c in cases
                        if c.key in peer.by_key and not peer.by_key[c.key].refusal]
                cells.append(f"{geomean(over):.2f} ({min(over):.2f})" if over else "")
            rows.append([name, " ".join(words), len(cases),
                         f"{geomean(c.of_memcpy for c in cases):.2f} ({min(c.of_memcpy for c in cases):.2f})", *cells])
        return table(["set", "cases of", "", "of memcpy", *(f"over {p.title}" for p in peers)], rows)

    def fill_calls(self):
        columns = [r for r in self.movers() if any(c.set == "calls" for c in r.cases)]
        if not columns:
            return "Not measured."
        names = dict.fromkeys(c.name for r in columns for c in r.cases if c.set == "calls")
        rows = []
        for name in names:
            cells = []
            for run in columns:
                case = run.by_key.get(("calls", name))
                cells.append("" if case is None else "refused" if case.refusal else
                             f"{case.best:.0f} bytes" if case.unit == "B" else f"{case.median:.2f} ({case.p90:.2f}) us")
            rows.append([name, *cells])
        return "Median and, in brackets, 90th percentile.\n\n" + table(["call", *(r.title for r in columns)], rows)

    def fill_contention(self):
        rows = []
        for name, run in self.runs.items():
            if name.startswith("contention") and len(run.cases) == 2:
                alone, together = run.cases
                rows.append([run.title, f"{alone.median:.0f} us", together.name, f"{together.median:.0f} us",
                             f"{together.median / alone.median:.2f} ({together.best / alone.best:.2f})"])
        return table(["library", "alone", "", "together", "slowdown, medians (bests)"], rows)

    def fill_devices(self):
        """Times of a device, and the speed relative to the CPU engine (the column flat) and its portable code."""
        run = self.runs["devices"]
        portable = {c.name: c.best for c in run.cases if c.set == "portable"}
        rows = [[c.name, f"{c.best:.0f} us", f"{c.of_memcpy:.2f}", f"{portable[c.name] / c.best:.2f}", f"{c.flat / c.best:.2f}"]
                for c in run.cases if c.set == "devices"]
        return table(["case", "time", "of memcpy", "over the portable code", "over the CPU engine"], rows)

    def fill_pointwise(self):
        """A row a group, the first word of a case (views apart): every library's fractions, and Tessera's over the faster peer's."""
        groups = defaultdict(list)
        for case in self.main.measured():
            if case.set == "pointwise":
                groups[case.group].append(case)
        if not groups:
            return "Not measured."
        ratios = {c.key: ratio for ratio, c in self.compared()}
        columns = [r for r in self.movers() if r.name in ("tessera", "tessera-1") or not r.ours]
        rows = []
        for group, cases in groups.items():
            cells = []
            for run in columns:
                values = [c.of_memcpy for c in run.measured() if c.set == "pointwise" and c.group == group]
                cells.append(f"{geomean(values):.2f} ({min(values):.2f})" if values else "")
            if self.peers:
                over = [ratios[c.key] for c in cases if c.key in ratios]
                cells.append(f"{geomean(over):.2f} ({min(over):.2f})" if over else "")
            bounds = dict.fromkeys(self.known_reason(c) for c in cases if not c.target)
            rows.append([group, len(cases), *cells, cases[0].target or "; ".join(bounds)])
        return table(["group", "cases", *(r.title for r in columns), *(["over the faster peer"] if self.peers else []),
                      "target, or what bounds it"], rows)

    def known_reason(self, case):
        return known_reason(self.reasons, case.label)

    def reason(self, case, alone):
        if alone is not None and not alone.refusal and not alone.missed:
            return f"with one thread it reaches {alone.of_limit:.2f}"
        return self.known_reason(case)

    def fill_misses(self):
        lone = self.runs.get("tessera-1")
        parts, rows = [], []
        for name in (*SETS, *DOT_SETS):
            cases = [c for c in self.main.measured() if c.set == name and c.target > 0]
            if cases:
                parts.append(f"{sum(not c.missed for c in cases)} of {len(cases)} ({name})")
            for case in sorted((c for c in cases if c.missed), key=lambda c: c.of_limit / c.target):
                alone = lone.by_key.get(case.key) if lone else None
                memcpy = "" if name in DOT_SETS else f"{case.of_memcpy:.3f}"
                rows.append([f"{case.of_limit:.3f}", memcpy, f"{case.target:g}", case.label,
                             self.reason(case, alone)])
        reached = ", ".join(parts) + f" reach their target ({self.main.title})."
        if not rows:
            return reached
        return reached + "\n\n" + table(["of the limit", "of memcpy", "target", "case", "reason"], rows)


def read_reasons(path):
    lines = [line.rstrip("\n") for line in path.open() if line.strip() and not line.startswith("#")]
    return [(re.compile(pattern), why) for pattern, why in (line.split("\t", 1) for line in lines)]


def known_reason(reasons, label):
    return next((why for pattern, why in reasons if pattern.search(label)), "not understood yet")


def filled(template, page):
    def keep(match):
        return match[2] if page.has(match[1]) else ""
    template = re.sub(r"\{\{if ([\w.-]+)\}\}\n(.*?)\{\{end\}\}\n", keep, template, flags=re.S)
    text = re.sub(r"\{\{(\w+)\}\}", lambda m: getattr(page, "fill_" + m[1])(), template)
    return re.sub(r"\n{3,}", "\n\n", text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="results: " + ", ".join(RUNS) + ".tsv")
    parser.add_argument("--page", type=Path, default=HERE.parents[1] / "doc/benchmarks.md")
    parser.add_argument("--plots", type=Path, default=HERE.parents[1] / "doc/plots")
    parser.add_argument("--reasons", type=Path, default=HERE / "reasons.tsv")
    options = parser.parse_args()
    try:
        runs, capped = read_runs(options.files), read_capped(options.files)
    except (OSError, ValueError) as wrong:
        sys.exit(f"page: {wrong}")
    if not any(run.measured() for name, run in runs.items() if name.startswith("tessera")):
        sys.exit("page: none of the files holds cases that Tessera ran; run 'make bench'")
    for folder in (options.plots, options.page.parent):
        folder.mkdir(parents=True, exist_ok=True)
    link = Path(options.plots).resolve()
    try:
        link = link.relative_to(options.page.resolve().parent)
    except ValueError:
        pass
    page = Page(runs, capped, read_reasons(options.reasons), options.plots, link.as_posix())
    options.page.write_text(filled((HERE / "page.md.in").read_text(), page))
    print(f"{options.page}: {', '.join(runs)}; {len(list(options.plots.glob('*.svg')))} plots")


if __name__ == "__main__":
    main()
