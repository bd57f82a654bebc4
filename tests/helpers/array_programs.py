"""Random functions of NumPy arrays of all data types, ranks and layouts.

A program is written statement by statement, and each is run as it is written: what NumPy refuses is
mostly left out, so that most programs end, and some raise midway.
"""

from __future__ import annotations

import math
import random
import warnings

import numpy as np
from numpy_programs import copied, difference, function_of

import allograph as ag

DTYPES = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64",
          "float32", "float64", "complex64", "complex128"]  # fmt: skip
LIKELY = ["float64", "float64", "complex128", "int64", "int32", "bool", "float32"]
BINARY = ["+", "+", "-", "*", "*", "/", "//", "%", "&", "|", "^", "<", "==", ">="]
BINARY_UFUNCS = ["add", "subtract", "multiply", "divide", "floor_divide", "remainder", "maximum",
                 "minimum", "fmax", "hypot", "arctan2", "copysign", "logical_and", "bitwise_xor",
                 "less", "not_equal", "power", "left_shift", "right_shift"]  # fmt: skip
# NumPy 2.4 dies of a comparison with an integer that the data type does not hold, under a mask.
COMPARISONS = {"less", "not_equal"}
UNARY_UFUNCS = ["negative", "absolute", "square", "sqrt", "exp", "sin", "tanh", "sign", "floor",
                "rint", "conjugate", "invert", "logical_not", "isnan", "isfinite",
                "reciprocal"]  # fmt: skip
REDUCTIONS = ["sum", "prod", "max", "min", "mean", "all", "any", "argmax", "std", "var"]
LAYOUTS = ["plain", "plain", "plain", "stepped", "reversed", "fortran", "offset", "fixed"]
EARLY_RESULTS = ["a", "a", "None", "'early'", "(1, 2), n", "n, a", "-1", "a.shape"]
MOST_VALUE = 1e6
HEAD = """def stored(array, item):
    array[..., -1] = item
    return item

"""


class ArrayProgram:
    """The source of a function, and arguments for it, from a seed."""

    def __init__(self, seed: int):
        self.random = random.Random(seed)
        self.numbers = np.random.default_rng(seed)
        self.count = 0
        self.length = self.pick([6, 6, 6, 5, 4, 3, 1, 0])
        self.arguments = self.made_arguments()
        self.scope: dict = {"np": np, "math": math}
        exec(HEAD, self.scope)
        self.scope.update(copied_by_name(self.arguments))
        self.locals = list(self.arguments)

    def pick(self, rows):
        return self.random.choice(list(rows))

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    # ---- arguments ---------------------------------------------------------------------------

    def made_arguments(self) -> dict:
        n = self.length
        given = {
            "a": self.array((n,), "float64"), "b": self.array((n,), self.pick(DTYPES)),
            "c": self.array((n,), self.pick(["complex64", "complex128"])),
            "d": self.array((n,), self.pick(DTYPES[1:9])), "e": self.array((n,), "bool"),
            "m": self.array((self.pick([3, 4, 1, 0]), n), self.pick(LIKELY)),
            "t": self.array(self.pick([(2, 3, 4), (2, 1, 3), (2, 0, 3), (n, n)]),
                            self.pick(LIKELY)),
            "p": self.numbers.integers(0, max(n, 1), n),
            "n": self.random.randrange(-3, 7), "x": round(self.random.uniform(-2, 2), 3),
        }  # fmt: skip
        if self.chance(0.1):  # an overlap
            given["b"] = given["a"][::-1] if self.chance(0.5) else given["a"]
        return given

    def array(self, shape: tuple, dtype: str) -> np.ndarray:
        layout = self.pick(LAYOUTS)
        if layout == "stepped" and shape:
            return self.elements((*shape[:-1], 2 * shape[-1] + 1), dtype)[..., 1::2]
        if layout == "offset" and shape:
            return self.elements((shape[0] + 2, *shape[1:]), dtype)[1:-1]
        made = self.elements(shape, dtype)
        if layout == "reversed":
            return made[::-1]
        if layout == "fortran":
            return self.elements(shape[::-1], dtype).T
        if layout == "fixed" and self.chance(0.3):
            made.flags.writeable = False
        return made

    def elements(self, shape: tuple, dtype: str) -> np.ndarray:
        kind = np.dtype(dtype).kind
        if kind == "b":
            return self.numbers.random(shape) < 0.5
        if kind in "iu":
            limits = np.iinfo(dtype)
            wide = self.numbers.integers(limits.min, limits.max, shape, dtype, endpoint=True)
            small = self.numbers.integers(0 if kind == "u" else -4, 5, shape).astype(dtype)
            return wide if self.chance(0.3) else small
        real = self.numbers.normal(size=shape).round(3)
        return (real + 1j * self.numbers.normal(size=shape) * (kind == "c")).astype(dtype) \
            if kind == "c" else real.astype(dtype)  # fmt: skip

    # ---- values that are there ---------------------------------------------------------------

    def arrays(self, fits=lambda one: True) -> list[str]:
        return [name for name in self.locals
                if isinstance(self.scope[name], np.ndarray) and fits(self.scope[name])]  # fmt: skip

    def an_array(self, fits=lambda one: True) -> str:
        return self.pick(self.arrays(fits) or ["a"])

    def like(self, value) -> str:
        """An array that broadcasts to a shape, or a number."""
        if self.chance(0.3):
            return self.scalar()
        shape = np.shape(value)
        return self.an_array(lambda one: one.ndim <= len(shape) and all(
            n in (1, m) for n, m in zip(one.shape[::-1], shape[::-1], strict=False)))  # fmt: skip

    def integer(self) -> str:
        own = [name for name in self.locals if type(self.scope[name]) is int]
        return self.pick([*own * 2, str(self.random.randrange(-4, 7))])

    def element(self) -> str:
        """One of NumPy's integers."""
        return f"{self.pick('ddp')}[{self.index(self.length)}]"

    def scalar(self) -> str:
        own = [name for name in self.locals if not isinstance(self.scope[name], np.ndarray)]
        number = self.pick(["2", "0.5", "-1.25", "3", "1j", "True", "np.float32(0.5)",
                            "np.int8(100)", "7"])  # fmt: skip
        return self.pick([*own, number])

    def index(self, size: int) -> str:
        own = [name for name in self.locals if type(self.scope[name]) is int]
        if own and self.chance(0.3):
            name = self.pick(own)
            return f"{name} % {size}" if size and self.chance(0.7) else name
        return str(self.random.randrange(-size, size) if size and self.chance(0.95)
                   else self.random.randrange(-8, 9))  # fmt: skip

    def bound(self) -> str:
        own = [name for name in self.locals if type(self.scope[name]) is int]
        return self.pick(["", "", "1", "-1", "2", "-3", "0", "4", *own])

    def basic_key(self, rank: int) -> str:
        entries, axis = [], 0
        for axis in range(self.random.randrange(1, rank + 1) if rank else 0):
            sliced = f"{self.bound()}:{self.bound()}{self.pick(['', '', ':2', ':-1', ':-2'])}"
            entries.append(self.pick([sliced, sliced, self.index(2 + axis), ":"]))
        if self.chance(0.1):
            entries.insert(self.random.randrange(len(entries) + 1), self.pick(["None", "..."]))
        return ", ".join(entries) or "..."

    def key(self, name: str) -> str:
        array = self.scope[name]
        if not array.ndim:
            return "..."
        masks = self.arrays(lambda one: one.dtype == bool and one.shape == array.shape)
        rows = self.arrays(lambda one: one.dtype.kind == "i" and one.ndim == 1)
        form = self.random.random()
        if form < 0.25 and masks:
            return self.pick(masks)
        if form < 0.35 and array.dtype.kind in "iuf":
            return f"{name} {self.pick(['>', '<=', '!='])} {self.pick(['0', '1', '0.5', 'x'])}"
        if form < 0.45 and rows:
            return f"{self.pick(rows)} % {max(len(array), 1)}"
        return self.basic_key(array.ndim)

    # ---- expressions -------------------------------------------------------------------------

    def expression(self, depth: int = 2) -> str:
        """An array or a number."""
        one = self.an_array()
        if depth <= 0 or self.chance(0.2):
            return self.pick([one, one, self.scalar(), f"{one}[{self.key(one)}]"])
        other = self.like(self.scope[one])
        inner = self.expression(depth - 1)
        axis = self.pick(["", "", "axis=0", "axis=-1", "axis=0, keepdims=True"])
        return self.pick([
            f"({one} {self.pick(BINARY)} {other})", f"({one} {self.pick(BINARY)} {other})",
            f"({inner} {self.pick(BINARY)} {other})", f"(-({inner}))",
            f"({one} ** {self.pick('23')})",
            f"np.{self.pick(UNARY_UFUNCS)}({inner})",
            f"np.{self.pick(BINARY_UFUNCS)}({one}, {other})",
            f"np.{self.pick(REDUCTIONS)}({inner}{', ' * bool(axis)}{axis})",
            f"{one}.{self.pick(REDUCTIONS)}({axis})",
            f"np.where({self.test(one)}, {one}, {other})", f"{one}.astype(np.{self.dtype()})",
            f"{one}.{self.pick(['real', 'imag', 'T', 'copy()', 'conj()'])}",
            f"np.{self.pick(['cumsum', 'sort', 'zeros_like', 'ones_like', 'ravel'])}({one})",
            f"np.argmin({one})",
            f"np.argsort({one}, kind='stable')", f"({one} @ {other})",
            f"np.zeros_like(np.{self.pick(['zeros', 'ones', 'empty'])}("
            f"{self.pick(['3', '(2, 3)', '0', 'len(a)'])}, dtype=np.{self.dtype()}))",
            f"np.clip({one}, -1, 2)",
            f"np.arange({self.pick('036')})",
            f"np.concatenate(({one}, {one}))", f"np.full({one}.shape, {self.scalar()})",
            f"np.diff({one})", f"np.unique({one})", f"np.fft.fft({one})", f"np.partition({one}, 0)",
            "np.random.rand(len(a))",
            f"np.gradient({one})", f"np.random.permutation({one})", f"np.nanmedian({one})",
            f"np.roll({one}, 1)", f"np.dot({one}, {other})", f"abs({inner})",
        ])  # fmt: skip

    def test(self, name: str) -> str:
        return f"{name} {self.pick(['>', '<', '!=', '=='])} {self.pick(['0', '0.5', 'x', 'n'])}"

    def dtype(self) -> str:
        return self.pick([name.replace("bool", "bool_") for name in DTYPES])

    def condition(self) -> str:
        one = self.an_array()
        return self.pick([
            f"{self.integer()} > {self.integer()}", f"np.sum({one}) > {self.scalar()}",
            f"{one}.any()", "x < 0.3", f"{one}.shape[0] > 2", f"np.all({self.test(one)})",
            f"not {one}.max() > 0", f"{self.integer()} % 2 == 0 and x > -1",
        ])  # fmt: skip

    def view(self) -> str:
        one = self.an_array()
        array = self.scope[one]
        forms = [f"{one}[{self.basic_key(array.ndim)}]"] * 5
        forms += [f"{one}.T", f"{one}.reshape(-1)", f"{one}.ravel()", f"{one}[...]",
                  f"{one}.real", f"{one}.imag", f"np.flip({one})", f"{one}[None]", f"{one}[::-1]",
                  f"{one}.reshape({array.shape[::-1]})", f"np.swapaxes({one}, 0, -1)",
                  f"{one}.transpose()", f"np.moveaxis({one}, 0, -1)", f"np.squeeze({one})",
                  f"np.asarray({one})", f"np.split({one}, 2)[{self.pick('01')}]",
                  f"np.expand_dims({one}, 1)", f"{one}.T.T[::2]", f"{one}.T[::-1].T"]  # fmt: skip
        return self.pick(forms)

    # ---- statements --------------------------------------------------------------------------

    def simple(self) -> tuple[str, str | None]:
        """A statement, and the name that it binds."""
        kind = self.random.random()
        if kind < 0.2:
            name = self.new_name("w")
            return f"{name} = {self.view()}", name
        if kind < 0.4:
            name = self.new_name("v")
            return f"{name} = {self.expression()}", name
        if kind < 0.47:
            name = self.new_name("i")
            one = self.an_array()
            made = self.pick([f"{self.integer()} {self.pick('+-*')} {self.integer()}",
                              "int(np.sum(p)) % 7", f"{one}.ndim", f"len({one})",
                              f"int(p[{self.index(self.length)}])",
                              f"{self.integer()} // {self.integer()}"])  # fmt: skip
            return f"{name} = {made}", name
        if kind < 0.52:  # a number of Python's that is at times one of NumPy's
            taken = f"stored({self.an_array()}, k) for k in ({self.integer()}, n + 1, n)"
            ends = [
                f"int({self.pick(['any', 'all'])}(k > 1 for k in ({taken})))",
                f"int(n in ({taken}))",
                f"int(any(stored({self.an_array()}, k) > 1 for k in (n, 2)))",
            ]
            made = self.pick([self.element(), self.element(), "2", "n + 1", "-n", self.pick(ends)])
            return f"n = {made}", None
        return self.change(), None

    def change(self) -> str:
        one = self.an_array()
        array = self.scope[one]
        key = self.key(one)
        value = self.pick([self.like(array), self.scalar(), self.expression(1), f"{one}[{key}] * 2",
                           f"{self.like(array)}[{key}]", f"{one}[::-1]"])  # fmt: skip
        if self.chance(0.02):
            return self.pick([f"{one}.real = {self.like(array)}", f"{one}.put(p, {self.scalar()})"])
        operator = self.pick(["=", "=", "+=", "-=", "*=", "/=", "//=", "%=", "&=", "|=", "^=",
                              "<<=", ">>=", "**="])  # fmt: skip
        other = self.like(array)
        masks = self.arrays(lambda each: each.dtype == bool and each.shape == array.shape)
        where = f", where={self.pick(masks)}" if masks and self.chance(0.3) else ""
        name = self.pick(BINARY_UFUNCS)
        return self.pick([
            *[f"{one}[{key}] {operator} {value}"] * 6,
            f"{one} {operator if operator != '=' else '+='} {other}",
            f"np.{name}({one}, {other}, out={one}{'' if name in COMPARISONS else where})",
            f"np.{self.pick(BINARY_UFUNCS)}({one}[1:], {other}, out={one}[:-1])",
            f"np.{self.pick(UNARY_UFUNCS)}({self.like(array)}, out={one}{where})",
            f"{one}.fill({self.scalar()})", f"{one}.sort()", f"np.copyto({one}, {other}{where})",
            f"np.add.at({one}, p % 2, {self.scalar()})", f"{one}.real[...] = {other}",
            f"{one}.T[...] = {other}",
            f"np.sum({self.an_array()}, axis=0, out={one})",
            f"{one}[{self.index(self.length)}], {one}[0] = {one}[0], {one}[-1]",
            f"np.cumsum({other}, out={one})", f"{one}.imag[...] = {other}",
            f"np.dot({other}, {one}, out={one})", f"np.clip({one}, 0, 1, out={one})",
        ])  # fmt: skip

    def new_name(self, letter: str) -> str:
        self.count += 1
        return f"{letter}{self.count}"

    def source(self) -> str:
        with np.errstate(all="ignore"):
            lines = self.block(self.random.randrange(2, 9), 1, 2)
        results = [self.pick(self.locals) for _ in range(self.random.randrange(1, 4))]
        head = f"{HEAD}\ndef program({', '.join(self.arguments)}):"
        return "\n".join([head, *lines, f"    return {', '.join(results)},"]) + "\n"

    def block(self, count: int, indent: int, depth: int) -> list[str]:
        lines: list[str] = []
        for _ in range(count):
            if depth and self.chance(0.2):
                lines += self.compound(indent, depth)
            else:
                lines += self.checked(indent)
        return lines or [f"{'    ' * indent}x = x + 1"]

    def checked(self, indent: int) -> list[str]:
        """A statement that runs; one that raises, now and then."""
        pad = "    " * indent
        for _ in range(8):
            line, name = self.simple()
            raises = not self.runs(line)
            if name and name in self.scope and not self.is_kept(name):
                continue
            if not raises and name:
                self.locals.append(name)
            if raises and not self.chance(0.02):
                continue
            return [f"{pad}{line}"]
        return []

    def is_kept(self, name: str) -> bool:
        value = self.scope[name]
        if isinstance(value, np.ndarray):
            return value.size <= 60 and not (value.dtype.kind in "fc" and value.size
                                             and np.nanmax(abs(value)) > MOST_VALUE)  # fmt: skip
        return isinstance(value, (int, float, complex, np.generic))

    def runs(self, line: str) -> bool:
        try:
            exec(line, self.scope)
        except Exception:
            return False
        return True

    def compound(self, indent: int, depth: int) -> list[str]:
        pad, saved = "    " * indent, list(self.locals)
        form = self.random.random()
        if form < 0.45:
            condition = self.condition()
            if not self.runs(f"bool({condition})"):
                return []
            lines = [f"{pad}if {condition}:", *self.block(2, indent + 1, depth - 1)]
            self.locals[:] = saved
            if self.chance(0.5):
                lines += [f"{pad}else:", *self.block(2, indent + 1, depth - 1)]
        elif form < 0.9:
            name = self.new_name("j")
            elements = [f"{self.element()} % 4, {self.element()} % 9"] if self.length else []
            count = self.pick(
                ["3", "len(a)", "2, 0, -1", "abs(n) % 9", "a.shape[0] - 1", *elements]
            )
            self.scope[name] = 1
            self.locals.append(name)
            lines = [f"{pad}for {name} in range({count}):",
                     *self.block(self.random.randrange(1, 4), indent + 1, depth - 1)]  # fmt: skip
            if self.chance(0.15):
                end = self.pick(["break", "continue", f"return {self.pick(EARLY_RESULTS)},"])
                lines += [f"{pad}    if {self.condition()}:", f"{pad}        {end}"]
        else:
            name = self.new_name("j")
            self.scope[name] = 1
            lines = [f"{pad}{name} = 0", f"{pad}while {name} < 3 and {self.condition()}:",
                     f"{pad}    {name} += 1", *self.block(2, indent + 1, depth - 1)]  # fmt: skip
            saved.append(name)
        self.locals[:] = saved
        return lines


def copied_by_name(arguments: dict) -> dict:
    return dict(zip(arguments, copied(tuple(arguments.values())), strict=True))


def outcome(function, arguments: tuple) -> tuple:
    """The result or the class of the exception, the arguments after it, and which share memory."""
    given = copied(arguments)
    np.random.seed(0)
    with np.errstate(all="ignore"):
        try:
            result = function(*given)
        except Exception as error:
            return type(error), given, None
    arrays = [one for one in (*result, *given) if isinstance(one, np.ndarray)]
    shared = [np.may_share_memory(one, other) and np.shares_memory(one, other)
              for at, one in enumerate(arrays) for other in arrays[:at]]  # fmt: skip
    own = [any(one is other for other in given) for one in result if isinstance(one, np.ndarray)]
    return result, given, (shared, own, [one.flags.writeable for one in arrays])


def of_other_types(arguments: tuple, seed: int) -> tuple:
    """The arguments with one array of another data type, or of one element less."""
    choices = random.Random(seed)
    arrays = [at for at, one in enumerate(arguments) if isinstance(one, np.ndarray) and one.ndim]
    if not arrays:
        return arguments
    made, at = list(arguments), choices.choice(arrays)
    dtype = {"f": "u1", "i": "f8", "u": "i4", "b": "f4", "c": "f8"}[made[at].dtype.kind]
    with np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):
        other = np.nan_to_num(made[at]).clip(0, 100) if made[at].dtype.kind in "fiu" else made[at]
        made[at] = made[at][:-1] if choices.random() < 0.4 else other.astype(dtype)
    return tuple(made)


def assert_jit_is_numpy_of_arrays(seed: int, kernel_compiler: str | None = None) -> None:
    """A random function decorated by `jit` does what it does undecorated, in two calls, one with
    arguments of other types, and one more like the first.
    """
    program = ArrayProgram(seed)
    source = program.source()
    function = function_of(source, f"of arrays {seed}")
    compiled = ag.jit(function, kernel_compiler=kernel_compiler)
    arguments = tuple(program.arguments.values())
    others = of_other_types(arguments, seed)
    names = [one.dtype.name for one in arguments + others if isinstance(one, np.ndarray)]
    is_single = any(name in f"{names} {source}" for name in ("float32", "complex64"))
    is_single |= "out=" in source and ("int16" in str(names) or "'int8" in str(names))
    for each in (arguments, arguments, others, arguments):
        expected, given = outcome(function, each), outcome(compiled, each)
        found = difference(expected[:2], given[:2], 1e-4 if is_single else 1e-9)
        if found is None and expected[2] != given[2]:
            found = f"shared memory, and what is writeable: {expected[2]} and {given[2]}"
        assert found is None, f"{source}\n{compiled.inspect()}\n{found}"
