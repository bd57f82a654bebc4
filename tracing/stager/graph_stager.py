"""autograph's stager: Python control flow on symbolic tensors goes into the graph being built."""

from __future__ import annotations

import sys
from collections.abc import Callable

from ...autograph.operators.undefined import UnsetByBranchError
from ...runtime.core.dtypes import bool_
from ...runtime.core.errors import SymbolicValueError
from ...runtime.ir.op import TABLE, WRITES
from ...runtime.ops.array.joining import stack
from ...runtime.ops.array.slicing import set_item
from ...runtime.ops.state.python_calls import check
from ...runtime.tensors.apply import BUILDER, tensor_of
from ...runtime.tensors.python_numbers import is_truth
from ...runtime.tensors.tensor import SymbolicTensor, Tensor
from ..control_flow import conditionally_assigned, retrace_none_state, staged_raise, unroll_warning
from ..control_flow.staged_cond import cond
from ..control_flow.staged_while import loop
from ..staged_values.escaped_list import EscapedList
from ..staged_values.iterables import StagedIterable, StagedSequence, Streamed, python_number
from ..staged_values.staged_list import StagedList
from ..structures import nest
from ..structures.errors import StagedHandlerError, StagingError
from ..structures.leaves import as_test

MODULES_WITH_FORMS = ("builtins", "math", "numpy")  # of the functions in `numpy_functions`
MODULES_THAT_CALL = ("_functools", "itertools", nest.__name__)  # those in `higher_order_functions`
REFUSALS = (SymbolicValueError, StagingError, UnsetByBranchError)


class GraphStager:
    """Implements autograph's protocol with the graph operations `If` and `While`."""

    def is_staged(self, value) -> bool:
        """Symbolic tensors, and, while a graph is built, every tensor and what iterates over
        one.
        """
        if isinstance(value, (SymbolicTensor, StagedIterable, StagedList)):
            return True
        if BUILDER.get() is None:
            return False
        return isinstance(value, (Streamed, StagedSequence)) or tensor_of(value) is not None

    def is_tensor(self, value) -> bool:
        return isinstance(value, Tensor)

    def cond(self, test, then: Callable, orelse: Callable, names, live: int) -> tuple:
        if isinstance(test, Streamed):
            return then()  # a dataset is true, as most objects are
        return cond(test, then, orelse, names, live)

    def while_loop(self, test: Callable, body: Callable, state, names, options) -> tuple:
        return loop(test, body, state, names, options)

    def for_each(
        self, items, body: Callable, extra_test: Callable | None, state, names, options
    ) -> tuple:
        return _loops().for_each(items, body, extra_test, state, names, options)

    def collect(self, items, build: Callable):
        return _loops().collect(items, build)

    def collect_each(self, items, build: Callable, taken: list, first):
        return _loops().collect_each(items, build, taken, first)

    def add_when(self, items, test, value: Callable) -> bool:
        """Whether a comprehension is being traced over `items`, which then got the value."""
        if not isinstance(items, _loops().OneItem):
            return False
        items.add_when(test, value)
        return True

    def escaped_list(self, name: str):
        return EscapedList(name)

    def as_tensor(self, value):
        return tensor_of(value)

    def check_at_end(self, check: Callable, of_function: bool = False) -> None:
        builder = BUILDER.get()
        while of_function and builder is not None and builder.outer is not None:
            builder = builder.outer
        if builder is not None:
            builder.last_checks.append(check)

    def is_current(self, value) -> bool:
        return not isinstance(value, SymbolicTensor) or not value.builder.closed

    def checked_when_read(self, variable):
        return conditionally_assigned.checked_when_read(variable)

    def refusal_of_construct(self, message: str, cure: str) -> Exception:
        return SymbolicValueError(message, cure)

    def is_local(self, value) -> bool:
        return isinstance(value, SymbolicTensor) and value.builder is BUILDER.get()

    def require(self, variable) -> None:
        conditionally_assigned.require(variable)

    def stack(self, items, element_dtype=None) -> Tensor:
        return stack(items) if element_dtype is None else TABLE["cast"](items, dtype=element_dtype)

    def logical_not(self, a):
        if isinstance(a, Streamed):
            return False
        return python_number(TABLE["logical_not"](as_test(a)))

    def truth(self, value):
        return True if isinstance(value, Streamed) else as_test(value)

    def contains(self, container, item):
        return _loops().contains(container, item)

    def compare_sequences(self, sign: str, left, right):
        from .ordering import compare  # few programs compare tuples of tensors

        return compare(sign, left, right)

    def is_none(self, value):
        return retrace_none_state.is_none(value)

    def is_same(self, left, right):
        for value, truth in ((left, right), (right, left)):
            if (truth is True or truth is False) and is_truth(tensor_of(value)):
                return value if truth else self.logical_not(value)
        return left is right

    def is_truth(self, value, truth: bool):
        tensor = tensor_of(value)
        if not self.is_staged(value):
            return value is truth
        if tensor is None or tensor.dtype is not bool_ or tensor.dims not in ((), None):
            return False
        return tensor if truth else self.logical_not(tensor)

    def subject(self, value):
        return value

    def assert_(self, test, message: Callable) -> None:
        check(as_test(test), staged_raise.parts_of(message))

    def set_item(self, target, key, value):
        """`target` with the item replaced; of a list, where the key is staged, the new items."""
        if isinstance(target, list):
            return _indexing().with_item(target, key, value)
        return set_item(target, key, value)

    def get_item(self, target, key):
        return _indexing().item_of(target, key)

    def rows(self, value, pattern: tuple):
        return _indexing().rows(value, pattern)

    def builtin(self, function):
        """What a builtin means when an argument is staged, or None."""
        from . import staged_builtins

        return staged_builtins.TABLE.get(function)

    def function(self, function):
        _note_draw(function)
        module = getattr(function, "__module__", None)
        if module in MODULES_THAT_CALL:
            from . import higher_order_functions

            return higher_order_functions.TABLE.get(function)
        if module not in MODULES_WITH_FORMS:
            return None
        from . import numpy_functions

        return numpy_functions.TABLE.get(function)

    def foreign(self, function):
        _note_draw(function)
        if "numba" not in sys.modules:
            return None
        from ...runtime.ops.state.numba_calls import replacement

        return replacement(function)

    def tensor_for(self, array, *operands):
        return _indexing().tensor_for(array, operands)

    def lists_of(self, items) -> tuple:
        if isinstance(items, StagedList):
            return (items,)
        return items.lists if isinstance(items, StagedIterable) else ()

    def memory_of(self, tensor) -> list:
        from ..staged_values.array_memory import memory_of

        return memory_of(tensor)

    def is_computed_from(self, tensor, arrays, others) -> bool:
        from ..staged_values.array_memory import is_computed_from

        return is_computed_from(tensor, arrays, others)

    def loop_items(self, items, body):
        return items

    def note_unrolled(self, items, body, checkpoint):
        unroll_warning.note_unrolled(items, self.checkpoint() - checkpoint)

    def enter_loop(self, body, get_state, set_state, names, options):
        pass

    def note_iteration(self, body, count, checkpoint):
        pass

    def depth(self) -> int:
        return staged_raise.DEPTH.get()

    def may_raise_before(self) -> bool:
        builder = BUILDER.get()
        return builder is not None and any(map(staged_raise.may_raise, builder.nodes))

    def may_raise_since(self, checkpoint) -> bool:
        return any(map(staged_raise.may_raise, BUILDER.get().nodes[checkpoint:]))

    def effects_since(self, checkpoint, checks: bool = True) -> list:
        nodes = [node for node in BUILDER.get().nodes[checkpoint:] if node.effect == WRITES]
        return [node.where for node in nodes if checks or staged_raise.acts(node)]

    def deferred(self, make: Callable) -> tuple:
        return staged_raise.deferred(make)

    def display(self, value, directive: str) -> str:
        return staged_raise.display_of(value, directive)

    def shown(self, value):
        return _strings().shown(value)

    def string(self, made: str) -> str:
        return _strings().string_of(made)

    def formatted(self, function, *args, **kwargs) -> str:
        return _strings().formatted(function, *args, **kwargs)

    def fail(self, error: BaseException, quotes) -> None:
        staged_raise.fail(error, quotes)

    def refusal(self, message: str, cure: str, where=None) -> Exception:
        return StagedHandlerError(message, cure, where)

    def is_refusal(self, error: BaseException) -> bool:
        return isinstance(error, REFUSALS) and BUILDER.get() is not None

    def refusal_of(self, error: Exception) -> Exception:
        return staged_raise.refusal_of(error)

    def checkpoint(self):
        """How much has been recorded; `rollback` forgets what came after."""
        builder = BUILDER.get()
        return None if builder is None else builder.checkpoint()

    def rollback(self, checkpoint) -> None:
        builder = BUILDER.get()
        if builder is not None:
            builder.rollback(checkpoint)


def _note_draw(function) -> None:
    """Warn where a function is one of a generator of random numbers, which draws while tracing."""
    module = type(getattr(function, "__self__", None)).__module__
    if module == "random" or module.startswith("numpy.random."):
        from .traced_draws import note_draw

        note_draw(function)


def _loops():
    """The module of `for` loops and comprehensions, which other programs do not load."""
    from . import loops_and_comprehensions

    return loops_and_comprehensions


def _strings():
    """The module of strings that show tensors."""
    from ..staged_values import traced_strings

    return traced_strings


def _indexing():
    """The module of items, slices and unpacking."""
    from ..staged_values import indexing_and_unpacking

    return indexing_and_unpacking


STAGER = GraphStager()
