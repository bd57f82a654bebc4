"""What a call gives and changes: result, exception, arguments, output, random generators."""

from __future__ import annotations

import contextlib
import dataclasses
import io
import random
import re
import types
import warnings

import numpy as np

MOST_ITEMS = 1000  # of a generator that a function returns
MOST_OUTER_BYTES = 1 << 24
ADDRESS = re.compile(r"0x[0-9a-f]+")


@dataclasses.dataclass
class Outcome:
    """result     what the call returned
    error      the class and the message of what it raised, or None
    arguments  positional and keyword arguments after the call
    outer      arrays of globals and closures after the call, by name
    output     what it printed
    states     of the global random generators after the call
    raised     the exception itself
    """

    result: object
    error: tuple[type, str] | None
    arguments: tuple
    outer: dict[str, np.ndarray]
    output: str
    states: tuple
    raised: BaseException | None = None
    is_generator: bool = False


def states() -> tuple:
    return random.getstate(), np.random.get_state()


def set_states(saved: tuple) -> None:
    random.setstate(saved[0])
    np.random.set_state(saved[1])


def outer_arrays(function) -> dict[str, np.ndarray]:
    """Arrays that a function reads from globals and closures, by name."""
    code = getattr(function, "__code__", None)
    if code is None:
        return {}
    names: dict[str, object] = {}
    codes = [code]
    for one in codes:  # it grows
        names.update({name: function.__globals__.get(name) for name in one.co_names})
        codes += [inner for inner in one.co_consts if isinstance(inner, types.CodeType)]
    for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
        with contextlib.suppress(ValueError):
            names[name] = cell.cell_contents
    arrays = {
        name: value
        for name, value in names.items()
        if type(value) is np.ndarray and value.flags.writeable and not value.dtype.hasobject
    }
    return arrays if sum(one.nbytes for one in arrays.values()) <= MOST_OUTER_BYTES else {}


def contents(arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    return {name: array.copy() for name, array in arrays.items()}


def restore(arrays: dict[str, np.ndarray], saved: dict[str, np.ndarray]) -> None:
    for name, array in arrays.items():
        array[...] = saved[name]


def outcome_of(call, arguments: tuple, outer: dict[str, np.ndarray]) -> Outcome:
    """Call with `(args, kwargs)`, and look at everything that it may have changed."""
    args, kwargs = arguments
    output = io.StringIO()
    result, error, exception, is_generator = None, None, None, False
    with contextlib.redirect_stdout(output), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            result = call(*args, **kwargs)
            is_generator = isinstance(result, types.GeneratorType)
            if is_generator:
                result = [item for item, _ in zip(result, range(MOST_ITEMS), strict=False)]
        except (Exception, SystemExit) as raised:
            exception = raised
            is_end = isinstance(raised, (RecursionError, MemoryError))  # its text says where
            error = type(raised), "" if is_end else ADDRESS.sub("0x", str(raised))
    text = ADDRESS.sub("0x", output.getvalue())
    return Outcome(
        result, error, arguments, contents(outer), text, states(), exception, is_generator
    )
