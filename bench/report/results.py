# SPDX-License-Identifier: Apache-2.0
"""Results as bench/results.cpp writes them: facts, then one row a case. Times are microseconds."""
import math
import re

# File name without .tsv -> what the run is, and its colour in plots. The order is that of tables.
RUNS = {
    "tessera": ("Tessera", "#1f5fa8"),
    "tessera-1": ("Tessera, one thread", "#6aa7e6"),
    "tessera-avx2": ("Tessera, one thread, capped to AVX2", "#2a9d8f"),
    "tessera-portable": ("Tessera, one thread, portable path", "#9aa3ad"),
    "onednn-3.13": ("oneDNN {library} (SYCL CPU run time)", "#e07b39"),
    "onednn-3.2": ("oneDNN {library} (OpenMP)", "#b5443c"),
    "mkl": ("MKL {library}", "#7d5ba6"),
    "openblas": ("OpenBLAS {library}", "#8a7a3d"),
    "contention": ("Tessera", ""),
    "contention-3.2": ("oneDNN {library} (OpenMP)", ""),
    "devices": ("Tessera", ""),
}
# Sets of bench/dot: against arithmetic (the column flat) and reading (the column memcpy), and elements are operations.
DOT_SETS = ("squares", "llm", "batch", "skinny", "tiny", "layouts", "inner_product", "gemm")
BLAS_RUNS = ("mkl", "openblas")  # of bench/dot alone, and only what BLAS can say: products in f32
TURNS = ("tessera", "onednn-3.13", "onednn-3.2", *BLAS_RUNS)  # that bench/report/run.sh measures so
CAPS = {"vnni": "AVX-512 with VNNI, without BF16", "avx2": "AVX2"}  # NAME@CAP+dot.tsv: all libraries, one thread
REDUCE_SETS = ("reduction", "softmax", "norm", "pool", "lrn")  # of bench/reduce
COLUMNS = "set case unit best median p90 bytes elements memcpy flat target refusal".split()


class Case:
    def __init__(self, fields):
        self.set, self.name, self.unit, self.refusal = (fields[c] for c in ("set", "case", "unit", "refusal"))
        for column in ("best", "median", "p90", "memcpy", "flat", "target", "elements"):
            setattr(self, column, float(fields[column]))
        self.key, self.label = (self.set, self.name), f"{self.set} {self.name}"

    @property
    def of_memcpy(self):
        return self.memcpy / self.best

    @property
    def of_limit(self):
        return max(self.memcpy, self.flat) / self.best

    @property
    def fraction(self):
        """Of the yardstick that compares libraries: a library's own conversions are none."""
        return self.of_limit if self.set in DOT_SETS else self.of_memcpy

    @property
    def missed(self):
        return not self.refusal and self.of_limit < self.target

    @property
    def group(self):
        words = self.name.split()
        return f"{words[0]} view" if words[-1] == "view" else words[0]

    @property
    def types(self):
        return re.match(r"(\S+)->(\S+) ", self.name).groups()

    @property
    def layouts(self):
        return re.match(r"\S+ (\S+)->(\S+) ", self.name).groups()


class Run:
    def __init__(self, name, facts, cases):
        self.name, self.facts, self.cases = name, facts, cases
        title, self.color = RUNS[name]
        self.title, self.ours = title.format(**facts), not name.startswith(("onednn", *BLAS_RUNS))
        self.by_key = {case.key: case for case in cases}

    def add(self, cases):
        self.cases += cases
        self.by_key.update((case.key, case) for case in cases)

    def measured(self):
        """The cases with a yardstick that ran; calls have none."""
        return [c for c in self.cases if not c.refusal and c.memcpy > 0 and c.best > 0]


def read_run(path):
    """Of NAME.tsv or NAME+PROGRAM.tsv: one run may consist of several programs."""
    name, _, cap = path.stem.partition("+")[0].partition("@")
    if name not in RUNS:
        raise ValueError(f"{path}: no run is called '{name}'; the names are {', '.join(RUNS)}")
    if cap and cap not in CAPS:
        raise ValueError(f"{path}: no cap is called '{cap}'; the names are {', '.join(CAPS)}")
    facts, cases, head = {}, [], None
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line.startswith("# "):
            key, _, value = line[2:].partition(" ")
            facts[key] = value
        elif head is None:
            head = line.split("\t")
            if head != COLUMNS:
                raise ValueError(f"{path}:{number}: the columns are {' '.join(head)}, expected {' '.join(COLUMNS)}")
        else:
            fields = line.split("\t")
            if len(fields) != len(COLUMNS):
                raise ValueError(f"{path}:{number}: {len(fields)} fields, expected {len(COLUMNS)}")
            cases.append(Case(dict(zip(COLUMNS, fields))))
    return Run(name, facts, best_of(cases))


def best_of(cases):
    """Of a case that ran several times the best run, with the best that its limits took."""
    best = {}
    for case in cases:
        known = best.setdefault(case.key, case)
        if case.refusal or known.refusal or known is case:
            continue
        limits = min(known.memcpy, case.memcpy), min(known.flat, case.flat)
        if case.best < known.best:
            best[case.key] = known = case
        known.memcpy, known.flat = limits
    return list(best.values())


def read_capped(paths):
    """Runs NAME@CAP by cap and name."""
    capped = {}
    for path in paths:
        name, _, cap = path.stem.partition("+")[0].partition("@")
        if cap:
            capped.setdefault(cap, {})[name] = read_run(path)
    return capped


def read_runs(paths):
    """The runs without a cap."""
    runs = {}
    for path in (p for p in paths if "@" not in p.stem):
        run = read_run(path)
        if run.name in runs:
            runs[run.name].add(run.cases)
        else:
            runs[run.name] = run
    share_limits([run for name, run in runs.items() if name in TURNS])
    return {name: runs[name] for name in RUNS if name in runs}


def share_limits(runs):
    """Limits of products are the machine's, whichever library took its turn beside them: the best that was measured."""
    least = {}
    for run in runs:
        for c in run.measured():
            if c.set in DOT_SETS:
                memcpy, flat = least.get(c.key, (c.memcpy, c.flat))
                least[c.key] = min(memcpy, c.memcpy), min(flat, c.flat)
    for run in runs:
        for c in run.cases:
            if c.key in least and c.memcpy > 0:
                c.memcpy, c.flat = least[c.key]


def geomean(values):
    logs = [math.log(v) for v in values]
    return math.exp(sum(logs) / len(logs))
