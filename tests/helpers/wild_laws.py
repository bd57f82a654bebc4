"""The laws of wild programs: what is not refused is right, and what is refused says so."""

from execution_modes import pinned
from language_kit import plain
from law_kit import load
from wild_programs import wild_program

import allograph as ag
from allograph.autograph.operators.undefined import UnsetByBranchError
from allograph.runtime.core.errors import (
    DTypeError,
    Error,
    InvalidArgumentError,
    OutOfScopeError,
    ShapeError,
    SymbolicValueError,
    UnimplementedError,
)
from allograph.runtime.ops.control.loop_results import UnsetError
from allograph.tracing.structures.errors import StagingError

INPUTS = [(0, 0, 0, 0.0), (1, -2, 3, 1.5), (-7, 5, 50, -2.5), (13, 13, -1, 8.0)]
REFUSALS = (
    StagingError, UnsetError, UnsetByBranchError, SymbolicValueError, UnimplementedError,
    DTypeError,
)  # fmt: skip
FAULTS = (  # of the programs
    KeyError, IndexError, StopIteration, ZeroDivisionError, AttributeError, ValueError, NameError,
    RuntimeError,
)  # fmt: skip


def outcome(function, *args) -> tuple:
    """What a call does: ("returns", value) or ("raises", error)."""
    try:
        return "returns", plain(function(*args))
    except Exception as error:
        return "raises", error


def counted(function, *args) -> tuple:
    """The outcome of a call, and what it left in the variable TOTAL of the program, if any."""
    total = getattr(function, "python_function", function).__globals__.get("TOTAL")
    if total is None:
        return outcome(function, *args), 0
    total.assign(0)
    return outcome(function, *args), int(total)


def assert_wild_converted_is_python(seed: int, make=wild_program) -> None:
    """Converted, on numbers, a program does what it does plain."""
    source = make(seed)
    function = load(source)
    converted = ag.autograph.to_graph(function)
    for inputs in INPUTS:
        given = inputs[: function.__code__.co_argcount]
        (expected, total), (found, total_found) = (
            counted(function, *given),
            counted(converted, *given),
        )
        assert total_found == total, (inputs, source)
        assert found[0] == expected[0], (inputs, source, found)
        if found[0] == "returns":
            assert found == expected, (inputs, source)
        else:
            assert (type(found[1]), str(found[1])) == (type(expected[1]), str(expected[1])), source


def assert_wild_graph_is_python_or_refused(seed: int, native: bool, make=wild_program) -> None:
    """A graph returns what Python does, raises what Python does, or refuses."""
    source = make(seed)
    function = load(source)
    features = ag.autograph.experimental.Feature.ALL
    decorated = ag.function(function, experimental_autograph_options=features, **pinned(native))
    refused = None  # by the trace, which the numbers of the other calls do not change
    for inputs in INPUTS:
        given = inputs[: function.__code__.co_argcount]
        expected, total = counted(function, *given)
        found, total_found = (
            (refused, 0) if refused else counted(decorated, *map(ag.constant, given))
        )
        if found[0] == "raises" and not decorated.experimental_get_tracing_count():
            refused = found
        if found[0] == "returns":
            assert found == expected, (inputs, source)
        else:
            may_raise(found[1], expected, inputs, source)
        if not refused and (found[0] == "returns" or type(found[1]) is type(expected[1])):
            assert total_found == total, (inputs, source)


def assert_wild_jit_is_python(seed: int, make=wild_program) -> None:
    """Decorated by `jit`, whose kernels run as Python, a program of numbers does what it does
    plain.
    """
    source = make(seed)
    function = load(source)
    compiled = ag.jit(function, kernel_compiler="python")
    for inputs in INPUTS:
        given = inputs[: function.__code__.co_argcount]
        (expected, total), (actual, actual_total) = (
            counted(function, *given),
            counted(compiled, *given),
        )
        assert (actual[0], actual_total) == (expected[0], total), (inputs, source, actual)
        if actual[0] == "returns":
            assert actual == expected, (inputs, source)
        else:
            assert type(actual[1]) is type(expected[1]), (inputs, source, actual)


def may_raise(error: Exception, expected: tuple, inputs, source: str) -> None:
    """Hold a graph to the exception of Python, a refusal, or a fault of the program that tracing
    meets in a branch.
    """
    if expected[0] == "raises" and isinstance(error, type(expected[1])):
        return
    if isinstance(error, InvalidArgumentError) and "jit_compile=True" in str(error):
        return  # it says what has no native form
    if isinstance(error, ShapeError) and "of the items of a list in a staged loop" in str(error):
        return  # rows of several lengths are refused, with what to do
    if isinstance(error, OutOfScopeError) and ", in double\n" in str(error):
        return  # a cached property that the test of a `while` reads is to be computed before
    if isinstance(error, TypeError) and "is no dictionary key" in str(error):
        return  # a tensor as a key is refused, with what to do
    leaks = isinstance(error, OutOfScopeError)
    meets = isinstance(error, FAULTS) and not isinstance(error, Error)
    assert not leaks and (isinstance(error, REFUSALS) or meets), (inputs, source, error)
