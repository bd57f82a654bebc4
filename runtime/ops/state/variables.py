"""Variables: tensors whose value changes, in eager mode and inside graphs.

A graph refers to the `Cell` of a variable, never to the variable, so it does not keep the variable
alive. Reading the cell of a deleted variable is an error.
"""

from __future__ import annotations

import contextlib
import weakref
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

import numpy as np

from ...core.dtypes import ANY, DType, as_dtype, conversion
from ...core.errors import (
    DTypeError,
    FailedPreconditionError,
    InvalidArgumentError,
    OutOfScopeError,
)
from ...core.public_names import public
from ...core.shapes import Shape, TensorShape, as_shape, is_compatible, is_subshape, show
from ...core.user_source import package_name, users_operands
from ...ir.op import READS, TABLE, WRITES, Spec
from ...ir.rich_display import RichDisplay
from ...tensors.apply import BUILDER, apply, convert_to_tensor
from ...tensors.name_scopes import NAMES, within
from ...tensors.operation import hidden_op
from ...tensors.tensor import (
    CPU,
    EagerTensor,
    SymbolicTensor,
    Tensor,
    TensorReference,
    out_of_scope,
)
from .variable_updates import SparseUpdates


class Creation:
    """The variables created during one trace: their cells, their symbolic initial values, and what
    was traced then. None are `allowed` in one that `is_late`, after a trace that could create some.
    """

    def __init__(self, allowed: bool, is_late: bool):
        self.allowed = allowed
        self.is_late = is_late
        self.made: list = []
        self.variables: list = []  # keeps them alive as long as this object


CREATION: ContextVar[Creation | None] = ContextVar("allograph_creation", default=None)

# Whether eager code runs for a function that is being traced, as the `build` of a layer does: new
# variables are those of the function then.
FOR_A_FUNCTION: ContextVar[bool] = ContextVar("allograph_for_a_function", default=False)


def _nobody():
    return None


# Restored checkpoints with values for items that lists and dictionaries did not have then. Each
# looks again when a new variable is read: `match_filled()` says whether some still wait.
RESTORATIONS: weakref.WeakSet = weakref.WeakSet()


def _restorations_wait() -> bool:
    """Match what containers received since they were restored; whether some still lack items."""
    waiting = [restoration.match_filled() for restoration in list(RESTORATIONS)]
    return any(waiting)


class Cell:
    """The storage of a variable's array, which graphs refer to."""

    __slots__ = ("array", "dtype", "is_alive", "name", "owner", "shape", "start", "trainable")
    device = CPU

    def __init__(self, array, dtype: DType, shape: Shape, name: str, trainable: bool = True):
        self.array = array
        self.start: np.ndarray | None = None  # the first value, where a checkpoint may have another
        self.dtype = dtype
        self.shape = shape
        self.name = name
        self.is_alive = True
        self.trainable = trainable
        self.owner: Callable = _nobody  # a weak reference to the variable

    def read(self):
        if self.array is not None:
            return self.array
        if self.start is not None:
            return self._start_or_restored()
        if self.is_alive:
            raise FailedPreconditionError(
                f"the variable '{self.name}' has no value yet: the function that creates it is "
                "still being traced",
                "Read it in the function, or after the first call.",
            )
        raise FailedPreconditionError(
            f"the variable '{self.name}' no longer exists: a graph does not keep it alive",
            "Make it outside of the function, not in each call, and keep a reference to it as long "
            "as the function is used.",
        )

    def start_with(self, array: np.ndarray) -> None:
        """Set the first value, unless a checkpoint that is restored already has another one."""
        if RESTORATIONS and _restorations_wait():
            self.start = array
        else:
            self.array = array

    def _start_or_restored(self):
        waits = _restorations_wait()
        if self.array is None:
            if waits:
                return self.start
            self.array = self.start
        self.start = None
        return self.array

    def release(self) -> None:
        self.is_alive = False
        self.array = self.start = None

    def __reduce__(self):
        """In a pickle a graph refers to the variable, which is there once for all graphs."""
        variable = self.owner()
        if variable is not None:
            return handle_of, (variable,)
        if self.owner is not _nobody:
            self.read()
        return Cell, (self.array, self.dtype, self.shape, self.name, self.trainable)

    def __repr__(self):
        return f"<cell of {self.name}>"


@hidden_op
class ReadVariable:
    """The value of a variable at this point of the program."""

    effect = READS
    variable_access = "read"

    def kernel(*, cell):
        return cell.read()

    def result(*, cell):
        return Spec(cell.dtype, cell.shape)


@hidden_op
class AssignVariable:
    """Assign a new value to a variable; the result is that value."""

    effect = WRITES
    accepts = ANY
    variable_access = "write"

    def kernel(value, *, cell):
        cell.read()
        cell.array = value
        return value

    def result(value, *, cell):
        return Spec(cell.dtype, value.shape)


@hidden_op
class DeclareCell:
    """A cell of this graph alone and its first value, which is the result.

    `functionalize_variables` replaces it. A graph that runs has none.
    """

    effect = WRITES
    supplies_items = True
    accepts = ANY
    variable_access = "declare"
    kernel = AssignVariable.kernel
    result = AssignVariable.result


def _creation_inside_a_function() -> Creation | None:
    """The record of new variables while a function is traced, None in eager mode.

    Raises ValueError if no variable may be created.
    """
    is_eager = BUILDER.get() is None
    if is_eager and not FOR_A_FUNCTION.get():
        return None
    creation = CREATION.get()
    if creation is not None and creation.is_late:
        raise ValueError(
            "a function creates its variables on the first call, and this is a non-first call, "
            "whose arguments need a trace of their own. Create the variable outside, or on the "
            "first call already"
        )
    if creation is None or not creation.allowed:
        raise ValueError(
            "a function only supports singleton variables created on the first call, kept and "
            "reused. Create the variable outside, or only if it does not exist yet"
        )
    return None if is_eager else creation


@public("Variable")
class Variable(SparseUpdates, RichDisplay):
    """A tensor that can be assigned to.

    `initial_value` is a value that `ag.constant` takes, or a function without arguments that
    returns one. The dtype never changes. The shape is that of the initial value unless `shape`
    declares a more general one, with None for dimensions that may change. Gradient tapes watch the
    variable if `trainable` is true. Optimizers apply the function `constraint` to the value after
    each step. Inside a decorated function, reads and assignments happen in program order.

    >>> v = ag.Variable([1.0, 2.0])
    >>> _ = v.assign_add([10.0, 10.0])
    >>> v
    <ag.Variable 'Variable:0' shape=(2,) dtype=float32, numpy=array([11., 12.], dtype=float32)>

    Raises ValueError if a value of another shape or dtype is assigned.
    """

    __slots__ = ("__weakref__", "_cell", "constraint")

    def __init__(
        self, initial_value, trainable=True, name=None, dtype=None, shape=None, constraint=None
    ) -> None:
        if callable(initial_value):
            initial_value = initial_value()
        dtype = None if dtype is None else as_dtype(dtype)
        creation = _creation_inside_a_function()
        if creation is None or not isinstance(initial_value, SymbolicTensor):
            with within(BUILDER, None):
                start = convert_to_tensor(initial_value, dtype)
        else:
            start = convert_to_tensor(initial_value, dtype)
        if creation is None and isinstance(start, SymbolicTensor):
            raise out_of_scope(start)
        declared = start.dims if shape is None else as_shape(shape)
        array = np.array(start.array) if isinstance(start, EagerTensor) else None
        full_name = NAMES.get() + (name or "Variable") + ":0"
        self._cell = Cell(None, start.dtype, declared, full_name, bool(trainable))
        self._cell.owner = weakref.ref(self)
        if array is not None:
            self._cell.start_with(array)
        if creation is not None:
            creation.made.append((self._cell, start if array is None else None, BUILDER.get()))
            creation.variables.append(self)
        self.constraint = constraint
        weakref.finalize(self, self._cell.release)

    @property
    def dtype(self) -> DType:  # type: ignore[override]
        return self._cell.dtype

    @property
    def dims(self) -> Shape:  # type: ignore[override]
        return self._cell.shape

    @property
    def shape(self) -> TensorShape:
        return TensorShape(self._cell.shape)

    @property
    def name(self) -> str:
        return self._cell.name

    @property
    def trainable(self) -> bool:
        """Whether gradient tapes watch the variable automatically."""
        return self._cell.trainable

    @property
    def device(self) -> str:
        return self._cell.device

    @property
    def handle(self) -> Cell:
        return self._cell

    def value(self) -> Tensor:
        """The current value as a tensor."""
        return apply(TABLE["read_variable"], (), {"cell": self._cell})

    def read_value(self) -> Tensor:
        """The value at this point of the program."""
        return self.value()

    def __tf_tensor__(self, dtype=None, name=None):
        return self.value()

    def numpy(self) -> Any:
        """A copy of the current value as a NumPy array.

        Raises NotImplementedError while a function is traced, because the value is not known then.
        """
        if BUILDER.get() is not None:
            raise NotImplementedError(
                f"the value of '{self.name}' is known only when the graph runs, so it has no "
                "numpy() while a function is traced: use the variable itself, or read_value()"
            )
        return EagerTensor(self._cell.read()).numpy()

    def __array__(self, dtype=None, copy=None):
        return self.value().__array__(dtype, copy)

    def is_initialized(self) -> bool:
        """Whether it has a value. A variable created while tracing gets one after the trace."""
        return self._cell.array is not None or self._cell.start is not None

    def get_shape(self) -> TensorShape:
        return self.shape

    def assign(self, value, use_locking=False, name=None, read_value=True) -> Any:
        """Replace the value, and return the variable.

        In a graph built by hand it returns the new value, which a session can run. Raises
        InvalidArgumentError (a ValueError) if the shape or the dtype does not fit.
        """
        value = self._as_value(value)
        if not is_compatible(value.dims, self.dims):
            raise InvalidArgumentError(
                f"cannot assign a value of shape {show(value.dims)} to '{self.name}' of "
                f"shape {show(self.dims)}",
                "A variable keeps its shape, unless it is made with shape=ag.TensorShape(None).",
            )
        if not is_subshape(value.dims, self.dims):  # known when the graph runs
            value = apply(TABLE["ensure_shape"], (value,), {"shape": self.dims})
        assigned = apply(TABLE["assign_variable"], (value,), {"cell": self._cell})
        # In a graph built by hand an assignment happens only if a session runs it.
        return assigned if getattr(BUILDER.get(), "by_hand", False) else self

    def _as_value(self, value):
        """A value to assign, as a tensor of the variable's dtype; DTypeError if it is no such."""
        try:
            return convert_to_tensor(value, self.dtype)
        except OutOfScopeError:
            raise
        except (TypeError, ValueError) as error:
            (operand,) = users_operands(1) or ("value",)
            cure = ""
            with contextlib.suppress(TypeError, ValueError):  # what is no tensor has no cast
                source = convert_to_tensor(value).dtype
                cure = f"Cast the value: {conversion(operand, source, self.dtype)}"
            message = f"cannot assign to '{self.name}', which is {self.dtype.name}: {error}"
            raise DTypeError(message, cure) from None

    def assign_add(self, delta, use_locking=False, name=None, read_value=True) -> Any:
        """Add `delta` to the value, and return what `assign` returns."""
        return self.assign(self.value() + self._as_value(delta))

    def assign_sub(self, delta, use_locking=False, name=None, read_value=True) -> Any:
        """Subtract `delta` from the value, and return what `assign` returns."""
        return self.assign(self.value() - self._as_value(delta))

    def ref(self) -> TensorReference:
        return TensorReference(self)

    def __bool__(self):
        return bool(self.value())

    def __int__(self):
        return int(self.value())

    def __float__(self):
        return float(self.value())

    def __index__(self):
        return self.value().__index__()

    def __len__(self) -> int:
        return len(self.value())

    def __deepcopy__(self, memo):
        make, arguments = self.__reduce__()
        return make(*arguments)

    def __reduce__(self):
        """A copy has the value that the variable has now, and is independent of it."""
        name = self.name.rsplit(":", 1)[0]
        array = np.array(self._cell.read())
        return type(self), (array, self.trainable, name, self.dtype, self.shape, self.constraint)

    def __repr__(self):
        description = f"'{self.name}' shape={show(self.dims)} dtype={self.dtype.name}"
        head = f"<{package_name()}.Variable {description}"
        if BUILDER.get() is not None:
            return f"{head}>"
        array = np.asarray(self._cell.read())
        return f"{head}, numpy={repr(array) if array.ndim else array[()]!s}>"


def handle_of(variable: Variable) -> Cell:
    """The cell of a variable, as graphs in pickles refer to it."""
    return variable.handle


def _forbid_augmented_assignment(method: str, operator: str, instead: str) -> None:
    """Make `variable += x` an error: it would rebind the name to a tensor."""

    def augmented_assignment(self, other):
        raise FailedPreconditionError(
            f"'{self.name}' is a variable, and `variable {operator}= value` would replace it by a "
            "tensor",
            f"Change it by {instead}, or write `out = variable {operator} value`.",
        )

    setattr(Variable, method, augmented_assignment)


for _entry in (
    ("__iadd__", "+", "variable.assign_add(value)"),
    ("__isub__", "-", "variable.assign_sub(value)"),
    ("__imul__", "*", "variable.assign(variable * value)"),
    ("__itruediv__", "/", "variable.assign(variable / value)"),
    ("__ipow__", "**", "variable.assign(variable ** value)"),
):
    _forbid_augmented_assignment(*_entry)
