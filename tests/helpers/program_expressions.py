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
        def inner() -> str:
            return self.expression(depth - 1)

        if depth == 0 or self.choose.random() < 0.3:
            number = str(self.choose.randint(-9, 9))
            return self.choose.choice([self.value(), self.value(), number])
        return self.choose.choice(
            [
                lambda: f"({inner()} + {inner()})",
                lambda: f"({inner()} - {inner()})",
                lambda: f"(({inner()}) % 13 * (({inner()}) % 11))",
                lambda: f"({inner()} // {self.choose.randint(1, 5)})",
                lambda: f"({inner()} % {self.choose.randint(1, 9)})",
                lambda: f"(-{self.name()})",
                lambda: f"abs({inner()})",
                lambda: f"({inner()} if {self.comparison()} else {inner()})",
                lambda: f"max({self.name()}, {self.name()})",
            ]
        )()

    def test(self) -> str:
        return self.choose.choice(
            [
                self.comparison,
                lambda: f"{self.comparison()} and {self.comparison()}",
                lambda: f"{self.comparison()} or {self.comparison()}",
                lambda: f"not ({self.comparison()})",
                lambda: f"{self.expression(1)} < {self.name()} <= {self.expression(1)}",
            ]
        )()

    def comparison(self) -> str:
        sign = self.choose.choice(["<", ">", "==", "!=", "<=", ">="])
        return f"{self.name()} {sign} {self.expression(1)}"
