"""Random short programs in which containers have several names, one of which is bound anew, grows
or is changed, in branches, loops and called functions.

`shared_program(seed)` gives the source of `def program(a, b, c)`, which returns what some
of the names hold: what the others do is dead. What a graph does not refuse, it computes as Python.
"""

import functools
import random

from program_writer import ProgramWriter

HEAD = """
import collections
import dataclasses
import operator

import numpy as np

Pair = collections.namedtuple("Pair", "first second")


@dataclasses.dataclass(frozen=True)
class Frozen:
    first: list
    second: list

    def __getitem__(self, at):
        return self.first if at == 0 else self.second


@dataclasses.dataclass
class Record:
    n: int


class Box:
    def __init__(self, rows):
        self.rows = rows
        self.v = 3

    def put(self, x):
        if x > 2:
            self.rows[0] = x
        self.v = x

    def grow(self, x):
        self.rows = grown(self.rows, x)
        return self.rows

    def renew(self, x):
        self.rows = [x, self.rows[0]]


def put(rows, x):
    rows[0] = x


def set_n(info, x):
    info['n'] = x


def grow(rows, x):
    if x % 2 == 0:
        rows.append(x)


def grown(rows, x):
    if x % 3 > 0:
        rows.append(x)
    return rows


def grown_twice(rows, x):
    first = grown(rows, x)
    return grown(first, x + 1)


def filled(grid, x):
    if x > 2:
        grid[x % 2] = x
    return grid


def total(rows, grid):
    return rows[-1] + len(rows) + int(grid[0])


def changed(rows, x):
    rows[0] = (rows[0] + x) % 11
    return rows[0]


def renewed(rows, x):
    for _ in range(x % 3):
        rows = [rows[-1], (rows[0] + x) % 17]
    return rows


def swapped(one, two, x):
    if x > 1:
        one, two = two, one
    return one, two


def program(a, b, c):
    zero = a - a
    n = 1
    rows = [a, 2]
    other = [b, 5]
    info = {'n': b, 'rows': [c, 7]}
    box = Box([c, 4])
    record = record2 = Record(b)
    grid = np.array([3, 4])
"""
LISTS = ("rows", "other", "info['rows']", "box.rows", "inner")
NAMES = ("rows", "other", "inner")
HELD = ("pair[0]", "pair[1]", "deep[0]", "deep[1][0]")  # lists in tuples
SHARES = (
    "{name} = {rows}", "{name} = {rows}", "info['rows'] = {rows}", "box.rows = {rows}",
    "rows, other = other, rows", "box = Box({rows})", "twin = info",
    "info = {{'n': {x}, 'rows': {rows}}}",
    "pair = {pair}({rows}, {rows2})", "view = grid[0:2]", "view = grid",
    "view, grid = grid, view", "view = grid", "grid = grid + view[0:2]", "view = grid.copy()",
)  # fmt: skip
CHANGES = (
    "{rows}[0] = {x}", "{rows}[-1] = {x}", "{rows}[0] += {x} % 7", "{rows}.append({x})",
    "{name} += [{x}]", "{rows}.reverse()", "{rows}.pop()", "{rows}.insert(0, {x})",
    "twin['n'] = {x}", "info['n'] = {x}", "grid[0] = {x}", "grid[1] += 1", "view[0] = 6",
    "grid[{x} % 2] = 4", "view[{x} % 2] += 1", "view[0] = {x}", "grid[{x} % 2] = grid[0] + 1",
)  # fmt: skip
BINDINGS = (
    "{name} = [{x}, {rows}[0]]", "{name} = [{x}, {rows}[0]]", "info['rows'] = [{x}, 1]",
    "info = {{'n': {x}, 'rows': [{x}, 2]}}", "twin = {{'n': {x}}}", "box.rows = [{x}, 3]",
    "{name} = [e + 1 for e in {rows}]", "grid = grid + 1", "{name} = list({rows})",
    "twin = dict(info)",
)  # fmt: skip
CALLS = (
    "put({rows}, {x})", "grow({rows}, {x})", "{name} = renewed({rows}, {x})", "box.put({x})",
    "box.renew({x})", "rows, other = swapped({rows}, {rows2}, {x})",
    "{name} = grown({rows}, {x})", "{same} = grown({same}, {x})", "{same} = grown({same}, {x})",
    "box.rows = grown(box.rows, {x})", "info['rows'] = grown(info['rows'], {x})",
    "{name} = grown_twice({rows}, {x})", "{name} = box.grow({x})", "box.rows = box.grow({x})",
    "n = n + total({rows}, filled(grid, {x})) % 5", "grid = filled(grid, {x})",
    "n = {rows}[-1] % 7 + total(grown({rows2}, {x}), grid) % 5",
    "view = filled(view, {x})",
    "pair = {pair}({rows}, grown({rows2}, {x}))",
    "{name} = [*grown({rows}, {x}), 1]",
    "{name} = [e + len({rows}) for e in grown({rows2}, {x})]",
    "n = sum(changed({rows}, e) for e in ({x}, 2)) % 7",
    "n = next(changed({rows}, e) for e in {rows2})",
    "{name} = [changed({rows}, e) for e in (1, {x})]",
    "n = max({rows}, key=lambda e: changed({rows2}, e))",
    "n = int(any(changed({rows}, e) > 5 for e in (1, {x})))",
    "n = int({x} in (e for e in {rows}))",
    "{name} = [changed({rows}, e) for e in (1, 2, 3) if e > {x}]",
    "{name} = sorted({rows}, key=lambda e: -e)",
    "{name} = list(map(lambda e: changed({rows}, e), (k for k in {rows2})))",
)  # fmt: skip
TUPLES = (
    "pair = {pair}({rows}, pair[1])", "pair = {pair}(pair[0], {rows})",
    "pair = {pair}(pair[0], pair[1])", "pair = {pair}(pair[1], pair[0])",
    "deep = ({rows}, (deep[1][0], {x}))", "deep = (deep[0], ({rows}, {x}))",
    "deep = (deep[0], (deep[1][0], {x}))",
)  # fmt: skip
LATER = (
    "{rows}[0] = {x}", "{same} = grown({same}, {x})", "info['rows'] = grown(info['rows'], {x})",
    "box.rows = grown(box.rows, {x})", "grow({rows}, {x})",
)  # fmt: skip
BACK_OF_LISTS = (  # changes of NAME, and what takes them back
    ("NAME.append({x})", "NAME.pop()"), ("NAME.reverse()", "NAME.reverse()"),
    ("NAME.insert(0, {x})", "NAME.pop(0)"), ("NAME += [{x}]", "del NAME[-1]"),
    ("NAME[-1] = {x}", "NAME[-1] = old"), ("NAME[-1] += 5", "NAME[-1] -= 5"),
    ("operator.iadd(NAME, [{x}])", "NAME.pop()"), ("del NAME[-1]", "NAME.append(old)"),
    ("operator.setitem(NAME, -1, {x})", "operator.setitem(NAME, -1, old)"),
)  # fmt: skip
BACK_OF_DICTIONARIES = (
    ("NAME['n'] = {x}", "NAME['n'] = old"), ("NAME['n'] += 5", "NAME['n'] -= 5"),
    ("k, NAME['n'] = old, {x}", "NAME['n'] = k"), ("NAME |= {{'n': {x}}}", "NAME['n'] = old"),
    ("NAME.update(n={x})", "dict.update(NAME, n=old)"), ("set_n(NAME, {x})", "set_n(NAME, old)"),
)  # fmt: skip
BACK_OF_ITEMS = (
    ("NAME['rows'][0] = {x}", "NAME['rows'][0] = old"),
    ("put(NAME['rows'], 7)", "put(NAME['rows'], old)"),
)
BACK_OF_RECORDS = (
    ("NAME.n = {x}", "NAME.n = old"), ("NAME.n += 5", "NAME.n -= 5"),
    ("setattr(NAME, 'n', {x})", "NAME.n = old"),
)  # fmt: skip
BACK = (  # names, what one of them is bound to, changes, what is read
    (NAMES, "[{x}, 3]", BACK_OF_LISTS, "{}[-1]"),
    (("info", "twin"), "{{'n': {x}, 'rows': [{x}, 2]}}", BACK_OF_DICTIONARIES, "{}['n']"),
    (("info", "twin"), "{{'n': {x}, 'rows': [{x}, 2]}}", BACK_OF_ITEMS, "{}['rows'][0]"),
    (("record", "record2"), "Record({x})", BACK_OF_RECORDS, "{}.n"),
)
COPIES = (  # of a list, which hold the same items
    "{0}[:]", "{0}.copy()", "list({0})", "{0} + {0}", "{0} * 2", "[row for row in {0}]",
    "list(reversed({0}))", "sorted({0})", "[*{0}]",
)  # fmt: skip
STATEMENTS = ("if", "for", "while", "items", "apart", "tuple", "both", "back", "table", "taken")
VALUES = ("a", "b", "c", "n", "{rows}[0]", "{rows}[-1]", "len({rows})", "twin['n']", "box.v", "3")
RESULTS = (
    "rows[0], rows[-1], len(rows)", "other[0], other[-1], len(other)", "inner[0], inner[-1]",
    "info['n'], info['rows'][0], len(info['rows'])", "twin['n']", "box.rows[0], len(box.rows)",
    "record.n, record2.n", "pair[0][0], pair[1][-1]", "deep[0][0], deep[1][0][-1], deep[1][1]",
    "int(grid[0]), int(grid[1])", "int(view[0])",
)  # fmt: skip


@functools.lru_cache(maxsize=16)
def shared_program(seed: int) -> str:
    return Writer(random.Random(seed)).program()


class Writer(ProgramWriter):
    head = HEAD

    def __init__(self, choose: random.Random):
        super().__init__(choose)
        self.pair = self.pick(("", "Pair", "Frozen"))

    def program(self) -> str:
        self.line(1, f"inner = {self.pick(('rows', 'other', '[c, 9]'))}")
        self.line(1, f"twin = {self.pick(('info', 'dict(info)'))}")
        self.line(1, f"pair = {self.pair}{self.pick(('(rows, other)', '([a, 1], inner)'))}")
        self.line(1, self.filled("deep = ({name}, ({rows}, 3))"))
        self.line(1, f"view = {self.pick(('np.array([1, 2])', 'np.array([1, 2])', 'grid'))}")
        self.block(1, self.pick((1, 2, 2)), self.choose.randint(1, 4))
        for _ in range(self.pick((0, 0, 1, 2))):  # what a loop or a branch has shared changes
            self.line(1, self.filled(self.pick(LATER)))
        read = [one for one in RESULTS if self.happens(0.6)]
        self.line(1, f"return ({', '.join(['n', *read])},)")
        return self.text()

    def block(self, indent: int, depth: int, count: int) -> None:
        for _ in range(count):
            kinds = ("simple", "simple", *(STATEMENTS if depth else ()))
            getattr(self, "on_" + self.pick(kinds))(indent, depth)

    def value(self) -> str:
        return self.filled(self.pick(VALUES))

    def filled(self, form: str) -> str:
        number = f"({{}} + {self.choose.randint(0, 9)}) % 19"
        return form.format(
            name=self.pick(NAMES),
            same=self.pick(NAMES),
            pair=self.pair,
            rows=self.pick(LISTS if self.happens(0.85) else HELD),
            rows2=self.pick(LISTS),
            x=number.format(self.value()) if "{x}" in form else "",
        )

    def on_simple(self, indent, depth):
        form = self.pick(self.pick((SHARES, CHANGES, BINDINGS, CALLS)))
        self.line(indent, self.filled(form))
        if self.happens(0.4):
            self.line(indent, f"n = (n * 2 + {self.value()}) % 23")

    def on_apart(self, indent, depth):
        """Two names of one list, which part in a branch."""
        one, two = self.choose.sample(LISTS, 2)
        self.line(indent, f"{one} = {two}")
        self.line(indent, f"if {self.value()} % 3 > {self.choose.randint(0, 1)}:")
        self.line(indent + 1, self.filled(f"{one}, {two} = [{{x}}, 3], [1, {{x}}]"))
        self.line(indent, self.filled(self.pick(CHANGES)))

    def on_tuple(self, indent, depth):
        """A tuple is bound anew in one branch, and a list in it changes in another."""
        name = self.pick(NAMES)
        bound = self.pick((f"pair = {{pair}}({name}, pair[1])", *TUPLES))
        changed = self.pick(
            (f"changed({name}, {{x}})", f"{name}[0] = {{x}}", "pair[0][0] = {x}", *CHANGES)
        )
        if self.happens(0.7):
            self.line(indent, self.filled(f"pair = {{pair}}({name}, {{rows}})"))
        branches = self.choose.sample((bound, changed), 2)
        self.in_branches(indent, branches)

    def in_branches(self, indent, branches):
        self.line(indent, f"if {self.value()} % 3 > {self.choose.randint(0, 1)}:")
        self.line(indent + 1, self.filled(branches[0]))
        self.line(indent, "else:")
        self.line(indent + 1, self.filled(branches[1]))

    def on_both(self, indent, depth):
        """One list at both places of a tuple after one branch, at one of them after the other."""
        one, two = self.choose.sample(LISTS, 2)
        bound = self.pick(
            (f"({two}, pair[1])", "(pair[1], pair[1])", f"(pair[0], {one})", f"({two}, {two})")
        )
        branches = self.choose.sample((f"pair = {{pair}}{bound}", "n = n + 1"), 2)
        self.line(indent, self.filled(f"pair = {{pair}}({one}, {two})"))
        self.in_branches(indent, branches)
        if self.happens(0.3):
            name = self.pick((one, two))
            self.line(indent, self.filled(self.pick((f"{name}[0] = {{x}}", *CHANGES))))

    def on_back(self, indent, depth):
        """A container that changes, and has its old content again after another name was read."""
        names, start, changes, read = self.pick(BACK)
        one, two = self.choose.sample(names, 2)
        change, back = self.pick(changes)
        if self.happens(0.5):
            self.line(indent, f"{one} = {two}")
            self.line(indent, f"if {self.value()} % 3 > {self.choose.randint(0, 1)}:")
            self.line(indent + 1, self.filled(f"{one} = {start}"))
        self.line(indent, f"old = {read.format(two)}")
        self.line(indent, self.filled(change.replace("NAME", two)))
        self.line(indent, f"n = (n * 2 + {read.format(one)}) % 23")
        self.line(indent, self.filled(back.replace("NAME", two)))

    def on_table(self, indent, depth):
        """A list of lists that grows, takes one that may change, and gives one that may."""
        name = self.pick(NAMES)
        self.count += 1
        number, table = f"i{self.count}", f"table{self.count}"
        taken = (name, f"list({name})", self.filled("[{x}, 2]"))
        counted = f"for {number} in range({self.pick(('zero + 2', 'abs(b) % 3'))})"
        made = self.pick(("", self.filled("[{x}, 1]"), name, f"{self.pick(taken)} {counted}"))
        self.line(indent, f"{table} = [{made}]")
        self.line(indent, f"{counted}:")
        body = [
            f"{table}.append({self.pick(taken)})",
            self.filled(self.pick((f"{name}[0] = {{x}}", f"{name} = [{{x}}, 4]", "n = n + 1"))),
        ]
        for one in self.choose.sample(body, 2):
            self.line(indent + 1, one)
        if self.happens(0.3):
            self.line(indent, f"copied, {table} = {table}, {self.pick(COPIES).format(table)}")
        else:
            self.line(indent, "copied = []")
        self.line(indent, f"if len({table}) > 0:")
        form = self.pick(
            (f"item = {table}[0]", f"{table}[0][0] = {{x}}", f"item = {table}.pop()",
             f"item = {table}[n % len({table})]")
        )  # fmt: skip
        self.line(indent + 1, self.filled(form))
        if form.startswith("item") and self.happens(0.5):
            self.line(indent + 1, self.filled("item[0] = {x}"))
        for items in (table, "copied"):
            self.line(indent, f"for item in {items}:")
            self.line(indent + 1, "n = (n * 2 + item[0]) % 23")

    def on_taken(self, indent, depth):
        """A list takes an item that has other names, and grows; one of them changes."""
        self.count += 1
        number, table, one, first = (
            f"{name}{self.count}" for name in ("i", "table", "one", "first")
        )
        key, item = self.pick((("0", "[{x}, 1]"), ("0", "[{x}, 1]"), ("'k'", "{{'k': {x}}}")))
        form = self.pick(("{}", "{}", "{}", "({}, 2)"))  # of an item of the table
        inside = "" if form == "{}" else "[0]"
        self.line(indent, f"{one} = {self.filled(item)}")
        rows = self.pick((form.format(one), f"{form.format(self.filled(item))}", ""))
        self.line(indent, f"{table} = [{rows}]")
        self.line(indent, f"{first} = {table}[0]{inside}" if rows else f"{first} = {one}")
        loop = f"for {number} in range({self.pick(('zero + 2', 'abs(b) % 3'))}):"
        test = f"if {self.value()} % 3 > {self.choose.randint(0, 1)}:"
        self.line(indent, self.pick((loop, loop, test)))
        taken = form.format(self.pick((one, first, self.filled(item))))
        grows = self.pick((f"{table}.append({taken})", f"{table} = {table} + [{taken}]"))
        body = [grows, self.pick((f"{one} = {self.filled(item)}", "n = n + 1", "n = n + 2"))]
        if self.happens(0.2):
            body.append(self.filled(f"{self.pick((one, first))}[{key}] = {{x}}"))
        for text in self.choose.sample(body, len(body)):
            self.line(indent + 1, text)
        read = (
            f"{one}[{key}]",
            f"{first}[{key}]",
            f"{table}[0]{inside}[{key}]",
            f"{table}[-1]{inside}[{key}]",
        )
        changed = self.pick(read[:3])
        self.line(indent, f"old = {changed}")
        if self.happens(0.8):
            self.line(indent, self.filled(f"{changed} = {{x}}"))
        self.line(indent, f"n = (n * 2 + {self.pick(read)}) % 23")
        if self.happens(0.3):
            self.line(indent, f"{changed} = old")
            self.line(indent, f"n = (n * 2 + {self.pick(read)}) % 23")

    def on_if(self, indent, depth):
        self.line(indent, f"if {self.value()} % 3 > {self.choose.randint(0, 1)}:")
        self.block(indent + 1, depth - 1, self.choose.randint(1, 2))
        if self.happens(0.6):
            self.line(indent, "else:")
            self.block(indent + 1, depth - 1, self.choose.randint(1, 2))

    def on_for(self, indent, depth):
        self.count += 1
        count = self.pick(("zero + 2", "abs(b) % 3", "2"))
        self.line(indent, f"for i{self.count} in range({count}):")
        self.block(indent + 1, depth - 1, self.choose.randint(1, 2))

    def on_items(self, indent, depth):
        self.count += 1
        number, item = f"i{self.count}", f"e{self.count}"
        items = self.pick(("enumerate({rows})", "zip(range(3), {rows})"))
        self.line(indent, f"for {number}, {item} in {self.filled(items)}:")
        self.line(indent + 1, f"n = (n * 2 + {item}) % 23")
        self.block(indent + 1, depth - 1, self.choose.randint(1, 2))
        self.line(indent + 1, f"if {number} > 3:")  # the list may grow with each item
        self.line(indent + 2, "break")

    def on_while(self, indent, depth):
        self.count += 1
        self.line(indent, f"i{self.count} = zero")
        self.line(indent, f"while i{self.count} < {self.choose.randint(1, 3)}:")
        self.line(indent + 1, f"i{self.count} += 1")
        self.block(indent + 1, depth - 1, self.choose.randint(1, 2))
