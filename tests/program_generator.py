"""Random programs over integers: every statement that autograph converts, in any nest.

`program(seed)` gives the source of `def program(a, b, c)`. Values stay below 100, loops are bounded
by fuel, nothing divides by zero; so the same text means the same for Python's integers and for
int32 tensors.
"""

import random

NAMES = ("a", "b", "c", "d")
PLACES = ("row[0]", "row[1]", "table['k']", "table['m']['n']", "box.v", "box.w.v")
READABLE = (*NAMES, *NAMES, *NAMES, *PLACES)
HEAD = """
class Box:
    def __init__(self, v, w=None):
        self.v = v
        self.w = w


class Quiet:
    def __enter__(self):
        return self

    def __exit__(self, *error):
        return bool(error[1]) and error[1].args[0] % 2 == 0


def program(a, b, c):
    d = 1
    row = [a, 2]
    table = {'k': b, 'm': {'n': 3}}
    box = Box(c, Box(4))
"""


def program(seed: int, lists: bool = True, raises: bool = False, catches: bool = True) -> str:
    """The source of one program; native code has no growing `lists`, and graphs do not catch what
    they raise.
    """
    return Writer(random.Random(seed), lists, raises, catches).program()


class Writer:
    def __init__(self, choose: random.Random, lists: bool, raises: bool, catches: bool):
        self.choose = choose
        self.lists = lists
        self.raises = raises
        self.catches = catches
        self.lines: list[str] = []
        self.loops = 0

    def program(self) -> str:
        self.lines.extend(HEAD.strip("\n").splitlines())
        self.block(1, depth=3)
        self.line(1, f"return {self.expression(2)}")
        return "\n".join(self.lines) + "\n"

    def line(self, indent: int, text: str) -> None:
        self.lines.append("    " * indent + text)

    def block(self, indent: int, depth: int, in_loop: bool = False) -> None:
        for _ in range(self.choose.randint(1, 3)):
            self.statement(indent, depth, in_loop)

    def statement(self, indent: int, depth: int, in_loop: bool) -> None:
        kinds = ["assign", "assign", "update", "pair", "place", "swap"]
        if depth > 0:
            kinds += ["if", "if", "elif", "while", "walrus", "for", "return"]
            kinds += ["match", *(["with"] if self.catches else []), "try"]
            kinds += ["collect"] if self.lists else []
        if in_loop:
            kinds += ["break", "continue"]
        if self.raises:
            kinds += ["raise", "raise"]
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

    def on_place(self, indent, depth, in_loop):
        place = self.choose.choice(PLACES)
        if self.choose.random() < 0.5:
            self.line(indent, f"{place} = ({self.expression(1)}) % 97")
        else:
            self.line(indent, f"{place} += {self.expression(1)} % 7")

    def on_swap(self, indent, depth, in_loop):
        self.line(indent, f"row[0], {self.name()} = {self.name()}, row[1]")

    def on_walrus(self, indent, depth, in_loop):
        self.loops += 1
        fuel = f"fuel{self.loops}"
        self.line(indent, f"{fuel} = {self.choose.randint(0, 3)}")
        self.line(indent, f"while ({self.name()} := {fuel} - 1) >= 0:")
        self.line(indent + 1, f"{fuel} -= 1")
        self.block(indent + 1, depth - 1, True)
        self.orelse(indent, depth, in_loop)

    def on_match(self, indent, depth, in_loop):
        self.line(indent, f"match ({self.expression(1)}) % 4:")
        name = self.name()
        heads = ["0", "1 | 2", f"3 if {self.test()}", f"{name} if {self.comparison()}", name, "_"]
        chosen = sorted(self.choose.sample(range(len(heads)), self.choose.randint(1, 3)))
        if 4 in chosen and 5 in chosen:
            chosen.remove(4)
        for head in chosen:
            self.line(indent + 1, f"case {heads[head]}:")
            self.block(indent + 2, depth - 1, in_loop)

    def on_with(self, indent, depth, in_loop):
        self.line(indent, "with Quiet() as quiet:")
        self.block(indent + 1, depth - 1, in_loop)

    def on_try(self, indent, depth, in_loop):
        self.line(indent, "try:")
        self.block(indent + 1, depth - 1, in_loop)
        if self.raises or self.choose.random() < 0.3:
            self.line(indent, "except KeyError:" if self.catches else "except OSError:")
            self.block(indent + 1, 0, in_loop)
            if self.choose.random() < 0.5:
                self.line(indent, "else:")
                self.block(indent + 1, depth - 1, in_loop)
        self.line(indent, "finally:")
        self.line(indent + 1, f"{self.name()} = ({self.expression(1)}) % 50")

    def on_raise(self, indent, depth, in_loop):
        self.line(indent, f"if {self.test()}:")
        self.line(indent + 1, f"{self.name()} = {self.expression(1)} % 5")
        if self.catches:
            self.line(indent + 1, f"raise KeyError({self.name()})")
            return
        kind = self.choose.choice(["ValueError", "KeyError", "ArithmeticError"])
        values = f"{{{self.name()}}} of {{{self.expression(1)}}}"
        self.line(indent + 1, f'raise {kind}(f"{values}")')
        if self.choose.random() < 0.3:
            self.line(indent, "else:")
            self.block(indent + 1, 0, in_loop)

    def on_collect(self, indent, depth, in_loop):
        """A list made in a loop, then summed up."""
        self.loops += 1
        rows = f"rows{self.loops}"
        self.line(indent, f"{rows} = [{self.expression(0)}]")
        self.line(indent, f"for k{self.loops} in range({self.choose.choice(['2', 'abs(b) % 3'])}):")
        self.line(indent + 1, f"if {self.test()}:")
        self.line(indent + 2, f"{rows}.append(({self.expression(1)}) % 31)")
        test = f" if e % 3 != {self.choose.randint(0, 2)}" if self.choose.random() < 0.5 else ""
        target = self.name()
        self.line(indent, f"{target} = sum([e + {self.name()} for e in {rows}{test}]) % 89")
        self.line(indent, f"{target} += {rows}[-1] + len({rows})")

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
