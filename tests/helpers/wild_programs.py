"""Random programs beyond what can be staged: what a graph does not refuse, it computes as Python.

Handlers and `with` around staged exits, Python errors in branches, items and attributes that only
some paths set, closures that change what is around them, floats beside integers, and structures as
results. `wild_program(seed)` gives the source of `def program(a, b, c, e)`; `e` and `f` are floats,
multiples of a half, which float32 holds exactly.
"""

import functools
import random

from program_generator import Writer

HEAD = """
import contextlib


class Box:
    def __init__(self, v, w=None):
        self.v = v
        self.w = w


class Quiet:
    def __enter__(self):
        return self

    def __exit__(self, *error):
        return bool(error[1]) and len(error[1].args) % 2 == 0


class Plain:
    def __enter__(self):
        return self

    def __exit__(self, *error):
        return None


def deeper(box, x):
    box.w.v = (box.w.v + x) % 31
    return box.v


def counter(n):
    def add(x):
        nonlocal n
        n = (n + x) % 43
        return n

    return add


def program(a, b, c, e):
    d = 1
    f = 0.5
    row = [a, 2]
    table = {'k': b, 'm': {'n': 3}}
    box = Box(c, Box(4))
    zero = a - a
    info = {'n': b}
    seen = set()
    count = counter(b % 9)
    last = None
    held = None
    calls = 0

    def bump(x):
        nonlocal calls
        calls = (calls + x) % 17
        return calls
"""
ITEMS = ("info['k1']", "info['k2']", "info['n']", "box.extra", "box.w.extra")
ASKED = (
    "info.get('k1', 3)", "getattr(box, 'extra', 7)", "len(info)", "len(seen)",
    "int('k1' in info)", "int(hasattr(box, 'extra'))", "sum(info.values())",
    "int(any(bump(k) > 3 for k in (a, 2)))", "next(bump(k) for k in (a, b))",
    "len([k for k in (1, 2, 3) if bump(k) > 4])", "int(4 in (bump(k) for k in (1, 2, 3)))",
    "max((bump(k) for k in (1, b)), key=lambda k: -k)",
)  # fmt: skip
FAULTS = ("[1][3]", "table['zz']", "row[5]", "1 // 0", "box.nope", "int('x')", "info['k1']")
CAUGHT = ("KeyError", "IndexError", "(KeyError, IndexError)", "Exception", "ZeroDivisionError")
RESULTS = (
    "{}", "({}, f)", "{{'a': {}, 'info': info}}", "[{}, (b, box.v)]", "{{'d': {}, 'row': row}}",
    "{{'x': {}, 'extra': box.extra}}", "({}, info['k1'], e)", "info", "({}, calls)",
)  # fmt: skip
MANAGERS = ("Quiet()", "Plain()", "contextlib.suppress(KeyError)", "contextlib.nullcontext()")
WILD = [
    "guard", "fault", "keys", "keys", "attribute", "asked", "closure", "manager", "floats",
    "floats", "note", "later", "assigns", "counts", "deeper", "none", "none",
]  # fmt: skip


@functools.lru_cache(maxsize=16)
def wild_program(seed: int) -> str:
    return WildWriter(random.Random(seed)).program()


class WildWriter(Writer):
    head = HEAD

    def __init__(self, choose: random.Random):
        super().__init__(choose, lists=False, raises=choose.random() < 0.3, catches=False)
        self.result = choose.choice(RESULTS)

    def program(self) -> str:
        self.block(1, depth=3)
        self.line(1, self.returned(2))
        return self.text()

    def returned(self, depth: int) -> str:
        return "return " + self.result.format(self.expression(depth))

    def expression(self, depth: int) -> str:
        """Some operands call a function that assigns a variable of the program."""
        if depth > 0 and self.happens(0.06):
            return f"bump({super().expression(depth - 1)})"
        return super().expression(depth)

    def statement(self, indent, depth, in_loop):
        if depth > 0 and self.happens(0.45):
            return getattr(self, "on_" + self.pick(WILD))(indent, depth, in_loop)
        return super().statement(indent, depth, in_loop)

    def on_return(self, indent, depth, in_loop):
        self.line(indent, f"if {self.test()}:")
        self.line(indent + 1, self.returned(1))

    def on_guard(self, indent, depth, in_loop):
        """A handler around blocks that may jump, raise or fail."""
        self.line(indent, "try:")
        self.block(indent + 1, depth - 1, in_loop)
        if self.happens(0.7):
            self.on_fault(indent + 1, 0, in_loop)
        handled = self.happens(0.8)
        if handled:
            self.line(indent, f"except {self.pick(CAUGHT)}:")
            self.block(indent + 1, 0, in_loop)
            if self.happens(0.3):
                self.line(indent, "else:")
                self.block(indent + 1, 0, in_loop)
        if not handled or self.happens(0.4):
            self.line(indent, "finally:")
            self.line(indent + 1, f"{self.name()} = ({self.expression(1)}) % 50")

    def on_fault(self, indent, depth, in_loop):
        """A Python error, under a test or not."""
        if self.happens(0.8):
            self.line(indent, f"if {self.test()}:")
            indent += 1
        self.line(indent, f"{self.name()} = {self.pick(FAULTS)}")

    def on_keys(self, indent, depth, in_loop):
        """An item that a branch or a loop sets or deletes."""
        target = self.pick(ITEMS)
        head = self.pick(
            [f"if {self.test()}:", f"for _ in range(zero + {self.choose.randint(0, 3)}):"]
        )
        self.line(indent, head)
        self.line(
            indent + 1,
            self.pick(
                [f"{target} = ({self.expression(1)}) % 97"] * 4
                + ["del info['n']", "info.pop('k1', 0)", f"info.update(k2={self.name()})"]
                + [f"info = {{'n': {self.name()}}}", f"box = Box({self.name()}, box.w)"]
            ),
        )
        if self.happens(0.5):
            self.block(indent + 1, depth - 1, in_loop and head.startswith("if"))
        if self.happens(0.4):
            self.line(indent, f"{target} = ({self.expression(1)}) % 97")

    def on_attribute(self, indent, depth, in_loop):
        self.on_keys(indent, depth, in_loop)
        self.line(indent, f"{self.name()} = {self.pick(ITEMS)} % 89")

    def on_asked(self, indent, depth, in_loop):
        """A question about what exists."""
        self.line(indent, f"{self.name()} = {self.pick(ASKED)} % 89")

    def on_note(self, indent, depth, in_loop):
        self.line(indent, f"if {self.test()}:")
        self.line(indent + 1, f"seen.add({self.choose.randint(0, 2)})")

    def on_counts(self, indent, depth, in_loop):
        """An item that a loop asks for before it sets it."""
        item, value = self.pick(("k1", "k3")), self.name()
        self.line(indent, f"for _ in range(zero + {self.choose.randint(0, 3)}):")
        if self.happens(0.5):
            self.line(indent + 1, f"info['{item}'] = (info.get('{item}', 3) + {value}) % 53")
        else:
            self.line(indent + 1, f"if '{item}' not in info:")
            self.line(indent + 2, f"info['{item}'] = {self.expression(1)} % 53")
            self.line(indent + 1, f"info['{item}'] = (info['{item}'] + 2) % 53")
        if self.happens(0.5):
            self.block(indent + 1, depth - 1, True)
        self.line(indent, f"{self.name()} = info.get('{item}', 0) % 89")

    def on_deeper(self, indent, depth, in_loop):
        """A call that changes an object in an object, or a closure of a function that returned."""
        call = self.pick((f"deeper(box, {self.name()})", f"count({self.name()})"))
        self.line(indent, f"if {self.test()}:")
        self.line(indent + 1, f"{self.name()} = {call} % 37")
        self.block(indent + 1, depth - 1, in_loop)
        self.line(indent, f"{self.name()} = (box.w.v + count(0)) % 41")

    def on_closure(self, indent, depth, in_loop):
        """A function that changes what is around it, called under a test."""
        self.count += 1
        change, name = f"change{self.count}", self.name()
        self.line(indent, f"def {change}(x, where):")
        self.line(indent + 1, f"nonlocal {name}")
        self.line(indent + 1, f"{name} = (x + {self.expression(1)}) % 59")
        self.line(indent + 1, "where['n'] = (where['n'] + x) % 61")
        if self.happens(0.3):
            self.line(indent + 1, f"row[0] = ({self.name()} + x) % 67")
        self.line(indent + 1, "return x + 1")
        self.line(indent, f"if {self.test()}:")
        self.line(indent + 1, f"{self.name()} = {change}({self.name()}, info)")
        self.block(indent + 1, depth - 1, in_loop)
        self.line(indent, f"{name} = {change}({self.name()}, info) if {self.test()} else 5")

    def on_none(self, indent, depth, in_loop):
        """A variable that a branch or a loop makes None, or a number, and questions which."""
        one, other = self.choose.sample(("last", "held"), 2)
        change = self.pick(
            [f"{one} = ({self.expression(1)}) % 43"] * 3
            + [f"{one} = None", f"{one}, {other} = {other}, ({self.expression(1)}) % 43"]
            + [f"{one} = ({self.expression(0)}) % 43 if {self.test()} else None"]
        )
        self.count += 1
        head = self.pick(
            [
                f"if {self.test()}:",
                f"for i{self.count} in range(zero + {self.choose.randint(0, 3)}):",
            ]
        )
        self.line(indent, head)
        if self.happens(0.4):
            indent += 1
            asked = self.pick(
                [f"{one} is None", f"{other} == None", f"{one} is not None and {one} > 7"]
                + [f"({one}, 1) == (None, 1)"] * (self.happens(0.2))
                + [
                    f"not {one}",
                    f"bool({one})",
                    f"({one} or 9) > 7",
                    f"({one} and 1) is None",
                    f"callable({one})",
                    f"repr({one}) == 'None'",
                ]
                * (self.happens(0.5))
            )
            self.line(indent, f"if {asked}:")
        self.line(indent + 1, change)
        if self.happens(0.4):
            self.block(indent + 1, depth - 1, in_loop and head.startswith("if"))
        name = self.name()
        self.line(indent, f"{name} = {name} % 9 if {one} is None else ({one} + {name}) % 47")

    def on_manager(self, indent, depth, in_loop):
        self.line(indent, f"with {self.pick(MANAGERS)}, {self.pick(MANAGERS)}:")
        self.block(indent + 1, depth - 1, in_loop)
        if self.happens(0.3):
            self.on_fault(indent + 1, 0, in_loop)

    def on_floats(self, indent, depth, in_loop):
        """Floats beside integers."""
        self.line(
            indent,
            self.pick(
                [
                    f"f = (f + 0.5 * {self.choose.randint(-9, 9)}) % 16.0",
                    "e = (e + f) % 16.0",
                    f"e, f = f, {self.choose.randint(0, 9)} / 2",
                    f"f = e if {self.test()} else {self.pick(['f', '1.5', '2'])}",
                    f"{self.name()} = int(f) + {self.name()} % 5",
                    f"f = float({self.name()}) / 2",
                    f"{self.name()} = int(e > f) + {self.name()} % 7",
                    "f = abs(e - f) % 16.0",
                ]
            ),
        )

    def on_later(self, indent, depth, in_loop):
        """A loop over mixed state, whose last values are read after it."""
        self.count += 1
        last = f"last{self.count}"
        self.line(indent, f"for i{self.count} in range(zero + {self.choose.randint(0, 3)}):")
        self.line(indent + 1, f"{last} = {{'i': i{self.count}, 'f': f}}")
        self.block(indent + 1, depth - 1, True)
        self.line(indent, f"if {self.test()}:")
        self.line(indent + 1, f"{self.name()} = {last}['i']")

    def on_assigns(self, indent, depth, in_loop):
        """An operand that assigns, evaluated only sometimes."""
        name = self.name()
        named = f"({name} := ({self.expression(1)}) % 71) > {self.expression(0)}"
        low = self.expression(0)
        test = self.pick(
            [
                f"{self.comparison()} and {named}",
                f"{self.comparison()} or {named}",
                f"{low} < {self.name()} <= ({name} := ({self.expression(1)}) % 71)",
                f"(({named}) if {self.comparison()} else {self.comparison()})",
            ]
        )
        self.line(indent, f"if {test}:")
        self.block(indent + 1, depth - 1, in_loop)
