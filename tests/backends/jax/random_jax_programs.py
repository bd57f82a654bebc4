"""Random functions of two integers, with the statements that tracers may drive."""

import random

NAMES = "abcd"
HEAD = "def {name}(a, b):\n    c, d = 1, a\n"


class Writer:
    """Writes one function. Loops have at most eight iterations, and numbers stay small."""

    def __init__(self, seed: int):
        self.random = random.Random(seed)
        self.counters = 0

    def number(self, depth=2) -> str:
        kind = self.random.randrange(8 if depth else 3)
        if kind == 0:
            return str(self.random.randint(-3, 9))
        if kind < 3:
            return self.random.choice(NAMES)
        if kind < 6:
            sign = self.random.choice("+-*")
            return f"({self.number(depth - 1)} {sign} {self.number(depth - 1)}) % 97"
        if kind == 6:
            return f"({self.number(depth - 1)} if {self.test(1)} else {self.number(depth - 1)})"
        call = self.random.choice(["min", "max"])
        return f"{call}({self.number(depth - 1)}, {self.number(depth - 1)})"

    def test(self, depth=2) -> str:
        kind = self.random.randrange(6 if depth else 2)
        if kind < 3:
            sign = self.random.choice(["<", ">", "<=", ">=", "==", "!="])
            return f"{self.number(1)} {sign} {self.number(1)}"
        if kind == 3:
            return f"not ({self.test(depth - 1)})"
        if kind == 4:
            return f"{self.number(0)} < {self.number(1)} <= {self.number(0)}"
        sign = self.random.choice(["and", "or"])
        return f"({self.test(depth - 1)} {sign} {self.test(depth - 1)})"

    def block(self, margin: str, depth: int, in_loop: bool) -> list[str]:
        lines = []
        for _ in range(self.random.randint(1, 3)):
            lines += self.statement(margin, depth, in_loop)
        return lines

    def statement(self, margin: str, depth: int, in_loop: bool) -> list[str]:
        kind = self.random.randrange(10 if depth else 4)
        inner = margin + "    "
        if kind < 3:
            return [f"{margin}{self.random.choice(NAMES)} = {self.number()}"]
        if kind == 3:
            name = self.random.choice(NAMES)
            return [f"{margin}{name} = ({name} + {self.number(1)}) % 97"]
        if kind < 6:
            lines = [f"{margin}if {self.test()}:", *self.block(inner, depth - 1, in_loop)]
            if self.random.random() < 0.3:
                exits = ["break", "continue"] if in_loop else []
                exits.append(f"return {self.number(1)}, a, b, c")
                lines.append(inner + self.random.choice(exits))
            if self.random.random() < 0.3:
                lines += [f"{margin}elif {self.test()}:", *self.block(inner, depth - 1, in_loop)]
            if self.random.random() < 0.6:
                lines += [f"{margin}else:", *self.block(inner, depth - 1, in_loop)]
            return lines
        self.counters += 1
        counter = f"i{self.counters}"
        if kind < 8:
            bound = self.random.choice(["a % 6", "3", "b % 4"])
            lines = [f"{margin}for {counter} in range({bound}):"]
            lines += [
                f"{inner}{self.random.choice(NAMES)} = {self.random.choice(NAMES)} - {counter}"
            ]
        else:
            lines = [f"{margin}{counter} = 0", f"{margin}while {counter} < 6 and {self.test()}:"]
            lines += [f"{inner}{counter} += 1"]
        lines += self.block(inner, depth - 1, True)
        if self.random.random() < 0.2:
            lines += [f"{margin}else:", *self.block(inner, 0, in_loop)]
        return lines


def program(seed: int, name: str) -> str:
    """The source of a function."""
    writer = Writer(seed)
    lines = [line for _ in range(4) for line in writer.statement("    ", 2, False)]
    return HEAD.format(name=name) + "\n".join([*lines, "    return a, b, c, d", ""])
