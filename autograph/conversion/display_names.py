"""Give converted code the user's names and first lines, for tracebacks, debuggers and profiles."""

from __future__ import annotations

import inspect
import types

from ..identity_map import IdentityMap

DIRECT_CALLERS: set[types.CodeType] = set()  # of the operators between a caller and what it calls
OUTLINED = IdentityMap()  # code of functions outlined from the user's: their generated names
CONVERTED = {"STANDARD", "FunctionScope", "with_function_scope"}  # names that converted code reads
TYPE_PARAMETERS = "<generic parameters of "  # Python's own scope around `def f[T]`

# Forms of the entries of a line table. An entry is a byte with its form and its length, and what
# follows it: from LONG to NO_COLUMNS, the first of that is the difference to the line before.
MOST_SHORT, ONE_LINE, NO_COLUMNS, LONG, NO_LINE = 9, (10, 11, 12), 13, 14, 15


def is_class_body(code) -> bool:
    return not code.co_flags & inspect.CO_NEWLOCALS


def under_the_users_name(
    code, function, helpers: set[str], written: dict[str, str], keeps_lines: bool
):
    """The code object with the names that the function and what it defines have in the source.

    Outlined functions (`loop_body`, ...) appear as the function that they come from, and start
    where it does if it `keeps_lines`. `written` maps mangled private names to the names in the
    source.
    """

    def renamed(inner, outer: str, inside: str, in_converted: bool, first: int):
        own = inner.co_name
        is_outlined = in_converted and _is_outlined(inner, helpers)
        title, below = outer, inside
        if inner is not code and not is_outlined and not own.startswith(TYPE_PARAMETERS):
            own = written.get(own, own)
            title = f"{outer}.{inside}{own}"
            below = "" if is_class_body(inner) else "<locals>."
        strings = {
            inner.co_qualname: title
        }  # a class body also holds its qualified name as a string
        first = first if inner is code or is_outlined else inner.co_firstlineno
        is_converted = is_outlined or inner is code or not CONVERTED.isdisjoint(inner.co_names)
        constants = tuple(
            renamed(constant, title, below, is_converted, first)
            if isinstance(constant, types.CodeType)
            else strings.get(constant, constant)
            if isinstance(constant, str)
            else constant
            for constant in inner.co_consts
        )
        display_name = title.split(".")[-1] if is_outlined else own
        replaced = inner.replace(co_name=display_name, co_qualname=title, co_consts=constants)
        replaced = starting_at(replaced, first) if keeps_lines else replaced
        if is_outlined:
            OUTLINED[replaced] = inner.co_name
        return replaced

    first = function.__code__.co_firstlineno
    replaced = renamed(code, function.__qualname__, "<locals>.", True, first)
    return replaced.replace(co_name=function.__code__.co_name)


def _is_outlined(code, helpers: set[str]) -> bool:
    """Whether a function is outlined; a lambda of the user opens a scope of its own."""
    if code.co_name == "<lambda>":
        return "with_function_scope" not in code.co_names
    return code.co_name in helpers


# ---- first lines -----------------------------------------------------------------------------


def starting_at(code: types.CodeType, line: int) -> types.CodeType:
    """The code object with `line` as its first one; its instructions keep their lines.

    >>> def three():
    ...     return 3
    >>> moved = starting_at(three.__code__, 9)
    >>> moved.co_firstlineno, list(moved.co_positions()) == list(three.__code__.co_positions())
    (9, True)
    """
    difference = code.co_firstlineno - line
    if not difference:
        return code
    table, at = code.co_linetable, 0
    while at < len(table):
        form = table[at] >> 3 & 15
        end = at + 1
        while end < len(table) and table[end] < 128:  # the first byte of an entry alone is larger
            end += 1
        if form != NO_LINE:
            moved = _moved(table[at], table[at + 1 : end], form, difference)
            table = table[:at] + moved + table[end:]
            break
        at = end
    return code.replace(co_firstlineno=line, co_linetable=table)


def _moved(head: int, rest: bytes, form: int, difference: int) -> bytes:
    """An entry whose line is by `difference` further from the line before."""
    if form <= MOST_SHORT:
        start = form << 3 | rest[0] >> 4
        return _long(head, difference, start, start + (rest[0] & 15))
    if form in ONE_LINE:
        return _long(head, difference + form - ONE_LINE[0], *rest)
    delta, size = _signed(rest)
    return bytes([head]) + _as_signed(delta + difference) + rest[size:]


def _long(head: int, delta: int, start: int, end: int) -> bytes:
    """An entry of a place within one line, by the columns at which it starts and ends."""
    columns = _as_number(0) + _as_number(start + 1) + _as_number(end + 1)
    return bytes([128 | LONG << 3 | head & 7]) + _as_signed(delta) + columns


def _signed(data: bytes) -> tuple[int, int]:
    """The signed number that the data starts with, and its size."""
    value, size = 0, 0
    while True:
        value |= (data[size] & 63) << 6 * size
        size += 1
        if not data[size - 1] & 64:
            return (-(value >> 1) if value & 1 else value >> 1), size


def _as_signed(value: int) -> bytes:
    return _as_number(-value << 1 | 1 if value < 0 else value << 1)


def _as_number(value: int) -> bytes:
    parts = []
    while value > 63:
        parts.append(value & 63 | 64)
        value >>= 6
    return bytes([*parts, value])
