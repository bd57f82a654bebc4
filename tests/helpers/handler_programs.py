"""Random programs of handlers: `try` in loops, in closures and around each other, with lists.

`handler_program(seed)` gives the source of `def program(a, b, c)`. Variables of inner functions
often share the name of an outer one, and are sometimes read before they have a value. What a graph
does not refuse, it computes as Python. The variable TOTAL shows which statements ran, also in a
call that raised.
"""

import functools
import random

from program_writer import ProgramWriter

NAMES = "abcd"
HEAD = """
import contextlib

import allograph as ag

TOTAL = ag.Variable(0)


class Box:
    def __init__(self, v):
        self.v = v


class Counting:
    def __enter__(self):
        TOTAL.assign((TOTAL * 3 + 1) % 1009)

    def __exit__(self, *error):
        TOTAL.assign((TOTAL * 5 + 2) % 1009)


class Failing:
    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        TOTAL.assign((TOTAL * 7 + 3) % 1009)
        if error is None:
            raise IndexError('end')


def counted(x):
    TOTAL.assign((TOTAL * 2 + 1) % 1009)
    return x


def program(a, b, c):
    d = 2
    zero = a - a
    rows = [b, 3]
    table = {'k': c}
    box = Box(a)
    steps = 1

    def noted(x):
        nonlocal steps
        steps = (steps * 3 + 1) % 1009
        return x

    def keyed(x):
        nonlocal steps
        steps = (steps * 5 + 2) % 1009
        return x

    def shifted(x):
        return (x + b) % 37
"""
VALUES = (
    "rows[0]", "rows[-1]", "box.v", "table['k']", "len(rows)",
    "int(any(k > b for k in (a, 2, c)))", "int(all(counted(k) for k in (1, 2, 0, 3)))",
    "steps", "int(2 in (a, b, 2))", "int(c in [1, b])",
)  # fmt: skip
NOTED = (  # which count what they evaluate
    "int(any(k < 1 or counted(k > a) for k in (2, 3)))",
    "int(any(noted(k) > 1 for k in (0, 2, b)))", "int(all(noted(k) > b for k in (3, 2, a)))",
    "max((noted(k) for k in (a, 2, 5)), key=keyed)", "sum(noted(k) for k in (a, b) if k != 2)",
    "next(noted(k) for k in (a, b))", "next(noted(k) for k in (0, 4, a) if keyed(k) > 1)",
    "int(2 in (noted(k) for k in (1, 2, a)))", "int(c in (noted(k) for k in (1, b)))",
    "sum([noted(k) for k in (1, 2, 3) if keyed(k) > a])", "[noted(k) for k in (c, 2)][0]",
    "sum(map(keyed, (noted(k) for k in (a, 1))))", "min(1, 2, 0, key=lambda k: noted(k + b))",
    "sum(noted(k) for k in range(zero + 2))", "sum(k for k, _ in zip((noted(3), b), rows))",
    "sorted((noted(k) for k in (b, 1)), key=keyed)[0]",
    "len([k for k in (a, b, 1) if noted(k) > 0])",
)  # fmt: skip
LISTS = (
    "rows.append({})", "rows[0] = {}", "rows.pop()", "rows += [{}]", "rows = [{}, *rows[:2]]",
    "rows.insert(0, {})", "rows.extend([1, {}])", "del rows[0]",
)  # fmt: skip
ITEMS = (
    "table['k'] = {}", "table['z'] = {}", "del table['z']", "box.v = {} % 13",
    "{name} = table['z'] % 9", "{name} = table.get('z', 3) % 11",
)  # fmt: skip
FAULTS = ("[1][3]", "table['no']", "1 // 0", "box.no", "int('q')", "rows[9]", "undefined_name")
RAISED = ("KeyError('k')", "ValueError({})", "IndexError('x')")
CAUGHT = (
    "KeyError", "IndexError", "(KeyError, IndexError) as error", "Exception", "Exception as error",
    "ZeroDivisionError",
)  # fmt: skip
MANAGERS = (
    "contextlib.suppress(KeyError, IndexError)", "contextlib.suppress(Exception)",
    "contextlib.nullcontext()", "Counting()", "Failing()",
)  # fmt: skip
RESULTS = (
    "({}, a, b)", "[a, rows[0], d]", "{{'a': a, 'k': table['k'], 'v': box.v}}", "sum(rows)",
    "(a, len(rows), rows[-1])", "rows", "table",
)  # fmt: skip


@functools.lru_cache(maxsize=16)
def handler_program(seed: int) -> str:
    return Writer(random.Random(seed)).program()


class Writer(ProgramWriter):
    head = HEAD

    def program(self) -> str:
        self.block(1, 3, False)
        self.block(1, 3, False)
        self.line(1, f"return ({self.pick(RESULTS)}, steps)".format(self.value()))
        return self.text()

    # ---- expressions -------------------------------------------------------------------------

    def name(self) -> str:
        return self.pick(NAMES)

    def value(self) -> str:
        if self.happens(0.5):
            return self.name()
        if self.happens(0.05):
            return self.pick(NOTED)
        return self.pick([str(self.choose.randint(-4, 9)), *VALUES])

    def expression(self) -> str:
        one, other = self.value(), self.value()
        form = self.pick(
            ["({} + {}) % 31", "({} - {}) % 31", "({} * {}) % 17", "{}", "shifted({})",
             "sum(rows) % 23", f"({{}} if {self.test()} else {{}}) % 31"]
        )  # fmt: skip
        return form.format(one, other)

    def test(self) -> str:
        one, other = self.name(), self.value()
        form = self.pick(["{} > {}", "{} < {} and {} != 2", f"{{}} % 3 == {self.pick('012')}"])
        return form.format(one, other, self.name())

    def jump(self, in_loop: bool) -> str:
        return self.pick([f"return {self.value()}", *(["break", "continue"] if in_loop else [])])

    # ---- statements --------------------------------------------------------------------------

    def block(self, indent: int, depth: int, in_loop: bool) -> None:
        for _ in range(self.choose.randint(1, 3)):
            kinds = ["assign", "assign", "list", "item", "fault", "raise", "effect"]
            if depth > 0:
                kinds += ["if", "for", "while", "try", "try", "function", "with", "tries", "tries"]
                kinds += ["made", "taken", "canceled"]
            kinds += ["jump"] if in_loop else []
            getattr(self, "on_" + self.pick(kinds))(indent, depth, in_loop)

    def on_assign(self, indent, depth, in_loop):
        self.line(indent, f"{self.name()} = {self.expression()}")

    def on_list(self, indent, depth, in_loop):
        self.line(indent, self.pick(LISTS).format(self.expression()))

    def on_item(self, indent, depth, in_loop):
        self.line(indent, self.pick(ITEMS).format(self.expression(), name=self.name()))

    def on_effect(self, indent, depth, in_loop):
        self.line(indent, f"TOTAL.assign((TOTAL * 3 + {self.value()}) % 1009)")

    def on_made(self, indent, depth, in_loop):
        """A loop that makes an object, which is read after it."""
        index, made = self.fresh("i"), self.fresh("made")
        self.line(indent, f"for {index} in range({self.pick(['2', 'zero + 2'])}):")
        form, read = self.pick(
            [("{}", ""), ("{}", ""), ("{{'k': {}}}", "['k']"), ("[1, {}]", "[1]")]
        )
        self.line(indent + 1, f"{made} = " + form.format(f"Box({self.expression()})"))
        self.line(indent, f"{self.name()} = {made}{read}.v % 31")

    def on_taken(self, indent, depth, in_loop):
        """A loop over a generator expression, which it may leave."""
        item = self.fresh("item")
        test = self.pick(["", "", f" if {self.test()}", " if k", " if noted(k) > 0"])
        self.line(indent, f"for {item} in (noted(k) for k in ({self.name()}, 2, 0, 5){test}):")
        self.line(indent + 1, f"{self.name()} = keyed({item}) % 31")
        self.block(indent + 1, depth - 1, True)

    def on_fault(self, indent, depth, in_loop):
        if self.happens(0.7):
            self.line(indent, f"if {self.test()}:")
            indent += 1
        self.line(indent, f"{self.name()} = {self.pick(FAULTS)}")

    def on_raise(self, indent, depth, in_loop):
        self.line(indent, f"if {self.test()}:")
        self.line(indent + 1, f"raise {self.pick(RAISED)}".format(self.name()))

    def on_jump(self, indent, depth, in_loop):
        self.line(indent, f"if {self.test()}:")
        self.line(indent + 1, self.pick(["break", "continue", f"return {self.value()}"]))

    def on_canceled(self, indent, depth, in_loop):
        """A jump after which an exception is raised, and perhaps caught."""
        catches = self.happens(0.5)
        header = "try:" if catches else f"with {self.pick(MANAGERS[:2])}:"
        self.line(indent, header)
        ends = self.happens(0.5)
        self.line(indent + 1, "with Failing():" if ends else "try:")
        sometimes = self.happens(0.5)
        if sometimes:
            self.line(indent + 2, f"if {self.test()}:")
        self.line(indent + 2 + sometimes, self.jump(in_loop))
        if not ends:
            self.line(indent + 1, "finally:")
            self.on_fault(indent + 2, 0, False)
        if catches:
            self.line(indent, f"except {self.pick(CAUGHT)}:")
            self.line(indent + 1, f"{self.name()} = {self.expression()}")

    def on_if(self, indent, depth, in_loop):
        self.line(indent, f"if {self.test()}:")
        self.block(indent + 1, depth - 1, in_loop)
        if self.happens(0.5):
            self.line(indent, "else:")
            self.block(indent + 1, depth - 1, in_loop)

    def on_for(self, indent, depth, in_loop):
        index = self.fresh("i")
        self.line(indent, f"for {index} in range({self.pick(['3', 'zero + 1', 'zero + 3'])}):")
        if self.happens(0.5):
            self.line(indent + 1, f"{self.name()} = ({self.name()} + {index}) % 31")
        self.block(indent + 1, depth - 1, True)

    def on_while(self, indent, depth, in_loop):
        fuel = self.fresh("fuel")
        self.line(indent, f"{fuel} = zero")
        self.line(indent, f"while {fuel} < {self.choose.randint(1, 3)} and ({self.test()}):")
        self.line(indent + 1, f"{fuel} += 1")
        self.block(indent + 1, depth - 1, True)

    def on_try(self, indent, depth, in_loop):
        self.line(indent, "try:")
        self.block(indent + 1, depth - 1, in_loop)
        if self.happens(0.7):
            self.on_fault(indent + 1, 0, in_loop)
        handled = self.happens(0.85)
        if handled:
            self.line(indent, f"except {self.pick(CAUGHT)}:")
            self.block(indent + 1, depth - 1, in_loop)
            if self.happens(0.15):
                self.line(indent + 1, "raise")
            if self.happens(0.3):
                self.line(indent, "else:")
                self.block(indent + 1, 0, in_loop)
        if not handled or self.happens(0.3):
            self.line(indent, "finally:")
            self.line(indent + 1, f"{self.name()} = {self.expression()}")
            if self.happens(0.4):
                self.on_last(indent + 1)
            elif self.happens(0.3):  # which discards exceptions
                if self.happens(0.5):
                    self.line(indent + 1, f"if {self.test()}:")
                    indent += 1
                self.line(indent + 1, self.jump(in_loop))

    def on_last(self, indent) -> None:
        """What a `finally` ends with, without a jump out of it."""
        if self.happens(0.4):
            self.on_effect(indent, 0, False)
        elif self.happens(0.4):
            self.on_raise(indent, 0, False)
        else:
            index = self.fresh("i")
            self.line(indent, f"for {index} in range(3):")
            self.line(indent + 1, f"if {self.test()}:")
            self.line(indent + 2, self.pick(["break", "continue"]))
            self.line(indent + 1, f"{self.name()} = {self.expression()}")

    def on_tries(self, indent, depth, in_loop):
        """A `try` in each iteration; what the loop sets last is read after it."""
        index, last = self.fresh("i"), self.fresh("last")
        self.line(indent, f"for {index} in range({self.pick(['3', 'zero + 2', 'zero + 3'])}):")
        self.line(indent + 1, f"{last} = {self.expression()}")
        self.on_try(indent + 1, depth - 1, True)
        target = f"rows.append({last})" if self.happens(0.5) else f"{self.name()} = {last}"
        self.line(indent + 1, target)
        if self.happens(0.5):
            self.line(indent, f"if {self.test()}:")
            self.line(indent + 1, f"{self.name()} = {last} + 1")

    def on_function(self, indent, depth, in_loop):
        """An inner function, whose other variables hide those outside."""
        function, changed = self.fresh("inner"), self.name()
        self.line(indent, f"def {function}(x):")
        self.line(indent + 1, f"nonlocal {changed}")
        if self.happens(0.5):
            self.line(indent + 1, f"rows.append(x + {self.value()})")
        if self.happens(0.6):
            self.on_try(indent + 1, depth - 1, False)
        else:
            self.block(indent + 1, depth - 1, False)
        self.line(indent + 1, f"{changed} = (x + {self.value()}) % 31")
        self.line(indent + 1, f"return {self.expression()}")
        if self.happens(0.5):
            self.line(indent, f"if {self.test()}:")
            self.line(indent + 1, f"{self.name()} = {function}({self.value()})")
        self.line(indent, f"{self.name()} = {function}({self.value()})")

    def on_with(self, indent, depth, in_loop):
        managers = [self.pick(MANAGERS) for _ in range(self.pick((1, 1, 2)))]
        self.line(indent, f"with {', '.join(managers)}:")
        self.block(indent + 1, depth - 1, in_loop)
        if self.happens(0.5):
            self.on_fault(indent + 1, 0, in_loop)
