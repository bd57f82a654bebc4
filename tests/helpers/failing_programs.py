"""Functions that change an argument and then fail: each way to change one, before each statement
that fails, in each place.

`jit` leaves the arguments of a call that fails as plain Python does: changed once. The tables below
are combined by `failing_program`, a pair of their rows at a time, or at random.
"""

from __future__ import annotations

import ast
import math
import random
import re
from collections.abc import Callable, Iterator
from textwrap import indent
from typing import NamedTuple

import numpy as np
from large_paths import chosen, set_to
from numpy_programs import function_of

import allograph as ag

LENGTH = 8
HELPERS = """
def changed_elsewhere(v):
    v[1] += 1.0
    v[2:] *= 0.5


def item_of(v, i):
    return v[i] + 1.0


def checked(i):
    if i > 5:
        raise ValueError("too large", i)
    return i

"""
PARAMETERS = (
    "a", "b", "m", "t", "u", "z", "pair", "record", "items", "table", "box", "rng", "n", "k"
)  # fmt: skip


class Box:
    def __init__(self, value: float, array: np.ndarray):
        self.value, self.array = value, array


def _rows(table: str) -> list[str]:
    """The lines of a table, each a statement or several."""
    return [row.replace("\\n", "\n") for row in table.strip().splitlines()]


# ---- ways to change an argument --------------------------------------------------------------

CHANGES = _rows(r"""
a[0] += 1.0
a[-1] = 7.0
a[k] *= 2.0
a[k - 4] -= 1.5
a[1:4] = 3.0
a[k:] += 1.0
a[:k] = b[:k] + 1.0
a[k : k + 3] -= 1.0
a[k:] += a[k]
a[-k:] = b[-k:] * 2.0
a[::2] += 1.0
a[::-1] = a.copy()
a[k::2] = 0.5
a[a > 0.5] = 0.25
a[b > 0.5] += 1.0
a[t] += 1.0
a[t] = b[t] + 1.0
a[t[k:]] -= 1.0
a[:] = b + 1.0
a[...] = 0.0
a += 1.0
a *= b + 2.0
a /= 3.0
a[a.argmax()] = -1.0
np.add(a, b, out=a)
np.multiply(a, 2.0, out=a[:])
np.add.at(a, t, 1.0)
np.subtract.at(a, k, 1.0)
np.copyto(a, b + 0.5)
np.clip(a, 0.2, 0.7, out=a)
np.cumsum(a, out=a)
np.nan_to_num(a, copy=False, nan=1.0); a[0] = 2.0
np.put(a, t, 3.0)
np.fill_diagonal(m, 3.0)
np.random.seed(k); a[:2] = np.random.random(2)
a.sort()
a[:] = np.sort(-a)
a.fill(2.0)
a[0], a[1] = a[1], a[0]
a[k], a[k - 1] = a[k - 1], a[k]
a[:4], a[4:8] = a[4:8].copy(), a[:4].copy()
v = a[1:]; v += 1.0
v = a[k:]; v[0] = 4.0
v = a[:6].reshape(2, 3); v[1] += 1.0
v = a[::-1]; v[:3] = 2.0
v = m.T; v[0] += 1.0
v = m[:, 1]; v[:] = 2.0
v = m[k]; v *= 3.0
m.reshape(-1)[2:5] = 1.0
a.ravel()[1] = 4.0
m.flat[3] = 1.0
m[1, 2] = 5.0
m[k] += 1.0
m[k, k - 1] += 1.0
m[:, k] = 0.0
m[k:, 1:] *= 2.0
m[1:-1, 1:-1] = m[:-2, 1:-1] + m[2:, 1:-1]
m[t[:3] % 4] += 1.0
m += m.sum(axis=0)
t[0] += 1; t[1:3] = 0
u[k] = 200; u += 7
z[0] += 1j; z[k:] *= 2.0
z.real[:2] = 4.0
changed_elsewhere(a)
for i in range(len(a)): a[i] += i
for i in range(k, len(a)): a[i - 1] = a[i] * 0.5
for i in t: a[i] += 1.0
for i in range(4):\n    for j in range(k): m[i, j] += i - j
i = 0\nwhile i < 5 and a[i] > -9.0:\n    a[i] -= 1.0\n    i += 2
for i in range(k): a[i:] += 1.0
for row in m: row[0] = 1.0
if k > 1: a[0] = 9.0
if a[0] < 9.0: a[k] += 9.0\nelse: b[0] = 1.0
w = a if k > 1 else b; w[0] = 3.0
pair[0][1] += 1.0; pair[1][k:] = 0.0
record["x"][1] += 1.0
record["y"][k:] = 4
items.append(1.0)
items[0] += 2.0
table["x"] = 3.0; a[0] += 1.0
table["rows"][1:] += 1.0
box.value += 1.0
box.array[0] += 1.0
box.array[k:] *= 2.0
out = [0.0] * k; out.append(a[0]); a[1] = out[-1] + 1.0
OUTER[0] += 1.0
OUTER[k:] *= 2.0
a[0] += rng.random()
a[:3] = rng.normal(size=3)
for i in range(k): a[i] = rng.random()
rng.shuffle(a)
""")

# ---- statements that fail --------------------------------------------------------------------


class Failure(NamedTuple):
    """A statement that does not fail where `n` is `well`, and fails where it is `ill`."""

    source: str
    well: object
    ill: object


FAILURES = [
    *[Failure(source, 1, ill) for ill in (99, -99, 8) for source in _rows(r"""
s += b[n]
b[n] = 1.0
b[n] += 1.0
b[n:] += b[n]
b[:n] = b[n]
b[n], b[0] = b[0], b[n]
s += m[0, n]
s += m[n, 0]
s += m[n].sum()
m[n, :2] = 0.0
m[:, n] += 1.0
s += b[t + n - 1].sum()
b[t + n - 1] += 1.0
b[t + n - 1] = b
np.add.at(b, t + n - 1, 1.0)
m[t % 4, n] = 1.0
s += item_of(b, n)
s += (1.0, 2.0, 3.0)[n]
s += [1.0, b[0], 3.0][n]
s += u[n]
s += pair[0][n]
s += OUTER[n]
s += record["x"][n]
s += items[n]
s += table["rows"][n]
s += box.array[n]
s += {0: 1.0, 1: 2.0}[n]
if b[0] > -1e9: s += b[n]
for i in range(3): s += b[i * n]
for i in range(k): b[i] += b[n]
for i in range(k): b[i] += 1.0; s += b[i * n]
if s < 1.0: m[n, n] *= 2.0
v = b[n:]; s += v[0]
""")],
    *[Failure(source, 1, 12) for source in _rows(r"""
for i in range(n): s += b[i]
for i in range(n): b[i] += 1.0
for i in range(n): b[i:] += b[i]
for i in range(n): m[i % 4, i] = 1.0
b[:n] = b[t[:n]] + m[0, n - 1]
i = 0\nwhile i < n:\n    b[i] = 0.5\n    i += 1
assert n < 5
assert n < 5, "too large"
assert np.all(b < n - 11.0 + 99 * (n == 1)), b[0]
if n > 5: raise ValueError("too large", n)
if n > 5: raise KeyError(n)
if n > 5: raise ValueError(f"{n} of {k}")
for i in range(n):\n    b[i % 4] += 1.0\n    if i == 7: raise StopIteration
s += checked(n)
s += {1: 2.0, 3: 4.0}[n]
s += [3, 1, 2].index(n)
s += float("1" if n == 1 else "x")
try:\n    b[n] = 1.0\nexcept IndexError:\n    raise ValueError("outside") from None
try:\n    s += b[n]\nexcept IndexError:\n    a[1] += 5.0
try:\n    s += b[n]\nfinally:\n    a[1] += 5.0
""")],
    *[Failure(source, 1, 0) for source in _rows(r"""
s += k // n
s += k % n
s += k / n
s += 1.5 // n
s += divmod(k, n)[1]
s += 1 // (n * k)
s += 0.0 ** (n - 1.5)
s += math.log(n)
s += math.sqrt(n - 0.5)
for i in range(3): b[i] += 4 % (n + i - n * i)
s += b[:n].max()
s += max(range(n))
s += np.argmin(b[:n])
s += rng.integers(0, n)
s += b[:n][0]
x, y = b[: n + 1]
s += np.linalg.inv(np.eye(2) * n)[0, 0]
s += sum(range(0, 5, n))
""")],
    Failure("b[1:n] = b[:2]", 3, 7),
    Failure("b[n : n + 2] = b[:2]", 1, LENGTH - 1),
    Failure("b[n:] += b[:-1]", 1, 2),
    Failure("b[np.arange(8) < n] = [1.0, 2.0]", 2, 5),
    Failure("b[b > n - 9] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]", 1, 99),
    Failure("b[:n] += b[: k + 1]", 3, 5),
    Failure("b[n:] = b[t[:n] + 1][: n + 3]", 5, 2),
    Failure("s += (b[n:] * b[1:]).sum()", 1, 3),
    Failure("s += np.dot(b[n:], b)", 0, 3),
    Failure("s += b.reshape(n, 2)[0, 0]", 4, 3),
    Failure("s += np.zeros(n).sum()", 2, -1),
    Failure("m[n:] = m[:3]", 1, 2),
    Failure("s += int(n)", 1.0, math.nan),
    Failure("s += int(n * b[0])", 1.0, math.inf),
    Failure("s += round(n)", 1.0, math.inf),
    Failure("s += math.floor(n)", 1.0, math.nan),
    Failure("t[1] = int(n)", 1.0, math.nan),
    Failure("s += math.exp(n)", 1.0, 1000.0),
    Failure("s += 10.0 ** n", 1.0, 400.0),
    Failure("s += math.acos(n)", 1.0, 2.0),
    Failure("t[0] = n", 1, 1 << 70),
    Failure("u[0] = n", 1, 300),
    Failure("u += n", 1, 300),
    Failure("s += float(n * n)", 1, 1 << 600),
    Failure("s += 1 << n", 1, -1),
    Failure("s += n ** (n * 30)", 2, 3),
    Failure("s += n.bit_length()", 2, 2.0),
    Failure("s += np.linalg.cholesky(np.eye(2) * n)[0, 0]", 1.0, -1.0),
    Failure("with np.errstate(all='raise'): s += (b / n).sum()", 1.0, 0.0),
    Failure("s += rng.random(n).sum()", 3, -1),
]  # fmt: skip

# ---- places ----------------------------------------------------------------------------------

PLACES = {
    "in a row": "{change}\n{failure}",
    "changed again": "{change}\n{failure}\n{change}",
    "in a branch": "if k > 1:\n    {change}\n{failure}",
    "in a loop": "for step in range(3):\n    {change}\n    if step == 1:\n        {failure}",
    "before a loop": "{change}\nfor step in range(k):\n    {failure}",
    "after a loop": "for step in range(k):\n    {change}\n{failure}",
    "in a handler": "try:\n    {change}\n    {failure}\nexcept MemoryError:\n    a[0] = 0.0",
}
LAYOUTS = ["plain", "views of one base", "overlapping", "one array", "strided", "large"]


class FailingProgram(NamedTuple):
    """A function, and what its arguments are like."""

    source: str
    function: Callable
    failure: Failure
    layout: str
    seed: int

    def arguments(self, fails: bool) -> dict:
        """Arguments of a call; the arrays behind them, if they are views, are named `base`."""
        numbers = np.random.default_rng(self.seed)
        count = 20_000 if self.layout == "large" else LENGTH
        base, matrix = numbers.random(3 * count), numbers.random((4, count // 2))
        a, b = base[:count].copy(), base[count : 2 * count].copy()
        if self.layout == "views of one base":
            a, b = base[:count], base[count : 2 * count]
        elif self.layout == "overlapping":
            a, b = base[:count], base[count // 2 : count // 2 + count]
        elif self.layout == "one array":
            b = a
        elif self.layout == "strided":
            a, b, matrix = base[: 2 * count : 2], base[::-3], numbers.random((count // 2, 4)).T
        record = np.zeros(LENGTH, [("x", "f8"), ("y", "i4")])
        record["x"] = numbers.random(LENGTH)
        return {
            "a": a, "b": b, "m": matrix, "t": numbers.integers(0, LENGTH, count),
            "u": numbers.integers(0, 99, LENGTH).astype(np.uint8),
            "z": numbers.random(LENGTH) + 1j, "pair": (numbers.random(4), numbers.random(4)),
            "record": record, "items": [0.5, 1.5, 2.5],
            "table": {"x": 1.0, "rows": numbers.random(4)},
            "box": Box(1.5, numbers.random(4)), "rng": np.random.default_rng(5),
            "n": self.failure.ill if fails else self.failure.well, "k": 2, "base": base,
        }  # fmt: skip

    def outcome(self, function: Callable, fails: bool) -> tuple:
        """The result or the exception of a call, and all that it may have changed."""
        outer = self.function.__globals__["OUTER"]
        outer[:] = np.arange(4.0)
        np.random.seed(1)
        given = self.arguments(fails)
        base = given.pop("base")
        # Arguments that a program does not name are left out: more of it is native.
        chosen = [given[name] for name in self.names()]
        with np.errstate(all="ignore"):
            try:
                result = function(*chosen)
            except Exception as error:
                result = type(error).__name__, error.args
        states = [given["rng"].bit_generator.state, np.random.get_state()[1:3]]
        return result, [*chosen, base, outer.copy(), states]

    def names(self) -> list[str]:
        return list(self.function.__code__.co_varnames[: self.function.__code__.co_argcount])


def failing_program(
    change: str, failure: Failure, place: str, layout: str, seed: int = 0
) -> FailingProgram:
    body = PLACES[place]
    for name, statements in (("change", change), ("failure", failure.source)):
        body = re.sub(rf"( *){{{name}}}", lambda at: indent(statements, at.group(1)), body)
    used = {one.id for one in ast.walk(ast.parse(body)) if isinstance(one, ast.Name)}
    parameters = ", ".join(name for name in PARAMETERS if name in used)
    body = indent(body, "    ")
    source = f"{HELPERS}def program({parameters}):\n    s = 0.0\n{body}\n    return s\n"
    function = function_of(source, f"that fails, {seed}, {hash(source)}")
    function.__globals__["OUTER"] = np.arange(4.0)
    return FailingProgram(source, function, failure, layout, seed)


def pairs(seed: int) -> Iterator[FailingProgram]:
    """Programs with each change and each failure at least once, at random places."""
    choices = random.Random(seed)
    changes, failures = list(CHANGES), list(FAILURES)
    choices.shuffle(changes)
    choices.shuffle(failures)
    for at in range(max(len(changes), len(failures))):
        yield failing_program(
            changes[at % len(changes)], failures[at % len(failures)],
            choices.choice(list(PLACES)), choices.choice(LAYOUTS), seed + at,
        )  # fmt: skip


def assert_changed_once(program: FailingProgram, kernel_compiler: str | None = None) -> bool:
    """A function decorated by `jit` leaves its arguments as it does undecorated, whether it fails
    in the first call or in later ones; two of three are compiled as for large arrays. Whether it
    is native.
    """
    compiled = ag.jit(program.function, kernel_compiler=kernel_compiler)
    limits = chosen(("measured", "1", "mixed")[program.seed % 3], program.seed)
    for fails in (True, True, False, True) if program.seed % 4 == 0 else (False, True, True, False):
        expected = program.outcome(program.function, fails)
        with set_to(limits):
            found = program.outcome(compiled, fails)
        told = f"{program.source}\n{program}\n{compiled.inspect()}\nfails: {fails}"
        assert is_same(expected, found), f"{told}\n{expected}\n{found}"
    return "native code" in compiled.inspect()


def assert_arguments_change_once(seed: int, kernel_compiler: str | None = None) -> bool:
    """The same of a random program."""
    choices = random.Random(seed)
    rows = (CHANGES, FAILURES, list(PLACES), LAYOUTS)
    program = failing_program(*map(choices.choice, rows), seed)
    return assert_changed_once(program, kernel_compiler)


def is_same(one, other) -> bool:
    """Whether two structures are equal, to rounding."""
    if isinstance(one, (tuple, list)):
        fits = type(one) is type(other) and len(one) == len(other)
        return fits and all(map(is_same, one, other))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(is_same(one[key], other[key]) for key in one)
    if isinstance(one, np.ndarray) and one.dtype.names:
        return all(is_same(one[name], other[name]) for name in one.dtype.names)
    if isinstance(one, np.ndarray) or isinstance(one, (float, np.inexact)):
        alike = (
            type(one) is type(other) and one.dtype == other.dtype
            if isinstance(one, np.ndarray)
            else type(one) is type(other)
        )
        return alike and np.allclose(one, other, rtol=1e-9, atol=1e-9, equal_nan=True)
    if isinstance(one, Box):
        return is_same(vars(one), vars(other))
    if isinstance(one, np.random.Generator):
        return one.bit_generator.state == other.bit_generator.state
    return type(one) is type(other) and one == other
