"""Random programs over lists that are empty before the loops that fill and read them.

`program(seed)` gives the source of `def program(x)`, whose `x` is a vector of small integers; with
`pairs`, the items are pairs of numbers. All values stay small, and what is read is there: the same
text means the same for Python's lists and for those of the stager.
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
READS_OF_PAIRS = (
    "len({a})", "sum(p for p, q in {a})", "({a}[0][0] if {a} else 4)", "len({a}[-2:])",
    "({a}[-1][1] if len({a}) > 0 else k)", "sum([p * 2 - q for p, q in {a}])",
    "len([p for p, q in {a} if p > v])", "(5 if {a} else 6)", "sum(q for p, q in {a}[1:])",
    "len([i for i, (p, q) in enumerate({a}) if i < p])", "max([p for p, q in {a}], default=2)",
    "({a}[0][1] if {a} and {a}[0][0] > 1 else 3)",
)  # fmt: skip
CHANGES_OF_PAIRS = (
    "{a}.append(({e}, {e}))", "{a}.append(({e}, v))", "{a}.append((k, {e}))",
    "{a}.insert(0, ({e}, k))", "{a} = {a} + [({e}, v)]", "{a} = [(v, {e})] + {a}",
    "{a} += [({e}, {e})]", "{a}.reverse()", "{a} = {a}[-3:]", "{a}.clear()",
    "{a} = [(q, p) for p, q in {a}]", "{a} = [(p + 1, q) for p, q in {a} if p < 4]",
)  # fmt: skip
GUARDED_OF_PAIRS = (
    "{a}.pop()", "{a}.pop(0)", "del {a}[0]", "{a}[0] = ({e}, v)", "k = {a}.pop()[1]",
    "p, q = {a}[-1]; k = (p + q) % 7", "{a}[-1] = ({a}[-1][0], {e})", "(k, _), *_ = {a}",
)  # fmt: skip


def program(seed: int, pairs: bool = False) -> str:
    return _Writer(random.Random(seed), pairs).program()


class _Writer:
    def __init__(self, choose: random.Random, pairs: bool):
        self.choose = choose
        self.pairs = pairs
        self.reads = READS_OF_PAIRS if pairs else READS
        self.changes = CHANGES_OF_PAIRS if pairs else CHANGES
        self.guarded = GUARDED_OF_PAIRS if pairs else GUARDED
        self.lines: list[str] = []

    def program(self) -> str:
        self.line(0, "def program(x):")
        self.line(1, "k, v = 1, 2")
        self.line(1, "a, b = [], []")
        for _ in range(self.choose.randint(1, 2)):
            self.loop(1, "v", 2)
        sums = "sum(p for p, q in a), sum(q for p, q in b)" if self.pairs else "sum(a), sum(b)"
        self.line(1, f"return k, len(a), len(b), {sums}")
        return "\n".join(self.lines) + "\n"

    def line(self, indent: int, line: str) -> None:
        self.lines.append("    " * indent + line)

    def loop(self, indent: int, name: str, depth: int) -> None:
        pick, a = self.choose.random(), self.a()
        if depth < 2 and pick < 0.3:
            self.line(indent, f"while {a} and {a}[-1]{'[0]' * self.pairs} > {self.term()}:")
            self.line(indent + 1, f"{a}.pop()")
            return
        if depth < 2 and pick < 0.5:
            self.line(indent, f"for {name}{', w' * self.pairs} in {a}[:]:")
        else:
            self.line(indent, f"for {name} in x:")
        self.block(indent + 1, depth - 1)

    def block(self, indent: int, depth: int) -> None:
        for _ in range(self.choose.randint(1, 4)):
            self.statement(indent, depth)

    def statement(self, indent: int, depth: int) -> None:
        pick, a = self.choose.random(), self.a()
        if pick < 0.15 and depth:
            self.loop(indent, "v" if self.pairs else self.choose.choice("vw"), depth)
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
            self.line(indent + 1, self.filled(self.choose.choice(self.guarded), a))
        else:
            self.line(indent, self.filled(self.choose.choice(self.changes), a))

    def filled(self, form: str, a: str) -> str:
        return form.format(a=a, e=f"({self.expression()}) % 9")

    def a(self) -> str:
        return self.choose.choice("aaab")

    def term(self) -> str:
        return self.choose.choice(["v", "k", "2", "0"])

    def expression(self) -> str:
        if self.choose.random() < 0.4:
            return f"{self.term()} + {self.term()}"
        return f"{self.choose.choice(self.reads).format(a=self.a())} + {self.term()}"
