"""Random programs over integers: every statement that autograph converts, in any nest.

`program(seed)` gives the source of `def program(a, b, c)`. Values stay below 100, loops are bounded
by fuel, nothing divides by zero; so the same text means the same for Python's integers and for
int32 tensors.
"""

import random

NAMES = ("a", "b", "c", "d")


def program(seed: int) -> str:
    """The source of one program."""
    return Writer(random.Random(seed)).program()


class Writer:
    def __init__(self, choose: random.Random):
        self.choose = choose
        self.lines: list[str] = []
        self.loops = 0

    def program(self) -> str:
        self.line(0, "def program(a, b, c):")
        self.line(1, "d = 1")
        self.block(1, depth=3)
        self.line(1, f"return {self.expression(2)}")
        return "\n".join(self.lines) + "\n"

    def line(self, indent: int, text: str) -> None:
        self.lines.append("    " * indent + text)

    def block(self, indent: int, depth: int, in_loop: bool = False) -> None:
        for _ in range(self.choose.randint(1, 3)):
            self.statement(indent, depth, in_loop)

    def statement(self, indent: int, depth: int, in_loop: bool) -> None:
        kinds = ["assign", "assign", "update", "pair"]
        if depth > 0:
            kinds += ["if", "if", "elif", "while", "for", "return"]
        if in_loop:
            kinds += ["break", "continue"]
        getattr(self, "on_" + self.choose.choice(kinds))(indent, depth, in_loop)

    def on_assign(self, indent, depth, in_loop):
        self.line(indent, f"{self.name()} = ({self.expression(2)}) % 97")

    def on_update(self, indent, depth, in_loop):
        self.line(
            indent, f"{self.name()} {self.choose.choice(['+=', '-='])} {self.expression(1)} % 7"
        )

    def on_pair(self, indent, depth, in_loop):
        one, other = self.choose.sample(NAMES, 2)
        self.line(indent, f"{one}, {other} = {other}, {one}")

    def on_if(self, indent, depth, in_loop):
        self.line(indent, f"if {self.test()}:")
        self.block(indent + 1, depth - 1, in_loop)
        if self.choose.random() < 0.6:
            self.line(indent, "else:")
            self.block(indent + 1, depth - 1, in_loop)

    def on_elif(self, indent, depth, in_loop):
        self.line(indent, f"if {self.test()}:")
        self.block(indent + 1, depth - 1, in_loop)
        self.line(indent, f"elif {self.test()}:")
        self.block(indent + 1, depth - 1, in_loop)

    def on_while(self, indent, depth, in_loop):
        self.loops += 1
        fuel = f"fuel{self.loops}"
        self.line(indent, f"{fuel} = 0")
        self.line(indent, f"while {fuel} < {self.choose.randint(1, 4)} and ({self.test()}):")
        self.line(indent + 1, f"{fuel} += 1")
        self.block(indent + 1, depth - 1, True)
        self.orelse(indent, depth, in_loop)

    def on_for(self, indent, depth, in_loop):
        self.loops += 1
        index = f"i{self.loops}"
        self.line(
            indent,
            f"for {index} in range({self.choose.choice(['3', '2', 'abs(a) % 4', '1, 5, 2'])}):",
        )
        self.line(indent + 1, f"{self.name()} += {index}")
        self.block(indent + 1, depth - 1, True)
        self.orelse(indent, depth, in_loop)

    def orelse(self, indent, depth, in_loop):
        if self.choose.random() < 0.2:
            self.line(indent, "else:")
            self.block(indent + 1, depth - 1, in_loop)

    def on_return(self, indent, depth, in_loop):
        self.line(indent, f"if {self.test()}:")
        self.line(indent + 1, f"return {self.expression(1)}")

    def on_break(self, indent, depth, in_loop):
        self.line(indent, f"if {self.test()}:")
        self.line(indent + 1, "break")

    def on_continue(self, indent, depth, in_loop):
        self.line(indent, f"if {self.test()}:")
        self.line(indent + 1, "continue")

    # ---- expressions ---------------------------------------------------------------------

    def name(self) -> str:
        return self.choose.choice(NAMES)

    def expression(self, depth: int) -> str:
        if depth == 0 or self.choose.random() < 0.3:
            return self.choose.choice([self.name(), self.name(), str(self.choose.randint(-9, 9))])
        left, right = self.expression(depth - 1), self.expression(depth - 1)
        return self.choose.choice(
            [
                f"({left} + {right})",
                f"({left} - {right})",
                f"(({left}) % 13 * (({right}) % 11))",
                f"({left} // {self.choose.randint(1, 5)})",
                f"({left} % {self.choose.randint(1, 9)})",
                f"(-{self.name()})",
                f"abs({left})",
                f"({left} if {self.comparison()} else {right})",
                f"max({self.name()}, {self.name()})",
            ]
        )

    def test(self) -> str:
        return self.choose.choice(
            [
                self.comparison(),
                f"{self.comparison()} and {self.comparison()}",
                f"{self.comparison()} or {self.comparison()}",
                f"not ({self.comparison()})",
                f"{self.expression(1)} < {self.name()} <= {self.expression(1)}",
            ]
        )

    def comparison(self) -> str:
        sign = self.choose.choice(["<", ">", "==", "!=", "<=", ">="])
        return f"{self.name()} {sign} {self.expression(1)}"
