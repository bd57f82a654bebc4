"""`if`, `while` and `for`: Python's own on plain values, the stager's on staged ones.

The body of a staged statement runs as a pure function of the state (`statement_state.py`).
"""

from __future__ import annotations

import itertools
import types
from functools import partial

from ..current_trace import TRACE
from ..forms import escaped_list, for_each, form_of
from .checked_values import is_staged_truth
from .comprehensions import advanced, walked
from .containers import Snapshot
from .forwarding_lists import LIST_CLASSES, left_by_staged_exit
from .noted_changes import check_copies
from .scopes import is_on
from .shared_containers import row_of
from .statement_state import State, check_when_read

CALLS = {"callee", "call_merging", "converted_call"}  # the operators through which code calls


def if_stmt(cond, body, orelse, get_state, set_state, symbol_names, nouts) -> None:
    """`if cond: body() else: orelse()`; the first `nouts` symbols are read afterwards."""
    if cond is True:
        body()
        return
    if cond is False or not is_staged_truth(cond):
        if cond:
            body()
        else:
            orelse()
        return
    state = State(get_state, set_state, symbol_names)
    state.replace(
        lambda: TRACE.get().stager.cond(
            cond,
            lambda: state.block(body),
            lambda: state.block(orelse),
            state.names,
            state.added + nouts,
        )
    )


def branch(cond, body, orelse, get_state, set_state, symbol_names, nouts):
    """The block of an `if`, which compiled code then calls directly."""
    if cond is True or cond is False or not is_staged_truth(cond):
        return body if cond else orelse
    return partial(if_stmt, cond, body, orelse, get_state, set_state, symbol_names, nouts)


def if_chain(arms, orelse, get_state, set_state, symbol_names, nouts) -> None:
    """`if test(): body() elif ...: else: orelse()` for the (test, body) in `arms`."""
    for index, (test, body) in enumerate(arms):
        cond = test()
        if cond is False:
            continue
        if is_staged_truth(cond):
            rest = arms[index + 1 :]
            others = partial(if_chain, rest, orelse, get_state, set_state, symbol_names, nouts)
            if_stmt(
                cond, body, others if rest else orelse, get_state, set_state, symbol_names, nouts
            )
            return
        if cond:
            body()
            return
    orelse()


def while_stmt(test, body, get_state, set_state, symbol_names, opts) -> None:
    """`while test(): body()`. When the test becomes staged, the rest is a staged loop."""
    stager = TRACE.get().stager
    _, note = stager.enter_loop(None, body, get_state, set_state, symbol_names, opts)
    for count in itertools.count(1):
        checkpoint = stager.checkpoint()
        going_on = test()
        if going_on is not True:
            if is_staged_truth(going_on):
                break
            if not going_on:
                return
        body()
        check_copies()
        if note is not None:
            note(count)
    if "test_assigns" in opts or _test_changes(test, get_state, set_state, symbol_names, opts):
        _while_with_changing_test(going_on, test, body, get_state, set_state, symbol_names, opts)
        return
    stager.rollback(checkpoint)
    get_state, set_state, symbol_names, close = without_lists(
        get_state, set_state, symbol_names, opts
    )
    state = State(get_state, set_state, symbol_names, opts)
    state.replace(
        lambda: stager.while_loop(
            lambda *values: state.at(values, test),
            lambda *values: state.block(body, values),
            state.before, state.names, opts,
        )
    )  # fmt: skip
    close()


def _test_changes(test, get_state, set_state, symbol_names, opts) -> bool:
    """Whether a function that the test calls changes a container or an object."""
    if not _calls_functions(test.__code__):
        return False
    return State(get_state, set_state, symbol_names, opts).is_changed_by(test)


def _calls_functions(code) -> bool:
    """Whether generated code, or a lambda in it, calls a function of the user."""
    inner = (constant for constant in code.co_consts if isinstance(constant, types.CodeType))
    return not CALLS.isdisjoint(code.co_names) or any(map(_calls_functions, inner))


def _while_with_changing_test(
    going_on, test, body, get_state, set_state, symbol_names, opts
) -> None:
    """Evaluate a test that assigns (`:=`), or pops, before the loop and at the end of the body."""

    def put(values):
        nonlocal going_on
        going_on, *rest = values
        set_state(tuple(rest))

    def step():
        nonlocal going_on
        body()
        going_on = test()

    names = ("the test of `while`", *symbol_names)
    state = State(lambda: (going_on, *get_state()), put, names, opts)
    state.replace(
        lambda: TRACE.get().stager.while_loop(
            lambda *values: values[state.added],
            lambda *values: state.block(step, values),
            state.before, state.names, opts,
        )
    )  # fmt: skip


def for_stmt(items, extra_test, body, get_state, set_state, symbol_names, opts) -> None:
    """`for item in items: body(item)`, as long as `extra_test()` (None: always) holds."""
    stager = TRACE.get().stager
    loop = (walked(items), body, get_state, set_state, symbol_names, opts)
    items, note = stager.enter_loop(*loop)
    if stager.is_staged(items):
        get_state, set_state, symbol_names, close = without_lists(
            get_state, set_state, symbol_names, opts
        )
        state = State(get_state, set_state, symbol_names, opts)
        extra = None if extra_test is None else lambda *values: state.at(values, extra_test)
        state.replace(
            lambda: form_of(for_each)(
                items,
                lambda item, *values: state.block(lambda: body(row_of(items, item)), values),
                extra, state.before, state.names, opts,
            )
        )  # fmt: skip
        state.holders.refuse_changes(items.lists if hasattr(type(items), "lists") else ())
        close()
        return
    checkpoint = stager.checkpoint()
    if checkpoint is not None:
        trace = TRACE.get()
        around, trace.iterated = trace.iterated, (*trace.iterated, items)
        try:
            rest = (body, get_state, set_state, symbol_names, note or _nothing)
            _for_in_python(items, extra_test, *rest)
        finally:
            trace.iterated = around
        check_when_read(get_state, set_state)
    elif extra_test is None:
        for item in items:
            body(item)
    else:
        _for_in_python(items, extra_test, body, get_state, set_state, symbol_names, _nothing)


def _for_in_python(items, extra_test, body, get_state, set_state, symbol_names, note) -> None:
    if extra_test is None:
        for item in items:
            body(item)
            check_copies()
            note(None)
    elif _for_with_exit(iter(items), extra_test, body, get_state, set_state, symbol_names, note):
        left_by_staged_exit(items)


def without_lists(get_state, set_state, symbol_names, opts) -> tuple:
    """The state of a staged loop without the lists that grow in it, unless `Feature.LISTS` is on.

    With the feature, a list is loop-carried state, and grows at run time. Without it, as in the
    reference, a list that the body changes does so only once, while it is traced, and cannot be
    used afterwards. The last of the four results has to be called after the loop.
    """
    lists = opts.get("lists", ())
    if not lists or is_on("LISTS"):
        return get_state, set_state, symbol_names, _nothing
    start = get_state()
    list_positions = [
        position
        for position, (name, value) in enumerate(zip(symbol_names, start, strict=True))
        if name in lists and type(value) in LIST_CLASSES
    ]
    kept = [position for position in range(len(start)) if position not in list_positions]
    contents = {position: Snapshot([start[position]], arrays=False) for position in list_positions}

    def get():
        values = get_state()
        return tuple(values[position] for position in kept)

    def put(positions, values):
        whole = list(get_state())
        for position, value in zip(positions, values, strict=True):
            whole[position] = value
        set_state(tuple(whole))

    def close():
        values = get_state()
        for position in list_positions:
            if values[position] is not start[position] or contents[position].changed():
                put([position], [form_of(escaped_list)(symbol_names[position])])

    names = tuple(symbol_names[position] for position in kept)
    return get, lambda values: put(kept, values), names, close


def _for_with_exit(iterator, extra_test, body, get_state, set_state, symbol_names, note) -> bool:
    """A Python loop with an exit. After a staged exit, the remaining iterations are guarded.

    Whether a tensor may have left the loop.
    """
    count, was_staged = len(symbol_names), False
    while True:
        going_on = extra_test()
        staged = going_on is not True and TRACE.get().stager.is_staged(going_on)
        was_staged = was_staged or staged
        if not staged and not going_on:
            return was_staged
        try:
            item = advanced(iterator) if staged else next(iterator)
        except StopIteration:
            return was_staged
        if staged:
            step = partial(body, item)
            if_stmt(going_on, step, _nothing, get_state, set_state, symbol_names, count)
        else:
            body(item)
        check_copies()
        note(None)


def _nothing(*_) -> None:
    pass
