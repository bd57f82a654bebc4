"""Objects of the program's own classes that a traced function makes: their attributes are values of
the graph, and nothing outside the function sees them.
"""

from __future__ import annotations

import dis
import types
from contextvars import ContextVar

from ....autograph.conversion.attribute_changes import changes_only_self
from ....autograph.operators.calls import is_user_code

MADE: ContextVar[list] = ContextVar("allograph_made_objects")  # those of this trace
# What a class may have between underscores: other special methods run without a trace of them.
_PLAIN = {
    "__module__", "__qualname__", "__doc__", "__dict__", "__weakref__", "__init__", "__repr__",
    "__str__", "__annotations__", "__annotate__", "__annotate_func__", "__annotations_cache__",
    "__firstlineno__", "__static_attributes__",
}  # fmt: skip
_FUNCTIONS = (types.FunctionType, staticmethod, classmethod)
_EFFECTS = ("CALL", "STORE_ATTR", "STORE_SUBSCR", "STORE_GLOBAL", "DELETE", "IMPORT", "YIELD")


def is_plain_class(cls) -> bool:
    """Whether objects of a class are nothing but attributes, which its `__init__` sets."""
    if not isinstance(cls, type) or type(cls) is not type or cls.__new__ is not object.__new__:
        return False
    if not isinstance(cls.__init__, types.FunctionType) or not is_user_code(cls.__init__):
        return False
    return all(map(_is_plain, [row for one in cls.__mro__[:-1] for row in list(vars(one).items())]))


def _is_plain(attribute: tuple) -> bool:
    """Whether an attribute of a class is a method, a value, or a property without effects."""
    name, value = attribute
    if name.startswith("__") and name.endswith("__"):
        return name in _PLAIN
    if isinstance(value, property):
        return value.fset is None and _is_quiet(value.fget)
    return isinstance(value, _FUNCTIONS) or not hasattr(type(value), "__get__")


def _is_quiet(function) -> bool:
    """Whether a function calls nothing and changes nothing, by its instructions."""
    code = getattr(function, "__code__", None)
    return code is not None and not any(
        one.opname.startswith(_EFFECTS) for one in dis.get_instructions(code)
    )


def note_made(function, args: tuple) -> None:
    """Take note of a new object, whose `__init__` is called."""
    if getattr(function, "__name__", "") != "__init__" or not args:
        return
    one = args[0]
    if is_plain_class(type(one)) and not vars(one) and not is_made(one):
        MADE.get().append(one)


def is_made(value) -> bool:
    return any(one is value for one in MADE.get())


def sets_own_attributes(function, args: tuple) -> bool:
    """Whether a function sets attributes of its first argument alone, which this trace made."""
    return bool(args) and is_made(args[0]) and changes_only_self(function)
