"""Random programs over integers: every statement that autograph converts, in any nest.

`program(seed)` gives the source of `def program(a, b, c)`. Values stay below 100, loops are bounded
by fuel, nothing divides by zero; so the same text means the same for Python's integers and for
int32 tensors. `zero` is a 0 that no tracing knows.
"""

import functools
import random

from program_expressions import NAMES, PLACES, Expressions

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
    zero = a - a
"""


@functools.lru_cache(maxsize=16)
def program(seed: int, lists: bool = True, raises: bool = False, catches: bool = True) -> str:
    """The source of one program; native code has no growing `lists`, and graphs do not catch what
    they raise.
    """
    return Writer(random.Random(seed), lists, raises, catches).program()


class Writer(Expressions):
    head = HEAD

    def __init__(self, choose: random.Random, lists: bool, raises: bool, catches: bool):
        super().__init__(choose)
        self.lists = lists
        self.raises = raises
        self.catches = catches

    def program(self) -> str:
        self.block(1, depth=3)
        self.line(1, f"return {self.expression(2)}")
        return self.text()

    def block(self, indent: int, depth: int, in_loop: bool = False) -> None:
        for _ in range(self.choose.randint(1, 3)):
            self.statement(indent, depth, in_loop)

    def statement(self, indent: int, depth: int, in_loop: bool) -> None:
        kinds = ["assign", "assign", "update", "pair", "place", "swap"]
        kinds += ["chain", "gather", "kept", "choose"]
        if depth > 0:
            kinds += ["if", "if", "elif", "while", "walrus", "for", "return"]
            kinds += ["lambda", "inner", "endless", "items", "named", "forget"]
            kinds += [] if self.raises else ["last", "found"]  # tracing has to meet what sets them
            kinds += ["match", *(["with"] if self.catches else []), "try"]
            kinds += ["collect"] if self.lists else []
        if in_loop:
            kinds += ["break", "continue"]
        if self.raises:
            kinds += ["raise", "raise"]
        getattr(self, "on_" + self.pick(kinds))(indent, depth, in_loop)

    def on_assign(self, indent, depth, in_loop):
        self.line(indent, f"{self.name()} = ({self.expression(2)}) % 97")

    def on_update(self, indent, depth, in_loop):
        self.line(indent, f"{self.name()} {self.pick(['+=', '-='])} {self.expression(1)} % 7")

    def on_pair(self, indent, depth, in_loop):
        one, other = self.choose.sample(NAMES, 2)
        self.line(indent, f"{one}, {other} = {other}, {one}")

    def on_place(self, indent, depth, in_loop):
        place = self.pick(PLACES)
        if self.happens(0.5):
            self.line(indent, f"{place} = ({self.expression(1)}) % 97")
        else:
            self.line(indent, f"{place} += {self.expression(1)} % 7")

    def on_swap(self, indent, depth, in_loop):
        self.line(indent, f"row[0], {self.name()} = {self.name()}, row[1]")

    def on_walrus(self, indent, depth, in_loop):
        self.count += 1
        fuel = f"fuel{self.count}"
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
        if self.raises or self.happens(0.3):
            self.line(indent, "except KeyError:" if self.catches else "except OSError:")
            self.block(indent + 1, 0, in_loop)
            if self.happens(0.5):
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
        kind = self.pick(["ValueError", "KeyError", "ArithmeticError"])
        values = f"{{{self.name()}}} of {{{self.expression(1)}}}"
        self.line(indent + 1, f'raise {kind}(f"{values}")')
        if self.happens(0.3):
            self.line(indent, "else:")
            self.block(indent + 1, 0, in_loop)

    def on_collect(self, indent, depth, in_loop):
        """A list made in a loop, then summed up."""
        self.count += 1
        rows = f"rows{self.count}"
        self.line(indent, f"{rows} = [{self.expression(0)}]")
        self.line(indent, f"for k{self.count} in range({self.pick(['2', 'abs(b) % 3'])}):")
        self.line(indent + 1, f"if {self.test()}:")
        self.line(indent + 2, f"{rows}.append(({self.expression(1)}) % 31)")
        test = f" if e % 3 != {self.choose.randint(0, 2)}" if self.happens(0.5) else ""
        target = self.name()
        self.line(indent, f"{target} = sum([e + {self.name()} for e in {rows}{test}]) % 89")
        self.line(indent, f"{target} += {rows}[-1] + len({rows})")

    def on_last(self, indent, depth, in_loop):
        """A name that each turn of a loop sets, read after it where it ran."""
        self.count += 1
        last, fuel = f"last{self.count}", f"fuel{self.count}"
        self.line(indent, f"{fuel} = zero")
        self.line(indent, f"while {fuel} < {self.choose.randint(1, 3)} and ({self.test()}):")
        self.line(indent + 1, f"{fuel} += 1")
        self.line(indent + 1, f"{last} = ({self.expression(1)}) % 41")
        self.block(indent + 1, depth - 1, True)
        self.line(indent, f"if {fuel} > 0 and ({self.test()}):")
        self.line(indent + 1, f"{last} += {self.expression(1)} % 7")
        self.line(indent + 1, f"{self.name()} = {last}")

    def on_found(self, indent, depth, in_loop):
        """A name that some turns set, changed by a second loop, read where it was set."""
        self.count += 1
        n, some = self.count, self.choose.randint(1, 4)
        self.line(indent, f"hits{n} = zero")
        self.line(indent, f"for i{n} in range(zero + {some}):")
        self.line(indent + 1, f"if i{n} % 3 != {self.choose.randint(0, 2)} and ({self.test()}):")
        self.line(indent + 2, f"found{n} = ({self.expression(1)}) % 43 + i{n}")
        self.line(indent + 2, f"hits{n} += 1")
        self.block(indent + 2, 0, True)
        self.block(indent + 1, depth - 1, True)
        self.line(indent, f"for j{n} in range(min(hits{n}, {some})):")
        self.line(indent + 1, f"found{n} = (found{n} + {self.expression(1)}) % 47")
        self.line(indent, f"if hits{n} > 0:")
        self.line(indent + 1, f"{self.name()} = found{n}")

    def on_lambda(self, indent, depth, in_loop):
        """A function that reads what is assigned after it was made."""
        self.count += 1
        rule = f"rule{self.count}"
        self.line(indent, f"{rule} = lambda x: ({self.expression(1)} + x) % 53")
        self.block(indent, depth - 1, in_loop)
        self.line(indent, f"{self.name()} = {rule}({self.expression(1)})")

    def on_inner(self, indent, depth, in_loop):
        """A function that assigns a variable of this one."""
        self.count += 1
        name, inner = self.name(), f"inner{self.count}"
        self.line(indent, f"def {inner}(x):")
        self.line(indent + 1, f"nonlocal {name}")
        self.line(indent + 1, f"{name} = (x + {self.expression(1)}) % 59")
        self.line(indent + 1, f"for _ in range(zero + {self.choose.randint(1, 3)}):")
        self.line(indent + 2, f"if {self.test()}:")
        self.line(indent + 3, f"return {self.expression(1)} % 61")
        self.line(indent + 2, f"x = (x + {self.expression(1)}) % 61")
        self.line(indent + 1, "return x")
        self.block(indent, depth - 1, in_loop)
        self.line(indent, f"{self.name()} = {inner}({self.name()}) - {inner}({self.value()})")

    def on_endless(self, indent, depth, in_loop):
        self.count += 1
        fuel = f"fuel{self.count}"
        self.line(indent, f"{fuel} = {self.pick(['0', 'zero'])}")
        self.line(indent, "while True:")
        self.line(indent + 1, f"{fuel} += 1")
        self.line(indent + 1, f"if {fuel} > {self.choose.randint(1, 3)}:")
        self.line(indent + 2, self.pick(["break", "break", f"return {fuel}"]))
        self.block(indent + 1, depth - 1, True)

    def on_items(self, indent, depth, in_loop):
        """A loop over several values at once."""
        self.count += 1
        one, other = f"one{self.count}", f"other{self.count}"
        source = self.pick(
            ["enumerate(row)", "zip(row, (b, c))", "enumerate((c, d, a), 1)", "table['m'].items()"]
        )
        self.line(indent, f"for {one}, {other} in {source}:")
        if source.startswith("table"):
            self.line(indent + 1, f"{one} = len({one})")
        self.line(indent + 1, f"{self.name()} = ({one} * {other} + {self.expression(1)}) % 67")
        self.block(indent + 1, depth - 1, True)
        self.orelse(indent, depth, in_loop)

    def on_named(self, indent, depth, in_loop):
        """Tests that assign what they reach first."""
        name = self.name()
        named = f"({name} := ({self.expression(1)}) % 71) > {self.expression(0)}"
        joint = self.pick([" and ", " or "])
        low, high = self.expression(0), self.expression(1)
        test = self.pick(
            [
                named,
                joint.join([named, self.comparison()]),
                f"{low} < ({name} := ({self.expression(1)}) % 71) <= {high}",
                f"0 != (1 if ({named}) else {high})",
            ]
        )
        self.line(indent, f"if {test}:")
        self.block(indent + 1, depth - 1, in_loop)
        self.line(indent, "else:")
        self.block(indent + 1, depth - 1, in_loop)

    def on_forget(self, indent, depth, in_loop):
        """A variable that is used up and deleted."""
        self.count += 1
        name = f"gone{self.count}"
        self.line(indent, f"{name} = ({self.expression(1)}) % 73")
        self.line(indent, f"while {name} > {self.choose.randint(0, 9)} and ({self.test()}):")
        self.line(indent + 1, f"{name} //= 2")
        self.block(indent + 1, depth - 1, True)
        self.line(indent, f"{self.name()} = {name}")
        self.line(indent, f"del {name}")

    def on_chain(self, indent, depth, in_loop):
        """One value for several targets, and targets of several shapes."""
        one, other = self.choose.sample(NAMES, 2)
        self.line(
            indent,
            self.pick(
                [
                    f"{one} = {other} = ({self.expression(1)}) % 97",
                    f"{one} = row[1] = ({self.expression(1)}) % 97",
                    f"{one}, (row[0], *_) = {self.value()}, ({self.value()}, 1, 2)",
                    f"{one}, {other} = row",
                    f"{one}, box.v = [({self.expression(1)}) % 79, {self.value()}]",
                ]
            ),
        )

    def on_gather(self, indent, depth, in_loop):
        """What a generator or comprehension gives to a function that uses it up."""
        source = self.pick(["(a, b, c, d)", "row", "range(4)", "[box.v, c]"])
        test = f" if e != {self.value()}" if self.lists and self.happens(0.5) else ""
        self.line(
            indent,
            self.pick(
                [
                    f"{self.name()} = sum(e * {self.value()} for e in {source}{test}) % 83",
                    f"{self.name()} = sum([e + {self.name()} for e in {source}]) % 83",
                    f"{self.name()} = max(e % 7 + {self.name()} for e in {source})",
                    f"{self.name()} = int(any(e > {self.name()} for e in {source}))",
                    f"{self.name()} = int(all([e > {self.name()} for e in {source}]))",
                    f"{self.name()} = max(enumerate({source}), key=lambda p: (p[1] % 7, -p[0]))[0]",
                    f"{self.name()} = sorted([(e % 5, i) for i, e in enumerate({source})])[1][1]",
                    f"{self.name()} = sorted(zip(row, (a, b, c)), key=lambda p: -p[1])[0][0]",
                    f"{self.name()} = row.count({self.name()})",
                ]
                + [f"{self.name()} = sum(filter(lambda e: e > {self.value()}, {source})) % 83"]
                * self.lists
            ),
        )

    def on_kept(self, indent, depth, in_loop):
        """A generator whose parts are evaluated after what follows it."""
        self.count += 1
        kept = f"kept{self.count}"
        test = f" if e != {self.name()}" if self.lists and self.happens(0.5) else ""
        self.line(indent, f"{kept} = (e * {self.name()} for e in [{self.value()}, a, b]{test})")
        self.block(indent, 0, False)
        self.line(indent, f"{self.name()} = sum({kept}) % 83")

    def on_choose(self, indent, depth, in_loop):
        """Choices whose values are numbers."""
        self.line(
            indent,
            f"{self.name()} = "
            + self.pick(
                [
                    f"{self.name()} and {self.expression(1)} % 89",
                    f"{self.name()} or {self.expression(1)} % 89",
                    f"int({self.test()})",
                    f"({self.name()} if {self.test()} else {self.expression(1)}) % 89",
                    f"divmod({self.name()}, {self.choose.randint(1, 9)})[1]",
                    *([f"min({self.name()}, {self.name()}, key=lambda x: x % 5)"] * self.lists),
                    f"({self.name()} & 15) ^ ({self.value()} % 16)",
                    f"round({self.name()}) + int(not {self.name()})",
                ]
            ),
        )

    def on_if(self, indent, depth, in_loop):
        self.line(indent, f"if {self.test()}:")
        self.block(indent + 1, depth - 1, in_loop)
        if self.happens(0.6):
            self.line(indent, "else:")
            self.block(indent + 1, depth - 1, in_loop)

    def on_elif(self, indent, depth, in_loop):
        self.line(indent, f"if {self.test()}:")
        self.block(indent + 1, depth - 1, in_loop)
        self.line(indent, f"elif {self.test()}:")
        self.block(indent + 1, depth - 1, in_loop)

    def on_while(self, indent, depth, in_loop):
        self.count += 1
        fuel = f"fuel{self.count}"
        self.line(indent, f"{fuel} = 0")
        self.line(indent, f"while {fuel} < {self.choose.randint(1, 4)} and ({self.test()}):")
        self.line(indent + 1, f"{fuel} += 1")
        self.block(indent + 1, depth - 1, True)
        self.orelse(indent, depth, in_loop)

    def on_for(self, indent, depth, in_loop):
        self.count += 1
        index = f"i{self.count}"
        self.line(
            indent,
            f"for {index} in range({self.pick(['3', '2', 'abs(a) % 4', '1, 5, 2'])}):",
        )
        self.line(indent + 1, f"{self.name()} += {index}")
        self.block(indent + 1, depth - 1, True)
        self.orelse(indent, depth, in_loop)

    def orelse(self, indent, depth, in_loop):
        if self.happens(0.2):
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
