"""Random loops over elements of arrays, whose indices are in bounds or just outside.

Half of the programs raise IndexError somewhere. `jit` must raise it too, and leave the arrays as
Python does: what it takes for an index in bounds has to be one.
"""

from __future__ import annotations

import random

import numpy as np
from native_calls import is_native
from numpy_programs import difference, function_of, outcome

import allograph as ag

ROWS, COLUMNS = 12, 7


class IndexProgram:
    """A function of a vector, integers in its bounds, a matrix and two integers, from a seed."""

    def __init__(self, seed: int):
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.names = ["n", "k"]  # integers that are known where a line runs
        self.count = 0
        self.loops = 0
        self.dtype = self.random.choice([np.int64, np.int64, np.int32, np.int8, np.uint8])
        for name, value in (("count", "0"), ("last", "size - 1")):
            self.line(0, f"{name} = {value}")
            self.names.append(name)
        self.loop(0)
        self.line(0, "return count, last")
        body = "\n".join(f"    {line}" for line in self.lines)
        self.source = (
            "inf = float('inf')\n\ndef inner(x):\n    if x > 3:\n        return x - 2\n"
            f"    return x + 1\n\ndef program(a, b, m, n, k):\n    size = len(a)\n{body}\n"
        )
        self.function = function_of(self.source, f"of indices {seed}")

    def arguments(self, seed: int) -> tuple:
        numbers = np.random.default_rng(seed)
        small = int(numbers.integers(-2, 5))
        vector, matrix = numbers.random(ROWS), numbers.random((ROWS, COLUMNS))
        return (
            vector,
            numbers.integers(0, ROWS, ROWS).astype(self.dtype),
            matrix,
            ROWS - small,
            int(numbers.integers(0, 4)),
        )

    # ---- statements ----------------------------------------------------------------------

    def line(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def block(self, depth: int, most: int) -> None:
        known = len(self.names)
        for _ in range(self.random.randint(1, most)):
            chosen = self.random.choices(
                [self.change, self.number, self.branch, self.loop],
                [5, 3, 2, 2 if self.loops < 4 and depth < 3 else 0],
            )[0]
            chosen(depth)
        del self.names[known:]

    def change(self, depth: int) -> None:
        """An element that changes."""
        pick = self.random.choice
        form = pick(["set", "set", "swap", "gather", "matrix", "read", "check", "float", "slice"])
        one, other = self.index("size"), self.index("size")
        if form == "set":
            self.line(depth, f"a[{one}] = a[{other}] * 0.5 + 0.25")
        elif form == "swap":
            self.line(depth, f"a[{one}], a[{other}] = a[{other}], a[{one}]")
        elif form == "gather":
            self.line(depth, f"a[b[{one}]] += 1.0")
        elif form == "slice":
            part = pick([f"{one}:", f":{one}", f"{one}:{other}", f"{one}::2"])
            item = pick(["a", "m[0]"])
            self.line(depth, f"a[{part}] {pick(['+=', '=', '*='])} {item}[{other}] * 0.5")
        elif form == "check":
            checked = pick([one, f"int(b[{one}])"])
            self.line(depth, f"j = {checked}")
            self.line(depth, f"if j < {pick(['0', '-size', '1'])} or j >= {pick(['size', 'n'])}:")
            self.line(depth + 1, "raise ValueError")
            self.line(depth, "a[j] *= 0.5")
        elif form == "float":
            test = pick([self.integer(), f"-{self.integer()}"])
            limit = pick(["0.0", "-1.5", "3.0", "-2.0", "inf"])
            more = pick(["", f"float({test}) <= 40.0 or "])
            self.line(depth, f"assert {more}float({test}) < {limit}")
        elif form == "read":
            self.line(depth, f"if a[{one}] > a[{other}]:")
            self.line(depth + 1, f"count += {pick([1, 1, 2, -1])}")
        else:
            rows, columns = self.index("size"), self.index("m.shape[1]")
            self.line(depth, f"m[{rows}, {columns}] += a[{one}]")

    def number(self, depth: int) -> None:
        """Another integer, or a new value of one."""
        pick = self.random.choice
        if self.random.random() < 0.4:
            name = pick(["count", "last"])
            self.line(depth, f"{name} {pick(['+=', '-=', '+='])} {pick([1, 1, 2])}")
            return
        a, b = self.integer(), self.integer()
        is_new = self.random.random() < 0.6
        name = f"t{self.count}" if is_new else pick(["count", "last"])
        self.count += is_new
        self.line(depth, f"{name} = " + pick([
            f"min({a}, {b})", f"max({a}, {b})", f"({a} + {b}) // 2", f"{a} % size", f"abs({a})",
            f"{a} // {pick([2, 3])}", f"{a} * {pick([2, 3])}", f"{a} - {b}", f"{a} & 7",
            f"{a} if {a} < {b} else {b}", f"max(0, min({a}, size - 1))", f"int(b[{a} % size])",
            f"{a} >> {pick([1, 2])}", f"{a} << 1", f"-{a} // 2", f"inner({a})",
        ]))  # fmt: skip
        self.names += [name] * is_new

    def branch(self, depth: int) -> None:
        self.line(depth, f"if {self.condition()}:")
        self.block(depth + 1, 2)
        if self.random.random() < 0.4:
            self.line(depth, "else:")
            self.block(depth + 1, 2)

    def loop(self, depth: int) -> None:
        self.loops += 1
        if self.random.random() < 0.3:
            self.while_loop(depth)
            return
        name = f"i{self.count}"
        self.count += 1
        self.line(depth, f"for {name} in range({self.bounds()}):")
        self.names.append(name)
        if self.random.random() < 0.2:
            self.line(depth + 1, f"if {self.condition()}:")
            self.line(depth + 2, self.random.choice(["break", "continue", "raise ValueError"]))
        self.block(depth + 1, 3)
        self.names.remove(name)

    def bounds(self) -> str:
        pick = self.random.choice
        low, high = pick(["0", "1", "k", self.integer()]), pick(["size", "size", "n", "size - 1"])
        if self.random.random() < 0.1:
            high = f"b[{self.index('size')}]"
        if self.random.random() < 0.25:
            high = f"{high} - {pick(['k', '1', self.integer()])}"
        if self.random.random() < 0.2:
            return f"{high} - 1, {pick(['-1', '0', 'k - 1'])}, -1"
        if self.random.random() < 0.25:
            return f"{low}, {high}, {pick(['2', '3', 'k + 1', 'max(k, 1)'])}"
        return high if low == "0" else f"{low}, {high}"

    def while_loop(self, depth: int) -> None:
        """Two integers that come nearer to each other, and a condition about them."""
        pick = self.random.choice
        low, high = f"p{self.count}", f"q{self.count}"
        self.count += 1
        first, last = pick(["0", "1", "k"]), pick(["size", "size - 1", "n"])
        self.line(depth, f"{low}, {high} = {first}, {last}")
        more = pick(["", "", f" and a[{low}] < 0.9", f" and {low} < n", f" and {high} > k"])
        left = pick([low, low, f"max({low}, 0)", f"abs({low})"])
        self.line(depth, f"while {left} < {high}{more}:")
        self.names += [low, high]
        self.block(depth + 1, 2)
        middle = f"({low} + {high}) // 2"
        halved = [f"    {low} = {middle} + 1", "else:", f"    {high} = {middle}"]
        for text in pick([
            [f"{low} += 1"], [f"{high} -= 1"], [f"{low} += 1", f"{high} -= 1"], [f"{low} += 2"],
            [f"if a[{middle}] < 0.5:", *halved],
            [f"if {self.condition()}:", f"    {low} += 1", "else:", f"    {high} -= 1"],
        ]):  # fmt: skip
            self.line(depth + 1, text)

    # ---- expressions ---------------------------------------------------------------------

    def integer(self) -> str:
        return self.random.choice([*self.names, *self.names, str(self.random.randint(0, 3))])

    def index(self, size: str) -> str:
        """An index that is mostly in bounds: one of a loop, or near it."""
        pick = self.random.choice
        counters = [name for name in self.names if name[0] in "ipqcl"]
        name = pick(counters if counters and self.random.random() < 0.85 else self.names)
        if self.random.random() < 0.6:
            return pick([name, name, f"{name} - 1", f"{name} + 1"])
        return pick([
            f"{size} - 1 - {name}", f"{size} - {name}", f"{name} // 2", f"{name} % {size}",
            f"min({name}, {size} - 1)", f"-{name} - 1", f"-{name}", f"{name} - k", f"{name} * 2",
            f"({name} + {pick(self.names)}) // 2", f"{name} + {pick(self.names)}", "0", "-1",
            f"({name} + 1) % {size}", f"max({name} - 1, 0)", f"min({name} + 1, {size})",
        ])  # fmt: skip

    def condition(self) -> str:
        pick = self.random.choice
        a, b = self.integer(), pick([self.integer(), "n", "size", "size - 1", "0"])
        test = f"{a} {pick(['<', '<=', '>', '>=', '==', '!='])} {b}"
        if self.random.random() < 0.3:
            test += f" {pick(['and', 'or'])} {self.integer()} {pick(['<', '>='])} {self.integer()}"
        return test


def assert_jit_checks_indices(seed: int) -> bool:
    """A random function decorated by `jit` does what it does undecorated. Whether it is native."""
    program = IndexProgram(seed)
    compiled = ag.jit(program.function)
    for more in (0, 1000, 2000):
        arguments = program.arguments(seed + more)
        expected, found = outcome(program.function, arguments), outcome(compiled, arguments)
        fault = difference(expected, found)
        assert fault is None, f"{program.source}\n{compiled.inspect()}\n{fault}"
    return is_native(compiled)
