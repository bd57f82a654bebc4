"""Names without a value."""

from __future__ import annotations

import sys
from typing import Any

PACKAGE = __name__.partition(".")[0] + "."
SCOPES_OF_LAMBDAS = (("lscope",), ("lscope_",))  # what the body of a converted lambda takes


class UnsetByBranchError(UnboundLocalError, ValueError):
    """A name was read that a staged statement assigns on some of its paths only."""


class Undefined:
    """The value of an unbound local variable; any use raises Python's own error.

    `stand_in` is the `Checked` that stands in a container for it. `refusal` is the error, where it
    is not one of Python's.
    """

    __slots__ = ("name", "reason", "refusal", "stand_in")

    def __init__(self, name: str, reason: str = "", refusal: BaseException | None = None):
        self.name = name
        self.reason = reason
        self.refusal = refusal
        self.stand_in = None

    def error(self) -> BaseException:
        if self.refusal is not None:
            return self.refusal
        why = f": {self.reason}" if self.reason else ""
        if not why and _belongs_to_an_enclosing_function(self.name):
            return NameError(
                f"cannot access free variable '{self.name}' where it is not associated with a "
                "value in enclosing scope"
            )
        if why and not self.name.isidentifier():
            return UnsetByBranchError(f"cannot read {self.name}, which may be missing{why}")
        cls = UnsetByBranchError if why else UnboundLocalError
        return cls(
            f"cannot access local variable '{self.name}' where it is not associated with "
            f"a value{why}"
        )

    def __getattribute__(self, name):
        """An attribute, for this package alone: code of the user gets the error for all of them."""
        reader = sys._getframe(1).f_globals.get("__name__") or ""
        if not name.startswith("__") and not reader.startswith(PACKAGE):
            raise AttributeError(name)
        return object.__getattribute__(self, name)

    def __getattr__(self, name):
        if name.startswith("__"):  # an inspector asks, not the user's code
            raise AttributeError(name)
        raise self.error()

    def _use(self, *args):
        raise self.error()

    __bool__ = __iter__ = __len__ = __call__ = __getitem__ = __contains__ = __mro_entries__ = _use
    __add__ = __sub__ = __mul__ = __truediv__ = __floordiv__ = __mod__ = __pow__ = __matmul__ = _use
    __and__ = __or__ = __xor__ = __lshift__ = __rshift__ = __neg__ = __pos__ = __invert__ = _use
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __hash__ = _use
    __repr__ = __str__ = __format__ = _use


def _belongs_to_an_enclosing_function(name: str) -> bool:
    """Whether the code that reads a name is a function inside the one that owns the name."""
    frame: Any = sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__", "").startswith(__package__):
        frame = frame.f_back
    if frame is None or name not in frame.f_code.co_freevars:
        return False
    reader = _without_lambdas(frame.f_code.co_qualname)
    while frame is not None and name not in frame.f_code.co_cellvars:
        if frame.f_code.co_varnames[:1] in SCOPES_OF_LAMBDAS:
            return True
        frame = frame.f_back
    return frame is None or _without_lambdas(frame.f_code.co_qualname) != reader


def _without_lambdas(qualname: str) -> str:
    """Strip lambdas, which pass operands to operators, from a qualified name.

    A generator expression is a scope of its own, as are the comprehensions that have a frame.
    """
    while qualname.endswith("<lambda>"):
        qualname = qualname.rpartition(".<locals>.")[0]
    return qualname


class Deleted(Undefined):
    """A name that had a value when the block began, and has none at its end."""

    __slots__ = ()


class UndefinedReturnValue(Undefined):
    """The result of a function before it returns."""

    __slots__ = ()

    def __init__(self):
        super().__init__("the return value")


class MaybeSet(Undefined):
    """A conditionally assigned variable: whether it has a value is known only at run time.

    `value` is its value if `is_set` holds. `read(self)` returns the value with a check; if it is
    None, reading raises an error at once. `is_deleted` says that where it has none, it was deleted.
    """

    __slots__ = ("is_deleted", "is_set", "read", "value")

    def __init__(self, name: str, reason: str, value, is_set, read=None, is_deleted=False):
        super().__init__(name, reason)
        self.is_deleted = is_deleted
        self.value = value
        self.is_set = is_set
        self.read = read

    def checked(self, read) -> MaybeSet:
        """The same variable, each read of which is checked, by `read` if by nothing else."""
        return MaybeSet(
            self.name, self.reason, self.value, self.is_set, self.read or read, self.is_deleted
        )

    def holding(self, value, is_set) -> MaybeSet:
        """The same variable with another content."""
        return MaybeSet(self.name, self.reason, value, is_set, self.read, self.is_deleted)


def ld(value):
    """The value of a variable; UnboundLocalError when it has none."""
    cls = type(value)
    if cls is Undefined or cls is Deleted:
        raise value.error()
    if cls is MaybeSet:
        if value.read is None:
            raise value.error()
        return value.read(value)
    return value


def delete(value, name: str) -> Undefined:
    """The value after `del name`; an error if the name is unbound."""
    ld(value)
    return Undefined(name)
