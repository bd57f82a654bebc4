"""Random programs of the rarer syntax of Python: patterns, stars, defaults, chains, nests.

`syntax_program(seed)` gives the source of `def program(a, b, c)`. Each statement is a form with
places for values and tests, so that a form meets the others in branches, loops, functions and
handlers. What a graph does not refuse, it computes as Python.
"""

import functools
import random

from program_writer import ProgramWriter

NAMES = "abcd"
HEAD = """
import contextlib
import dataclasses
import functools
import itertools
import operator


class Point:
    __match_args__ = ('x', 'y')

    def __init__(self, x, y=2):
        self.x, self.y = x, y

    def __add__(self, other):
        return Point((self.x + other.x) % 31, (self.y - other.y) % 31)

    def __getitem__(self, key):
        return self.x if key else self.y

    def __call__(self, k, *, by=1):
        if k > by:
            return self.x + k
        return self.y - by

    def __len__(self):
        return 2

    def __iter__(self):
        yield self.x
        yield self.y

    @property
    def norm(self):
        return self.x - self.y

    @classmethod
    def of(cls, pair):
        return cls(*pair)

    @staticmethod
    def least(x, y):
        return min(x, y)


class Box:
    # what is set goes through functions

    def __init__(self, x):
        self._x = x
        self.items = {'k': x}

    @property
    def x(self):
        return self._x * 2

    @x.setter
    def x(self, value):
        self._x = (value + 1) % 31

    def __setitem__(self, key, value):
        self.items[key] = (value + 2) % 29

    def __getitem__(self, key):
        return self.items[key]


class Scaled:
    def __init__(self, z):
        self.z = z

    def __setattr__(self, name, value):
        object.__setattr__(self, name, (value * 3) % 37)


class Raised(dict):
    def __setitem__(self, key, value):
        super().__setitem__(key, (value + 10) % 37)


class Lazy:
    def __init__(self, n):
        self.n = n

    @functools.cached_property
    def double(self):
        return self.n * 2


@dataclasses.dataclass(frozen=True)
class Pair:
    first: int
    second: int = 3


class Limits:
    LOW = 1
    HIGH = 5


def twice(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs) + function(*args, **kwargs)

    return wrapper


def folded(x, *rest, start=0, **named):
    for one in rest:
        start = (start * 2 + one) % 31
    if x > start:
        return x - start + len(named)
    return start + sum(named.values())


later = lambda x: lambda: x - 1


@functools.singledispatch
def size(x):
    return x if x > 0 else -x


@size.register
def _(x: tuple):
    return sum(size(e) for e in x) + len(x)


def last_of(x, /, y=4, *, z=None):
    return x if z is None else y + z


def steps(x, count):
    for k in range(count):
        yield x + k


@contextlib.contextmanager
def shifted(box, x):
    box.x += x
    try:
        yield box
    finally:
        box.x -= x


outer = 7


def down(n, total):
    if n <= 0:
        return total
    return down(n - 1, (total * 2 + n) % 31)


def program(a, b, c):
    d = 2
    zero = a - a
    rows = [a, 2, b]
    table = {'k': b, 'n': 4}
    point = Point(a, c)
    pair = Pair(c)
    box, scaled, raised, lazy = Box(b), Scaled(a), Raised(k=c), Lazy(b)
"""
VALUES = (
    "rows[0]", "rows[-1]", "point.x", "point.y", "pair.first", "pair.second", "table['k']",
    "len(rows)", "len(table)", "point.norm", "Limits.HIGH", "box.x", "box['k']", "scaled.z",
    "raised['k']", "lazy.double", "outer", "(lambda: outer)()",
)  # fmt: skip
EXPRESSIONS = (
    "(rows * 2)[{i}]", "([{v}, {v}] + rows)[2]",
    "{v} + {v}", "{v} - {v}", "{v} * {v} % 23", "{v} // {n}", "{v} % {n}", "-{v}", "abs({v})",
    "({v} if {t} else {v})", "({v} if {t} else {v} if {t} else {v})", "rows[0 if {t} else -1]",
    "rows[{i}]", "({v}, {v})[int({t})]", "(rows if {t} else [{v}, {v}, 1])[{i}]",
    "min(({v}, {v}), ({v}, 1))[1]", "max(rows, key=lambda e: (e % 3, -e))",
    "sorted([({v}, 1), (b, 2)])[0][1]", "max(table.items(), key=lambda i: i[1])[1]",
    "[{v}, {v}, {v}][::-1][0]", "({v}, {v}, {v})[-2:][0]", "sum(rows[::2])", "sum(rows[{i}:])",
    "sum((a, b, c, d)[::-2])", "{v} & 15", "{v} | 3", "({v} & 7) ^ {n}", "({v} & 7) << 2",
    "{v} >> 1", "~{v}", "int(not {v}) + {v}", "({v} and {v})", "({v} or {v} and {v})",
    "int({v} > {v}) + int({v} < {v})", "int({t})", "divmod({v}, {n})[0]",
    "max({v}, {v}, key=lambda e: e % 5)", "min(rows)", "sum(rows, {v})", "sorted(rows)[0]",
    "sorted((a, b, c), reverse=True)[0]", "sum(x * y for x, y in zip(rows, (b, c, 1)))",
    "sum(x + y for x in (a, 2) for y in (b, x))", "sum([x + y for x in (1, b) for y in range(2)])",
    "sum({{k: e + k for k, e in enumerate(rows)}}.values())",
    "[[e + f for e in (a, 1)] for f in (b, 2)][1][0]", "len({{1, 2, 2}})", "folded({v}, {v}, {v})",
    "folded({v}, *rows)", "folded({v}, start={v})", "folded({v}, 1, k={v}, m=3)",
    "folded(*rows, **table)", "folded(*(a, b), *[{v}], **{{'z': {v}}})", "last_of({v})",
    "last_of({v}, z={v})", "last_of({v}, {v}, z={v})", "point({v})", "point({v}, by={v})",
    "(point + Point({v})).x", "point[1]", "Point.least({v}, {v})", "Point.of(({v}, {v})).norm",
    "sum(point)", "sum(steps({v}, 3))", "down({i}, {v})", "(lambda x, y={v}: x - y)({v})",
    "(lambda *xs: xs[-1])({v}, {v})", "later({v})()", "size({v})",
    "size(({v}, (b,)))", "(lambda: lambda x: x + {v})()({v})",
    "(lambda x, *, k: x * k)({v}, k=2)",
    "functools.reduce(lambda x, y: (x * 2 + y) % 31, (a, {v}, b))",
    "functools.partial(folded, {v})({v})",
    "sum(map(lambda x, y: x - y, rows, (a, b, c)))", "sum(filter(lambda e: e % 2, (1, 2, 3)))",
    "operator.sub({v}, {v})", "sum(itertools.chain(rows, (b,)))", "next(iter(rows))",
    "next(reversed(rows))", "round({v})", "pow({v} % 5, 2)", "(e := {v}) + e",
    "sum((e := x) for x in (a, b)) + e", "len([*rows, *(1, 2)])",
    "sum({{**table, 'k': {v}}}.values())", "(table | {{'z': {v}}})['z']", "table.get('k', {v})",
    "table.get('q', {v})", "dict(zip('xy', (a, {v})))['y']", "dict(p={v}, **table)['p']",
    "getattr(point, 'x')", "dataclasses.replace(pair, second={v}).second",
    "len(f'{{len(rows)}}')", "max(enumerate(rows))[0]",
    "min((e, k) for k, e in enumerate((3, 1)))[1]", "abs(complex({n}, 0).real) and {v}",
    "sum(range({i}, 9, 3))", "list(range(9, {i}, -2))[0]", "range(zero + 5)[{i}]",
    "sum(range(zero + 3, 0, -1))", "int({v} in (1, {v}))", "int({v} not in rows)",
    "int({v} == {v} != {v})", "int(({v}, 1) == ({v}, 1))", "int(({v}, {v}) < ({v}, 2, {v}))",
    "int([{v}, [{v}]] >= [{v}, [2]])", "[*rows, {v}][-1]", "(0, *rows, *range(zero + 2))[{i}]",
    "len([*range(zero + {i}), *rows])", "[0, *[e + 1 for e in rows if e != {v}]][-1]",
    "max(*(a, {v}))", "int(type(rows) is list)", "int(isinstance(range(zero + 2), range))",
    'int(f"{{{v} % 9}}")', 'len(f"{{{v}}}")', 'int(f"{{{v}}}" == f"{{{v}}}")',
    'len("{{}}-{{}}".format({v}, 1))', "len('%d;' % ({v}))", 'len(f"{{{v}:>5}}|" + f"{{{v}}}")',
    "int(sum(k * 0.5 for k in range(zero + 3)))",
    "len(','.join([f'{{a}}', 'x', f'{{c:d}}']))",
)  # fmt: skip
TESTS = (
    "range(zero + {i})", "not range(zero + 1)", "rows and range(zero + 1)", "{v} or point.x > {v}",
    "rows == [{v}, 2, {v}]", "rows != []", "isinstance(rows, list)", "[{v}] + rows[:1] == rows[1:]",
    "{v} > {v}", "{v} < {v}", "{v} == {v}", "{v} != {v}", "{v} % 3 == {i}", "{v} <= {v} < {v}",
    "{v} > {v} and {v} < {v}", "{v} > {v} or not {v}", "not ({v} > {v})", "{v} in ({v}, {v}, 3)",
    "{v} not in rows", "(e := {v}) > 2", "{v} < (f := {v}) < {v} + 9", "any(e > {v} for e in rows)",
    "all(e != {v} for e in (a, b))", "({v} > 1 if {v} > 2 else {v} < {v})", "bool({v})",
    "len(rows) > {i}", "{v} > 0 < {v} != 3", "rows", "point.x is not None and point.x > {v}",
    "isinstance(point, Point) and {v} > 1", "'k' in table and {v} < 5", "{v} > {v} > {v} > -40",
)  # fmt: skip
SIMPLE = (
    "chosen = abs if {t} else operator.neg; {x} = chosen({e})",
    "{x} = (functools.partial(max, {v}) if {t} else lambda e: e - {v})({e})",
    "{x} = [abs, operator.neg, lambda e: e + {v}][({e}) % 3]({v})",
    "{x} = {e}", "{x} = {e}", "{x} = {y} = {e}", "{x}, {y} = {y}, {e}", "{x} += {e}", "{x} -= {e}",
    "{x} *= {i}", "{x} //= {n}", "{x} %= {n}", "{x} &= 15", "{x} |= {i}", "{x} ^= {n}", "{x} >>= 1",
    "{x} <<= 1", "{x}, *rest = rows; {y} = rest[-1]", "*rest, {x} = rows; {y} = len(rest)",
    "{x}, *_, {y} = (a, b, c, d)", "[{x}, ({y}, _)] = {e}, ({e}, 1)",
    "({x}, rows[0]), point.y = ({e}, {e}), {e}", "rows[{i}], {x} = {x}, rows[0]",
    "for {x}, *rest in [(a, 1), (b, c, 2)]: pass", "rows[{i}] = {e}", "rows[{i}] += {e}",
    "rows[-1] -= {e}", "rows = rows[::-1]", "rows = [{e}, *rows[:2]]",
    "rows = [{e}, *rows[:1], {e}]", "rows = sorted(rows)", "rows = [e % 31 for e in rows]",
    "rows = [e if e > {v} else {v} for e in rows]", "rows = list(map(lambda e: e - {v}, rows))",
    "rows = [*reversed(rows)]", "rows = [x for x, _ in zip(rows, range(3))]", "table['k'] = {e}",
    "table['k'] += {e}", "table |= {{'n': {e}}}", "table.update(k={e})",
    "table = {{**table, 'n': {e}}}", "table = {{k: e + 1 for k, e in table.items()}}",
    "table['k'], table['n'] = table['n'], {e}", "{x} = table.pop('n'); table['n'] = {e}",
    "table.setdefault('k', {e})", "point.x = {e}", "point.y -= {e}",
    "point.x, point.y = point.y, {e}", "point = Point({e}, {e})", "point += Point({e})",
    "point = Point(*point)", "pair = Pair({e})", "pair = Pair(second={e}, first=pair.first)",
    "pair = dataclasses.replace(pair, first={e})", "{x}, {y} = point",
    "{x}, {y} = dataclasses.astuple(pair)", "{x} = (lambda: {y})()",
    "noted: int = {e}; {x} = noted", "assert {v} is not None", "pass",
    "box.x = {e}", "box.x += {e}", "box['k'] = {e}", "box['k'] -= {e}", "box.x, {x} = {e}, box.x",
    "scaled.z = {e}", "scaled.z += {e}", "raised['k'] = {e}", "raised['k'] += {e}",
    "{x} = [e for e in rows][-1]", "{x}, {y} = min(({e}, {e}), (a, b))",
    "{x}, {y} = ({e}, {e}) if {t} else ({y}, {x})", "{x} = sum(g for g in rows if {t})",
)  # fmt: skip
RESIZING = (  # of a list; few of them are staged
    "lazy.n = {e}",
    "rows[0:1] = [{e}]", "rows[1:] = [{e}, {e}]", "rows[::2] = [{e}, 3]", "rows[:] = rows[::-1]",
    "rows[1:2] += [{e}]; del rows[1]", "del rows[0]; rows.insert(0, {e})", "rows.reverse()",
    "rows.append({e}); rows.pop(0)", "rows += [{e}]; del rows[0:1]",
    "rows = rows * 2; rows = rows[:3]",
)  # fmt: skip
HEADS = (  # of loops: the names that they bind, and a bound
    ("for {j} in range({i}):", "{j}"), ("for {j} in range(zero + {i}):", "{j}"),
    ("for {j} in range(4, {i}, -1):", "{j}"), ("for {j} in range(zero + 3, 0, -1):", "{j}"),
    ("for {j} in reversed(range(zero + {i})):", "{j}"), ("for {j} in rows[:]:", "{j}"),
    ("for {j} in (a, {v}, 2):", "{j}"), ("for {j}, {k} in zip(rows[:], ({v}, b, 1)):", "{j} - {k}"),
    ("for {j}, {k} in enumerate(rows[::-1]):", "{j} + {k}"),
    ("for {j}, {k} in enumerate((a, {v}), 1):", "{j} * {k}"),
    ("for {j}, {k} in table.items():", "{k} + len({j})"),
    ("for {j} in list(table.values()):", "{j}"), ("for {j} in reversed((a, {v})):", "{j}"),
    ("for {j} in sorted((a, b, c)):", "{j}"),
    ("for {j}, ({k}, _) in [(a, (b, 1)), (1, ({v}, c))]:", "{j} - {k}"),
    ("for {j} in steps({v}, 2):", "{j}"), ("for {j} in map(lambda e: e * 2, rows[:]):", "{j}"),
    ("for {j} in [e for e in (a, b) if e is not None]:", "{j}"),
    ("for {j}, {k} in zip(range(zero + 3), rows[:]):", "{j} + {k}"),
    ("for {j}, {k} in enumerate(range(zero + {i}), 2):", "{j} - {k}"),
    ("for {j} in itertools.chain(rows[:1], (b, 2)):", "{j}"),
    ("for {j}, *{k} in [(a, 1, 2), ({v}, b)]:", "{j} + len({k})"),
    ("for point.x in (a, {v}):", "point.x"), ("for rows[0], {j} in ((a, 1), (b, {v})):", "{j}"),
    ("for {j} in dict(k=a, n={v}):", "len({j})"),
    ("for {j}, {k} in itertools.product((a, 1), range(2)):", "{j} + {k}"),
    ("for {j} in {{1: a, 2: b}}.values():", "{j}"),
)  # fmt: skip
WHILES = (
    "({w} := {w} - 1) >= 0", "{w} > 0 and ({t})", "{w}", "0 < {w} <= 9 and {v} < 60",
    "not {w} <= 0", "({w} > 0) and (not ({t}))", "({w} > 0 if {t} else {w} > 1)",
    "{w} > 1 or {w} > 0 and ({t})", "(n := {w} * 2) > 1 and n != 40",
)  # fmt: skip
SUBJECTS = {  # patterns for a subject, each with an expression of what it binds
    "({e}) % 4": (
        ("0 | 1", "1"), ("{m} if {m} > {v}", "{m}"), ("2 as {m}", "{m}"), ("Limits.LOW", "2"),
        ("_", "3"), ("3 if {t}", "{v}"), ("None", "1"),
    ),
    "({e}, {e})": (
        ("({m}, 2)", "{m}"), ("({m}, {o}) if {m} < {o}", "{m} - {o}"),
        ("[{m}, 1]", "{m}"), ("(_, {m})", "{m}"), ("(0 | 1 as {m}, {o})", "{m} + {o}"),
        ("({m}, *_)", "{m}"), ("_", "1"),
    ),
    "rows": (
        ("[{m}]", "{m}"), ("[{m}, {o}]", "{o}"), ("[{m}, *{o}] if {m} > {v}", "len({o})"),
        ("[_, _, {m}]", "{m}"), ("[*_, {m}]", "{m}"), ("_", "4"),
    ),
    "table": (
        ("{{'q': {m}}}", "{m}"), ("{{'k': 3}}", "3"),
        ("{{'k': {m}, 'n': {o}}} if {m} > {o}", "{m} - {o}"), ("{{'k': {m}, **{o}}}", "len({o})"),
        ("_", "5"),
    ),
    "point": (
        ("Point(0, {m})", "{m}"), ("Point({m}, y=2)", "{m}"),
        ("Point(x={m}, y={o}) if {m} < {o}", "{o}"), ("Point(x=1 | 2)", "7"),
        ("Point() as {m}", "{m}.x"), ("_", "6"),
    ),
    "pair": (
        ("Pair(1, {m})", "{m}"), ("Pair(first={m}) if {t}", "{m}"), ("Pair({m}, {o})", "{m} + {o}"),
        ("_", "7"),
    ),
    "({e}, point)": (
        ("({m}, Point({o}, _)) if {m} == {o}", "{m}"), ("(0, _)", "8"),
        ("({m}, Point(y={o}))", "{m} - {o}"), ("_", "9"),
    ),
}  # fmt: skip
RESULTS = (
    "rows, point.x, point.y", "table['k'], table['n'], pair.first",
    "[rows[0], len(rows)], pair.second", "{{'a': a, 'rows': rows}}",
    "box.x, box['k'], scaled.z, raised['k'], lazy.double",
)  # fmt: skip
RARE = (  # which are refused where a tensor decides
    "({v}, {v}, {v})[{t}]", "table['k' if {t} else 'n']", "({v}, {v})[{v} > {v}]",
    "down(zero + 2, {v})", "point[{t}]", "max(*rows)", "pow({v}, 2, 7)",
    "(Point({v}) if {t} else point).x", "(rows if {t} else [1])[0]", "rows.count({v})",
)  # fmt: skip
MANAGERS = (
    "shifted(point, {v})", "shifted(point, {v}) as q", "contextlib.nullcontext({v}) as q",
    "contextlib.suppress(KeyError)", "shifted(point, 1), shifted(point, {v})",
)  # fmt: skip
UNREACHED = ("outer = 1", "import os as outer", "for outer in (): pass", "(outer := 2)")
CAUGHT = ("KeyError", "IndexError", "(KeyError, ValueError)", "Exception")


@functools.lru_cache(maxsize=16)
def syntax_program(seed: int) -> str:
    return Writer(random.Random(seed)).program()


class Writer(ProgramWriter):
    head = HEAD

    def program(self) -> str:
        self.block(1, 3, False)
        self.block(1, 1, False)
        self.ending(1, self.pick((0, 0, 1, 2, 3)), self.pick(RESULTS))
        if self.happens(0.1):  # never run, it makes a variable of this function all the same
            self.line(1, self.pick(UNREACHED))
        return self.text()

    def ending(self, indent: int, depth: int, result: str) -> None:
        """Returns on every path: from within contexts, handlers, branches and loops."""
        kind = self.pick(("with", "try", "if", "for")) if depth else "return"
        if kind == "return":
            self.line(indent, f"return ({self.filled(result)}), a, b, c, d")
            return
        heads = {
            "with": [f"with {self.filled(self.pick(MANAGERS))}:"], "try": ["try:"],
            "if": [f"if {self.test(1)}:"],
            "for": [f"for {self.fresh('j')} in range(zero + 2):", f"    if {self.test(1)}:"],
        }  # fmt: skip
        for head in heads[kind]:
            self.line(indent, head)
        self.ending(indent + len(heads[kind]), depth - 1, result)
        if kind == "try":
            self.line(indent, "finally:")
            self.line(indent + 1, self.filled(self.pick(SIMPLE)))
        elif kind != "with":
            self.ending(indent, depth - 1, result)

    # ---- expressions -------------------------------------------------------------------------

    def value(self) -> str:
        number = str(self.choose.randint(-3, 9))
        return self.pick([*NAMES, *NAMES, number, self.pick(VALUES)])

    def filled(self, form: str, depth: int = 1, **names: str) -> str:
        """A form with its places filled: each with a choice of its own."""
        makers = {
            "v": self.value, "n": lambda: str(self.choose.randint(1, 9)),
            "i": lambda: str(self.choose.randint(0, 2)),
            "t": lambda: self.test(depth - 1), "e": lambda: self.expression(depth),
        }  # fmt: skip
        x, y = self.choose.sample(NAMES, 2)
        return form.format_map(_Places({"x": x, "y": y, **names}, makers))

    def expression(self, depth: int) -> str:
        if depth < 0 or self.happens(0.2):
            return self.value()
        forms = RARE if self.happens(0.03) else EXPRESSIONS
        return f"({self.filled(self.pick(forms), depth - 1)}) % 31"

    def test(self, depth: int) -> str:
        if depth < 0:
            return f"{self.value()} > {self.value()}"
        return self.filled(self.pick(TESTS), depth - 1)

    # ---- statements --------------------------------------------------------------------------

    def block(self, indent: int, depth: int, in_loop: bool) -> None:
        for _ in range(self.pick((1, 1, 2, 2, 3))):
            kinds = ["simple"] * 8
            if depth > 0:
                kinds += ["if", "for", "for", "while", "match", "match", "function", "lambdas"]
                kinds += ["finally", "with", "nested"]
            kinds += ["jump"] if in_loop else []
            kinds += ["return"] if self.happens(0.1) else []
            getattr(self, "on_" + self.pick(kinds))(indent, depth, in_loop)

    def on_simple(self, indent, depth, in_loop):
        text = self.filled(self.pick(RESIZING if self.happens(0.06) else SIMPLE))
        self.line(indent, text)
        if any(sign in text for sign in ("*=", "<<=", "+=")):
            self.line(indent, "a, b, c, d = a % 53, b % 53, c % 53, d % 53")

    def on_jump(self, indent, depth, in_loop):
        self.line(indent, f"if {self.test(1)}:")
        self.line(indent + 1, self.pick(["break", "continue", "break"]))

    def on_return(self, indent, depth, in_loop):
        self.line(indent, f"if {self.test(1)}:")
        self.line(indent + 1, f"return ({self.filled(self.pick(RESULTS))}), a, b, c, d")

    def on_if(self, indent, depth, in_loop):
        self.line(indent, f"if {self.test(1)}:")
        self.block(indent + 1, depth - 1, in_loop)
        while self.happens(0.3):
            self.line(indent, f"elif {self.test(1)}:")
            self.block(indent + 1, depth - 1, in_loop)
        if self.happens(0.5):
            self.line(indent, "else:")
            self.block(indent + 1, depth - 1, in_loop)

    def on_for(self, indent, depth, in_loop):
        head, bound = self.pick(HEADS)
        names = {"j": self.fresh("j"), "k": self.fresh("k")}
        self.line(indent, self.filled(head, **names))
        self.line(indent + 1, f"{self.pick(NAMES)} = ({self.filled(bound, **names)}) % 41")
        self.block(indent + 1, depth - 1, True)
        self.orelse(indent, depth, in_loop)

    def on_while(self, indent, depth, in_loop):
        fuel = self.fresh("w")
        start = self.pick(["zero + ", ""])
        self.line(indent, f"{fuel} = {start}{self.choose.randint(1, 4)}")
        form = self.pick(WHILES)
        self.line(indent, f"while {self.filled(form, w=fuel)}:")
        if ":= {w} - 1" not in form:
            self.line(indent + 1, f"{fuel} -= 1")
        self.block(indent + 1, depth - 1, True)
        self.orelse(indent, depth, in_loop)

    def orelse(self, indent, depth, in_loop):
        if self.happens(0.3):
            self.line(indent, "else:")
            self.block(indent + 1, depth - 1, in_loop)

    def on_match(self, indent, depth, in_loop):
        subject = self.pick([*SUBJECTS])
        patterns = SUBJECTS[subject]
        self.line(indent, f"match {self.filled(subject)}:")
        chosen = sorted(self.choose.sample(range(len(patterns)), self.choose.randint(1, 3)))
        for at, number in enumerate(chosen):
            names = {"m": self.fresh("m"), "o": self.fresh("o")}
            pattern, bound = patterns[number]
            if at < len(chosen) - 1 and pattern == "_":
                continue
            self.line(indent + 1, f"case {self.filled(pattern, **names)}:")
            value = self.filled(bound, **names)
            self.line(indent + 2, f"{self.pick(NAMES)} = ({value}) % 43")
            self.block(indent + 2, depth - 1, in_loop)

    def on_function(self, indent, depth, in_loop):
        """A function with defaults that reads, or assigns, names around it."""
        name, changed = self.fresh("inner"), self.pick(NAMES)
        head = self.pick(
            ["x", "x, y={v}", "x, *, y={v}", "x, *more, y={v}", "x=1, /, y=2", "x, **more"]
        )
        if self.happens(0.2):
            self.line(indent, "@twice")
        self.line(indent, f"def {name}({self.filled(head)}):")
        if self.happens(0.6):
            self.line(indent + 1, f"nonlocal {changed}, rows, table, point, pair")
        else:
            self.line(indent + 1, "nonlocal rows, table, point, pair")
            self.line(indent + 1, f"{changed} = x")
        if self.happens(0.3):
            deeper = self.fresh("deeper")
            self.line(indent + 1, f"def {deeper}():")
            self.line(indent + 2, f"nonlocal {changed}")
            self.line(indent + 2, f"{changed} = ({changed} + {self.value()}) % 31")
            self.line(indent + 2, f"return {changed} if {self.test(0)} else x")
            self.line(indent + 1, f"x = {deeper}()")
        if self.happens(0.5):
            self.block(indent + 1, depth - 1, False)
            # a return of the block gives a tuple
            self.line(indent + 1, f"if {self.test(1)}:")
            self.line(indent + 2, f"return x + {self.value()}")
        self.line(indent + 1, f"{changed} = (x + {self.value()}) % 31")
        self.line(indent + 1, "return x")
        takes_y = "y" in head and "/" not in head
        call = f"{name}({self.value()}{', y=3' if takes_y and self.happens(0.5) else ''})"
        if self.happens(0.5):
            self.line(indent, f"if {self.test(1)}:")
            indent += 1
        self.line(indent, f"kept = {call}")
        result = "(kept[-1] if isinstance(kept, tuple) else kept) % 31"
        self.line(indent, f"{self.pick(NAMES)} = {result}")

    def on_lambdas(self, indent, depth, in_loop):
        """Functions that a loop makes, which see its variable as it is, or as it was."""
        made, j = self.fresh("made"), self.fresh("j")
        body = self.pick([f", {j}={j}: x + {j}", f": x - {j}", f": x + {j} * d"])
        if self.happens(0.5):
            k = self.fresh("k")
            outer = self.pick(["", f"for {k} in (0, {self.value()}) if {k} != 3 "])
            items = f"(a{outer and f' + {k}'}, 1, {self.value()})"
            self.line(indent, f"{made} = [lambda x{body} {outer}for {j} in {items}]")
        else:
            self.line(indent, f"{made} = []")
            self.line(indent, f"for {j} in (b, {self.value()}):")
            self.line(indent + 1, f"{made}.append(lambda x{body})")
        self.block(indent, 0, False)
        result = f"({made}[0]({self.value()}) + {made}[-1](1)) % 31"
        self.line(indent, f"{self.pick(NAMES)} = {result}")

    def on_finally(self, indent, depth, in_loop):
        """Nested `try` whose ends jump."""
        self.line(indent, "try:")
        self.block(indent + 1, depth - 1, in_loop)
        if self.happens(0.3):
            self.line(indent + 1, f"if {self.test(1)}:")
            faults = ["raise KeyError({v})", "rows[7] = {v}", "{x} = table['no']"]
            self.line(indent + 2, self.filled(self.pick(faults)))
            caught = self.pick(NAMES) if self.happens(0.4) else "caught"
            self.line(indent, f"except {self.pick(CAUGHT)} as {caught}:")
            self.line(indent + 1, self.filled("{x} = len(str({c}))", c=caught))
            self.block(indent + 1, 0, in_loop)
            if self.happens(0.2):
                self.line(indent + 1, f"if {self.test(1)}:")
                self.line(indent + 2, self.filled(self.pick(faults)))
            if self.happens(0.3):
                self.line(indent, "else:")
                self.block(indent + 1, 0, in_loop)
            if self.happens(0.5):
                return
        self.line(indent, "finally:")
        self.block(indent + 1, 0, False)
        if self.happens(0.3) and in_loop:
            self.line(indent + 1, f"if {self.test(1)}:")
            self.line(indent + 2, self.pick(["break", "continue"]))

    def on_with(self, indent, depth, in_loop):
        self.line(indent, f"with {self.filled(self.pick(MANAGERS))}:")
        self.block(indent + 1, depth - 1, in_loop)

    def on_nested(self, indent, depth, in_loop):
        """Two loops, of which the inner one leaves both by a flag or an `else`."""
        j, k = self.fresh("j"), self.fresh("k")
        self.line(indent, f"for {j} in range(zero + 2):")
        items = self.pick(["range(zero + 2)", "rows[:]", "(a, {v})"])
        self.line(indent + 1, f"for {k} in {self.filled(items)}:")
        self.block(indent + 2, 0, True)
        self.line(indent + 2, f"if {self.test(1)}:")
        self.line(indent + 3, "break")
        self.line(indent + 1, "else:")
        self.block(indent + 2, 0, True)
        self.line(indent + 2, self.pick(["continue", "break"]))
        self.line(indent + 1, f"{self.pick(NAMES)} = ({j} + {self.value()}) % 31")


class _Places(dict):
    """Names for the places of a form; those with a maker get another text each time."""

    def __init__(self, names: dict, makers: dict):
        super().__init__(names)
        self.makers = makers

    def __missing__(self, key):
        return self.makers[key]()
