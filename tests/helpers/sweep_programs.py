"""Random loops over the columns of arrays, which read and write rows in any order.

`SweepProgram(seed)` has the source of `def program(w, v, u, m, p, q, k, n, x)` and its arguments.
Rows are read whole, at an offset, reversed, in steps, rolled, gathered, transposed, sorted, summed
up; and so they are written, into arrays that the loop fills column by column, and into arrays that
it carries. In large arrays, threads share the rows. A program is written statement by statement,
and each is run as it is written, so that all shapes fit.
"""

import contextlib
import random

import numpy as np
from numpy_programs import copied, difference, function_of, outcome

import allograph as ag

ROWS, STEPS = (2, 3, 4, 6, 8), (4, 5)
# Rows of {a} and {b}, which have `r` rows of `c` elements: each of the same row of them.
OWN_ROWS = (
    "{a}", "{a}", "{a}", "({a}.T * 2.0).T", "{a} * q[:, None]",
    "{a} / (1.0 + np.abs({a}).sum(axis=1)[:, None])", "{a}[:, ::-1]", "{a} + {b}",
    "{a} * 0.5 - {b}", "np.tanh({a}) * {b}", "np.where({a} > x, {a}, {b})", "np.minimum({a}, {b})",
    "{a} @ m + {b}", "np.tanh({a} @ m)", "np.concatenate(({a}[:, :1], {b}[:, 1:]), axis=1)",
    "{a} * q[:, None] + {b}", "{a} + q", "{a} * np.arange(c)",
    "{a} + {b}.max(axis=1, keepdims=True)", "{a} + {b}[:, :1]", "{a} * (t + 1) * 0.2",
    "{a} * s[:, None]", "{a} + m[p % c]", "{a} * {b}.sum(axis=1, keepdims=True)",
)  # fmt: skip
# Rows of other rows.
OTHER_ROWS = (
    "{a}[::-1]", "{a}[p]", "np.roll({a}, 1, axis=0)", "np.flip({a}, 0)",
    "np.concatenate(({a}[1:], {a}[:1]))", "np.sort({a}, axis=0)", "np.cumsum({a}, axis=0)",
    "np.where(p > 1, {a}.T, 0.5).T", "{a}[p][::-1]", "{a}[::-1][p]",
    "np.vstack(({a}[1:], {a}[:1]))", "{a}[np.argsort(p)]", "np.repeat({a}, 2, axis=0)[::2]",
    "np.zeros_like({a}) + {a}[0]", "{a} - {a}.mean(axis=0)", "{a} + {a}[-1:]",
    "np.pad({a}[1:], [(1, 0), (0, 0)])", "np.take({a}, p, axis=0)", "np.maximum({a}, {a}[::-1])",
    "{a}.reshape({a}.shape[::-1]).T", "np.diff({a}, axis=0, append=1.0)",
    "np.concatenate(({a}[:1], {b}[1:]))", "{a} * {b}.sum()", "{a} - {b}[0]",
)  # fmt: skip
# Columns of `u` (r, c, steps) as such rows: whole, and others, also of `w` (r + 2, steps, c) and
# `v` (steps, 2 * r, c).
OWN_COLUMNS = (
    "u[:, :, t]", "u[..., t]", "u[:, ::-1, t]", "u.T[t].T", "u.T[t, :, ::-1].T", "u[:, :, -t - 1]",
)  # fmt: skip
OTHER_COLUMNS = (
    "w[1:-1, t]", "w[2:, t]", "w[:-2, t]", "w[:r, t]", "w[-r:, t]", "w[1:-1, t][::-1]",
    "w[:-2, t, ::-1]", "w[r:0:-1, t]", "w[p, t]", "v[t, ::2]", "v[t, 1::2]", "v[t, :r]", "v[t, r:]",
    "v[t, ::-2]", "v[t, r - 1::-1]", "u[::-1, :, t]", "u[p, :, t]", "v[t, p * 2]", "w[1:-1, t - 1]",
    "v[t - 1, ::2]", "w[t % 3:t % 3 + r, 0]", "v[t, t % 2::2]", "w[n:n + r, t]",
    "w[:-2, t] + w[2:, t]", "v[t].reshape(r, 2, c)[:, 1]", "v[t].reshape(2, r, c)[0]",
    "np.moveaxis(v, 1, 0)[:r, t]", "np.swapaxes(w, 0, 1)[t, 1:-1]",
)  # fmt: skip
# Places of such rows in `own` (r, c, steps) and `flat` (steps, r, c).
OWN_PLACES = (
    "own[:, :, t]", "flat[t]", "own[..., t]", "own[:, ::-1, t]", "flat[t, :, ::-1]",
    "own.T[t].T[:]", "flat[t][:]",
)  # fmt: skip
# Places of others, also in `out` (r + 1, steps, c).
OTHER_PLACES = (
    "out[1:, t]", "out[:-1, t]", "out[:r, t]", "out[r:0:-1, t]", "own[::-1, :, t]", "own[p, :, t]",
    "flat[t, ::-1]", "flat[t, p]", "out[n:n + r, t]", "out[1:, t - 1]",
)  # fmt: skip
HEADS = (
    "range({s})", "range({s})", "range(1, {s})", "range(1, {s})", "range({s} - 1, 0, -1)",
    "range(0, {s}, 2)", "range(n, {s})",
)  # fmt: skip
SCALARS = ("z = z * 0.5 + {a}[0, 0]", "z += {a}.sum()", "z = max(z, {a}[-1, 0])", "z = z + 1.0")
RESULTS = ("h", "g", "s", "z", "out", "own", "flat")


class SweepProgram:
    """The source of a function, and its arguments, from a seed."""

    def __init__(self, seed: int):
        self.random, numbers = random.Random(seed), np.random.default_rng(seed)
        r, self.steps = self.pick(ROWS), self.pick(STEPS)
        c = self.pick([r, 3, 1, 5])

        def array(*shape):
            return numbers.standard_normal(shape).round(2)

        self.arguments = (
            array(r + 2, self.steps, c), array(self.steps, 2 * r, c), array(r, c, self.steps),
            array(c, c) * 0.3, numbers.permutation(r), array(r), self.steps,
            self.random.randrange(0, 2), 0.25,
        )  # fmt: skip
        self.scope = dict(zip("wvumpqknx", copied(self.arguments), strict=True))
        self.scope |= {"np": np, "t": 1}
        self.mixing = self.pick([0.0, 0.0, 0.0, 0.1, 0.4])  # how often rows meet
        self.columns = self.pick([OWN_COLUMNS, OTHER_COLUMNS, OWN_COLUMNS + OTHER_COLUMNS])
        self.places = self.random.sample(OWN_PLACES, 1 if self.mixing < 0.3 else 3)
        self.states = ["h", *(name for name in "gs" if self.random.random() < 0.5)]
        self.source = "\n".join(["def program(w, v, u, m, p, q, k, n, x):", *self.lines()]) + "\n"

    def pick(self, rows):
        return self.random.choice(rows)

    def lines(self) -> list[str]:
        start = [
            "r, c, steps = u.shape",
            f"h = {self.pick(['u[:, :, 0] * 0.5', 'np.zeros((r, c))', 'v[0, ::2].copy()'])}",
            f"g = {self.pick(['np.ones((r, c))', 'w[:-2, 0] + 0.0'])}",
            "s = np.zeros(r)",
            "z = 0.0",
            f"out = {self.pick(['np.zeros', 'np.ones'])}((r + 1, steps, c))",
            "own = np.zeros((r, c, steps))",
            f"flat = {self.pick(['np.zeros((steps, r, c))', 'v[:, ::2] * 2.0'])}",
        ]
        for line in start:
            exec(line, self.scope)
        head = self.pick(HEADS).format(s=self.pick(["k", "k", "k", "steps"]))
        lines = [*start, f"for t in {head}:"]
        lines += [f"    {line}" for line in self.body(self.random.randint(1, 4))]
        if self.random.random() < 0.3:
            lines += [f"for t in {self.pick(HEADS).format(s='k')}:"]
            lines += [f"    {line}" for line in self.body(2)]
        results = ["h", *(self.pick(RESULTS) for _ in range(self.random.randint(0, 3)))]
        return [f"    {line}" for line in [*lines, f"return {', '.join(results)},"]]

    def body(self, count: int) -> list[str]:
        lines: list[str] = []
        while len(lines) < count:
            name = "h" if not lines else self.pick(self.states)
            if name == "s":
                column = self.pick([".sum(axis=1)", "[:, 0]", ".max(axis=1)", "[:, -1]"])
                lines += self.ran(f"s = s * 0.5 + {self.rows(1)}{column}")
            elif not lines or self.random.random() < 0.4:
                lines += self.ran(f"{name} = {self.rows(2)} * 0.5")
            elif self.random.random() > self.mixing:
                sign = self.pick(["="] * 6 + ["+=", "*="])
                lines += self.ran(f"{self.place()} {sign} {self.rows(1)}")
            elif self.random.random() < 0.5:
                lines += self.ran(self.pick(SCALARS).format(a=self.rows(1)))
            else:
                inner = self.ran(f"{self.place()} {self.pick(['=', '-='])} {self.rows(1)}")
                test = self.pick(["t % 2 == 1", "t > n", "h[0, 0] > x", "z > 0.5"])
                lines += [f"if {test}:", *(f"    {line}" for line in inner)] if inner else []
        return lines

    def ran(self, line: str) -> list[str]:
        """A statement, if NumPy runs it and it leaves all shapes."""
        before = {name: np.shape(self.scope[name]) for name in RESULTS}
        kept = {name: np.copy(self.scope[name]) for name in RESULTS}
        try:
            exec(line, self.scope)
            if all(np.shape(self.scope[name]) == before[name] for name in RESULTS):
                return [line]
        except (ValueError, IndexError):
            pass
        self.scope |= kept
        return []

    def place(self) -> str:
        return self.pick(OTHER_PLACES if self.random.random() < self.mixing else self.places)

    def rows(self, depth: int) -> str:
        """`r` rows of `c` elements."""
        if depth <= 0 or self.random.random() < 0.1:
            reads = [self.columns, *[self.states[:1]] * 2, self.states[:2]]
            reads += [[self.place()]] if self.random.random() < self.mixing else []
            return f"({self.pick(self.pick(reads))})"
        table = OTHER_ROWS if self.random.random() < self.mixing else OWN_ROWS
        return f"({self.pick(table).format(a=self.rows(depth - 1), b=self.rows(depth - 1))})"


def assert_jit_is_numpy_of_sweeps(seed: int) -> None:
    """A random loop over columns, decorated by `jit`, does what it does undecorated, twice."""
    program = SweepProgram(seed)
    function = function_of(program.source, f"sweep {seed}")
    compiled = ag.jit(function)
    for _ in range(2):
        expected, found = (outcome(each, program.arguments) for each in (function, compiled))
        differs = difference(expected, found)
        assert differs is None, f"{program.source}\n{compiled.inspect()}\n{differs}"


REFUSALS = (
    "has no value while tracing",
    "__setitem__",
    "jit_compile=True",
    "A size that is None in x.shape is known when the graph runs",  # of rows at computed bounds
    "both need at least 2 axes",  # `@` of tensors is that of matrices alone
)  # of NumPy or native code


@contextlib.contextmanager
def tensors_as_arrays():
    ag.experimental.enable_numpy_behavior()
    try:
        yield
    finally:
        ag.experimental.enable_numpy_behavior(enabled=False)


def assert_graph_of_sweeps_is_numpy(seed: int) -> None:
    """So does its graph, of tensors, and the native gradients are those of the plan."""
    program = SweepProgram(seed)
    source = program.source.replace(" range(", " ag.range(")
    expected = outcome(function_of(program.source, f"sweep {seed}"), program.arguments)[0]
    function = function_of(source, f"sweep of tensors {seed}")
    function.__globals__["ag"] = ag
    floats, others = program.arguments[:4], program.arguments[4:]

    def slopes(*floats):
        with ag.GradientTape() as tape:
            tape.watch(floats)
            results = [ag.reduce_sum(one * one) for one in function(*floats, *others)]
        return tape.gradient(results, floats, unconnected_gradients="zero")

    tensors = [ag.constant(one) for one in floats]
    with tensors_as_arrays(), np.errstate(all="ignore"):
        try:
            found = ag.function(function, jit_compile=True)(*tensors, *map(ag.constant, others))
            planned = ag.function(slopes, kernel_compiler="none")(*tensors)
            native = ag.function(slopes, jit_compile=True)(*tensors)
        except Exception as error:
            if any(one in str(error) for one in REFUSALS):
                return
            raise AssertionError(f"{source}\n{error}") from error
    for pairs in (zip(found, expected, strict=True), zip(native, planned, strict=True)):
        for one, other in pairs:
            size = max(1.0, np.abs(np.asarray(other)).max(initial=0))
            np.testing.assert_allclose(one / size, other / size, 1e-7, 1e-8, err_msg=source)
