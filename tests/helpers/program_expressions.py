"""Expressions of random programs: reads of variables and places, arithmetic, tests."""

import random

NAMES = ("a", "b", "c", "d")
PLACES = ("row[0]", "row[1]", "table['k']", "table['m']['n']", "box.v", "box.w.v")
READABLE = (*NAMES, *NAMES, *NAMES, *PLACES)


class Expressions:
    def __init__(self, choose: random.Random):
        self.choose = choose

    def name(self) -> str:
        return self.choose.choice(NAMES)

    def value(self) -> str:
        return self.choose.choice(READABLE)

    def expression(self, depth: int) -> str:
        if depth == 0 or self.choose.random() < 0.3:
            number = str(self.choose.randint(-9, 9))
            return self.choose.choice([self.value(), self.value(), number])
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
