"""Data types: one `DType` for each kind of element a tensor may hold."""

from __future__ import annotations

from typing import Any

import numpy as np

from .numpy_dtypes import is_unsigned, limits_of
from .public_names import expose
from .tracebacks import did_you_mean
from .user_source import package_name


class DType:
    """The type of a tensor's elements; compares equal to its NumPy type and to its name.

    >>> ag.float32, ag.float32 == "float32", ag.int64.size
    (ag.float32, True, 8)
    """

    __slots__ = ("_hash", "as_numpy_dtype", "name", "numpy_dtype")

    def __init__(self, name: str, numpy_type: type | np.dtype):
        self.name = name
        self.as_numpy_dtype = numpy_type
        self.numpy_dtype = np.dtype(numpy_type)
        self._hash = hash(self.numpy_dtype)  # as it equals it

    @property
    def base_dtype(self) -> DType:
        return self

    @property
    def __numpy_dtype__(self) -> np.dtype:
        """NumPy's data type, for `np.zeros(3, ag.float32)`: NumPy asks since version 2.4."""
        return self.numpy_dtype

    @property
    def size(self) -> int:
        """Bytes of one element (1 for strings, whose elements live elsewhere)."""
        return 1 if self.name == "string" else self.numpy_dtype.itemsize

    @property
    def is_floating(self) -> bool:
        return self in FLOATS

    @property
    def is_integer(self) -> bool:
        return self in INTEGERS

    @property
    def is_unsigned(self) -> bool:
        return is_unsigned(self.numpy_dtype)

    @property
    def is_complex(self) -> bool:
        return self in COMPLEX

    @property
    def is_bool(self) -> bool:
        return self.name == "bool"

    @property
    def is_numeric(self) -> bool:
        return self in NUMBERS

    @property
    def real_dtype(self) -> DType:
        """The type of the real part: itself, unless complex."""
        return {"complex64": float32, "complex128": float64}.get(self.name, self)

    @property
    def limits(self) -> tuple:
        """The least and the greatest value."""
        return self.min, self.max

    @property
    def min(self) -> Any:
        return limits_of(self.numpy_dtype).min

    @property
    def max(self) -> Any:
        return limits_of(self.numpy_dtype).max

    def __eq__(self, other):
        if self is other:
            return True
        if other is None or type(other) is DType:
            return False
        try:
            return as_dtype(other) is self
        except TypeError:
            return False

    def __hash__(self):
        return self._hash

    def __repr__(self):
        return f"{package_name()}.{self.name}"

    def __str__(self):
        return f"<dtype: '{self.name}'>"

    def __reduce__(self):
        return as_dtype, (self.name,)


bool_ = DType("bool", np.bool_)
int8 = DType("int8", np.int8)
int16 = DType("int16", np.int16)
int32 = DType("int32", np.int32)
int64 = DType("int64", np.int64)
uint8 = DType("uint8", np.uint8)
uint16 = DType("uint16", np.uint16)
uint32 = DType("uint32", np.uint32)
uint64 = DType("uint64", np.uint64)
float16 = DType("float16", np.float16)
float32 = DType("float32", np.float32)
float64 = DType("float64", np.float64)
complex64 = DType("complex64", np.complex64)
complex128 = DType("complex128", np.complex128)
string = DType("string", np.object_)  # elements are bytes
variant = DType("variant", np.object_)  # one Python object, such as a dataset, inside a graph
# What a loop saved: a list in the only field, so that the array tells its type.
stack = DType("stack", np.dtype([("saved", np.object_)]))


class TypeSet(set):
    """Data types; a float that is registered later becomes a member of each set, and of each union
    made of them, that has all floats.
    """

    made: list[TypeSet] = []

    def __init__(self, dtypes):
        super().__init__(dtypes)
        TypeSet.made.append(self)

    def __or__(self, other) -> TypeSet:
        return TypeSet({*self, *other})


SIGNED = TypeSet([int8, int16, int32, int64])
UNSIGNED = TypeSet([uint8, uint16, uint32, uint64])
INTEGERS = SIGNED | UNSIGNED
FLOATS = TypeSet([float16, float32, float64])
COMPLEX = TypeSet([complex64, complex128])
PRECISE = TypeSet([float32, float64, complex64, complex128])  # those of LAPACK
FLOATS_OF_NUMPY = frozenset(FLOATS)
REALS = INTEGERS | FLOATS
NUMBERS = REALS | COMPLEX
BOOLS = TypeSet([bool_])
STRINGS = TypeSet([string])
ANY = NUMBERS | BOOLS | STRINGS
ANYTHING = ANY | {variant, stack}  # what control flow carries

DTYPES = {dtype.name: dtype for dtype in sorted(ANY, key=lambda dtype: dtype.name)}
FROM_NUMPY = {dtype.numpy_dtype: dtype for dtype in DTYPES.values()}
FROM_NUMPY[stack.numpy_dtype] = stack
DTYPES["variant"] = variant
_FROM_PYTHON = {
    bool: bool_,
    int: int32,
    float: float32,
    complex: complex128,
    str: string,
    bytes: string,
}
_ALIASES = {"half": float16, "float": float32, "double": float64, "str": string, "bytes": string}

for _dtype in DTYPES.values():
    expose(_dtype, _dtype.name, "dtypes." + _dtype.name)
DTYPES["stack"] = stack  # of graphs, not of users
for _name in ("half", "double"):
    expose(_ALIASES[_name], _name, "dtypes." + _name)
expose(DType, "DType", "dtypes.DType")


def bfloat16() -> DType:
    """The brain float, from the optional package `ml_dtypes`; registered when first asked for."""
    try:
        import ml_dtypes
    except ImportError as error:
        raise ImportError(
            "bfloat16 needs the package ml_dtypes: pip install 'allograph[bfloat16]'"
        ) from error
    if "bfloat16" not in DTYPES:
        dtype = DType("bfloat16", ml_dtypes.bfloat16)
        DTYPES["bfloat16"] = FROM_NUMPY[dtype.numpy_dtype] = dtype
        for dtypes in TypeSet.made:
            if dtypes >= FLOATS_OF_NUMPY:
                dtypes.add(dtype)
    return DTYPES["bfloat16"]


def as_dtype(value) -> DType:
    """The `DType` meant by a DType, a NumPy type, a Python type or a name.

    >>> ag.as_dtype("float64"), ag.as_dtype(np.int8), ag.as_dtype(bool)
    (ag.float64, ag.int8, ag.bool)

    Raises TypeError for anything else.
    """
    if type(value) is DType:
        return value
    if isinstance(value, str):
        named = DTYPES.get(value) or _ALIASES.get(value)
        if named is None and value == "bfloat16":
            return bfloat16()
        if named is not None:
            return named
    elif isinstance(value, type) and value in _FROM_PYTHON:
        return _FROM_PYTHON[value]
    try:
        dtype = np.dtype(value)
    except TypeError:
        dtype = None
    if dtype is not None and dtype in FROM_NUMPY:
        return FROM_NUMPY[dtype]
    if dtype is not None and dtype.kind in "SU":
        return string
    if dtype is not None and dtype.name == "bfloat16":
        return bfloat16()
    hint = did_you_mean(value, DTYPES) if isinstance(value, str) else ""
    known = ", ".join(name for name in DTYPES if name != "bfloat16")  # which an extra may add
    raise TypeError(f"{value!r} is not a data type; known are {known}.{hint}")


def conversion(operand: str, source: DType, target: DType) -> str:
    """The expression that gives an operand in another data type.

    >>> conversion("x", int32, string)
    'ag.as_string(x)'
    """
    if target is string:
        return f"ag.as_string({operand})"
    return f"ag.{'strings.to_number' if source is string else 'cast'}({operand}, ag.{target.name})"


def dtype_named(name) -> DType:
    """The `DType` of a name in a file, such as "float32"; NumPy, which parses others, is not asked.

    Raises ValueError for anything else.
    """
    if name == "bfloat16":
        return bfloat16()
    if type(name) is not str or name not in DTYPES:
        raise ValueError(f"{str(name)[:40]!r} is not the name of a data type")
    return DTYPES[name]


expose(as_dtype, "as_dtype", "dtypes.as_dtype")
