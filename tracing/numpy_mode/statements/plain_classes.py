"""Classes of the program whose objects are nothing but attributes, and the objects of them that a
traced function makes: their attributes are values of the graph, and nothing outside sees them.
"""

from __future__ import annotations

import dataclasses
import dis
import types

from ....autograph.names_in_bytecode import loaded_names
from ....autograph.operators.calls import callee, is_user_code
from ....autograph.operators.containers import content, initialize_record
from ..refusal import numpy_trace
from .chosen_objects import is_of_trace

# What a class may have between underscores: other special methods run without a trace of them.
_PLAIN = {
    "__module__", "__qualname__", "__doc__", "__dict__", "__weakref__", "__init__", "__repr__",
    "__str__", "__annotations__", "__annotate__", "__annotate_func__", "__annotations_cache__",
    "__firstlineno__", "__static_attributes__",
}  # fmt: skip
# What a data class has besides, and what `dataclass` writes, in a file of this name.
_OF_RECORDS = {
    "__dataclass_params__", "__dataclass_fields__", "__match_args__", "__post_init__",
    "__replace__",
}  # fmt: skip
_GENERATED = {"__eq__", "__hash__", "__setattr__", "__delattr__"}
_FILE = "<string>"
_FACTORIES = (list, dict)  # of default values: others would run once, while tracing
_FUNCTIONS = (types.FunctionType, staticmethod, classmethod)
_EFFECTS = ("CALL", "STORE_ATTR", "STORE_SUBSCR", "STORE_GLOBAL", "DELETE", "IMPORT", "YIELD")


def is_plain_class(cls) -> bool:
    """Whether objects of a class are nothing but attributes, which its `__init__` sets."""
    if not isinstance(cls, type) or type(cls) is not type or cls.__new__ is not object.__new__:
        return False
    if not isinstance(cls.__init__, types.FunctionType) or not is_user_code(cls.__init__):
        return False
    bases = [list(vars(base).items()) for base in cls.__mro__[:-1]]
    return all(_is_plain(cls, *row) for rows in bases for row in rows)


def _is_plain(cls, name: str, value) -> bool:
    """Whether an attribute of a class is a method, a value, or a property without effects."""
    if name.startswith("__") and name.endswith("__"):
        is_known = name in _PLAIN or name in _OF_RECORDS
        is_known |= not name.startswith("__getattr") and _is_expression(value, cls)
        return is_known or (name in _GENERATED and _is_generated(value))
    if isinstance(value, property):
        return value.fset is None and _is_quiet(value.fget)
    return isinstance(value, _FUNCTIONS) or not hasattr(type(value), "__get__")


def _is_expression(function, cls) -> bool:
    """Whether a special method, which runs without a trace of it, changes nothing, and calls its
    class at most, which calls nothing.
    """
    code = getattr(function, "__code__", None)
    if code is None or not (_is_quiet(function, "CALL") and _is_quiet(cls.__init__, "STORE_ATTR")):
        return False
    names, own = loaded_names(code), list(dis.get_instructions(code))
    loads = [each for each in own if each.opname in ("LOAD_GLOBAL", "LOAD_DEREF")]
    calls = [each for each in own if each.opname.startswith("CALL")]
    methods = any(each.opname == "LOAD_METHOD" or "NULL|self" in each.argrepr for each in own)
    is_own = all(named(function, name) is cls for name in names.globals | names.cells)
    return is_own and not methods and len(calls) <= len(loads)


def named(function, name: str):
    """The object that a name of a global or a closure stands for, or None."""
    code = function.__code__
    if name in code.co_freevars:
        return content(function.__closure__[code.co_freevars.index(name)], None)
    return function.__globals__.get(name)


def _is_generated(function) -> bool:
    """Whether a special method of a data class is one of those that `dataclass` writes."""
    code = getattr(function, "__code__", None)
    return function is None or (code is not None and code.co_filename == _FILE)


def is_plain_record_class(cls) -> bool:
    """Whether objects of a data class are nothing but attributes."""
    if not dataclasses.is_dataclass(cls) or not isinstance(cls, type) or not is_plain_class(cls):
        return False
    factories = [field.default_factory for field in dataclasses.fields(cls)]
    is_known = all(factory in (dataclasses.MISSING, *_FACTORIES) for factory in factories)
    return is_known and _is_generated(cls.__init__) and not hasattr(cls, "__slots__")


def _is_quiet(function, *known: str) -> bool:
    """Whether a function calls nothing and changes nothing, but for the `known` instructions."""
    code, effects = getattr(function, "__code__", None), tuple({*_EFFECTS} - {*known})
    return code is not None and not any(
        instruction.opname.startswith(effects) for instruction in dis.get_instructions(code)
    )


# ---- objects that a trace makes ------------------------------------------------------------------


def made_record(cls, /, *args, **kwargs):
    """`cls(*args, **kwargs)` of a data class, whose `__post_init__` is converted."""
    record = object.__new__(cls)
    numpy_trace().made.append(record)
    post = getattr(cls, "__post_init__", None)
    if post is None:
        record.__init__(*args, **kwargs)
    else:
        initialize_record(record, callee(post, None), args, kwargs)
    return record


def note_made(function, args: tuple) -> None:
    """Take note of a new object, whose `__init__` is called."""
    if getattr(function, "__name__", "") != "__init__" or not args:
        return
    record = args[0]
    if is_plain_class(type(record)) and not vars(record) and not is_of_trace(record):
        numpy_trace().made.append(record)


def sets_own_attributes(function, args: tuple, kwargs: dict) -> bool:
    """Whether this trace made the objects whose attributes a function sets."""
    from ....autograph.conversion.attribute_changes import owners_of_attributes  # loads gast

    owners = owners_of_attributes(getattr(function, "__func__", function))
    if owners is None:
        return False
    code = function.__code__
    values = {**dict(zip(code.co_varnames, args, strict=False)), **kwargs}
    classes = (named(function, name) for name in owners.classes)
    return all(_is_own(values.get(name)) for name in owners.parameters) and all(
        map(is_plain_class, classes)
    )


def _is_own(value) -> bool:
    if isinstance(value, (list, tuple)):
        return all(map(_is_own, value))
    return is_of_trace(value)
