#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Coefficients of src/core/program/lib/coefficients.hpp: minimax fits with f32 coefficients, relative error.

    python3 tools/math/fit.py [name ...]        (needs mpmath and numpy)

A fit is a polynomial or a quotient of two in u(x). Remez exchange in 40 digits; then the lowest coefficient is rounded
to f32 and held, the others are fitted again, and so on: rounding all at once would lose up to three bits.
"""
import sys
import mpmath as mp
import numpy as np

mp.mp.dps = 40


def single(x):
    return mp.mpf(float(np.float32(float(x))))


class Fit:
    """f(x) ~ g(x) * (sum p_i u^i) / (1 + sum q_i u^i) on [low, high]; u = u(x), g = g(x); p holds what is given."""

    def __init__(self, f, low, high, top, bottom=0, u=lambda x: x, g=lambda x: mp.mpf(1), held=None, points=1500):
        nodes = [(low + high) / 2 + (high - low) / 2 * -mp.cos(mp.pi * (k + mp.mpf(1) / 2) / points) for k in range(points)]
        nodes = [x for x in nodes if abs(f(x)) > mp.mpf(2) ** -40]
        self.u = [u(x) for x in nodes]
        self.scale = [g(x) / f(x) for x in nodes]  # the quotient times this is 1 where the fit is exact
        self.names = [("p", i) for i in range(top + 1)] + [("q", i) for i in range(1, bottom + 1)]
        self.held = dict(held or {})
        self.held = {("p", k): mp.mpf(v) for k, v in self.held.items()}
        self.value = dict(self.held)

    def sides(self, value):
        u = np.array([np.longdouble(str(v)) for v in self.u])
        p = sum(np.longdouble(mp.nstr(value[n], 30)) * u ** n[1] for n in self.names if n[0] == "p")
        q = np.ones_like(u) + sum(np.longdouble(mp.nstr(value[n], 30)) * u ** n[1] for n in self.names if n[0] == "q")
        return p, q, p / q * np.array([np.longdouble(mp.nstr(v, 30)) for v in self.scale]) - 1

    def remez(self):
        free = [n for n in self.names if n not in self.held]
        count = len(free) + 1
        last = len(self.u) - 1
        at = [round(last * (1 - float(mp.cos(mp.pi * k / (count - 1)))) / 2) for k in range(count)]
        bottom = np.ones(last + 1, dtype=np.longdouble)
        for _ in range(30):
            matrix, right = mp.matrix(count, count), mp.matrix(count, 1)
            for row, k in enumerate(at):
                u, s = self.u[k], self.scale[k]
                for column, (side, power) in enumerate(free):
                    matrix[row, column] = u**power * s if side == "p" else -(u**power)
                matrix[row, count - 1] = (-1) ** row * mp.mpf(str(bottom[k]))
                right[row] = 1 - sum(v * u ** n[1] * (s if n[0] == "p" else -1) for n, v in self.held.items())
            solved = mp.lu_solve(matrix, right)
            value = dict(self.held)
            value.update({n: solved[i] for i, n in enumerate(free)})
            _, bottom, error = self.sides(value)
            runs, start = [], 0  # one extremum in each stretch of one sign
            for k in range(1, last + 2):
                if k == last + 1 or (error[k] > 0) != (error[start] > 0):
                    runs.append(start + int(np.argmax(abs(error[start:k]))))
                    start = k
            while len(runs) > count:
                if len(runs) == count + 1:
                    runs.pop(0 if abs(error[runs[0]]) < abs(error[runs[-1]]) else -1)
                else:
                    k = min(range(len(runs) - 1), key=lambda i: max(abs(error[runs[i]]), abs(error[runs[i + 1]])))
                    del runs[k : k + 2]
            worst = float(max(abs(error)))
            levelled = len(runs) == count and worst < 1.001 * float(min(abs(error[runs])))
            self.value, self.worst = value, worst
            if levelled or len(runs) < count:
                return
            at = runs

    def rounded(self):
        self.remez()
        self.ideal = self.worst
        # Below first and all at once: the numerator, which is linear, makes up for it.
        self.held.update({n: single(self.value[n]) for n in self.names if n[0] == "q"})
        if any(n[0] == "q" for n in self.names):
            self.remez()
        for name in [n for n in self.names if n not in self.held]:
            self.held[name] = single(self.value[name])
            if all(n in self.held for n in self.names):
                self.value = dict(self.held)
                self.worst = float(max(abs(self.sides(self.value)[2])))
            else:
                self.remez()
        return self


half = mp.mpf(1) / 2
root2 = mp.sqrt(2)
square = lambda x: x * x
identity = lambda x: x
e = mp.mpf(2) ** -16  # reduced arguments are rounded
FITS = {
    "exp": lambda: Fit(mp.exp, -mp.log(2) - e, mp.log(2) + e, 7, held={0: 1, 1: 1}),  # 2^even beside it
    "expm1": lambda: Fit(mp.expm1, -mp.log(2) / 2 - e, mp.log(2) / 2 + e, 6, g=identity, held={0: 1}),
    "log": lambda: Fit(mp.log1p, 1 / root2 - 1, root2 - 1, 9, g=identity, held={0: 1, 1: -half}),
    "log1p": lambda: Fit(mp.log1p, mp.mpf(0), mp.mpf(1), 9, g=identity, held={0: 1}),
    # log((1 + s) / (1 - s)) = 2 s + s^3 (p0 + p1 s^2 + ..)
    "atanh": lambda: Fit(lambda s: 2 * mp.atanh(s) - 2 * s, e * 64, (root2 - 1) / (root2 + 1), 3, 0, square, lambda s: s**3),
    "tanh": lambda: Fit(mp.tanh, e * 64, mp.mpf("9.02"), 4, 4, square, identity, held={0: 1}),
    "erf": lambda: Fit(mp.erf, e * 64, mp.mpf("3.94"), 5, 5, square, identity),
    "half_exp": lambda: Fit(mp.exp, -mp.log(2) / 2 - e, mp.log(2) / 2 + e, 6, held={0: 1, 1: 1}),
    "short_exp": lambda: Fit(mp.exp, -mp.log(2) / 2 - e, mp.log(2) / 2 + e, 5, held={0: 1 + mp.mpf(2) ** -23}),
    # The normal distribution function without its exponential.
    "tail": lambda: Fit(lambda x: mp.erfc(-x / root2) * mp.exp(x * x / 2) / 2, mp.mpf(-9), mp.mpf(0), 3, 4, held={0: half}),
}

if __name__ == "__main__":
    for name in sys.argv[1:] or FITS:
        fit = FITS[name]().rounded()
        print(f"{name}: {fit.worst / 2**-24:.3f} * 2^-24 relative ({fit.ideal / 2**-24:.3f} before rounding)")
        for n in fit.names:
            print(f"    {n[0]}{n[1]} = {float(fit.value[n]).hex()}  {float(fit.value[n]):.9g}")
