"""Calls of NumPy's functions, ufuncs and array methods with valid, odd and invalid arguments.

They are written from signatures and one table: for each name of a parameter the values that it may
get, the usual ones first. `jit` does with each what NumPy does: class, data type, shape and values
of the result, the signs of zeros, which arrays share memory, what becomes of the arguments, and the
exception with its message.
"""

from __future__ import annotations

import inspect
import random
import re
import warnings
from functools import cache
from operator import itemgetter

import numpy as np
import numpy_rows  # noqa: F401 - of every function of NumPy
from numpy_expressions import is_same
from numpy_programs import copied, function_of, is_narrow

import allograph as ag
from allograph.runtime.numpy_protocol.registry import FUNCTIONS, METHODS, is_traced
from allograph.tracing.numpy_mode import new_arrays, numpy_calls  # noqa: F401 - of their rows
from allograph.tracing.numpy_mode.traced_array import TracedArray

FLOATS = {
    "empty": np.zeros(0), "no_rows": np.zeros((0, 3)), "no_columns": np.zeros((2, 0)),
    "rank_0": np.array(2.5), "single": np.array([1.5]), "vector": np.linspace(0.1, 2, 4),
    "other": np.array([3.0, -1.5, 0.25, 8.0]), "rising": np.array([-1.0, 0.5, 2.0]),
    "matrix": np.arange(12.0).reshape(3, 4) - 4, "row": np.array([[1.0, -2.0, 0.5]]),
    "square": np.array([[2.0, 1.0, 0.0], [1.0, 3.0, 1.0], [0.5, 1.0, 4.0]]),
    "cube": np.arange(24.0).reshape(2, 3, 4) % 7 - 2, "singular": np.ones((2, 2)),
    "zeros": np.zeros(4), "of_nan": np.array([1.0, np.nan, 3.0, -2.0]),
    "infinite": np.array([np.inf, 1.0, -np.inf, 2.0]), "signed_zeros": np.array([-0.0, 0.0, -0.0]),
    "negative_zeros": np.full(3, -0.0), "ties": np.array([2.0, 1.0, 2.0, 1.0]),
    "overflowing": np.array([np.inf, 1.0, np.nan]),
    "nan_twice": np.array([np.nan, np.nan, -np.inf, -np.inf]),
    "singles": np.linspace(0.1, 2, 4).astype(np.float32), "halves": np.ones(3, np.float16),
    "swapped": np.arange(4.0).astype(">f8"), "stepped": np.arange(8.0)[::2],
    "reversed": np.arange(4.0)[::-1], "transposed": np.arange(6.0).reshape(2, 3).T,
}  # fmt: skip
COMPLEXES = {
    "complexes": np.arange(4) + 1j, "hostile": np.array([complex(np.nan, -np.inf), 1 - 0j, 2j]),
    "complex64": np.array([1j, 2], np.complex64),
    "unbounded": np.array([complex(np.inf, 0), complex(np.inf, -np.inf), complex(-np.inf, 1)]),
}  # fmt: skip
INTEGERS = {
    "integers": np.array([3, 0, 2, 1]), "signed": np.array([-4, 3, -2, -2]),
    "repeated": np.array([1, 0, 1, 3, 3]),
    "negative": np.array([-1, 0, -2]), "far": np.array([5, -9, 2]), "places": np.array([[0, 2]]),
    "table": np.arange(6).reshape(2, 3), "int8": np.array([1, 100, -128, 7], np.int8),
    "uint8": np.array([1, 200, 0, 7], np.uint8), "int32": np.array([2, 0, 1], np.int32),
    "uint64": np.array([1, 2**63 + 1, 0, 9], np.uint64), "no_integers": np.zeros(0, int),
}  # fmt: skip
TRUTHS = {"truths": np.array([True, False, True, True]), "no_truth": np.zeros(3, bool),
          "mask": np.arange(12).reshape(3, 4) % 3 > 0}  # fmt: skip
ARRAYS = {**FLOATS, **COMPLEXES, **INTEGERS, **TRUTHS}

USUAL = ["vector", "signed_zeros", "matrix", "square", "cube", "integers", "signed", "of_nan",
         "truths"]  # fmt: skip
ANY = [*ARRAYS, "[1, 2, 3]", "[[1.0, 2.0], [3.0, 4.0]]", "(1.5, -0.0)", "3", "2.5", "True",
       "np.float32(1.5)", "2j", "[[1, 2], [3]]", "[]", "None", "'word'"]  # fmt: skip
NUMBERS = ["0", "1", "2", "-1", "2.5", "-0.0", "1e300", "np.nan", "np.inf", "True", "2j", "None",
           "2**40", "np.float32(0.5)", "np.int8(3)", "vector", "single", "'word'"]  # fmt: skip
COUNTS = ["1", "2", "0", "3", "-1", "-2", "7", "2.0", "True", "None", "np.int64(2)", "1.5",
          "'word'", "(1,)", "integers"]  # fmt: skip
AXIS = ["0", "-1", "1", "None", "(0, 1)", "2", "-2", "-4", "3", "()", "(0, 0)", "(0,)", "[0]",
        "True", "1.0", "np.int64(0)", "'0'"]  # fmt: skip
AXES = [*AXIS, "(1, 0)", "[1, 0]", "(2, 0, 1)", "(1, 2)", "([0], [0])", "(-1, 0)"]
FLAGS = ["True", "False", "1", "0", "None", "np.True_", "'no'"]
PLACES = ["integers", "int32", "1", "-1", "[0, 1]", "negative", "repeated", "far", "places",
          "table", "no_integers", "truths", "(0, 2)", "9", "vector", "[0, -1]", "uint8",
          "[]"]  # fmt: skip
WEIGHTS = ["vector", "other", "zeros", "integers", "matrix", "None", "[1, 2, 3, 4]", "negative",
           "rising", "[1, -1, 1, -1]", "of_nan", "single", "complexes", "2.0"]  # fmt: skip
SHAPES = ["3", "(2, 3)", "(4,)", "(2, -1)", "-1", "()", "[2, 2]", "(0, 3)", "(2, 2, 3)", "-2",
          "(3, 4)", "2.0", "(-1, -1)", "None", "np.int64(4)", "True"]  # fmt: skip
DTYPES = ["float", "np.float32", "int", "'f8'", "bool", "complex", "np.int8", "np.uint64", "'>f8'",
          "np.float16", "None", "'word'", "np.dtype('int32')", "object", "'S3'"]  # fmt: skip
MODES = ["'raise'", "'wrap'", "'clip'", "'full'", "'valid'", "'same'", "'constant'", "'edge'",
         "'reflect'", "'symmetric'", "'linear_ramp'", "'maximum'", "'mean'", "'empty'",
         "'reduced'", "'complete'", "'r'", "'raw'", "'bad'", "None", "0", "1", "2"]  # fmt: skip
ORDERS = ["'C'", "'F'", "'A'", "'K'", "None", "'bad'", "0"]
QUANTILES = ["0.5", "0.25", "[0.1, 0.9]", "0", "1", "50", "1.5", "-0.5", "np.nan", "rising",
             "vector", "()", "[[0.5], [1.0]]", "True", "100", "np.float32(0.3)"]  # fmt: skip
OUTS = ["np.zeros(4)", "np.zeros(3)", "vector", "np.zeros((3, 4))", "None",
        "np.zeros(4, int)", "np.zeros(4, np.float32)", "np.zeros(4, complex)", "np.zeros((2, 4))",
        "np.zeros(4, bool)", "(np.zeros(4),)", "3", "np.zeros(3, int)", "other"]  # fmt: skip
WHERES = ["truths", "True", "mask", "no_truth", "False", "[True, False, True, True]", "integers",
          "np.True_", "None", "vector"]  # fmt: skip
JOINED = ["(vector, other)", "[matrix, matrix]", "[cube, cube]", "matrix", "(square, square)",
          "[vector, integers]", "(single, single)", "[rank_0, rank_0]", "[1, 2.5]", "[vector, 2]",
          "()", "(matrix, vector)", "[square, row]", "[truths, int8]", "[empty, vector]",
          "[swapped, vector]", "vector", "(halves, halves)"]  # fmt: skip

# The values of each parameter, by its name. What a name stands for in one function alone is under
# the names of both.
VALUES: dict[str, list[str]] = {
    **dict.fromkeys(("axis", "axis1", "axis2", "axisa", "axisb", "axisc"), AXIS),
    **dict.fromkeys(("axes", "source", "destination"), AXES),
    **dict.fromkeys(("k", "n", "N", "M", "offset", "decimals", "num", "minlength", "ndmin", "kth",
                     "edge_order", "ndmax", "shift", "ddof", "correction"), COUNTS),
    **dict.fromkeys(("keepdims", "equal_nan", "returned", "overwrite_input", "increasing", "copy",
                     "sparse", "right", "density", "bias", "rowvar", "wrap", "deg", "endpoint",
                     "retstep", "writeable", "subok", "stable", "full_matrices", "compute_uv",
                     "hermitian", "upper", "return_index", "return_inverse", "return_counts",
                     "sorted", "inplace", "assume_unique", "invert", "include_initial"), FLAGS),
    **dict.fromkeys(("initial", "fill_value", "default", "nan", "posinf", "neginf", "left", "val",
                     "value", "period", "rtol", "atol", "a_min", "a_max", "min", "max", "start",
                     "stop", "step", "base", "dx", "prepend", "append", "start_or_stop", "real",
                     "imag", "constant_values", "mean", "fill"), NUMBERS),
    **dict.fromkeys(("weights", "aweights", "fweights"), WEIGHTS),
    **dict.fromkeys(("shape", "window_shape", "new_shape"), SHAPES),
    **dict.fromkeys(("arrays", "tup", "arys", "xi", "args", "choices"), JOINED),
    **dict.fromkeys(("indices", "indices_or_sections", "sorter", "repeats", "reps"),
                    [*PLACES, *COUNTS]),
    "dtype": DTYPES, "signature": ["None", "'dd->d'", "'bad'"], "out": OUTS, "where": WHERES,
    "mode": MODES, "order": ORDERS, "q": QUANTILES, "extobj": ["None"],
    "casting": ["'same_kind'", "'unsafe'", "'no'", "'safe'", "'equiv'", "'bad'", "None"],
    "kind": ["'quicksort'", "'stable'", "'mergesort'", "'heapsort'", "'bad'", "None", "0"],
    "side": ["'left'", "'right'", "'bad'", "None", "'l'", "0"],
    "method": ["'linear'", "'lower'", "'nearest'", "'median_unbiased'", "'bad'", "None"],
    "indexing": ["'ij'", "'xy'", "'bad'", "None"], "UPLO": ["'U'", "'L'", "'l'", "'bad'"],
    "bins": ["5", "rising", "1", "0", "-1", "[0, 1, 2]", "matrix", "[3, 2, 1]", "'auto'", "2.0",
             "of_nan", "vector", "[1]", "single", "empty", "[2, 1, 3]", "True"],
    "range": ["(0, 2)", "(0.0, 1.5)", "(2, 0)", "(1, 1)", "(0, np.inf)", "(np.nan, 1)", "None",
              "[-1, 1]", "(0,)", "(0, 2j)"],
    "ord": ["2", "1", "np.inf", "-np.inf", "0", "3", "0.5", "-1", "-2", "'fro'", "'nuc'", "'bad'",
            "None", "np.nan"],
    "pad_width": ["1", "(1, 2)", "((1, 0),)", "0", "((1, 1), (0, 2))", "-1", "2.0", "(1, 2, 3)",
                  "[1]", "5", "integers"],
    "norm": ["'ortho'", "'forward'", "'backward'", "'bad'", "None", "0"],
    "s": ["(2, 2)", "(4,)", "None", "[3, 5]", "(0, 2)", "(-1, 2)", "3", "(2, 2, 2)"],
    "optimize": ["True", "False", "'greedy'", "'bad'", "None"],
    "device": ["'cpu'", "None", "'gpu'"], "like": ["None", "vector", "3"],
    "condlist": ["[vector > 1]", "[truths, vector < 1]", "[vector]", "[]", "truths", "[mask]",
                 "[True]", "(truths,)"],
    "choicelist": ["[vector]", "[vector, 2]", "[other, other]", "[]", "[matrix]", "[1]", "['a']"],
    "condition": [*WHERES, *USUAL], "buffer": ["None", "vector"], "strides": ["None", "(8,)"],
    "v": [*USUAL, "rising", "0.5", "single", *ANY], "v searchsorted": [*NUMBERS, *ANY],
    "a searchsorted": ["rising", "vector", "integers", "empty", "matrix", *ANY],
    "xp": ["rising", "vector", "other", "[0, 1, 2]", "empty", "single", "of_nan", "matrix",
           "integers", "complexes", "infinite"],
    "fp": ["rising", "vector", "other", "[5, 6, 7]", "empty", "single", "complexes", "of_nan",
           "integers", "infinite"],
    "a linalg": ["square", "singular", "matrix", "cube", "square.T", *ANY],
    "x bincount": ["integers", "repeated", "negative", "uint8", "int32", *ANY],
    "dst": ["vector", "matrix", "integers", "np.zeros(3)", "singles", "rank_0", "3"],
    **dict.fromkeys((f"out {name}" for name in ("sum", "max", "mean", "all", "dot", "reduce")),
                    ["np.zeros(())", *OUTS]),  # of which NumPy's scans die
    "a fill_diagonal": ["square", "matrix", "cube", "vector", "transposed", "table"],
}  # fmt: skip
VARIADIC = {"varargs", "kwargs", "arys", "xi", "args", "operands", "arrays_and_dtypes", "axes",
            "new_shape"}  # fmt: skip
OF_LINALG = {"inv", "det", "cholesky", "solve", "eigh", "eigvalsh", "qr", "slogdet", "svd"}
OF_EINSUM = [
    "'ij->ji', matrix", "'ii', square", "'ij,j', matrix, vector", "'i,i->', vector, other",
    "'...i->...', cube", "'ij,jk,kl->il', square, square, square", "'i->', matrix",
    "'ij,jk', matrix, matrix", "'bad?', vector", "matrix, [0, 1]", "'ii->i', square",
    "'i,j->ji', integers, singles", "'i', vector", "'ij->i', square.T", "'ji', matrix",
]  # fmt: skip
# Functions without a form of their own.
OTHERS = [
    "array_split", "atleast_3d", "broadcast_to", "choose", "compress", "cumulative_sum", "delete",
    "diagonal", "ediff1d", "extract", "flatnonzero", "in1d", "insert", "isin", "iscomplex",
    "isreal", "lexsort", "linalg.matrix_power", "linalg.matrix_rank", "linalg.pinv", "nancumsum",
    "nanmedian", "nanpercentile", "nanprod", "nanargmax", "partition", "resize", "rollaxis",
    "setdiff1d", "sinc", "tril_indices", "union1d", "unwrap", "fix", "i0", "put", "place",
    "putmask", "put_along_axis", "vsplit", "hsplit", "block", "trim_zeros", "real_if_close",
    "asanyarray", "asarray_chkfinite", "asfortranarray", "isfortran",
]  # fmt: skip

AS_NUMPY_ROUNDS = {"percentile", "quantile", "median"}  # whose numbers are those of NumPy's formula
UNDEFINED = {"np.empty", "np.empty_like", "np.ndarray", "np.fft.hfft"}  # elements, some of hfft

BODIES = [
    "return {call}", "return {call}", "return {call}",
    "r = {call}\nfor i in range(3):\n    r = {call}\nreturn r",
    "r = {call}\nr[...] = 1\nreturn r, {first}",
    "r = {call}\n{first}[...] = 0\nreturn r",
    "s = 0\nfor i in range(n):\n    s += i\nr = {call}\n{first}[...] = 0\nreturn r, s",
    "s = 0.5\nfor i in range(n):\n    {call}\n    s *= 2\nreturn s",
    "try:\n    r = {call}\nexcept (ValueError, TypeError, IndexError) as e:\n    return str(e)\n"
    "return r",
    "r = {call}\nreturn r.dtype, r.shape, r.reshape(-1), r",
]  # fmt: skip


@cache
def functions() -> list[tuple[str, object]]:
    """The functions, with the expressions that they are called by: `{0}` is the first argument of
    a method.
    """
    tables = (FUNCTIONS, new_arrays.CREATED)
    found = {_name_of(function): function for table in tables for function in table}
    others = {f"np.{name}": _attribute(name) for name in OTHERS}
    found |= {name: one for name, one in others.items() if one is not None}
    methods = [name for name in dir(np.ndarray) if name[0] != "_"]
    methods = [name for name in methods if name in METHODS or hasattr(TracedArray, name)]
    found |= {f"{{0}}.{name}": getattr(np.ndarray, name) for name in methods}
    for name in sorted(dir(np)):
        ufunc = getattr(np, name)
        if isinstance(ufunc, np.ufunc) and ufunc.signature is None and ufunc.nin < 3:
            found[f"np.{name}"] = ufunc
            if ufunc.nin == 2 and ufunc.nout == 1:
                found |= {f"np.{name}.{one}": getattr(ufunc, one) for one in
                          ("reduce", "accumulate", "reduceat", "outer", "at")}  # fmt: skip
    return [(name, one) for name, one in sorted(found.items(), key=itemgetter(0))
            if _signature(one) is not None and name not in UNDEFINED]  # fmt: skip


@cache
def _groups() -> list[list[str]]:
    """The names of functions by what they are: ufuncs and their methods are many, and alike."""
    groups: dict = {}
    for name, one in functions():
        is_method = name[0] == "{" or inspect.isbuiltin(one) and isinstance(one.__self__, np.ufunc)
        groups.setdefault((is_method, isinstance(one, np.ufunc), name[0]), []).append(name)
    return [*groups.values(), *[[name for name, _ in functions() if _is_function(name)]] * 4]


def _is_function(name: str) -> bool:
    """Whether it is neither a ufunc nor a method."""
    return name[0] != "{" and name.split(".")[1] not in ALL_UFUNCS


ALL_UFUNCS = {name for name in dir(np) if isinstance(getattr(np, name), np.ufunc)}


def _attribute(name: str):
    found = np
    for part in name.split("."):
        found = getattr(found, part, None)
    return found


def _name_of(function) -> str:
    module = "np" + (function.__module__ or "numpy").removeprefix("numpy")
    return f"{module}.{function.__name__}"


def _signature(function) -> inspect.Signature | None:
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):  # of an earlier NumPy
        return None


def values_of(function: str, name: str) -> list[str]:
    """The values that a parameter may get, the usual ones first."""
    if name == "self":
        return [*USUAL, *ARRAYS]
    group = "linalg" if function in OF_LINALG else function
    return VALUES.get(f"{name} {group}") or VALUES.get(name) or [*USUAL, *ANY]


@cache
def single_values() -> list[tuple[str, str, str]]:
    """Each function, with each of its parameters and each value of that, in some order."""
    found = {
        (name, one.name, source)
        for name, function in functions()
        for one in _signature(function).parameters.values()
        if one.kind not in (one.VAR_KEYWORD, one.VAR_POSITIONAL)
        for source in values_of(name.rpartition(".")[2], one.name)
        if _is_function(name) or name[0] == "{"
    }
    return random.Random(0).sample(sorted(found), len(found))


class Call:
    """A call of a function of NumPy's, from a seed: its source, and the arguments of a program.

    One parameter, the subject, gets any of its values, or the one that is given.
    """

    def __init__(self, seed: int, name: str | None = None, subject="", source=None):
        self.random = random.Random(seed)
        self.subject, self.source = subject, source
        named = dict(functions())
        self.name = name or self.random.choice(self.random.choice(_groups()))
        self.short = self.name.rpartition(".")[2]
        self.arrays: dict[str, str] = {}  # names of parameters of the program, by name of an array
        self.numbers: dict[str, str] = {}  # the same, by source of a number
        self.call = self._written(_signature(named[self.name]))

    def _written(self, signature: inspect.Signature) -> str:
        given, keywords = [], []
        parameters = list(signature.parameters.values())
        self.subject = self.subject or self.random.choice([one.name for one in parameters] or [""])
        odd = {one.name for one in parameters if one.name == self.subject or self.chance(0.12)}
        odd |= {"out"} if "where" in odd and "initial" not in signature.parameters else set()
        is_row, target, self.odd = True, self.name, odd
        last = max((at for at, one in enumerate(parameters) if one.name in odd), default=-1)
        by_position = self.chance(0.3)  # options too, with the defaults of those before
        for at, one in enumerate(parameters):
            if one.kind is one.VAR_KEYWORD:
                keywords += self._keywords(one)
            elif one.kind is one.VAR_POSITIONAL:
                given += self._operands(one.name)
            elif one.name == "self":
                target = self.name.replace("{0}", self._value("self"))
            elif (
                one.default is one.empty
                or one.name in odd
                or (by_position and is_row and at < last and has_plain_default(one))
            ):
                is_default = one.default is not one.empty and one.name not in odd
                value = repr(one.default) if is_default else self._value(one.name)
                by_name = one.kind is one.KEYWORD_ONLY or not is_row
                is_positional = by_position or is_default or not self.chance(0.4)
                if one.kind is one.POSITIONAL_ONLY or (is_positional and not by_name):
                    given += [value] if is_row else []
                else:
                    keywords.append(f"{one.name}={value}")
                    is_row = False
            else:
                is_row = False
        return f"{target}({', '.join([*given, *keywords])})"

    def _keywords(self, parameter) -> list[str]:
        """Keywords that a signature does not name: of reductions, and of `np.pad`."""
        if self.chance(0.5):
            return []
        names = {"pad": ["constant_values"], "clip": ["dtype", "casting", "order"]}
        is_reduced = "reduce" in self.short or self.name[0] == "{"
        names = names.get(self.short, ["keepdims", "initial", "where"] if is_reduced else ["dtype"])
        name = self.random.choice(names)
        return [f"{name}={self._value(name)}"]

    def _operands(self, name: str) -> list[str]:
        if self.short == "einsum":
            operands = self.random.choice(OF_EINSUM)
            return [re.sub(r"\b\w+\b", lambda m: self._named(m[0]), operands)]
        if name == "axes":
            return self.random.choice([[], ["1", "0"], ["(1, 0)"], ["None"], ["0"], ["[1, 0]"]])
        if name in ("shape", "new_shape"):
            return self.random.choice([["-1"], ["2", "-1"], ["(4,)"], ["[2, 2]"], ["3", "4"], []])
        if name == "varargs":
            return self.random.choice([[], ["2.0"], ["1", "2"], [self._named("vector")]])
        return [self._value("a") for _ in range(self.random.choice([1, 1, 2, 0, 3]))]

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def _value(self, name: str) -> str:
        """The source of a value for a parameter: any for the subject of the call, for others mostly
        one of the usual ones.
        """
        values = values_of(self.short, name)
        if name == "out" and "where" in self.odd:
            values = [one for one in values if one != "None"]
        is_usual = self.chance(0.2 if name == self.subject else 0.95)
        source = self.random.choice(values[: 1 + len(values) // 3] if is_usual else values)
        if name == self.subject and self.source is not None:
            source = self.source
        named = re.sub(r"(?<![\w.'])[a-z]\w*(?!\w*[('])", lambda m: self._named(m[0]), source)
        if named == source and self.chance(0.25) and _is_number(source):
            return self.numbers.setdefault(source, f"x{len(self.numbers)}")
        return named

    def _named(self, word: str) -> str:
        """The parameter that stands for a name of the table of arrays; other words as they are."""
        if word not in ARRAYS:
            return word
        return self.arrays.setdefault(word, f"a{len(self.arrays)}")

    def body(self) -> str:
        body = self.random.choice(BODIES)
        return body.format(call=self.call, first=next(iter(self.arrays.values()), "3"))

    def decorates(self, body: str) -> bool:
        """Whether `jit` decorates the function of NumPy's itself."""
        is_function = self.name[0] != "{" and not isinstance(dict(functions())[self.name], type)
        return is_function and body == BODIES[0].format(call=self.call) and self.chance(0.3)

    def parameters(self) -> list[str]:
        return [*self.arrays.values(), *self.numbers.values(), "n"]

    def arguments(self) -> tuple:
        numbers = [eval(source, {"np": np}) for source in self.numbers]
        return (*(ARRAYS[name] for name in self.arrays), *numbers, 2)


def has_plain_default(parameter: inspect.Parameter) -> bool:
    """Whether the default of a parameter is one that a program can pass."""
    is_row = parameter.kind is parameter.POSITIONAL_OR_KEYWORD
    return is_row and isinstance(parameter.default, (bool, int, float, str, type(None)))


def _is_number(source: str) -> bool:
    return source[0] in "-0123456789" or source in ("True", "False")


def random_call(seed: int, name: str | None = None) -> tuple[Call, str]:
    """A call and the body of a program around it. Every second one is the next of `single_values`;
    of the others, NumPy accepts most.
    """
    if seed % 2 and name is None:
        call = Call(seed, *single_values()[seed // 2 % len(single_values())])
        return call, call.body()
    needs_result = seed % 5 > 1
    for at in range(9):
        call = Call(9 * seed + at, name)
        body = call.body()
        program = program_of(call, body)
        with warnings.catch_warnings(action="ignore"), np.errstate(all="ignore"):
            if not needs_result or outcome(program, call.arguments())[0] == "gave":
                break
    return call, body


def program_of(call: Call, body: str, decorated=None):
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    source = f"def program({', '.join(call.parameters())}):\n{lines}"
    program = function_of(source, source)
    program.__globals__["decorated"] = decorated
    return program


# Functions of which NumPy leaves open which of several equal zeros they give.
OPEN_SIGNS = {"max", "min", "amax", "amin", "nanmax", "nanmin", "fmax", "fmin", "ptp", "sort",
              "median", "percentile", "quantile", "unique", "partition", "reduce", "accumulate",
              "nanmedian", "nanpercentile", "union1d", "reduceat"}  # fmt: skip


# ---- the law -------------------------------------------------------------------------------------


def outcome(function, args: tuple) -> tuple:
    """The result or the exception with its message, and the arguments and results afterwards."""
    args = copied(args)
    try:
        result = function(*args)
    except Exception as error:
        return "raised", (type(error), str(error)), args, []
    return "gave", result, args, shared(result, args)


def shared(result, args: tuple) -> list:
    """Which arguments are, or share memory with, each array of a result."""
    if isinstance(result, (tuple, list)):
        return [shared(one, args) for one in result]
    if not isinstance(result, np.ndarray):
        return []
    return [(one is result, np.may_share_memory(one, result) and np.shares_memory(one, result))
            for one in args if isinstance(one, np.ndarray)]  # fmt: skip


def zeros_alike(one, other) -> bool:
    """Whether the zeros of two results that are equal to rounding have the same signs."""
    if isinstance(one, (tuple, list)):
        return all(map(zeros_alike, one, other))
    if not isinstance(one, (float, np.ndarray, np.generic)) or np.asarray(one).dtype.kind != "f":
        return True
    return bool(np.all((np.signbit(one) == np.signbit(other)) | (one != 0) | (other != 0)))


def difference(call: Call, body: str, kernel_compiler: str | None) -> str | None:
    """How what `jit` does differs from what NumPy does; None if it does not."""
    if call.short == "argsort" and "stable" not in body:
        return None  # NumPy leaves open in which order equal elements are
    args = call.arguments()
    if call.short == "searchsorted" and not is_rising(args[0]):
        return None  # NumPy leaves open which places it finds
    if "object" in body or (call.short == "frexp" and "where" in body):
        return None  # NaN in objects is not equal; where no number is computed, memory is left
    if "fft" in body and any(one.size == 0 for one in args if isinstance(one, np.ndarray)):
        return None  # the same
    program = program_of(call, body)
    compiled = function = ag.jit(program, kernel_compiler=kernel_compiler)
    if call.decorates(body):
        function = ag.jit(eval(call.name), kernel_compiler=kernel_compiler)
        compiled = program_of(call, body.replace(f"{call.name}(", "decorated("), function)
    with warnings.catch_warnings(record=True) as warned, np.errstate(all="warn"):
        warnings.simplefilter("always")
        expected = outcome(program, args)
    with warnings.catch_warnings(action="ignore"), np.errstate(all="ignore"):
        found = [outcome(compiled, args) for _ in range(2)]
    if any("in cast" in str(one.message) for one in warned):
        return None  # what a float is as an integer that cannot hold it depends on the machine
    narrow = any(map(is_narrow, args)) or any(word in body for word in ("16", "32", "64"))
    narrow &= call.short not in AS_NUMPY_ROUNDS
    signs = call.short not in OPEN_SIGNS or "stable" in body
    for one in found:
        if not is_alike(expected, one, narrow, signs):
            return f"{body}\n{args}\n{expected}\n{one}\n{function.inspect()}"
    return None


def is_rising(array) -> bool:
    row = np.asarray(array).ravel()
    return bool(np.all((row[1:] >= row[:-1]) | (row[1:] != row[1:])))


def is_alike(one: tuple, other: tuple, narrow: bool = False, signs: bool = True) -> bool:
    """Whether two outcomes are the same, to rounding, with the `signs` of zeros."""
    (end, made, args, memory), (other_end, other_made, other_args, other_memory) = one, other
    if end != other_end or memory != other_memory:
        return False
    if end == "raised" and made != other_made:
        return False
    pairs = [(args, other_args), *([(made, other_made)] if end == "gave" else [])]
    return all(is_same(*pair, narrow) and (not signs or zeros_alike(*pair)) for pair in pairs)


def assert_jit_is_numpy_of_arguments(seed: int, kernel_compiler: str | None = None) -> None:
    """A call of a random function with random arguments is with `jit` what it is without."""
    found = difference(*random_call(seed), kernel_compiler)
    assert found is None, found


# Graphs make tensors of 32 bits of the results, or leave equal elements in their order.
CONSTANTS = ("shape", "size", "ndim", "real", "imag", "argsort")


def assert_graph_is_numpy_of_arguments(seed: int) -> None:
    """A graph of tensors gives what NumPy gives for arrays, or refuses the call while tracing."""
    traced = [name for name, one in functions() if is_traced(one) or isinstance(one, np.ufunc)]
    call, _ = random_call(seed, random.Random(seed).choice(traced))
    args = call.arguments()
    arrays = [one for one in args if isinstance(one, np.ndarray)]
    is_other = call.short in CONSTANTS or any(
        word in call.call for word in ("out=", "'S3'", "(None")
    )
    is_other |= "fft" in call.call and any(one.size == 0 for one in arrays)
    if is_other or not arrays or not all(one.dtype.isnative for one in arrays):
        return
    program = program_of(call, f"return {call.call}")
    tensors = [ag.constant(one) if isinstance(one, np.ndarray) else one for one in args]
    with warnings.catch_warnings(action="ignore"), np.errstate(all="ignore"):
        expected = outcome(program, args)
        found = outcome(ag.function(program, kernel_compiler="none"), tuple(tensors))
    if found[0] == "raised":
        return
    one, other = map(_as_arrays, (expected[1], found[1]))
    same = expected[0] == "gave" and is_same(one, other, True)
    assert same, f"{call.call}\n{args}\n{expected[:2]}\n{found[:2]}"


def _as_arrays(result):
    if isinstance(result, (tuple, list)):
        return [_as_arrays(one) for one in result]
    return np.asarray(result)
