"""Random sequences of calls of one function, with arguments of every kind in every structure.

A function that has traces answers each call as one that has none: no argument is served by the
trace of another.
"""

from __future__ import annotations

import collections
import dataclasses
import enum
import itertools
import random
import warnings
from decimal import Decimal
from typing import NamedTuple

import numpy as np

import allograph as ag


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Kind(enum.Enum):
    NUMBER = 1
    WORD = "a"


class Integer(int):
    pass


class Float(float):
    pass


class Word(str):
    pass


class Row(tuple):
    pass


class Rows(list):
    pass


class Table(dict):
    pass


Pair = collections.namedtuple("Pair", "first second")
Other = collections.namedtuple("Other", "first second")


@dataclasses.dataclass(frozen=True)
class Record:
    value: object
    count: int = 1


class Typed(ag.experimental.ExtensionType):
    value: ag.Tensor
    count: int = 1


class Flat:
    """A composite value with metadata of its own."""

    def __init__(self, value, note):
        self.value, self.note = value, note

    def __tf_flatten__(self):
        return (self.note,), (self.value,)

    @classmethod
    def __tf_unflatten__(cls, metadata, components):
        return cls(*components, *metadata)


def identity(x):
    return x


# Text that makes each argument anew, except for variables and objects, which calls share.
PYTHON = [
    "0", "1", "True", "False", "1.0", "0.0", "-0.0", "float('nan')", "float('inf')", "1j", "0j",
    "-0j", "10**20", "2**40", "'a'", "b'a'", "'1'", "''", "None", "...", "Level.LOW", "Level.HIGH",
    "Kind.NUMBER", "Kind.WORD", "Integer(1)", "Word('a')", "Float(1.0)", "int", "float", "identity",
    "slice(0, 2)", "slice(0, 2.0)", "slice(False, 2)", "range(3)", "range(0, 3, 2)", "ag.float32",
    "ag.int32", "np.float32", "np.dtype('float32')", "ag.TensorShape([1, 2])",
    "ag.TensorShape([1, None])", "ag.TensorShape(None)", "Record(1)", "Record(True)",
    "Record(1.0)", "Record('a', 2)", "SHARED", "frozenset([1])", "slice((0,), 2)",
    "Decimal('1.0')",
]  # fmt: skip
ARRAYS = [
    "np.int64(1)", "np.float32(1)", "np.float64(1)", "np.bool_(True)", "np.int8(1)", "np.array(1.)",
    "np.zeros(2)", "np.ones(2, np.float32)", "np.ones((2, 2), order='F')", "np.arange(4.)[::2]",
    "np.array([1, 2])", "np.array(['a', 'b'])", "np.array([True, False])", "np.ones(2, '>f4')",
    "ag.constant(1.)", "ag.constant(2.)", "ag.constant(1)", "ag.constant(True)",
    "ag.constant('a')", "ag.constant([1., 2.])", "ag.constant([[1.], [2.]])",
    "ag.constant([1, 2])", "ag.zeros([0])", "ag.constant(1., ag.float64)",
    "ag.ragged.constant([[1, 2], [3]])", "ag.ragged.constant([[1], [2, 3]])",
    "ag.sparse.from_dense([[0, 1], [2, 0]])", "Typed(ag.constant(1.))",
    "Typed(ag.constant(1.), 2)", "Typed(ag.constant([1., 2.]))", "Flat(ag.constant(1.), 1)",
    "Flat(ag.constant(2.), 1)", "Flat(ag.constant(1.), 'ab')", "VARIABLES[0]", "VARIABLES[1]",
    "VARIABLES[2]", "VARIABLES[3]",
]  # fmt: skip
STRUCTURES = [
    "[{0}]", "[{0}, {1}]", "({0},)", "({0}, {1})", "()", "[]", "{{}}", "Row([{0}, {1}])",
    "Rows([{0}])", "Pair({0}, {1})", "Other({0}, {1})", "{{'a': {0}, 'b': {1}}}",
    "{{'b': {0}, 'a': {1}}}", "{{1: {0}, 'a': {1}}}", "Table(a={0})", "Record({0})",
    "{{1: {0}}}",
    "collections.OrderedDict(b={0}, a={1})", "collections.defaultdict(int, a={0})",
]  # fmt: skip
EQUAL = [  # constants that Python calls equal
    ("{1:", "{True:", "{1.0:"), ("(1.), 1)", "(1.), True)", "(1.), 1.0)"), ("0.0", "-0.0"),
    ("slice(0,", "slice(False,", "slice(0.0,", "slice(-0.0,"), ("slice((0,),", "slice((False,),"),
    ("range(0, 3, 2)", "range(0, 4, 2)"), ("[1])", "[True])"), ("('1.0')", "('1.00')"),
    ("Record(1)", "Record(True)", "Record(1.0)"),
]  # fmt: skip
CALLS = ["{0}", "{0}, {1}", "{0}, y={1}", "y={1}, x={0}"]
STARRED = ["{0}", "{0}, {1}", "{0}, {1}, {2}", "{0}, k={1}", "{0}, {1}, k={2}", "k={1}, x={0}",
           "{0}, a={1}, b={2}", "{0}, b={1}, a={2}"]  # fmt: skip


def argument(pick, depth: int = 2) -> str:
    if depth and pick(range(10)) < 3:
        return pick(STRUCTURES).format(argument(pick, depth - 1), argument(pick, depth - 1))
    return pick(pick((PYTHON, ARRAYS)))


def twins(text: str) -> list[str]:
    """The text with each constant that Python calls equal to one of it, in its place."""
    pairs = itertools.chain(*(itertools.permutations(group, 2) for group in EQUAL))
    return [text.replace(*pair) for pair in pairs if pair[0] in text]


def told(value, has_shapes: bool) -> str:
    """What a trace knows of a value."""
    if isinstance(value, (ag.Tensor, ag.Variable)):
        return f"{type(value).__name__} {value.dtype.name} {value.shape if has_shapes else ''}"
    if isinstance(value, (ag.RaggedTensor, ag.SparseTensor)):
        return f"{type(value).__name__} {value.dtype.name}"
    if isinstance(value, (Typed, Record, Flat)):
        return " ".join(told(part, has_shapes) for part in vars(value).values())
    if isinstance(value, dict):  # one type, whatever its class
        return str([(key, told(part, has_shapes)) for key, part in sorted(value.items(), key=str)])
    if isinstance(value, (list, tuple)):
        return f"{type(value).__name__}{[told(part, has_shapes) for part in value]}"
    return f"{type(value).__name__} {value!r}"


def tensors_in(value) -> list:
    if isinstance(value, (ag.Tensor, ag.Variable)):
        return [ag.identity(value)]
    if isinstance(value, (Typed, Record, Flat)):
        return tensors_in(value.value)
    parts = value.values() if isinstance(value, dict) else value
    is_structure = isinstance(value, (dict, list, tuple))
    return [tensor for part in parts for tensor in tensors_in(part)] if is_structure else []


class Call(NamedTuple):
    args: tuple
    named: dict

    def outcome(self, function) -> tuple:
        try:
            text, tensors = function(*self.args, **self.named)
        except Exception as error:
            return type(error), str(error)
        return text.numpy(), [(each.dtype.name, np.asarray(each).tolist()) for each in tensors]


def new_function(form: int, has_shapes: bool):
    """A function of one of four forms without traces; it tells what its arguments are."""

    @ag.autograph.experimental.do_not_convert
    def body(*args):
        return ag.constant(told(args, has_shapes)), tensors_in(args)

    class Owner:
        def method(self, x, y=(1,)):
            return body(x, y)

    forms = [
        lambda x, y=1: body(x, y),
        lambda x, *args, k=None, **named: body(x, args, k, named),
        Owner().method,
    ]
    return ag.function(forms[form], autograph=False, reduce_retracing=not has_shapes)


def assert_traces_serve_no_other_arguments(seed: int) -> None:
    """Each call of a function that has traces gives what a new function gives."""
    choose = random.Random(seed)
    form, has_shapes = choose.randrange(3), choose.random() < 0.6
    names = {**globals(), "SHARED": Record("shared"), "Decimal": Decimal}
    names["VARIABLES"] = [*map(ag.Variable, (1.0, 2.0, 3, [1.0, 2.0]))]
    function = new_function(form, has_shapes)
    texts: list[str] = []
    with warnings.catch_warnings(action="ignore"):
        for _ in range(10):
            if len(texts) < 2 or choose.random() < 0.3:
                parts = [argument(choose.choice) for _ in range(3)]
                texts.append(choose.choice(STARRED if form == 1 else CALLS).format(*parts))
                texts += twins(texts[-1])
            text = choose.choice(texts)
            call = eval(f"(lambda *args, **named: Call(args, named))({text})", names)
            expected = call.outcome(new_function(form, has_shapes))
            for result in [call.outcome(function) for _ in range(6)]:  # the last ones fast
                assert repr(result) == repr(expected), f"{texts}\n{text}\n{result}\n{expected}"
