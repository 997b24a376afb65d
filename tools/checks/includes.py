#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The direction of dependencies under src/: api -> ops -> core <- cpu, gpu.

Core includes core; ops, cpu and gpu include themselves and core, so that engines never see each other; on_sycl, whose engines hand
plans to those, meets them in one file; and api includes ops and core. Ops and cpu meet in Plan and
Machine alone; api touches the engine's side only where an engine is made and where its instruction set or number of
threads is set.
Instruction headers, thread run times and CPUID belong to cpu. No headers include each other in a circle.

Within cpu, what generates code and what is plain C++ do not know each other: cpu/select alone knows both, so that builds
for processors without kernels leave folders out. Instruction headers outside of GENERATING stand behind an #if.

Beyond src: what joins by fmt includes the header that has fmt::join in every version.
"""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SRC = ROOT / "src"
MAY_INCLUDE = {"core": {"core"}, "ops": {"ops", "core"}, "cpu": {"cpu", "core"}, "gpu": {"gpu", "core"},
               "on_sycl": {"on_sycl", "core"}, "api": {"api", "ops", "core", "oneapi"}}
# file -> what it may include beyond its folder's rule, with the reason
EXCEPTIONS = {
    "api/objects/engine.cpp": {"cpu/engine.hpp", "gpu/engine.hpp", "on_sycl/engine.hpp"}, # the table of engines
    "api/interop/opencl.cpp": {"gpu/engine.hpp", "gpu/opencl.hpp"},            # what an engine of OpenCL has beyond Engine
    "api/interop/sycl.cpp": {"on_sycl/engine.hpp"},                            # the same of SYCL
    "on_sycl/inner.cpp": {"cpu/engine.hpp", "gpu/engine.hpp"},                 # the engines that do the work
    "api/settings.cpp": {"cpu/engine.hpp", "cpu/isa.hpp", "cpu/isa_limit.hpp"}, # dnnl_set_max_cpu_isa, dnnl_set_jit_dump
    "api/version.cpp": {"cpu/runtime/threads.hpp"},                                # the run time, for dnnl_version
    "api/primitives/gemm.cpp": {"cpu/runtime/threads.hpp"},                           # passes over C
    "api/objects/threadpool.cpp": {"cpu/runtime/threads.hpp"},                     # whether pools are taken, max_concurrency
    "cpu/runtime/threadpool.cpp": {"oneapi/dnnl/dnnl_threadpool_iface.hpp"}, # the caller's thread pool
}
GENERATING = ("cpu/jit/", "cpu/tiles/", "cpu/products/", "cpu/executor/")  # left out of builds for processors without kernels
# What cmake/kernels.cmake leaves out of src/cpu/select as well: they choose between the halves, and say why.
OF_BOTH_HALVES = re.compile(r"^cpu/select/(steps/|(with_kernels|select|selection|growing|tiles)\.)")
MACHINE_HEADERS = re.compile(r"^((\w*intrin|cpuid|omp)\.h|xbyak/.*|(oneapi/)?tbb/.*)$")


def includes(path):
    """(line, whether in quotes, name, whether behind an #if)"""
    depth = 0
    for number, line in enumerate(path.read_text().splitlines(), 1):
        directive = re.match(r"\s*#\s*(if|endif)", line)
        if directive:
            depth += 1 if directive[1] == "if" else -1
        match = re.match(r'\s*#\s*include\s+(["<])([^">]+)[">]', line)
        if match:
            yield number, match[1] == '"', match[2], depth > 0


def halves_of_cpu(name, included):
    """Why a file of cpu may not include another; None if it may."""
    if OF_BOTH_HALVES.match(name):
        return None
    if included.startswith(GENERATING) and not name.startswith(GENERATING):
        return "generates code, which builds for other processors leave out: through cpu/select"
    if included.startswith("cpu/portable/") and name.startswith(GENERATING):
        return "plain C++ runs what has no kernels: through cpu/select"
    return None


def circles(graph):
    """Headers that reach themselves, each circle once."""
    found, done = [], set()

    def walk(node, path):
        if node in path:
            found.append(" -> ".join(path[path.index(node):] + [node]))
        elif node not in done:
            for following in graph.get(node, ()):
                walk(following, path + [node])
            done.add(node)

    for start in graph:
        walk(start, [])
    return found


def joins_without_their_header():
    """fmt 11 moved fmt::join from <fmt/format.h>, where 9 and 10 have it, to <fmt/ranges.h>, which all have."""
    for folder in ("src", "tools", "tests", "bench", "examples"):
        for path in sorted(p for p in (SRC.parent / folder).rglob("*") if p.suffix in {".cpp", ".hpp"}):
            if "fmt::join(" in (text := path.read_text()) and "#include <fmt/ranges.h>" not in text:
                yield f"{path.relative_to(SRC.parent)}: fmt::join needs <fmt/ranges.h>"


def main():
    errors, graph, files, used = list(joins_without_their_header()), {}, 0, set()
    for path in sorted(p for p in SRC.rglob("*") if p.suffix in {".cpp", ".hpp", ".def", ".inc"}):
        name = path.relative_to(SRC).as_posix()
        if re.search(r"(^|[/_])(test|bench)\.cpp$", name):  # beside what they ask, and no part of the library
            continue
        folder = name.split("/")[0]
        if folder not in MAY_INCLUDE:
            errors.append(f"src/{name}: no rule for the folder '{folder}': add it to tools/checks/includes.py")
            continue
        files += 1
        for number, quoted, included, guarded in includes(path):
            target = included.split("/")[0]
            if why := halves_of_cpu(name, included):
                errors.append(f'src/{name}:{number}: "{included}" {why}')
            if not quoted:
                if re.search(r"intrin\.h|cpuid\.h|xbyak", included) and not guarded and not name.startswith(GENERATING):
                    errors.append(f"src/{name}:{number}: <{included}> is of one processor: behind an #if")
                if MACHINE_HEADERS.match(included) and folder != "cpu":
                    errors.append(f"src/{name}:{number}: <{included}> belongs to src/cpu")
                continue
            if (SRC / included).is_file():
                graph.setdefault(name, []).append(included)
            elif target != "oneapi":
                errors.append(f'src/{name}:{number}: "{included}" is no file under src/: write the path from there')
            if target in MAY_INCLUDE[folder]:
                continue
            if included in EXCEPTIONS.get(name, ()):
                used.add((name, included))
            else:
                allowed = ", ".join(sorted(MAY_INCLUDE[folder]))
                errors.append(f'src/{name}:{number}: "{included}": {folder} may include {allowed}')
    errors += [f"circle: {c}" for c in circles(graph)]
    for name, headers in EXCEPTIONS.items():
        errors += [f"tools/checks/includes.py: src/{name} no longer includes {header}: take the exception out"
                   for header in sorted(headers) if (name, header) not in used]
    for error in errors:
        print(error, file=sys.stderr)
    print(f"includes: {files} files, {len(errors)} violations")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
