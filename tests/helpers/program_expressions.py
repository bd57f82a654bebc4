"""Expressions of random programs: reads of variables and places, arithmetic, tests."""

from program_writer import ProgramWriter

NAMES = ("a", "b", "c", "d")
PLACES = ("row[0]", "row[1]", "table['k']", "table['m']['n']", "box.v", "box.w.v")
READABLE = (*NAMES, *NAMES, *NAMES, *PLACES)


class Expressions(ProgramWriter):
    def name(self) -> str:
        return self.pick(NAMES)

    def value(self) -> str:
        return self.pick(READABLE)

    def expression(self, depth: int) -> str:
        def inner() -> str:
            return self.expression(depth - 1)

        if depth == 0 or self.happens(0.3):
            number = str(self.choose.randint(-9, 9))
            return self.pick([self.value(), self.value(), number])
        return self.pick(
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
        return self.pick(
            [
                self.comparison,
                lambda: f"{self.comparison()} and {self.comparison()}",
                lambda: f"{self.comparison()} or {self.comparison()}",
                lambda: f"not ({self.comparison()})",
                lambda: f"{self.expression(1)} < {self.name()} <= {self.expression(1)}",
            ]
        )()

    def comparison(self) -> str:
        sign = self.pick(["<", ">", "==", "!=", "<=", ">="])
        return f"{self.name()} {sign} {self.expression(1)}"
