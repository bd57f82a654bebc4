"""Random loops whose iterations may be independent: threads share them, or must not.

An iteration writes its own row, or another one; it sums, counts and looks for the largest; it may
raise, leave the loop early, or read what another one writes, in an array that overlaps its own.
"""

from __future__ import annotations

import random

import numpy as np
from numpy_programs import difference, function_of, outcome

import allograph as ag

COLUMNS = 5
NUMBERS = [
    "a[{i}]", "b[{i}]", "m[{i}, {j}]", "out[{i}]", "table[{i}, {j}]", "x", "w", "a[t[{i}]]", "0.5",
    "m[{i}].sum()", "np.max(m[{i}])", "m[{i}, t[{i}] % 5]", "float({i})", "b[-1 - {i}]", "-0.0",
    "m[:, 1][{i}]", "a[::-1][{i}]", "table[{i}].max()", "b[{i} // 2]", "m[t[{i}], 0]",
]  # fmt: skip
FORMS = [
    "{} + {}", "{} - {}", "{} * {}", "min({}, {})", "max({}, {})", "math.sin({}) + {}",
    "abs({}) - {}", "np.sqrt(abs({})) + {}", "math.exp(min({}, 2.0)) * {}",
    "({} if {} > 0.25 else 1.5)",
    "math.sqrt({} + 1.5) - {}", "math.log(abs({}) + 1.0) + {}", "{} ** 2 - {}",
    "{} / (abs({}) + 1)",
]  # fmt: skip
INTEGERS = ["{i}", "t[{i}]", "n", "k", "{i} % 3", "{i} * {i}", "int(a[{i}] * 4)", "t[{i}] ^ 5", "3"]
TARGETS = ["out[{}]", "table[{}, k]", "table[{}, 1]", "q[{}, 1]", *["p[{}]"] * 3, "q[{}, t[i] % 5]"]
ROWS_WRITTEN = [*["{i}"] * 5, "{i} + 1", "{i} - 1", "t[{i}]", "n - 1 - {i}", "0"]
BOUNDS = ["n", "n", "n", "len(a)", "1, n", "n - 1", "k, n", "n - 1, -1, -1", "0, n, 2"]
ROWS = ["m[i] * {}", "{}", "np.sort(m[i]) - {}", "m[i][::-1] + {}", "table[i] * {}"]
REDUCED = ["total", "total", "count", "best", "least", "argument", "x", "floats", "bits"]
EXITS = ["continue", "continue", "break", "return total, count, best, at, i", "raise KeyError(i)"]
INSIDE = [
    "w += m[i, j] * {}", "table[i, j] = m[i, j] + {}", "w = max(w, m[i, j] - {})",
    "table[i, j] += {}", "out[i] += m[i, j] * {}", "table[i, j] = w + {}",
]  # fmt: skip
CHECKS = [
    "assert {c}", "w = math.sqrt({x})", "w = math.log({x})", "w = 1.0 / {x}", "w = a[i + k]",
    "total += 7 // (t[i] - 2)", "w = m[i, t[i]]", "w = math.exp({x} * 300)", "w = b[{n}]",
    "total += {n} * 4611686018427387905",
]  # fmt: skip


class ParallelProgram:
    """A function of vectors, matrices, integers and what it writes to, from a seed."""

    def __init__(self, seed: int):
        self.random = random.Random(seed)
        self.is_careful = self.random.random() < 0.6  # few of its iterations depend on others
        self.lines: list[str] = []
        self.line(0, f"total, count, best, at, x = 0, 0, -9.0, -1, {self.pick(['1.5', 'a[0]'])}")
        for _ in range(self.random.choice([1, 1, 2])):
            self.loop()
        self.line(0, "return total, count, best, at, x")
        body = "\n".join(f"    {line}" for line in self.lines)
        head = "import allograph as ag\n\n\ndef program(a, b, m, t, out, table, p, q, n, k):"
        self.source = f"{head}\n{body}\n"
        self.function = function_of(self.source, f"of iterations {seed}")

    def pick(self, rows):
        return self.random.choice(rows)

    def line(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def arguments(self, seed: int) -> tuple:
        """Vectors and matrices, some of which share memory."""
        numbers, choose = np.random.default_rng(seed), random.Random(seed)
        rows = choose.choice([0, 1, 9, 24, 40])
        memory = numbers.random(rows + 4)
        a = choose.choice([memory[:rows], memory[3 : rows + 3], numbers.random(rows)])
        b = choose.choice([numbers.random(rows), memory[1 : rows + 1], a])
        out = choose.choice([np.zeros(rows), memory[2 : rows + 2], a, b[::-1], np.zeros(rows)])
        m = numbers.random((rows, COLUMNS))
        if choose.random() < 0.3:
            m = np.asfortranarray(m)
        table = choose.choice([np.zeros((rows, COLUMNS)), m, m[::-1], np.zeros((rows, COLUMNS))])
        t = numbers.integers(0, max(rows, 1), rows)
        if choose.random() < 0.5:
            numbers.shuffle(a)
            a -= choose.choice([0.0, 0.0, 1.0, 3.0])
        p, q = np.zeros(rows), np.zeros((rows, COLUMNS))
        return a, b, m, t, out, table, p, q, rows, choose.choice([0, 1, 2])

    # ---- statements ----------------------------------------------------------------------

    def loop(self) -> None:
        bounds = self.pick(BOUNDS)
        self.line(0, f"for i in {self.pick(['range', 'ag.prange', 'ag.prange'])}({bounds}):")
        self.line(1, f"w = {self.number('i', 1)}".replace("w", "0.75").replace("0.75", "w", 1))
        for _ in range(self.random.randint(1, 4)):
            self.statement(1)
        if self.random.random() < 0.5:
            self.line(1, f"out[i] = {self.number('i', 1)}")

    def statement(self, depth: int) -> None:
        kinds = [self.write, self.write, self.row, self.reduce, self.reduce]
        kinds += [self.branch, self.inner, self.check, self.local] if depth < 3 else []
        self.pick(kinds)(depth)

    def unless_careful(self, rows, *words: str):
        """The rows without those with these words, in a careful program."""
        keeps = [row for row in rows if not any(word in row for word in words)]
        return keeps if self.is_careful else rows

    def write(self, depth: int) -> None:
        row, how = self.pick(ROWS_WRITTEN).format(i="i"), self.pick(["=", "=", "+=", "*=", "-="])
        target = self.pick(self.unless_careful(TARGETS, "table"))
        self.line(depth, f"{target.format(row)} {how} {self.number('i', 1)}")

    def row(self, depth: int) -> None:
        row = self.pick(ROWS_WRITTEN).format(i="i")
        value = self.pick(ROWS)
        part = self.pick(["", "", ", 1:", ", :k"])
        if part:
            value = "{}"
        name = self.pick(["table", "q"])
        self.line(depth, f"{name}[{row}{part}] = {value.format(self.number('i', 0))}")

    def reduce(self, depth: int) -> None:
        form = self.pick(self.unless_careful(REDUCED, "x", "floats"))
        if form == "total":
            self.line(depth, f"total {self.pick(['+=', '-='])} {self.integer()}")
        elif form == "count":
            self.line(depth, f"if {self.condition()}:")
            self.line(depth + 1, "count += 1")
        elif form == "best":
            self.line(depth, f"best = max(best, {self.number('i', 1)})")
        elif form == "least":
            self.line(depth, f"x = min(x, {self.number('i', 0)})")
        elif form == "argument":
            self.line(depth, f"value = {self.number('i', 1)}")
            self.line(depth, f"if value {self.pick(['>', '>=', '<'])} best:")
            self.line(depth + 1, "best, at = value, i")
        elif form == "bits":
            self.line(depth, f"total {self.pick(['|=', '^=', '&='])} {self.integer()}")
        elif form == "floats":
            self.line(depth, f"x += {self.number('i', 0)}")
        else:
            self.line(depth, f"x = {self.number('i', 1)}")

    def branch(self, depth: int) -> None:
        self.line(depth, f"if {self.condition()}:")
        if self.random.random() < 0.3:
            self.line(depth + 1, self.pick(self.unless_careful(EXITS, "break", "return")))
            return
        self.statement(depth + 1)
        if self.random.random() < 0.4:
            self.line(depth, "else:")
            self.statement(depth + 1)

    def inner(self, depth: int) -> None:
        """A loop inside of an iteration."""
        if self.random.random() < 0.5:
            loop, bound = self.pick(["range", "ag.prange"]), self.pick(["5", "k", "m.shape[1]"])
            self.line(depth, f"for j in {loop}({bound}):")
            self.line(depth + 1, self.pick(INSIDE).format(self.number("i", 0)))
            if self.random.random() < 0.2:
                self.line(depth + 1, f"if {self.condition()}:")
                self.line(depth + 2, self.pick(["break", "continue"]))
        else:
            self.line(depth, f"step = {self.pick(['0', 't[i] % 4', 'k'])}")
            self.line(depth, f"while step < 5{self.pick(['', ' and w < 40.0'])}:")
            self.line(depth + 1, f"w = w * 0.5 + {self.number('i', 0)}")
            self.line(depth + 1, "step += 1")

    def check(self, depth: int) -> None:
        """A statement that may raise."""
        operands = {"c": self.condition(), "x": self.number("i", 0), "n": self.integer()}
        self.line(depth, self.pick(CHECKS).format(**operands))

    def local(self, depth: int) -> None:
        self.line(depth, f"v = {self.pick(['np.zeros(4)', 'm[i].copy()', 'm[i] + x', 'm[i]'])}")
        self.line(depth, f"v[{self.pick(['0', 'k', 't[i] % 4'])}] += {self.number('i', 0)}")
        self.line(depth, f"w = {self.pick(['v.sum()', 'v[1] - v[-1]', 'np.min(v)'])}")

    # ---- expressions ---------------------------------------------------------------------

    def number(self, i: str, depth: int) -> str:
        if not depth:
            j = self.pick(["0", "1", "k", "-1", "t[i] % 5"])
            row = self.pick([i] * 9 + [f"{i} - 1"])
            return self.pick(self.unless_careful(NUMBERS, "out", "table", "x")).format(i=row, j=j)
        return self.pick(FORMS).format(self.number(i, depth - 1), self.number(i, depth - 1))

    def integer(self) -> str:
        return self.pick(INTEGERS).format(i="i")

    def condition(self) -> str:
        if self.random.random() < 0.5:
            return f"{self.integer()} {self.pick(['<', '!=', '>', '=='])} {self.integer()}"
        return f"{self.number('i', 0)} {self.pick(['<', '>', '>='])} {self.number('i', 0)}"


def assert_jit_shares_iterations(seed: int, kernel_compiler: str | None = None) -> bool:
    """A random loop under `jit` does what Python does. Whether threads share a loop of it."""
    program = ParallelProgram(seed)
    compiled = ag.jit(program.function, kernel_compiler=kernel_compiler)
    for more in (0, 1000, 2000, 3000):
        expected = outcome(program.function, program.arguments(seed + more))
        actual = outcome(compiled, program.arguments(seed + more))
        fault = difference(expected, actual)
        assert fault is None, f"{program.source}\n{more}\n{compiled.inspect()}\n{fault}"
    entries = [entry for entry in compiled.jit_table.values() if entry.traced is not None]
    kernels = [kernel for entry in entries for kernel in entry.traced.executable.kernels()]
    return any("run_region" in kernel.source for kernel in kernels)
