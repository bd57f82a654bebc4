"""Short random programs in which names get other arrays in branches and loops, as a full buffer
does. Arrays have several names and views, and change and are read under each of them.
"""

import random

import numpy as np
from array_programs import outcome
from native_calls import is_native
from numpy_programs import difference, function_of

import allograph as ag

STARTS = (
    "np.zeros(3)", "np.ones(2)", "x.copy()", "x", "p", "p[1:]", "p[:2]", "p.copy()", "y", "y[::2]",
    "np.empty(0)", "np.arange(4.0)", "q",
)  # fmt: skip
REPLACED = (
    ("new = np.zeros(2 * len({0}) + 1)", "new[:len({0})] = {0}", "{0} = new"),
    ("new = np.empty(len({0}) + 2)", "new[:] = v", "{0} = new"),
    ("{0} = np.concatenate(({0}, np.zeros(len({0}) + 1)))",),
    ("{0} = np.append({0}, v)",),
    ("{0} = {1}",),
    ("{0} = {1}.copy()",),
    ("{0} = {0}[1:]",),
    ("{0} = {0} + 1.0",),
    ("{0}, {1} = {1}, {0}",),
    ("{0} = np.zeros(4)",),
)
CHANGES = (
    "if len({0}) > 0: {0}[n % len({0})] = v", "if n < len({0}): {0}[n] += 1.0", "{0} += 0.5",
    "{0}[:1] = v", "{0}[-1:] += n",
)  # fmt: skip
READS = ("s += {0}.sum()", "if len({0}) > 1: s += {0}[1]", "s += len({0})", "t = {0}[:2].sum() - t")
TESTS = ("n == len({0})", "n >= len({0})", "v > 0.5", "s < 3.0", "len({0}) < 6", "n % 2 == 0")
LOOPS = ("for v in x:", "for i in range(k[0]):", "for v in p:", "while n < k[0]:", "for v in x:")
NAMES = ("p", "p", "p", "q", "r")


class BufferProgram:
    """The source of a function of arrays `x`, `y` and `k`, of one integer, from a seed."""

    def __init__(self, seed: int):
        self.random = random.Random(seed)

    def filled(self, forms) -> list[str]:
        form = self.random.choice(forms)
        names = self.random.choice(NAMES), self.random.choice(NAMES)
        return [line.format(*names) for line in (form if isinstance(form, tuple) else (form,))]

    def statements(self, depth: int) -> list[str]:
        lines: list[str] = []
        for _ in range(self.random.choice((1, 2, 2, 3))):
            kind = self.random.random()
            if kind < 0.35:
                replaced = self.filled(REPLACED)
                tests = [f"len({replaced[-1][0]}) < 40"]  # what doubles in two loops is too long
                tests += self.filled(TESTS) if self.random.random() < 0.8 else []
                lines += [f"if {' and '.join(tests)}:", *(f"    {line}" for line in replaced)]
            elif kind < 0.65:
                lines += self.filled(CHANGES)
            elif kind < 0.85 or not depth:
                lines += self.filled(READS)
            else:
                lines += self.compound(depth - 1)
        return lines

    def compound(self, depth: int) -> list[str]:
        head = self.random.choice((*LOOPS, *(f"if {self.filled(TESTS)[0]}:" for _ in range(2))))
        count = ["n += 1"] if head.startswith(("for", "while")) else []
        return [head, *(f"    {line}" for line in [*self.statements(depth), *count])]

    def source(self) -> str:
        lines = ["n, s, t, v = 0, 0.0, 0.0, 0.25"]
        lines += [f"p = {self.random.choice(STARTS[:4])}", f"q = {self.random.choice(STARTS[:-1])}"]
        lines += [f"r = {self.random.choice(STARTS)}"]
        for _ in range(self.random.choice((1, 1, 2))):
            lines += self.compound(1)
            lines += self.filled(self.random.choice((CHANGES, READS)))
        results = self.random.sample(["p", "q", "r", "p[:n]", "s", "t"], 3)
        lines += [f"return {', '.join(results)},"]
        return "def program(x, y, k):\n" + "".join(f"    {line}\n" for line in lines)


def assert_jit_keeps_names_apart(seed: int, kernel_compiler: str | None = None) -> bool:
    """A random function decorated by `jit` does what it does undecorated; whether it is native."""
    source = BufferProgram(seed).source()
    function = function_of(source, f"of buffers {seed}")
    compiled = ag.jit(function, kernel_compiler=kernel_compiler)
    numbers = np.random.default_rng(seed)
    for length, k in ((5, 4), (5, 4), (5, 7), (2, 3), (0, 2)):
        arguments = numbers.random(length).round(2), numbers.random(3).round(2), np.array([k])
        expected, given = outcome(function, arguments), outcome(compiled, arguments)
        found = difference(expected[:2], given[:2], 1e-9)
        if found is None and expected[2] != given[2]:
            found = f"shared memory, and what is writeable: {expected[2]} and {given[2]}"
        assert found is None, f"{source}\n{compiled.inspect()}\n{found}"
    return is_native(compiled)
