"""Random programs over what stands for Python's numbers in a graph: lengths, counters, `int(x[0])`,
`bool(x[0] > 1)`, and what is computed of them, beside tensors.

`program(seed)` gives the source of `def program(x, y)`: vectors of int32 and float32 that are not
empty. Values stay small and finite; nothing divides by zero.
"""

import random

INTS = ("len(x)", "int(x[0])", "i", "n", "2", "3", "round(f)", "int(y[-1])")
FLOATS = ("float(y[0])", "float(x[-1])", "0.5", "f", "len(x) / 2", "1 / len(y)", "2.0")
BOOLS = (
    "bool(x[0] > 1)", "not x[0]", "len(x) > 2", "(2 in x)", "b", "i == n", "any(v > 1 for v in x)",
    "x[0] is not None", "isinstance(len(x), int)",
)  # fmt: skip
TENSORS = {"int": ("x[0]", "x", "ag.reduce_sum(x)"), "float": ("y[0]", "y", "ag.reduce_sum(y)")}
UNARY = ("-{}", "abs({})", "+{}")
BINARY = ("{} + {}", "{} - {}", "{} * {}", "({}) + ({})", "max({}, {})", "min({}, {})")
SHOWN = (
    "str({})", "f'{{{}}}'", "repr({})", "isinstance({}, int)", "isinstance({}, float)",
    "isinstance({}, bool)", "type({}).__name__", "'%s' % ({})",
)  # fmt: skip


def program(seed: int) -> str:
    return _Writer(random.Random(seed)).program()


class _Writer:
    def __init__(self, choose: random.Random):
        self.choose = choose

    def program(self) -> str:
        pick = self.choose.choice
        lines = ["def program(x, y):", "    i, n, f, b = 0, len(x), 1.5, True"]
        for _ in range(self.choose.randint(0, 2)):
            lines += self.statement()
        rows = [self.number(2) for _ in range(2)]
        for name, tensors in TENSORS.items():
            rows.append(f"{name}({self.number(1)}) {pick('+-*')} ({pick(tensors)})")
        rows.append(f"({pick(INTS)}) * {pick(TENSORS['float'])}")
        rows += [pick(SHOWN).format(self.number(1)) for _ in range(2)]
        rows += [f"bool({self.number(1)})", f"len(x) {pick(['<', '>=', '=='])} ({self.number(1)})"]
        return "\n".join([*lines, f"    return {', '.join(rows)}", ""])

    def statement(self) -> list[str]:
        pick = self.choose.choice
        change = pick([f"n = n + {pick(['1', 'i', 'len(x)'])}", f"f = f * 0.5 + {pick(FLOATS)}",
                       f"b = {pick(BOOLS)}", f"n = {pick(INTS)}", "n += b", "i += 1"])  # fmt: skip
        head = pick(["for i in range(len(x)):", "for i, v in enumerate(x):", "for v in x:",
                     f"if {pick(BOOLS)}:", "if x[0] > 1:", "while i < len(x):"])  # fmt: skip
        return [f"    {head}", f"        {change}", *(["        i += 1"] if head[0] == "w" else [])]

    def number(self, depth: int) -> str:
        pick = self.choose.choice
        if not depth or self.choose.random() < 0.2:
            return f"({pick(pick([INTS, FLOATS, BOOLS]))})"
        draw = self.choose.random()
        if draw < 0.15:
            return pick(UNARY).format(f"({self.number(depth - 1)})")
        if draw < 0.25:
            return f"({self.number(depth - 1)} if {pick(BOOLS)} else {self.number(depth - 1)})"
        if draw < 0.35:
            divisor = pick(["2", "4.0", "len(x)"])
            return f"({self.number(depth - 1)}) {pick(['/', '//', '%'])} {divisor}"
        return f"({pick(BINARY).format(self.number(depth - 1), self.number(depth - 1))})"
