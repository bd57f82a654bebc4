"""A function that Numba compiles: the types of its results, its call, and its name in kernels.

Numba is loaded already where there is such a function, so functions here import it when they run.
"""

from __future__ import annotations

import inspect
import itertools
import os
import re
import types as python_types
import weakref
from collections.abc import Callable

import numpy as np

from ....runtime.core.classes import NamedTuple
from ....runtime.core.errors import DTypeError, InvalidArgumentError, ShapeError
from ....runtime.core.file_content import digest
from ....runtime.core.shapes import Shape, broadcast, is_compatible, show
from .result_structures import flat, structure_of

GU = "GUFunc"  # the class of functions of `@guvectorize`
STENCIL = "StencilFunc"
CLASSES = ("CPUDispatcher", "DUFunc", GU, "CFunc", STENCIL)
_BY_NAME: dict[str, weakref.WeakSet[NumbaFunction]] = {}


class ArgumentType(NamedTuple):
    """The type of an argument or a result."""

    dtype: np.dtype
    rank: int

    def __str__(self) -> str:
        return f"{self.dtype}[{', '.join(':' * self.rank)}]" if self.rank else str(self.dtype)


class Signature(NamedTuple):
    """The types of the results, their structure, whether the function takes arrays that it cannot
    write to, and whether a result may be one of them.
    """

    results: tuple[ArgumentType, ...]
    structure: object
    takes_read_only: bool
    shares_memory: bool


class NumbaFunction:
    """A function of `@njit` or `@vectorize`.

    shape     the rule for the shapes of its results, or None
    gradient  the rule for its cotangents, or None
    stateful  whether calls have effects besides their results
    """

    def __init__(self, function, shape=None, gradient=None, stateful: bool | None = None):
        self.function = function
        self.shape = shape
        self.gradient = gradient
        self.own_name = getattr(function, "__name__", type(function).__name__)
        self.stateful = _draws(python_function(function)) if stateful is None else stateful
        self.signatures: dict[tuple[ArgumentType, ...], Signature] = {}
        content = digest(repr(_content(function)).encode()).hex()[:20]
        plain = "".join(letter for letter in self.own_name if letter.isascii() and letter.isalnum())
        self.name = f"numba_{plain}_{content}"
        _BY_NAME.setdefault(self.name, weakref.WeakSet()).add(self)

    @property
    def is_elementwise(self) -> bool:
        return type(self.function).__name__ == "DUFunc"

    @property
    def is_ufunc(self) -> bool:
        """Whether NumPy converts the operands, and numbers that it returns are NumPy's."""
        return self.is_elementwise

    @property
    def python_function(self):
        """The function in Python that Numba compiled."""
        return python_function(self.function)

    @property
    def compiler_options(self) -> dict:
        """What the user has told Numba about how to compile it."""
        return _options(self.function)

    @property
    def module(self) -> str:
        """The name of the module of the function."""
        return getattr(self.python_function, "__module__", "")

    # ---- types and shapes ----------------------------------------------------------------

    def signature(self, given: tuple[ArgumentType, ...]) -> Signature:
        """What Numba infers for arguments of these types. Raises DTypeError where it cannot."""
        if given not in self.signatures:
            self.signatures[given] = self._inferred(given)
        return self.signatures[given]

    def _inferred(self, given: tuple[ArgumentType, ...]) -> Signature:
        from numba.core.errors import NumbaError, UnsupportedBytecodeError

        if getattr(self.function, "targetoptions", {}).get("forceobj"):
            raise DTypeError(
                f"{self.own_name} is compiled in object mode, which runs Python",
                "Leave out forceobj=True, or call it in ag.py_function.",
            )

        found, reason = None, "no signature of it takes them"
        # What was compiled for arrays that may be written to gets copies. Others must not write.
        is_compiled = not getattr(self.function, "_can_compile", True)
        for read_only in (True, False) if is_compiled else (True,):
            try:
                found = resolved(self.function, given, read_only)
            except (NumbaError, UnsupportedBytecodeError) as error:
                reason = _in_short(error)
            if found is not None:
                return self._read(found.return_type, given, read_only)
        cure = f"Call {self.own_name} with NumPy arrays to read all that Numba says."
        if "readonly" in str(reason):
            cure = "Do not write to arguments, which are values: begin with x = x.copy()."
        raise DTypeError(f"Numba does not compile {self.shown(given)}: {reason}", cure)

    def _read(self, returned, given, read_only: bool) -> Signature:
        from numba.core import types
        from numba.np import numpy_support

        results, shares_memory = [], not read_only
        leaves: list = []
        structure = structure_of(returned, leaves)
        for leaf in leaves or [returned]:
            shares_memory |= isinstance(leaf, types.Array) and not leaf.mutable
            leaf = types.unliteral(leaf)
            if isinstance(leaf, (types.Number, types.Boolean)):
                results.append(ArgumentType(numpy_support.as_dtype(leaf), 0))
            elif isinstance(leaf, types.Array):
                results.append(ArgumentType(numpy_support.as_dtype(leaf.dtype), leaf.ndim))
            else:
                raise DTypeError(
                    f"{self.shown(given)} returns {leaf}, which is no tensor",
                    "Return numbers, arrays, or tuples of them.",
                )
        return Signature(tuple(results), structure, read_only, shares_memory)

    def shapes(self, signature: Signature, given: list[Shape]) -> list[Shape]:
        """The shapes of the results, as far as they are known."""
        unknown: list[Shape] = [(None,) * one.rank for one in signature.results]
        if self.shape is not None:
            stated = self.shape(*given) if callable(self.shape) else self.shape
            unknown = list(stated) if _is_several(stated) else [stated]
            unknown = [tuple(one) for one in unknown]
        elif self.is_elementwise:
            unknown = [broadcast(*given)]
        ranks = [one.rank for one in signature.results]
        if [len(one or ()) for one in unknown] != ranks:
            raise ShapeError(
                f"{self.own_name}: shape= says {unknown}, but the results have the ranks {ranks}",
                "Let shape= give a shape for each result, such as lambda x: x.",
            )
        return unknown

    def shown(self, given: tuple[ArgumentType, ...]) -> str:
        return f"{self.own_name}({', '.join(map(str, given))})"

    # ---- calls ---------------------------------------------------------------------------

    def positional(self, args: tuple, kwargs: dict) -> tuple:
        """Arguments by position. Raises TypeError as a call of the function does."""
        if not kwargs:
            return args
        bound = inspect.signature(self.python_function).bind(*args, **kwargs)
        bound.apply_defaults()
        return bound.args

    def __call__(self, *arrays) -> tuple[np.ndarray, ...]:
        """The results for arrays, in memory of their own. Errors are those of the function."""
        given = tuple(ArgumentType(np.asarray(one).dtype, np.ndim(one)) for one in arrays)
        signature = self.signature(given)
        passed = [_passed(one, signature.takes_read_only) for one in arrays]
        returned = flat(signature.structure, self.function(*passed))
        results = []
        for one, type_ in zip(returned, signature.results, strict=True):
            is_shared = any(np.may_share_memory(one, other) for other in passed)
            results.append(np.array(one, type_.dtype, copy=True if is_shared else None))
        self._check_shapes(signature, [np.shape(one) for one in arrays], results)
        return tuple(results)

    def _check_shapes(self, signature: Signature, given: list, results: list) -> None:
        stated = self.shapes(signature, given)
        for result, shape in zip(results, stated, strict=True):
            if not is_compatible(result.shape, shape):
                raise InvalidArgumentError(
                    f"{self.own_name} returned the shape {result.shape}; shape= says {show(shape)}",
                    "Correct the rule that is given as shape=.",
                )


def of_name(name: str) -> NumbaFunction:
    """One of the functions that compute what this name stands for."""
    return next(iter(_BY_NAME[name]))


def is_numba_function(function) -> bool:
    """Whether a function is one that Numba's `@njit` or another of its decorators made."""
    cls = type(function)
    return cls.__module__.startswith("numba.") and cls.__name__ in CLASSES


def is_named_tuple(cls: type) -> bool:
    """Whether a class is one of named tuples."""
    return issubclass(cls, tuple) and hasattr(cls, "_fields")


def is_jitclass(value) -> bool:
    """Whether a value is a class of Numba's `@jitclass`."""
    return type(value).__name__ == "JitClassType"


def is_jitclass_object(value) -> bool:
    """Whether a value is an object of such a class."""
    return type(value).__module__ == "numba.experimental.jitclass.boxing"


def resolved(function, given: tuple[ArgumentType, ...], read_only: bool):
    """The signature of Numba for arguments of these types, which it compiles for; None if it takes
    no such.
    """
    from numba.core.registry import cpu_target

    typing = cpu_target.typing_context
    typing.refresh()
    cpu_target.target_context.refresh()
    type_ = typing.resolve_value_type(function)
    return typing.resolve_function_type(type_, numba_types(given, read_only), {})


def numba_types(given: tuple[ArgumentType, ...], read_only: bool) -> tuple:
    from numba.core import types
    from numba.np.numpy_support import from_dtype

    return tuple(
        types.Array(from_dtype(dtype), rank, "C", readonly=read_only) if rank else from_dtype(dtype)
        for dtype, rank in given
    )


def _passed(array, read_only: bool):
    if not np.ndim(array):
        return np.asarray(array)[()]
    if not read_only:
        return np.array(array, order="C")
    view = np.ascontiguousarray(array).view()
    view.flags.writeable = False
    return view


_REJECTED = "Rejected as the implementation raised a specific error"


def _is_several(stated) -> bool:
    return isinstance(stated, list) or any(isinstance(one, (tuple, list)) for one in stated)


def _in_short(error: Exception) -> str:
    """What an error of Numba says, without how it was found."""
    plain = re.sub(r"\x1b\[\d*m", "", str(error))
    lines = [line.strip() for line in plain.splitlines()]
    lines = [line for line in lines if line and not line.startswith("Failed in nopython mode")]
    causes = [after for line, after in itertools.pairwise(lines) if _REJECTED in line]
    return (causes or lines or [type(error).__name__])[-1 if causes else 0]


# ---- what a function computes ----------------------------------------------------------------


def python_function(function) -> Callable | None:
    """The function in Python that Numba compiled, if there is one."""
    if type(function).__name__ == STENCIL:
        return function.kernel_ir.func_id.func
    for name in ("py_func", "__wrapped__"):
        result = getattr(function, name, None)
        if isinstance(result, python_types.FunctionType):
            return result
    for name in ("_dispatcher", "gufunc_builder"):
        inner = getattr(function, name, None)
        if hasattr(inner, "py_func"):
            return inner.py_func
    return None


def _draws(function: Callable | None, seen: tuple = ()) -> bool:
    """Whether a function may draw random numbers, or print: then each call counts."""
    if function is None or function in seen:
        return False
    seen = (*seen, function)
    names = {name for code in _codes(function.__code__) for name in code.co_names}
    called = (python_function(function.__globals__.get(name)) for name in names)
    own = names & {"random", "print", "objmode"}
    return bool(own) or any(_draws(one, seen) for one in called)


def _codes(code) -> list:
    inner = [one for one in code.co_consts if isinstance(one, python_types.CodeType)]
    return [code, *(each for one in inner for each in _codes(one))]


def _content(value, seen: tuple = ()) -> object:
    """What tells functions apart that compute something else: code, constants, options."""
    python = python_function(value) or value
    if id(python) in seen:
        return "itself"
    if isinstance(python, python_types.FunctionType):
        seen = (*seen, id(python))
        scope = {**python.__globals__, **_closure(python)}
        codes = _codes(python.__code__)
        names = sorted({name for code in codes for name in (*code.co_names, *code.co_freevars)})
        inner = [(name, _of_name(scope[name], names, seen)) for name in names if name in scope]
        code = [(one.co_code, one.co_names, one.co_varnames, _constants(one)) for one in codes]
        defaults = python.__defaults__, python.__kwdefaults__
        return code, inner, defaults, repr(_options(value)), _version()
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, digest(value.tobytes()).hex()
    if isinstance(value, PLAIN):
        return repr(value)
    if isinstance(value, tuple):
        return [_content(one, seen) for one in value]
    if isinstance(value, (type, python_types.BuiltinFunctionType, np.ufunc)):
        name = getattr(value, "__qualname__", repr(value))
        return getattr(value, "__module__", ""), name, getattr(value, "_fields", ())
    return os.urandom(16).hex()  # anything may be behind it: never the same as in another process


PLAIN = (bool, int, float, complex, str, bytes, type(None), np.generic, np.dtype)


def _of_name(value, names: list[str], seen: tuple) -> object:
    """The content of what a name stands for. Of a module it is that of the constants and functions
    of Numba with one of these names, which are read as its attributes.
    """
    if id(value) in seen:
        return "itself"
    if not isinstance(value, python_types.ModuleType):
        return _content(value, seen)
    found = [(name, getattr(value, name)) for name in names if name in vars(value)]
    kept = (*PLAIN, tuple, np.ndarray, python_types.ModuleType)
    inner = [
        (name, _of_name(one, names, (*seen, id(value))))
        for name, one in found
        if isinstance(one, kept) or is_numba_function(one)
    ]
    return value.__name__, inner


def _options(function) -> dict:
    if type(function).__name__ == STENCIL:
        return {"mode": function.mode, **function.options}
    owner = getattr(function, "gufunc_builder", function)
    return getattr(owner, "targetoptions", None) or {}


def _constants(code) -> tuple:
    return tuple(
        repr(constant)
        for constant in code.co_consts
        if not isinstance(constant, python_types.CodeType)
    )


def _closure(function) -> dict[str, object]:
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    return {name: cell.cell_contents for name, cell in cells}


def _version() -> str:
    import numba

    return numba.__version__
