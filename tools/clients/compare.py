#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs networks of programs that use oneDNN on the library they come with and on this one, and compares them.

    compare.py [DIR] [--library build/libdnnl.so.3] [--only REGEX] [--layers N] [--page doc/clients.md]

DIR (build/clients) is what install.sh filled; programs that are not there are skipped. Each program runs twice, in two
processes that run each network in turns, on THREADS threads (all processors). A network is right if
  - no call is refused by this library alone, and as many primitives run on it as on the other;
  - its outputs differ by no more than rounding (BOUNDS); where rounding grows, by half more from more exact ones than
    the other library's do: those of bf16 from the other library's in f32, those of training in f32 from f64.
Times are the fastest of runs in turns. --layers names the N layers that lose most time; --page writes the tables.
The exit status is 1 if a network is not right.
"""
import argparse
import collections
import json
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
THREADS = os.environ.get("THREADS", str(os.cpu_count()))
BOUNDS = {"f32": 1e-4, "bf16": 3e-2}  # of the largest value; gradients of f32 sum thousands of products
BEGIN, END = "<!-- written by tools/clients/compare.py -->", "<!-- end -->"
MOVES = {"reorders"}  # primitives, in plural: each library has its own layouts, and moves between them


class Client:
    """A program in a process, on one library."""
    def __init__(self, program, folder, log, library):
        self.log, self.at, self.name = pathlib.Path(log), 0, "ours" if library else "theirs"
        words = "profile_exec,error" + (",check,dispatch" if library else "")
        env = os.environ | {"ONEDNN_VERBOSE": words, "OMP_NUM_THREADS": THREADS}
        if library:
            env["LIBDNNL"] = library
        self.process = subprocess.Popen([folder / program / "python", HERE / "worker.py", program, log], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env,
                                        stderr=open(f"{log}.errors", "w", encoding="utf-8"))

    def ask(self, do, **more):
        try:
            self.process.stdin.write(json.dumps({"do": do} | more) + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            return {"error": f"the program ended with status {self.process.wait()}; see {self.log}.errors", "gone": True}
        return json.loads(line)

    def lines(self):
        """Verbose lines since the last call, as lists of fields."""
        with open(self.log, encoding="utf-8", errors="replace") as log:
            log.seek(self.at)
            text = log.read()
            self.at = log.tell()
        return [line.split(",") for line in text.splitlines() if line.startswith("onednn_verbose")]

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def layers(lines):
    """{(primitive, direction, types, shape): [times]} of executions, whatever the layouts."""
    found = collections.defaultdict(list)
    for fields in lines:
        if len(fields) > 10 and "exec" in fields[2:5]:
            fields = fields[fields.index("exec"):]
            if len(fields) < 9:
                continue
            kind, direction, tensors, shape, time = fields[2], fields[4], fields[5], fields[8], fields[9]
            types = " ".join(":".join(tensor.split(":")[:2]) for tensor in tensors.split() if ":undef:" not in tensor)
            found[kind, direction, types, shape].append(float(time))
    return found


def complaints(lines):
    """Refusals, and notes on steps that portable code runs: those name the engine."""
    found = {",".join(fields[2:]): "cpu" in fields for fields in lines
             if any(re.match("create:|exec:|error", field) for field in fields)}
    return [text for text, note in found.items() if not note], [text for text, note in found.items() if note]


class Network:
    """One network on both."""
    def __init__(self, name, clients, folder, reference):
        self.name, self.wrong, self.difference, self.ms = name, [], None, {}
        self.dtype = "bf16" if "bf16" in name else "f32"
        self.file = folder / (re.sub(r"\W+", "_", name) + ".npz")
        self.reference = reference  # file of outputs that are more exact, of the other library
        self.layers, self.inside, self.moves = {}, (0.0, 0.0), (0.0, 0.0)
        self.errors, self.portable = "", []
        self.compare(clients)

    def compare(self, clients):
        theirs, ours = clients
        executed = {}
        if self.dtype == "f32" and "training" in self.name:
            theirs.ask("make", name=self.name.replace("f32", "f64"))
            if "error" not in theirs.ask("run"):
                self.reference = self.file.with_suffix(".f64.npz")
                theirs.ask("save", file=str(self.reference))
        for client in clients:
            client.lines()
            for do in ("make", "run"):
                answer = client.ask(do, name=self.name)
                if "error" in answer:
                    self.wrong.append(f"{client.name}: {answer['error']}")
                    return
            lines = client.lines()
            executed[client.name] = collections.Counter(
                {key: len(times) for key, times in layers(lines).items() if key[0] + "s" not in MOVES})
            if client is ours:
                refused, self.portable = complaints(lines)
                self.wrong += refused
        count = {client: sum(counter.values()) for client, counter in executed.items()}
        if count["ours"] != count["theirs"]:
            lost = [" ".join(key) for key in executed["theirs"] - executed["ours"]]
            self.wrong.append(f"{count['ours']} primitives of {count['theirs']} ran: {'; '.join(lost[:3])}")
        self.primitives = count["ours"]
        theirs.ask("save", file=str(self.file))
        self.judge(theirs, ours)
        self.time(clients)

    def judge(self, theirs, ours):
        self.difference = ours.ask("differ", file=str(self.file)).get("difference", float("inf"))
        bound, more = BOUNDS[self.dtype], ""
        if self.reference and self.reference.exists():
            far = [client.ask("differ", file=str(self.reference)).get("difference", float("inf"))
                   for client in (theirs, ours)]
            more = f"(from {'f32' if self.dtype == 'bf16' else 'f64'}: {far[0]:.1e} theirs, {far[1]:.1e} ours)"
            bound = max(bound, 1.5 * far[0])
            self.errors = more
            if far[1] <= bound:
                return
        if not self.difference <= bound:
            self.wrong.append(f"outputs differ by {self.difference:.1e} {more}")

    def time(self, clients, seconds=1.0):
        spent, rounds = 0.0, 0
        best = {client.name: collections.defaultdict(lambda: float("inf")) for client in clients}
        while rounds < 3 or (spent < 1000 * seconds and rounds < 40):
            for client in clients:
                answer = client.ask("run")
                if "error" in answer:
                    self.wrong.append(f"{client.name}, again: {answer['error']}")
                    return
                spent += answer["ms"]
                self.ms[client.name] = min(self.ms.get(client.name, float("inf")), answer["ms"])
                for key, times in layers(client.lines()).items():
                    best[client.name][key] = min(best[client.name][key], sum(times))
            rounds += 1
        self.layers = {key: (best["ours"].get(key, 0.0), best["theirs"].get(key, 0.0))
                       for key in best["ours"].keys() | best["theirs"].keys()}
        self.moves = [sum(pair[at] for key, pair in self.layers.items() if key[0] + "s" in MOVES) for at in (0, 1)]
        self.inside = [sum(pair[at] for pair in self.layers.values()) for at in (0, 1)]

    def row(self):
        difference = "" if self.difference is None else f"{self.difference:.1e}"
        ours, theirs = self.ms.get("ours"), self.ms.get("theirs")
        times = " | " * 5
        if ours and theirs and min(self.inside) > 0:
            times = (f"{ours:.1f} | {theirs:.1f} | {theirs / ours:.2f} | "
                     "{:.1f} | {:.1f} | {:.2f}".format(*self.inside, self.inside[1] / self.inside[0]))
        return f"| {self.name} | {difference} | {times} | {'wrong' if self.wrong else ''} |"


def compare(program, folder, options):
    library = folder / "library"
    library.mkdir(exist_ok=True)
    for name in ("libdnnl.so.3", "libdnnl.so.3.6"):
        (library / name).unlink(missing_ok=True)
        (library / name).symlink_to(options.library.resolve())
    clients = [Client(program, folder, f"{folder}/{program}.{who}.log", where)
               for who, where in (("theirs", None), ("ours", str(library)))]
    known = [client.ask("names") for client in clients]
    for client, answer in zip(clients, known):
        if "error" in answer:
            print(f"clients: {program} on {client.name}: {answer['error']}")
            return "", [], 1
        versions = [fields for fields in client.lines() if "info" in fields]
        print(f"{answer['foreword']}, {client.name}: {' '.join(answer['library'])}"
              + (f" ({versions[0][3]})" if versions else ""))
    if library.resolve() not in [pathlib.Path(path).parent for path in known[1]["library"]] and not any(
            pathlib.Path(path).resolve() == options.library.resolve() for path in known[1]["library"]):
        print(f"clients: {program} did not load {options.library}")
        return "", [], 1
    networks = []
    print(f"{'':42} {'':8} {'network':>22}  {'inside of the library':>22}")
    print(f"{'network':42} {'differs':>8}" + f" {'ours ms':>9} {'theirs':>7} {'ratio':>5}" * 2)
    for name in known[0]["names"]:
        if not re.search(options.only, name):
            continue
        plain = folder / (re.sub(r"\W+", "_", name.replace("bf16", "f32")) + ".npz")
        network = Network(name, clients, folder, plain if "bf16" in name else None)
        networks.append(network)
        ours, theirs = network.ms.get("ours", 0), network.ms.get("theirs", 0)
        print(f"{name:42} {network.difference or 0:8.1e}", *(f"{a:9.1f} {b:7.1f} {b / a if a else 0:5.2f}" for a, b in
              ((ours, theirs), network.inside)), network.errors, flush=True)
        for word, texts in (("wrong", network.wrong), ("portable", network.portable)):
            for text in texts[:8]:
                print(f"    {word}: {text}", flush=True)
        slow = sorted((item for item in network.layers.items() if item[0][0] + "s" not in MOVES),
                      key=lambda item: item[1][1] - item[1][0])[:options.layers]
        for key, (mine, other) in slow:
            print(f"    {mine:9.3f} {other:9.3f}  {' '.join(key)}", flush=True)
        if options.layers:
            print("    {:9.3f} {:9.3f}  reorders".format(*network.moves))
        for at, client in enumerate(clients):  # one that crashed begins anew
            if client.process.poll() is not None:
                clients[at] = Client(program, folder, client.log, str(library) if at else None)
                clients[at].ask("names")
    for client in clients:
        client.end()
    rows = "".join(network.row() + "\n" for network in networks)
    head = (f"\n{known[0]['foreword']}, the library that it comes with beside this one, {THREADS} threads:\n\n"
            "| network | difference | ours, ms | theirs, ms | theirs / ours | inside of the library: ours | theirs "
            "| theirs / ours | |\n|---|---|---|---|---|---|---|---|---|\n")
    return head + rows, networks, sum(bool(network.wrong) for network in networks)


def write_page(page, text):
    old = page.read_text(encoding="utf-8")
    start, end = old.index(BEGIN) + len(BEGIN), old.index(END)
    with open("/proc/cpuinfo", encoding="utf-8") as info:
        model = re.search(r"model name\s*: (.*)", info.read())
    page.write_text(old[:start] + f"\nProcessor: {model[1] if model else 'unknown'}.\n" + text + old[end:],
                    encoding="utf-8")


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder", nargs="?", type=pathlib.Path, default=pathlib.Path("build/clients"))
    options.add_argument("--library", type=pathlib.Path, default=pathlib.Path("build/libdnnl.so.3"))
    options.add_argument("--only", default="", help="networks whose names have a match of this expression")
    options.add_argument("--program", default="", help="torch or paddle alone")
    options.add_argument("--layers", type=int, default=0, help="name so many layers that lose most time")
    options.add_argument("--page", type=pathlib.Path, help="write the tables into this page")
    options = options.parse_args()
    folder, text, failed, ran = options.folder.resolve(), "", 0, 0
    for program in ("torch", "paddle"):
        if options.program not in ("", program):
            continue
        if not (folder / program / "python").exists():
            print(f"clients: skipped: no {program} under {folder}: tools/clients/install.sh says why")
            continue
        table, networks, wrong = compare(program, folder, options)
        text, failed, ran = text + table, failed + wrong, ran + len(networks)
    if options.page and ran:
        write_page(options.page, text)
    print(f"clients: {ran} networks, {failed} wrong")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
