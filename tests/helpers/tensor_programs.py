"""Random programs of tensors of all data types and of shapes with few, one and no elements.

`TensorProgram(seed)` has the source of `def program(...)` and its arguments. A program is written
statement by statement, and each runs on eager tensors as it is written, so that it ends. What eager
code computes is what its graph computes, on NumPy and as native code.
"""

import random
import re

import numpy as np
from device_laws import emulated_device
from execution_modes import pinned
from law_kit import load

import allograph as ag
from allograph.runtime.core.errors import InvalidArgumentError, ShapeError, UnimplementedError

INTEGERS = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")
FLOATS = ("float16", "bfloat16", "float32", "float64")
COMPLEX = ("complex64", "complex128")
NATIVE = (*INTEGERS, *["float32", "float64"] * 2, *COMPLEX * 2, "bool")  # with native code
DTYPES = (*INTEGERS, *FLOATS, *FLOATS, *COMPLEX, "bool")
ROUNDING = {"float16": 0.02, "bfloat16": 0.1, "float32": 1e-4, "float64": 1e-9,
            "complex64": 1e-4, "complex128": 1e-9}  # fmt: skip
SHAPES = ((4,), (4,), (2, 3), (3, 4), (), (1,), (0,), (0, 3), (2, 0), (2, 1, 3))
MOST_ELEMENTS, MOST_VALUE = 48, 50.0
# Expressions: {x} and {y} are names of one type, {i} of integers, {n} is a small integer.
NUMBERS = (
    "{x} + {y}", "{x} - {y}", "{x} * {y}", "{x} + 1", "3 - {x}", "{x} * 2", "ag.square({x})",
    "ag.zeros_like({x}) + {y}", "{x} if n > 1 else {y}", "ag.where({x} == {y}, {x}, {y})",
    "ag.add_n([{x}, {y}, {x}])", "ag.cumsum({x}, 0)", "ag.reduce_sum({x})", "ag.reduce_sum({x}, 0)",
    "ag.reduce_sum({x}, -1, keepdims=True)", "ag.reduce_prod({x}, 0)",
    "ag.matmul({x}, ag.transpose({x}))", "ag.tensordot({x}, {y}, 1)", "ag.negative({x})",
    "(ag.negative if n > 1 else twice)({x})", "(twice if ag.size({x}) > n else ag.identity)({x})",
    "[ag.negative, twice, ag.square][n % 3]({x})", "sum([r * 2 for r in {x}])",
    "ag.stack([r + s for r, s in zip({x}, {y})])",
    "sum((r for r in {x} if ag.size(r) > n), {y}[0])",
    "ag.concat([r[None] for r in {x}], 0)", "ag.reduce_sum({x}, axis=[])", "rows_of({x}, n)[0]",
    "windows_of({x})",
)  # fmt: skip
ORDERED = (
    "ag.maximum({x}, {y})", "ag.minimum({x}, 3)", "ag.reduce_max({x}, 0)", "ag.reduce_min({x})",
    "ag.sort({x}, -1)", "ag.clip_by_value({x}, 1, 5)", "ag.abs({x})", "ag.sign({x})",
    "ag.where({x} > {y}, {x}, {y} + 1)", "{x} // ag.maximum(ag.abs({y}), 1)",
    "{x} % ag.maximum(ag.abs({y}), 2)", "ag.math.top_k({x}, 1)[0]", "max({s}, {s})",
    "(ag.abs if ag.reduce_max({x}) > 2 else twice)({x})", "max([ag.reduce_max(r) for r in {x}])",
    "ag.tensor_scatter_nd_min({x}, [[0]], {y}[:1])", "rows_of({x}, n)[1]",
    "ag.tensor_scatter_nd_max({x}, [[0], [0]], ag.stack([{y}[0], {y}[-1]]))",
)  # fmt: skip
WHOLE = (
    "{x} & {y}", "{x} | {y}", "{x} ^ {y}", "ag.bitwise.invert({x})",
    "ag.bitwise.left_shift({x}, {y} & 3)", "ag.bitwise.right_shift({x}, {y} & 3)", "{x} ** 2",
    "{x} * {x} * {x}", "~{x}", "{x} - {y} * {y}", "ag.truncatediv({x}, ag.maximum(ag.abs({y}), 1))",
    "{x} + ag.cast(ag.random.stateless_uniform([], [n, 4], -3, 9, ag.int32), dtype_of({x}))",
    "{x} + drawn(ag.shape({x}), [3, n], dtype_of({x}))",
)  # fmt: skip
REAL = (
    "ag.tanh({x})", "ag.sin({x})", "ag.sqrt(ag.abs({x}))", "ag.exp(-ag.abs({x}))", "ag.floor({x})",
    "ag.round({x})", "{x} / (ag.abs({y}) + 1)", "ag.sigmoid({x})", "ag.nn.relu({x})", "{x} * 0.5",
    "ag.reduce_mean({x}, 0)", "ag.nn.softmax({x})", "ag.math.log1p(ag.abs({x}))", "{x} ** 2.0",
    "{x} + ag.random.stateless_normal([], [n, 3], dtype=dtype_of({x}))",
    "ag.random.stateless_uniform(ag.shape({x}), [n, 1], -1, 2, dtype_of({x}))",
    "ag.random.stateless_truncated_normal(ag.shape({x}), [3, n], {x}, 2.0, dtype_of({x}))",
    "ag.random.stateless_normal(ag.shape({x}), [n, n], 1.0, ag.abs({x}), dtype_of({x}))",
    "ag.random.stateless_gamma(ag.shape({x}), [n, 2], ag.abs({x}) + 0.5, dtype=dtype_of({x}))",
    "ag.math.digamma(ag.abs({x}) + 0.5)", "ag.math.nextafter({x}, {y})",
    "ag.math.lgamma(ag.abs({x}) + 0.5)", "ag.math.erfinv(ag.tanh({x} / 4))",
    "ag.math.bessel_i0e({x})", "ag.math.special.bessel_j1({x})", "ag.math.special.dawsn({x})",
    "ag.math.igamma(ag.abs({x}) + 0.5, ag.abs({y}))", "ag.math.zeta(ag.abs({x}) + 1.5, {y} + 60)",
    "ag.math.cumulative_logsumexp({x}, 0)", "ag.abs(ag.signal.rfft({x}))",
    "ag.einsum('...i,...i->...', {x}, {y})",
)  # fmt: skip
IMAGINARY = (
    "ag.math.conj({x})", "{x} * 1j", "{x} * {y} - {x}",
    "ag.complex(ag.math.real({x}), ag.math.imag({y}))", "{x} / ({y} + 9)", "ag.sqrt({x})",
    "ag.exp({x} / 9)", "ag.reduce_mean({x}, 0)", "ag.sin({x} / 9)", "ag.tanh({x})", "{x} ** 2",
    "ag.where(ag.abs({x}) > 2, {x}, 2j)", "ag.cast(ag.math.angle({x}), dtype_of({x})) * {y}",
    "ag.linalg.adjoint({x})", "ag.where(ag.math.real({x}) > ag.math.imag({y}), {x}, {y})",
    "ag.matmul({x}, {x}, adjoint_b=True)", "ag.math.reciprocal({x} + 9j)",
    "(ag.math.conj if ag.abs(ag.reduce_sum({x})) > 2 else twice)({x})",
    "ag.signal.fft({x})", "ag.signal.ifft({x} * {y})",
)  # fmt: skip
TRUTHS = (
    "ag.logical_not({x})", "{x} & {y}", "{x} | {y}", "ag.math.logical_xor({x}, {y})", "{x} == {y}",
    "ag.reduce_any({x}, 0)", "ag.reduce_all({x})",
    "any([ag.reduce_any(r) for r in {x}])",
    "all(ag.reduce_any(r) for r in {x})",
    "~ag.convert_to_tensor(any([ag.reduce_any(r) for r in {x}]))",
    "~ag.logical_not(bool(ag.reduce_all({x}))) & {y}", "ag.stack([bool(n > 1), n < 2])",
)  # fmt: skip
MOVED = (
    "{x}[::-1]", "{x}[1:]", "{x}[:-1]", "{x}[::2]", "{x}[::-2]", "{x}[..., ::-1]", "{x}[:, 1:]",
    "{x}[..., 0]", "{x}[None]", "{x}[-1]", "{x}[n % 2:]", "ag.transpose({x})",
    "ag.reshape({x}, [-1])", "ag.expand_dims({x}, -1)", "ag.concat([{x}, {y}], 0)",
    "ag.stack([{x}, {x}], 0)", "ag.tile({x}[:1], [2])", "ag.reverse({x}, [0])",
    "ag.roll({x}, 1, 0)", "ag.gather({x}, [0, 1, 0])", "ag.pad({x}, [[1, 0]])", "ag.squeeze({x})",
    "ag.unstack({x})[0]", "ag.split({x}, 2)[1]", "ag.boolean_mask({x}, {x} == {x})",
    "ag.broadcast_to({x}, [2, 4])", "ag.repeat({x}, 2, 0)", "ag.repeat({x}, [2, 0, 1, 1], 0)",
    "ag.repeat({x}, [1, 2], 0)",
    "ag.tensor_scatter_nd_update({x}, [[0]], {x}[:1])",
)  # fmt: skip
EQUAL = ("0", "1 | 2", "-1", "w if w", "True | 1")  # patterns that ask for the truth of a tensor
PATTERNS = (*EQUAL, "True", "False", "None", "bool()", "int()", "float()", "[*_]", "{}",
            "None | False", "ag.Tensor()", "object(ndim=0)")  # fmt: skip
COMPARED = ("{x} < {y}", "{x} >= {y}", "{x} != {y}", "{x} == 2")
COUNTED = (
    "ag.argmax({x}, 0)", "ag.size({x})", "ag.shape({x})", "ag.rank({x})", "len({x})",
    "ag.argsort({x}, -1)",
)  # fmt: skip


LACKS_FORM = "jit_compile=True"  # in an error that says what has no native form
REFUSALS = (ShapeError, UnimplementedError)  # of what needs a rank that is not known
# Unstack of an axis of a size that the graph computes; rows of a squeeze; lists, whose items have
# one known shape (docs/limits.md).
OF_UNKNOWN_SHAPE = "Give num.|unknown rank|of the items of a list in a staged loop"
CLOSED = re.compile("unstack|split|squeeze|broadcast_to|max\\(|for r|rows_of")  # which need shapes
HEAD = """\
import allograph as ag


def twice(x):
    if ag.rank(x) > 0:
        return x + x
    return x * 2


def dtype_of(x):
    return ag.convert_to_tensor(x).dtype


def drawn(shape, seed, dtype):
    return ag.cast(ag.random.stateless_uniform(shape, seed, 0, 9, ag.int64), dtype)


def rows_of(x, n):
    rows = ag.TensorArray(x.dtype, ag.shape(x)[0])
    more = ag.TensorArray(x.dtype, size=0, dynamic_size=True)
    for i in ag.range(ag.shape(x)[0]):
        rows = rows.write(i, x[i] + ag.cast(i, x.dtype))
        more = more.write(i, x[i] * x[i])
    return ag.reverse(rows.stack(), [0]), ag.reduce_sum(more.stack(), 0)


def windows_of(x):
    total = ag.reduce_sum(x[:0], 0)
    for i in ag.range(3):
        start = ag.minimum(i * 2**30, 1)  # which wraps around
        total = total + ag.reduce_sum(x[start : start + 2], 0)
    return total
"""


class TensorProgram:
    """The source of a function, and the arrays and the integer that it takes."""

    def __init__(self, seed: int, native: bool = False):
        self.random = random.Random(seed)
        self.dtypes = NATIVE if native else DTYPES
        self.numbers = np.random.default_rng(seed)
        dtypes = [self.pick(self.dtypes) for _ in range(2)]
        shapes = [self.pick(SHAPES) for _ in range(2)]
        self.arguments = [
            self.array(shape, dtype) for dtype in dtypes for shape in [*shapes, shapes[0]]
        ]
        self.n = self.random.randint(0, 3)
        self.scope = {"ag": ag, "np": np, "n": self.n}
        exec(HEAD, self.scope)
        self.names = [f"x{at}" for at in range(len(self.arguments))]
        self.scope.update(zip(self.names, map(ag.constant, self.arguments), strict=True))
        self.count = 0
        body = self.block(self.random.randint(3, 8), 1, 2)
        head = f"\n\n\ndef program({', '.join(self.names[: len(self.arguments)])}, n):"
        results = dict.fromkeys([*self.random.sample(self.names, 3), self.names[-1]])
        ending = self.ending(list(results), 1, self.pick((0, 1, 2, 3)))
        self.source = "\n".join([HEAD, head, *body, *ending]) + "\n"

    def pick(self, rows):
        return self.random.choice(list(rows))

    def array(self, shape: tuple, name: str) -> np.ndarray:
        dtype = ag.as_dtype(name).numpy_dtype
        if name == "bool":
            return np.asarray(self.numbers.random(shape) < 0.5)
        if name in INTEGERS:
            limits = np.iinfo(dtype)
            if self.random.random() < 0.4:
                return np.asarray(self.numbers.integers(limits.min, limits.max, shape, dtype, True))
            return np.asarray(self.numbers.integers(0, 6, shape)).astype(dtype)
        real = np.round(self.numbers.normal(size=shape) * 2, 1)
        if name in COMPLEX:
            real = real + 1j * np.round(self.numbers.normal(size=shape), 1)
        return np.asarray(real).astype(dtype)

    # ---- expressions -------------------------------------------------------------------------

    def expression(self, like=None) -> str:
        """An expression; of the type and shape of the value `like`, if there is one."""
        name = self.pick(self.names)
        x = self.scope[name] if like is None else like
        alike = [each for each in self.names if self.scope[each].dtype == x.dtype]
        y = self.pick([e for e in alike if self.scope[e].shape == x.shape] or [name])
        if like is not None:
            name = self.pick([e for e in alike if self.scope[e].shape == x.shape] or [name])
        scalars = [each for each in alike if self.scope[each].shape == ()]
        kind = x.dtype.name
        tables = [MOVED, MOVED, *([NUMBERS] * 2 if kind != "bool" else [TRUTHS] * 3)]
        if kind in INTEGERS:
            tables += [WHOLE, WHOLE, ORDERED]
        if kind in FLOATS:
            tables += [REAL, REAL, ORDERED]
        if kind in COMPLEX:
            tables += [IMAGINARY]
        if like is None and kind not in (*COMPLEX, "bool"):
            tables += [COMPARED, COUNTED]
        if like is None and self.random.random() < 0.12:
            return self.cast(name, kind)
        form = self.pick(self.pick(tables))
        has_axes = any(sign in form for sign in (", 0", "-1", "[0]", "softmax"))
        # The items of a list that is empty when the graph runs have a type there.
        is_empty = 0 in x.shape[:1] and any(word in form for word in ("for r", "rows_of"))
        if ("{s}" in form and not scalars) or (has_axes and x.shape == ()) or is_empty:
            form = "{x}"
        return form.replace("{s}", self.pick(scalars or [name])).format(x=name, y=y)

    def cast(self, name: str, kind: str) -> str:
        """A conversion of which every machine has the same idea."""
        if kind in COMPLEX:
            return f"ag.math.{self.pick(['real', 'imag', 'abs'])}({name})"
        targets = (*INTEGERS, *FLOATS, "bool", "complex64") if kind not in FLOATS else FLOATS
        return f"ag.cast({name}, '{self.pick([e for e in targets if e in self.dtypes])}')"

    # ---- statements --------------------------------------------------------------------------

    def block(self, count: int, indent: int, depth: int) -> list[str]:
        lines: list[str] = []
        for _ in range(count):
            if depth and self.random.random() < 0.3:
                lines += self.compound(indent, depth)
            elif indent == 1:
                lines += self.assignment()
            else:
                lines += self.update(indent)
        return lines or ["    " * indent + "pass"]

    def assignment(self) -> list[str]:
        for _ in range(6):
            text = self.expression()
            value = self.value_of(text)
            if value is not None:
                self.count += 1
                name = f"v{self.count}"
                self.scope[name] = value
                self.names.append(name)
                return [f"    {name} = {text}"]
        return []

    def ending(self, results: list[str], indent: int, depth: int) -> list[str]:
        """Statements that return, each time values of the types and shapes of the `results`."""
        pad = "    " * indent
        kind = self.pick(("with", "try", "if", "for")) if depth else "return"
        if kind == "return":
            values = [self.alike(name) for name in results]
            return [f"{pad}return {', '.join(values)},"]
        if kind in ("with", "try"):
            head = "with ag.name_scope('inner'):" if kind == "with" else "try:"
            last = [] if kind == "with" else [f"{pad}finally:", f"{pad}    n = n + 1"]
            return [f"{pad}{head}", *self.ending(results, indent + 1, depth - 1), *last]
        head, inner = [f"{pad}if {self.test()}:"], indent + 1
        if kind == "for":
            head, inner = [f"{pad}for _ in ag.range(n):", f"{pad}    if {self.test()}:"], indent + 2
        rest = self.ending(results, indent, depth - 1)
        return [*head, *self.ending(results, inner, depth - 1), *rest]

    def alike(self, name: str) -> str:
        """A name, or an expression of the type and shape of its value."""
        like = self.scope[name]
        text = self.expression(like)
        value = self.value_of(text)
        is_alike = value is not None and (value.dtype, value.shape) == (like.dtype, like.shape)
        return text if is_alike and self.random.random() < 0.5 else name

    def update(self, indent: int) -> list[str]:
        """A name gets another value of its type and shape."""
        name = self.pick(self.names)
        like = self.scope[name]
        for _ in range(8):
            text = self.expression(like)
            value = self.value_of(text)
            if value is None or value.dtype != like.dtype or value.shape != like.shape:
                continue
            if self.random.random() < 0.6:
                self.scope[name] = value
            return ["    " * indent + f"{name} = {text}"]
        return []

    def value_of(self, text: str):
        """The value of an expression, if it is a small tensor of numbers that are not large."""
        try:
            with np.errstate(all="ignore"):
                value = ag.convert_to_tensor(eval(text, self.scope))
        except Exception:
            return None
        array = np.asarray(value)
        if array.size > MOST_ELEMENTS or value.dtype.name == "string":
            return None
        if value.dtype.name in (*FLOATS, *COMPLEX):
            wide = array.astype(np.complex128)
            if not np.isfinite(wide).all() or np.max(abs(wide), initial=0) > MOST_VALUE:
                return None
        return value

    def test(self) -> str:
        whole = [each for each in self.names if self.scope[each].dtype.name in (*INTEGERS, "bool")]
        if not whole or self.random.random() < 0.3:
            return f"n % 2 == {self.random.randint(0, 1)}"
        name = self.pick(whole)
        if self.scope[name].dtype.name == "bool":
            return f"ag.reduce_any({name})"
        sign = self.pick([">", "==", "!="])
        return f"ag.reduce_sum({name}) % 3 {sign} {self.random.randint(0, 2)}"

    def compound(self, indent: int, depth: int) -> list[str]:
        pad = "    " * indent
        if self.random.random() < 0.1:
            subject, at = self.pick([self.test(), *self.names]), "    " * (indent + 1)
            patterns = self.random.sample(PATTERNS, 2)
            if self.scope.get(subject) is not None and self.scope[subject].shape != ():
                patterns = [each for each in patterns if each not in EQUAL]
            lines = [f"{pad}match {subject}:"]
            for pattern in [*patterns, "_"]:
                lines += [f"{at}case {pattern}:", *self.block(1, indent + 2, depth - 1)]
            return lines
        if self.random.random() < 0.5:
            lines = [f"{pad}if {self.test()}:", *self.block(2, indent + 1, depth - 1)]
            if self.random.random() < 0.5:
                lines += [f"{pad}else:", *self.block(2, indent + 1, depth - 1)]
            return lines
        self.count += 1
        index = f"i{self.count}"
        items = self.pick(["ag.range(n)", "ag.range(n)", "range(2)", "ag.range(2, 0, -1)"])
        lines = [f"{pad}for {index} in {items}:", *self.block(2, indent + 1, depth - 1)]
        if self.random.random() < 0.3:
            jump = self.pick(["break", "continue"])
            lines += [f"{pad}    if {self.test()}:", f"{pad}        {jump}"]
        return lines


def is_same(one: np.ndarray, other: np.ndarray, rounding: float) -> bool:
    if one.dtype != other.dtype or one.shape != other.shape:
        return False
    if one.dtype.name not in ROUNDING:
        return bool((one == other).all())
    own = max(rounding, ROUNDING[one.dtype.name])
    one, other = one.astype(np.complex128), other.astype(np.complex128)
    return np.allclose(one, other, own, own * max(1.0, np.max(abs(one), initial=0)), equal_nan=True)


def assert_device_computes_tensors_of_all_types(seed: int) -> None:
    """A random program of tensors has the same results on an emulated device."""
    with emulated_device():
        assert_graph_of_tensors_is_eager(seed, device="GPU:0")


def run_eagerly(program: TensorProgram) -> tuple:
    """The function of a program, its tensors and their results; None for what eager code refuses,
    as a later iteration may do.
    """
    function = load(program.source)
    tensors = [*map(ag.constant, program.arguments), ag.constant(program.n)]
    try:
        return function, tensors, function(*tensors)
    except Exception:
        return function, tensors, None


@np.errstate(all="ignore")
def assert_device_runs_operations(seed: int) -> None:
    """Operations outside of functions have the same results on an emulated device."""
    program = TensorProgram(seed)
    function, tensors, expected = run_eagerly(program)
    if expected is not None:
        with emulated_device(), ag.device("GPU:0"):
            results = function(*tensors)
        assert_same_results(program, tensors, expected, results)


@np.errstate(all="ignore")
def assert_graph_of_tensors_is_eager(
    seed: int, native: bool = False, device: str | None = None
) -> None:
    """A random program of tensors has the same results as a graph, and with open shapes."""
    program = TensorProgram(seed, native)
    way = pinned(native) if device is None else {"device": device}
    function, tensors, expected = run_eagerly(program)
    if expected is None:
        return
    signature = None
    if seed % 3 == 0 and not native and not CLOSED.search(program.source):
        is_of_any_rank = seed % 6 == 0
        signature = [
            ag.TensorSpec(None if is_of_any_rank else [None] * tensor.shape.rank, tensor.dtype)
            for tensor in tensors[:-1]
        ]
        signature.append(ag.TensorSpec([], tensors[-1].dtype))
    compiled = ag.function(function, input_signature=signature, **way)
    try:
        results = compiled(*tensors)
    except Exception as error:
        if native and isinstance(error, InvalidArgumentError) and LACKS_FORM in str(error):
            return
        if isinstance(error, ShapeError) and re.search(OF_UNKNOWN_SHAPE, str(error)):
            return
        if signature and signature[0].shape.rank is None and isinstance(error, REFUSALS):
            return
        raise AssertionError(f"{program.source}\n{tensors}\n{error}") from error
    assert_same_results(program, tensors, expected, results)


def assert_same_results(program: TensorProgram, tensors: list, expected, results) -> None:
    """Results are equal, floats as near as the narrowest type in the program allows."""
    narrow = [ROUNDING[name] for name in re.findall(r"float16|bfloat16|float32|complex64",
              program.source + str(tensors))]  # fmt: skip
    for one, other in zip(expected, results, strict=True):
        one, other = (np.asarray(ag.convert_to_tensor(each)) for each in (one, other))
        told = f"{program.source}\n{tensors}\n{one!r}\n{other!r}"
        assert is_same(one, other, max(narrow, default=0.0)), told
