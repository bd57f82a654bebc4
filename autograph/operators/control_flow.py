"""`if`, `while` and `for`: Python's own on plain values, the stager's on staged ones.

The body of a staged statement runs as a pure function of the state: the variables are set, the body
runs, the variables are read. If it raises, the old state is restored.
"""

from __future__ import annotations

import functools

from ..stager import CURRENT
from .comprehensions import walked
from .containers import Snapshot, copied, is_container, written_into
from .scopes import is_on


def if_stmt(cond, body, orelse, get_state, set_state, symbol_names, nouts) -> None:
    """`if cond: body() else: orelse()`; the first `nouts` symbols are read afterwards."""
    if cond is True:
        body()
        return
    if cond is False or not CURRENT.stager.is_staged(cond):
        if cond:
            body()
        else:
            orelse()
        return
    state = State(get_state, set_state)
    state.replace(
        lambda: CURRENT.stager.cond(
            cond, lambda: state.run(body), lambda: state.run(orelse), symbol_names, nouts
        )
    )


def branch(cond, body, orelse, get_state, set_state, symbol_names, nouts):
    """The block of an `if`, which compiled code then calls directly."""
    if cond is True or cond is False or not CURRENT.stager.is_staged(cond):
        return body if cond else orelse
    return functools.partial(if_stmt, cond, body, orelse, get_state, set_state, symbol_names, nouts)


def if_chain(arms, orelse, get_state, set_state, symbol_names, nouts) -> None:
    """`if test(): body() elif ...: else: orelse()` for the (test, body) in `arms`."""
    for index, (test, body) in enumerate(arms):
        cond = test()
        if cond is False:
            continue
        if CURRENT.stager.is_staged(cond):
            rest = arms[index + 1 :]
            others = functools.partial(
                if_chain, rest, orelse, get_state, set_state, symbol_names, nouts
            )
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
    stager = CURRENT.stager
    while True:
        checkpoint = stager.checkpoint()
        going_on = test()
        if going_on is not True:
            if stager.is_staged(going_on):
                break
            if not going_on:
                return
        body()
    if "test_assigns" in opts:
        _while_with_changing_test(going_on, test, body, get_state, set_state, symbol_names, opts)
        return
    stager.rollback(checkpoint)
    get_state, set_state, symbol_names, close = without_lists(
        get_state, set_state, symbol_names, opts
    )
    state = State(get_state, set_state)
    state.replace(
        lambda: stager.while_loop(
            lambda *values: state.at(values, test),
            lambda *values: state.run(body, values),
            state.before, symbol_names, opts,
        )
    )  # fmt: skip
    close()


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

    state = State(lambda: (going_on, *get_state()), put)
    state.replace(
        lambda: CURRENT.stager.while_loop(
            lambda going_on, *_: going_on,
            lambda *values: state.run(step, values),
            state.before, ("the test of `while`", *symbol_names), opts,
        )
    )  # fmt: skip


def for_stmt(items, extra_test, body, get_state, set_state, symbol_names, opts) -> None:
    """`for item in items: body(item)`, as long as `extra_test()` (None: always) holds."""
    stager = CURRENT.stager
    items = walked(items)
    if stager.is_staged(items):
        get_state, set_state, symbol_names, close = without_lists(
            get_state, set_state, symbol_names, opts
        )
        state = State(get_state, set_state)
        extra = None if extra_test is None else lambda *values: state.at(values, extra_test)
        state.replace(
            lambda: stager.for_each(
                items, lambda item, *values: state.run(lambda: body(item), values), extra,
                state.before, symbol_names, opts,
            )
        )  # fmt: skip
        close()
    elif extra_test is None:
        checkpoint = stager.checkpoint()
        for item in items:
            body(item)
        if checkpoint is not None:
            stager.note_unrolled(items, checkpoint)
    else:
        _for_with_exit(iter(items), extra_test, body, get_state, set_state, symbol_names)


def without_lists(get_state, set_state, symbol_names, opts) -> tuple:
    """The state of a staged loop without the lists that grow in it, unless `Feature.LISTS` is on.

    As in the reference, a Python list changes only once, while the body is traced, and tensors of
    the loop in it cannot be used afterwards. With `Feature.LISTS` it is loop-carried state, and
    grows at run time. The last of the four results has to be called after the loop.
    """
    lists = opts.get("lists", ())
    if not lists or is_on("LISTS"):
        return get_state, set_state, symbol_names, _nothing
    start = get_state()
    apart = [
        position
        for position, (name, value) in enumerate(zip(symbol_names, start, strict=True))
        if name in lists and type(value) is list
    ]
    kept = [position for position in range(len(start)) if position not in apart]

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
        escaped = CURRENT.stager.escaped_list
        put(apart, [escaped(symbol_names[position], values[position]) for position in apart])

    names = tuple(symbol_names[position] for position in kept)
    return get, functools.partial(put, kept), names, close


def _for_with_exit(iterator, extra_test, body, get_state, set_state, symbol_names) -> None:
    """A Python loop with an exit. After a staged exit, the remaining iterations are guarded."""
    while True:
        going_on = extra_test()
        staged = going_on is not True and CURRENT.stager.is_staged(going_on)
        if not staged and not going_on:
            return
        try:
            item = next(iterator)
        except StopIteration:
            return
        if not staged:
            body(item)
            continue
        step = functools.partial(body, item)
        count = len(symbol_names)
        if_stmt(going_on, step, _nothing, get_state, set_state, symbol_names, count)


def _nothing() -> None:
    pass


class State:
    """The variables of one staged statement: set, run, read, put back.

    The content of lists, dictionaries and records is state as the variables are: whatever a run
    changes in them is part of its outcome and is undone. When every run kept the object it was
    given, the outcome of the statement is written into that object.
    """

    def __init__(self, get_state, set_state):
        self.get_state = get_state
        self.set_state = set_state
        self.before = get_state()
        self.contents = Snapshot(self.before)
        self.kept = [is_container(value) for value in self.before]

    def run(self, body, values=None) -> tuple:
        """The state after `body`, started from `values`, or from the state before the statement."""
        given = self._set(self.before if values is None else values)
        try:
            body()
        except BaseException:  # a staged `raise`, or a request to retrace
            self.contents.restore()
            raise
        after = self.get_state()
        self.kept = [
            kept and one is other for kept, one, other in zip(self.kept, given, after, strict=True)
        ]
        outcome = self.contents.copies(after)
        self.contents.restore()
        return outcome

    def _set(self, values) -> tuple:
        given = tuple(map(written_into, self.before, values))
        self.set_state(given)
        return given

    def at(self, values, test):
        """The value of a test in a state; the test must not change it."""
        self._set(values)
        value = copied(test())  # it may be a container, whose content is restored below
        self.contents.restore()
        return value

    def replace(self, staged) -> None:
        """Set the state to the result of the staged statement; on an error, restore the old one."""
        try:
            after = staged()
        except BaseException:
            self.contents.restore()
            self.set_state(self.before)
            raise
        rows = zip(self.kept, self.before, after, strict=True)
        self.set_state(tuple(written_into(old, new) if kept else new for kept, old, new in rows))
