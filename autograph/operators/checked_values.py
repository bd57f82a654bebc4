"""Items and attributes that may be missing: a `Checked` stands in the container for the value.

    for i in ag.range(n):
        d["last"] = i
    return d["last"] + 1        # checked when the graph runs: did the loop run?

A `Checked` is used like its value, and each use is checked, wherever the container went. A question
about one item (`key in d`, `d.get(key, 0)`, `hasattr`) is answered when the graph runs. What
depends on how many exist, such as `len(d)`, requires them to exist.
"""

from __future__ import annotations

import copy
import operator
from typing import Any, NamedTuple

from ..current_trace import TRACE
from ..forms import compared, form_of, read_checked, require_set
from ..stager import ENDED, LOCAL
from .containers import attributes_of, children
from .undefined import MaybeSet, Undefined, ld

BINARY = (
    "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and_", "or_", "xor",
    "lshift", "rshift",
)  # fmt: skip
OTHER = {
    **{f"__{name}__": getattr(operator, name) for name in ("lt", "le", "gt", "ge", "eq", "ne")},
    **{f"__{name}__": getattr(operator, name) for name in ("neg", "pos", "invert", "abs", "index")},
    "__getitem__": operator.getitem, "__setitem__": operator.setitem,
    "__delitem__": operator.delitem, "__contains__": operator.contains,
    "__bool__": bool, "__len__": len, "__iter__": iter, "__int__": int, "__float__": float,
    "__complex__": complex, "__str__": str, "__format__": format,
    "__call__": lambda value, *args, **kwargs: value(*args, **kwargs),
}  # fmt: skip

OF_ONE_ITEM = {"pop", "setdefault"}
QUESTIONS = {"get", "__contains__"}  # which have an answer for a missing item too
OF_ALL_ITEMS = {"items", "keys", "values", "popitem", "__len__", "__iter__"}


class _Stored:
    """Whether any `Checked` was ever put into a container: few programs need to look for them."""

    any = False


class Checked:
    """The value of an item or attribute that may be missing. `variable` tells whether it is."""

    __slots__ = ("returned", "variable")

    def __init__(self, variable: Undefined):
        object.__setattr__(self, "variable", variable)
        object.__setattr__(self, "returned", None)

    def __getattr__(self, name: str):
        if name.startswith("__"):  # an inspector asks, not the user's code
            raise AttributeError(name)
        variable = self.variable
        if type(variable) is MaybeSet and TRACE.get().stager.scope_of(variable.is_set) == ENDED:
            return getattr(variable.value, name)  # it has left its graph, where no check can run
        return getattr(ld(variable), name)

    def __setattr__(self, name: str, value) -> None:
        setattr(ld(self.variable), name, value)

    def __tf_tensor__(self, dtype=None, name=None):
        value = self.returned
        if value is None or TRACE.get().stager.scope_of(value) == ENDED:
            value = ld(self.variable)
        convert = getattr(type(value), "__tf_tensor__", None)
        return value if TRACE.get().stager.is_tensor(value) else convert and convert(value)

    def at_end_of_block(self):
        """The item of a container that leaves a staged block: the value if the block made it."""
        variable = self.variable
        if type(variable) is MaybeSet and TRACE.get().stager.scope_of(variable.is_set) == LOCAL:
            return ld(variable)
        return self

    def __hash__(self):
        return hash(ld(self.variable))

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def __repr__(self):
        return f"<{self.variable.name}, which may be missing>"


class MaybeNone(Checked):
    """The value of a name that a tensor makes None. Questions whether it is None are answered when
    the graph runs; any other use requires a value. `refusal` is the error where a function returns
    it to Python.
    """

    __slots__ = ("refusal",)

    def __init__(self, variable: MaybeSet, refusal: Exception | None = None):
        _Stored.any = True
        super().__init__(variable)
        object.__setattr__(self, "refusal", refusal)

    def at_end_of_block(self):
        return self

    def __tf_tensor__(self, dtype=None, name=None):
        form_of(require_set)(self.variable)  # its use may need its shape alone
        return super().__tf_tensor__(dtype, name)

    def __getattr__(self, name: str):
        value = super().__getattr__(name)
        form_of(require_set)(self.variable)
        return value

    def __tf_unchecked__(self):
        return self.variable.value

    def __tf_truth__(self):
        """None is false."""
        variable, value = self.variable, self.variable.value
        truth = form_of(operator.truth) if is_staged_truth(value) else bool
        sides = (lambda: (truth(value),), lambda: (variable.is_set,))
        return TRACE.get().stager.cond(variable.is_set, *sides, (variable.name,), 1)[0]

    def __bool__(self):
        return bool(self.__tf_truth__())

    def at_output(self):
        """The value that leaves the graph."""
        if self.refusal is not None:
            raise self.refusal
        return ld(self.variable) if self.returned is None else self.returned

    def __repr__(self):
        return f"<{self.variable.name}, which may be None>"

    def __eq__(self, other):
        return form_of(compared)(operator.eq, self, other)

    def __ne__(self, other):
        return form_of(compared)(operator.ne, self, other)

    __hash__ = Checked.__hash__


def _define() -> None:
    for name in BINARY:
        apply = getattr(operator, name)
        name = name.rstrip("_")
        setattr(Checked, f"__{name}__", lambda self, other, f=apply: f(_used(self), other))
        setattr(Checked, f"__r{name}__", lambda self, other, f=apply: f(other, _used(self)))
    for name, apply in OTHER.items():

        def method(self, *args, f=apply, all_items=name in OF_ALL_ITEMS, **named):
            return f(_used(self, all_items), *args, **named)

        setattr(Checked, name, method)


def _used(value: Checked, all_items=False):
    """The value, with a check. That of a tensor may be dropped where nothing reads its elements,
    as none of them tells a length or what is in a tuple.
    """
    certainly = all_items or isinstance(getattr(value.variable, "value", None), tuple)
    return certain(value) if certainly and type(value) is MaybeNone else ld(value.variable)


_define()
Checked.__name__, MaybeNone.__name__ = "value that may be missing", "value that may be None"


def stored(value):
    """The item of a container that stands for a value, or for a variable that may be missing."""
    if not isinstance(value, Undefined):
        return value
    _Stored.any = True
    if value.stand_in is None:
        value.stand_in = Checked(value)
    return value.stand_in


def with_default(variable: MaybeSet, owner: Any, key) -> MaybeSet:
    """The variable of an item that `__missing__` gives a value where it has none."""

    read = _Default(owner, key)
    return MaybeSet(
        variable.name, variable.reason, variable.value, variable.is_set, read, variable.is_deleted
    )


class _Default(NamedTuple):
    """Reads an item of a dictionary that has a default."""

    owner: Any
    key: Any

    def __call__(self, variable: MaybeSet):
        without = copy.copy(self.owner)
        dict.pop(without, self.key, None)
        return _value_or(variable, without.__missing__(self.key))


def _value_or(variable: MaybeSet, default):
    """The value, or the default where it has none."""
    sides = (lambda: (variable.value,), lambda: (default,))
    return TRACE.get().stager.cond(variable.is_set, *sides, (variable.name,), 1)[0]


def ldu(load, name: str):
    """The value that `load` reads, or an Undefined."""
    try:
        return variable_in(load(), name)
    except (AttributeError, KeyError, NameError, IndexError):
        return Undefined(name)


def variable_in(value, name: str):
    """The variable that a `Checked` stands for; Undefined if an earlier trace left it."""
    if type(value) is not Checked:
        return value
    variable = value.variable
    if type(variable) is MaybeSet and TRACE.get().stager.scope_of(variable.is_set) == ENDED:
        return Undefined(name)
    return variable


def held(value):
    """The value of a `Checked`, read with its check; any other value itself."""
    return ld(value.variable) if isinstance(value, Checked) else value


def certain(value):
    """A value that may be None, after a check that it is not; any other value itself."""
    if not isinstance(value, MaybeNone):
        return value
    form_of(require_set)(value.variable)
    return value.variable.value


def unless_none(value):
    """A value that is not None here, although it may be elsewhere: its use is not checked."""
    return value.variable.value if isinstance(value, MaybeNone) else value


def returned(value):
    """A returned value, whose checks are recorded at the line of the `return`."""
    if not _Stored.any:
        return value
    if isinstance(value, MaybeNone):  # the caller may ask whether it is None
        object.__setattr__(value, "returned", ld(value.variable))
        return value
    if isinstance(value, Checked):
        return ld(value.variable)
    for part in children(value):
        if isinstance(part, Checked):
            object.__setattr__(part, "returned", ld(part.variable))
        else:
            returned(part)
    return value


def is_staged_truth(value) -> bool:
    """Whether the truth of a value is known only when the graph runs."""
    if isinstance(value, MaybeNone) or TRACE.get().stager.is_staged(required(value)):
        return True
    return isinstance(value, tuple) and form_of(operator.is_)(value, None) is not False


def required(container):
    """The container, after requiring that its items exist: what follows depends on their number."""
    if _Stored.any and isinstance(container, dict):
        for value in dict.values(container):
            require(value)
    return container


def require(value) -> None:
    """Require that an item or attribute exists."""
    if type(value) is not Checked:
        return
    variable = value.variable
    if type(variable) is MaybeSet and variable.read is not None:
        form_of(require_set)(variable)
    else:
        ld(variable)


def item_read(value):
    """An item or attribute that is read. It has to exist, or its dictionary gives a default."""
    variable = value.variable if type(value) is Checked else None
    if type(variable) is not MaybeSet or type(variable.read) is not _Default:
        require(value)
    return value


def require_item(owner, key: str) -> None:
    """Require that an item or attribute exists, before it is deleted."""
    if _Stored.any:
        require(dict.get(owner if isinstance(owner, dict) else attributes_of(owner), key))


def reading_method(function):
    """A method of a dictionary, or `getattr` and `hasattr`, which mind the items they ask for."""
    if not _Stored.any:
        return function
    if function is getattr or function is hasattr:
        return lambda owner, name, *default: _answered(
            attributes_of(owner), function, name, default, (owner, name, *default)
        )
    owner, name = getattr(function, "__self__", None), function.__name__
    if not isinstance(owner, dict):
        return function
    if name in QUESTIONS:
        return lambda key, *default: _answered(owner, function, key, default, (key, *default))
    if name in OF_ONE_ITEM:
        return lambda key, *default: _asked(owner, function, key, (key, *default))
    if name in OF_ALL_ITEMS:
        required(owner)
    return function


def _asked(items: dict, function, key, args):
    require(dict.get(items, key))
    return function(*args)


def _answered(items: dict, function, key, default, args):
    """The result of `hasattr`, `in`, `getattr` or `get` where a tensor decides about existence."""
    variable = _conditional(items, key)
    if variable is None:
        return _asked(items, function, key, args)
    if function is hasattr or function.__name__ == "__contains__":
        return variable.is_set
    if not default or default[0] is None:
        return _asked(items, function, key, args)
    return _value_or(variable, default[0])


def whether_in(items: dict, key):
    """Whether a dictionary has a key, if a tensor decides; else None."""
    if not _Stored.any or TRACE.get().stager.is_staged(key):
        return None
    variable = _conditional(items, key)
    return None if variable is None else variable.is_set


def _conditional(items: dict, key) -> MaybeSet | None:
    """The variable of an item if a tensor of this graph decides whether it exists.

    Where that is asked, the item may be read, and each read is checked when the graph runs.
    """
    value = dict.get(items, key)
    variable = value.variable if type(value) is Checked else None
    if type(variable) is not MaybeSet or TRACE.get().stager.scope_of(variable.is_set) == ENDED:
        return None
    variable.read = variable.read or form_of(read_checked)
    return variable
