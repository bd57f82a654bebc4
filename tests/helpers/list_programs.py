"""Random programs over lists that are empty before the loops that fill and read them.

`program(seed)` gives the source of `def program(x)`, whose `x` is a vector of small integers. All
values stay small, and what is read is there: the same text means the same for Python's lists and
for those of the stager.
"""

import random

READS = (
    "len({a})", "sum({a})", "sum({a}[1:])", "{a}.count(v)", "max({a}, default=3)",
    "min({a}, default=v)", "({a}[0] if {a} else 4)", "({a}[-1] if len({a}) > 0 else k)",
    "len({a} * 2)", "(1 if v in {a} else 2)", "(1 if {a} == [v] else 0)", "len({a} + [v])",
    "sum([w * 2 for w in {a}])", "len([w for w in {a} if w > v])", "sum(sorted({a})[:2])",
    "(1 if any(w == k for w in {a}) else 0)", "len({a}[-2:])", "(5 if {a} else 6)",
)  # fmt: skip
CHANGES = (
    "{a}.append({e})", "{a}.append({e})", "{a}.append({e})", "{a}.insert(0, {e})",
    "{a} = {a} + [{e}]", "{a} = [{e}] + {a}", "{a} += [{e}]", "{a}.extend([{e}, v])",
    "{a}.reverse()", "{a}.sort()", "{a} = {a}[-3:]", "{a} = sorted({a})", "{a}.clear()",
)  # fmt: skip
GUARDED = ("{a}.pop()", "{a}.pop(0)", "del {a}[0]", "{a}[0] = {e}", "{a}[-1] += k", "k = {a}.pop()")


def program(seed: int) -> str:
    return _Writer(random.Random(seed)).program()


class _Writer:
    def __init__(self, choose: random.Random):
        self.choose = choose
        self.lines: list[str] = []

    def program(self) -> str:
        self.line(0, "def program(x):")
        self.line(1, "k, v = 1, 2")
        self.line(1, "a, b = [], []")
        for _ in range(self.choose.randint(1, 2)):
            self.loop(1, "v", 2)
        self.line(1, "return k, len(a), len(b), sum(a), sum(b)")
        return "\n".join(self.lines) + "\n"

    def line(self, indent: int, line: str) -> None:
        self.lines.append("    " * indent + line)

    def loop(self, indent: int, name: str, depth: int) -> None:
        pick = self.choose.random()
        if depth < 2 and pick < 0.3:
            a = self.a()
            self.line(indent, f"while {a} and {a}[-1] > {self.term()}:")
            self.line(indent + 1, f"{a}.pop()")
            return
        if depth < 2 and pick < 0.5:
            self.line(indent, f"for {name} in {self.a()}[:]:")
        else:
            self.line(indent, f"for {name} in x:")
        self.block(indent + 1, depth - 1)

    def block(self, indent: int, depth: int) -> None:
        for _ in range(self.choose.randint(1, 4)):
            self.statement(indent, depth)

    def statement(self, indent: int, depth: int) -> None:
        pick, a = self.choose.random(), self.a()
        if pick < 0.15 and depth:
            self.loop(indent, self.choose.choice("vw"), depth)
        elif pick < 0.3 and depth:
            self.line(indent, f"if {self.expression()} > {self.term()}:")
            self.block(indent + 1, depth - 1)
            if self.choose.random() < 0.5:
                self.line(indent, "else:")
                self.block(indent + 1, depth - 1)
        elif pick < 0.45:
            self.line(indent, f"k = ({self.expression()} + k) % 7")
        elif pick < 0.6:
            self.line(indent, f"if {self.choose.choice([a, f'len({a}) > 0'])}:")
            self.line(indent + 1, self.filled(self.choose.choice(GUARDED), a))
        else:
            self.line(indent, self.filled(self.choose.choice(CHANGES), a))

    def filled(self, form: str, a: str) -> str:
        return form.format(a=a, e=f"({self.expression()}) % 9")

    def a(self) -> str:
        return self.choose.choice("aaab")

    def term(self) -> str:
        return self.choose.choice(["v", "k", "2", "0"])

    def expression(self) -> str:
        if self.choose.random() < 0.4:
            return f"{self.term()} + {self.term()}"
        return f"{self.choose.choice(READS).format(a=self.a())} + {self.term()}"
