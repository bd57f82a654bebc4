"""Random programs that ask values what they are: which object, of which class, equal to what, in
what, true or not, which text. `jit` gives the answers of Python, of the same types.
"""

from __future__ import annotations

import copy
import math
import random
import re
import warnings

import numpy as np
from numpy_programs import function_of

import allograph as ag

VALUES = [
    3, -2, 0, 1, 2**40, 2.5, -0.0, math.nan, math.inf, True, False, 1j, np.int64(4), np.int8(3),
    np.uint64(1), np.float32(1.5), np.float64(2.0), np.float64(math.nan), np.bool_(True),
    np.complex128(2), np.array(2.5), np.array(3), np.array([1.0, 2.0]), np.array([]),
    np.array([True]), np.array([5]), np.array([[1, 2], [3, 4]]), np.array([math.nan, 1.0]),
]  # fmt: skip
EXPRESSIONS = [
    "x", "x", "n", "x + 1", "x * 1.0", "abs(x)", "-x", "x > 1", "n > 1", "not x", "bool(n)",
    "float(n)", "int(n)", "n % 2", "n / 2", "x == x", "a[n % 3]", "a[n % 3] > 1", "a[1:]", "a",
    "a.sum()", "a > 1", "len(a)", "a.shape", "a.dtype", "x * 1j", "[x, n]", "(x, None)", "(n, n)",
    "[one for one in a]", "[i * 2 for i in range(n)]", "None", "True", "1", "'word'", "some(x, n)",
    "x if n > 1 else n", "x if n > 1 else True", "x if n > 1 else 1.5", "x if n > 1 else None",
    "None if n > 1 else n", "x if n > 1 else 'word'", "x if n > 1 else (x, n)",
    "a if n > 1 else x", "[x] if n > 1 else None", "{1: x}", "range(n)", "(n, [one for one in a])",
    "type(x)", "max(x, 1)", "min(n, 2)", "round(n)", "divmod(n, 2)", "float('nan')",
    "np.float64(n)", "np.sqrt(2.0) * n", "x and n", "x or n", "n > 1 and x",
    "a.flat", "range(1, n)", "Level.LOW if n > 1 else Level.HIGH",
    "(Level.LOW if n > 1 else Level.HIGH).name",
    "a.dtype if n > 1 else np.dtype('i2')",
]  # fmt: skip
STATEMENTS = [
    ["{v} = None", "if n > 1:", "    {v} = x"],
    ["{v} = x", "if n > 1:", "    {v} = None"],
    ["{v} = None", "for i in range(n):", "    if i > 1:", "        {v} = i"],
    ["{v} = False", "for i in range(len(a)):", "    if a[i] > 1:", "        {v} = True"],
    ["{v} = 0", "for i in range(n):", "    {v} += x"],
    ["{v} = x", "for i in range(n):", "    {v} = {v} * 0.5"],
    ["{v} = 0", "while {v} < n:", "    {v} += 1"],
    ["{v} = []", "for i in range(n):", "    {v}.append(i * x)"],
    ["{v} = 'none'", "if n > 1:", "    {v} = 'some'"],
    ["{v} = Level.LOW", "for i in range(n):", "    {v} = Level.HIGH"],
    ["{v} = Level.LOW", "if n > 1:", "    {v} = Level.HIGH", "{v} = {v}.name"],
]
CONSTANTS = [
    "None", "True", "False", "0", "1", "3", "2.5", "1j", "'a'", "b'1'", "()", "(1,)", "(1, 2)",
    "[1]", "[3, 3]", "{}", "{1}", "range(3)", "...", "np.float64(1.0)", "(3, None)", "int",
    "np.array([1, 2])", "range(0)",
]  # fmt: skip
CLASSES = [
    "int", "float", "bool", "complex", "(int, float)", "np.generic", "np.number", "np.ndarray",
    "type(None)", "numbers.Integral", "list", "tuple", "str", "(float, type(None))", "type(z)",
]  # fmt: skip
ATTRIBUTES = [
    "shape", "real", "imag", "dtype", "ndim", "size", "is_integer", "bit_length", "item", "T",
    "__len__", "__iter__", "__array__", "append", "count", "missing", "numerator", "tolist",
    "bound", "python", "tensor", "length", "path", "rows", "array", "levels", "name", "name",
    "value", "error", "reason", "read",
]  # fmt: skip
COMPARED = ["y {sign} z", "y {sign} {constant}", "{constant} {sign} y", "y {sign} n"]
SIGNS = ["==", "!=", "<", ">=", "is", "is not", "in", "not in", "is", "=="]
ASKED = [
    "y in (z, 1)", "y in [z]", "z in (y, None)", "(y, 2) == (None, 2)", "y in {{1: 2, 3: 4}}",
    "y in {{1, 3}}", "y in [y]", "(y, 1) == (z, 1)", "[y] != [z]", "(y, 1) < (z, 2)",
    "[y, z] == [1, 3]", "(y,) == y", "type(y)", "type(y) is type(z)", "type(y) == int",
    "type(y).__name__", "type(y) in (int, float)", "isinstance(y, {cls})",
    "issubclass(type(y), {cls})", "callable(y)", "hasattr(y, '{name}')", "getattr(y, '{name}', 7)",
    "y.{name}", "y.{name}", "y.{name}",
    "np.isscalar(y)", "np.ndim(y)", "np.shape(y)", "bool(y)", "not y", "y and 5",
    "y or 5", "1 if y else 2", "y is None or y > 1", "all([y, z])", "any((y, z))",
    "operator.truth(y)", "operator.not_(y)", "operator.is_(y, {constant})",
    "operator.is_not(y, z)", "operator.eq(y, z)", "operator.contains([y], z)",
    "(y is None) == True", "str(y)", "repr(y)", "format(y)", "format(y, '.2f')", "f'{{y}}'",
    "f'{{y:.2f}}'", "f'{{y!r}}'", "f'{{y:>{{n}}}}'", "'%d' % y", "'%.2f' % y", "'%s, %r' % (y, z)",
    "'{{}}'.format(y)", "TEXT % y", "'%(y)s' % {{'y': y}}", "'{{0.real}}'.format(y)",
    "str.format('{{}}', y)", "ascii(y)", "[str(y)]", "y.__class__", "{{y: 1}}",
    "{{1: 2, 3: 4}}[y]", "{{1: 2}}.get(y, 5)", "len({{y, 1}})", "{{y: 1}}[z]", "set([y])",
    "sorted([y, 1])", "sorted([3, 1], key=lambda v: v * y)", "max(y, z)", "min([y, 1])",
    "[y, 1].index(z)", "[1, y].count(z)", "(1, 2, 3)[y]", "[y] * 2", "(1, 2) * y", "y + [1]",
    "copy.copy(y)", "copy.deepcopy([y])", "pickle.loads(pickle.dumps(y))", "id(y) == id(z)",
    "y is y", "y.is_integer()", "y.bit_length()", "y.item()", "y.tolist()", "y.as_integer_ratio()",
    "y.real", "y.conjugate()", "y.flags.writeable", "int(y)", "float(y)", "complex(y)", "round(y)",
    "len(y)", "math.floor(y)", "math.trunc(y)", "math.isnan(y)", "math.isclose(y, 1)",
    "math.gcd(y, 4)", "range(y)", "list(y)", "np.array_equal(y, z)", "np.array(y).dtype",
    "np.result_type(y, 1)", "np.iscomplexobj(y)", "np.isreal(y)", "np.may_share_memory(y, y)",
    "operator.index(y)", "y == z == n", "1 < y < 3", "y if y is not None else -1",
    "(y := x) is True", "kind(y)", "hash(y) == hash(z)", "np.dtype(y)",
    "np.zeros(2, y)", "a.dtype < y",
]  # fmt: skip
PATTERNS = [
    "None", "True", "False", "1", "3.0 | 1", "'a'", "int()", "float()", "bool()",
    "int(k) if k > 1", "[k, *m]", "(k, m)", "[]", "(1, [*m])", "[k, None]", "{1: k}", "{'a': 1}",
    "np.ndarray()", "np.generic()", "complex()", "None | 3", "-2", "object(real=1)", "k if k == 1",
    "numbers.Integral()",
]  # fmt: skip
HEAD = """import enum

TEXT = "%s"

class Level(enum.Enum):
    LOW = 1
    HIGH = 2

def some(x, n):
    if n > 2:
        return x

def kind(y):
    if isinstance(y, bool):
        return "bool"
    return "none" if y is None else "number" if isinstance(y, (int, float)) else "other"

def program(x, n, a):
    answers = []
"""


class Program:
    """The source of a function from a seed."""

    def __init__(self, seed: int):
        self.random = random.Random(seed)

    def pick(self, rows):
        return self.random.choice(rows)

    def source(self) -> str:
        lines = [*self.value("y"), *self.value("z")]
        answers = [f"answer{at}" for at in range(self.pick([1, 1, 2]))]
        for name in answers:
            lines += self.asked(name)
        result = ", ".join(answers + self.pick([[], [], ["y"]]))
        return HEAD + "".join(f"    {line}\n" for line in [*lines, f"return {result}"])

    def value(self, name: str) -> list[str]:
        if self.random.random() < 0.3:
            return [line.format(v=name) for line in self.pick(STATEMENTS)]
        return [f"{name} = {self.pick(EXPRESSIONS)}"]

    def question(self) -> str:
        draw = self.random.random()
        template = self.pick(COMPARED if draw < 0.35 else ASKED)
        return template.format(sign=self.pick(SIGNS), constant=self.pick(CONSTANTS),
                               cls=self.pick(CLASSES), name=self.pick(ATTRIBUTES))  # fmt: skip

    def asked(self, name: str) -> list[str]:
        """Statements that give a name the answer to a question."""
        question = self.question()
        form = self.random.randrange(10)
        if form == 0:
            return [f"if {question}:", f"    {name} = 1", "else:", f"    {name} = 2"]
        if form == 1:
            return [f"{name} = 0", "for i in range(n):", f"    if {question}:",
                    f"        {name} += i + 1"]  # fmt: skip
        if form == 2:
            return ["try:", f"    {name} = {question}",
                    f"except {self.pick(['TypeError', 'Exception', 'BaseException'])} as error:",
                    f"    {name} = repr(error)"]  # fmt: skip
        if form == 3:
            return ["match y:", f"    case {self.pick(PATTERNS)}:", f"        {name} = 1",
                    "    case _:", f"        {name} = 2"]  # fmt: skip
        if form == 4:
            return [f"{name} = 0", f"assert not ({question}), ({self.question()})"]
        if form == 5:
            return [f"{name} = 0", "if n == 3:", f"    raise ValueError({question}, y)"]
        return [f"{name} = {question}"]


INTERNAL = {"TracedScalar", "TracedArray", "WithoutText", "RefusedError", "Retrace", "StagedRaise",
            "GrowingList", "SymbolicTensor", "StagedList"}  # fmt: skip


def structure(value):
    """The classes of a value and of its parts."""
    if isinstance(value, (tuple, list)):
        return type(value), [structure(one) for one in value]
    if isinstance(value, dict):
        return dict, [(structure(key), structure(one)) for key, one in value.items()]
    return type(value)


def outcome(function, args: tuple) -> tuple:
    """The text and the classes of what a function returns or raises, and its arguments after."""
    args = copy.deepcopy(args)
    try:
        with np.errstate(all="ignore"):
            result = function(*args)
        shown = re.sub("0x[0-9a-f]+", "", repr(result))  # where methods are
        return shown, structure(result), repr(args)
    except Exception as error:
        text = re.sub("0x[0-9a-f]+", "", str(error))
        return type(error), text, structure(error.args), repr(args)


def arguments(seed: int) -> list[tuple]:
    choose = random.Random(seed)
    made = []
    for _ in range(3):
        x, n = choose.choice(VALUES), choose.choice([3, 2, 1, 0, 5])
        made.append((x, n, np.array([0.5, 2.5, choose.choice([1.0, math.nan])])))
    x, n, a = made[0]
    return [*made[:1], (x, choose.choice([4, 0]), a), *made]


def assert_jit_answers_as_python(seed: int, kernel_compiler: str | None = None) -> None:
    """A random program that asks questions gets the answers of Python, call by call."""
    source = Program(seed).source()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        names = "import copy, math, numbers, operator, pickle\n"
        function = function_of(names + source, f"of questions {seed}")
        compiled = ag.jit(function, kernel_compiler=kernel_compiler)
        for args in arguments(seed):
            expected, found = outcome(function, args), outcome(compiled, args)
            told = compiled.inspect()
            assert not INTERNAL & set(re.findall("[A-Za-z]+", str(told))), told
            assert found == expected, (
                f"{source}\n{args}\n{compiled.inspect()}\n{found}\nexpected {expected}"
            )
