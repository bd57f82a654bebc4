"""Calls: user functions are converted when they are called, library functions are not."""

from __future__ import annotations

import builtins
import collections
import functools
import gc
import operator
import sys
import types
import weakref
from collections.abc import Iterator, MappingView

import numpy as np

from ..conversion.display_names import DIRECT_CALLERS
from ..current_trace import TRACE, UNTRACED
from ..errors import FAILURES, ConversionError
from ..forms import form_of, formatted
from ..replacements import is_of_python_library, is_replaced, replacing
from .checked_values import certain, is_staged_truth, reading_method, required
from .comprehensions import (
    FOR_LOOP,
    Tested,
    collected,
    filtered,
    format_string,
    fresh,
    until,
    walked,
)
from .containers import initialize_record, is_record_class
from .forwarding_lists import LIST_CLASSES, check_advance
from .noted_changes import changing, is_among, noting_changes
from .process_state import check_generator, check_owner
from .scopes import FEATURES
from .statement_state import unchanged

# Never converted: Python's own library, and packages of numerical code that have no use for it.
SKIPPED_PACKAGES = {
    *sys.stdlib_module_names, "allograph", "numpy", "scipy", "numba", "llvmlite", "gast",
    "astunparse", "pytest", "_pytest", "hypothesis", "matplotlib", "sklearn", "pandas", "rich",
    "click", "tensorflow", "jax", "torch",
} - {"__main__", "functools"}  # fmt: skip
CONVERTED_PACKAGES: set[str] = set()  # exceptions to the above


class _Log:
    """The verbosity of conversion; see `set_verbosity`."""

    verbosity = 0


LOG = _Log()

NAMES_OF_BUILTINS = (
    "abs", "all", "any", "bool", "enumerate", "filter", "float", "format", "int", "iter", "len",
    "list", "map", "max", "min", "next", "range", "repr", "reversed", "round", "sorted", "str",
    "sum", "tuple", "zip",
)  # fmt: skip
BUILTINS = {getattr(builtins, name) for name in NAMES_OF_BUILTINS}
BUILTINS |= {operator.contains, operator.getitem, operator.not_, operator.truth}
# The functions of whose forms the stager is asked only where an argument is staged.
ASKED_WHERE_STAGED = {*BUILTINS, list.count, list.index, str.join}
TAKES_FUNCTION = {filter, map, max, min, sorted}
FORMAT = {str, repr, format}  # the parts of a structure too
TRUTHS = {bool, operator.not_, operator.truth}
COMPARES, WHOLE = {max, min, sorted}, {list, tuple}
MAKES_LISTS = {list, sorted, sum, list.copy, str.split}  # others give what something holds
REDUCERS = {any, all, max, min, sorted, sum}  # which also look into a list, and
DECIDES = {
    any: lambda item: item,
    all: lambda item: item if is_staged_truth(item) else not item,
}  # whether an item decides
CONSUMED = (Iterator, MappingView)  # iterables that have to be read to see their items
_forms: dict[int, tuple] = {}  # by id: see `_entry_of`
STATE = "__code__", "__defaults__", "__kwdefaults__"  # of a function: how it is called
_state_of = operator.attrgetter(*STATE)
STRICT = "STRICT"  # the feature under which code that cannot be converted is an error
DO_NOT_CONVERT = "_allograph_do_not_convert"
DECORATED = "_allograph_decorated"  # attribute of what `convert()` returns: (function, features)


def converted_call(function, args, kwargs, scope):
    """`function(*args, **kwargs)`, converted if it is user code."""
    form = callee(function, scope)
    return form(*args, **kwargs) if kwargs else form(*args)


def callee(function, scope):
    """The callable to call in place of `function`.

    Compiled code calls it directly, so that a call of converted code takes one Python frame.
    """
    trace = TRACE.get()
    if trace is not UNTRACED and is_replaced(function) and trace.stager.checkpoint() is not None:
        plain, converted = (functools.partial(of, scope=scope) for of in (_callee, callee))
        return replacing(function, plain, converted)
    return _callee(function, scope)


def _callee(function, scope):
    cls = type(function)
    if cls is types.FunctionType:
        if scope is not None and not scope.options.recursive:
            return noting_changes(function, function)
        if TRACE.get().on_call is not None and not is_of_python_library(function):
            return functools.partial(_announced, function)
        return _form(function)
    if cls is types.MethodType and type(function.__func__) is types.FunctionType:
        check_owner(function)
        check_generator(function)
        if not is_user_code(function.__func__):
            staged = TRACE.get().stager.form(function)
            if staged is not None:
                return staged
            form = types.MethodType(callee(function.__func__, scope), function.__self__)
            return noting_changes(function, form)
        return types.MethodType(callee(function.__func__, scope), function.__self__)
    if cls is types.BuiltinFunctionType or cls is type:
        if function in BUILTINS:
            return functools.partial(_builtin, function, scope)
        if TRACE.get() is UNTRACED:
            return function if cls is type else reading_method(function)
        if cls is types.BuiltinFunctionType:
            check_owner(function)
            staged = TRACE.get().stager.form(function) or _method_of_list(function, scope)
            return staged or noting_changes(function, reading_method(_minding_shared(function)))
        staged = TRACE.get().stager.form(function) or _constructor(function, scope)
        return staged or noting_changes(function, function)
    if cls is types.MethodDescriptorType or cls is types.WrapperDescriptorType:
        return _unbound(function, scope) or noting_changes(function, function)
    if cls is functools.partial:
        form = callee(function.func, scope)
        return functools.partial(form, *function.args, **function.keywords)
    call = getattr(cls, "__call__", None)  # noqa: B004 - the class's own function is wanted
    is_class = isinstance(function, type)  # with a metaclass
    if not is_class and type(call) is types.FunctionType and is_user_code(call):
        return types.MethodType(callee(call, scope), function)
    staged = (is_class and _constructor(function, scope)) or TRACE.get().stager.form(function)
    if staged is None:
        check_generator(function)
    return staged or noting_changes(function, function)


def _method_of_list(function, scope):
    """The form of a method that compares the items of a list while tracing; None for others."""
    name, owner = function.__name__, function.__self__
    if type(owner) is str and name in ("format", "join"):
        return functools.partial(format_string, function)
    if type(owner) not in (*LIST_CLASSES, tuple) or TRACE.get().stager.checkpoint() is None:
        return None
    if name == "sort":
        return functools.partial(_sort, owner, scope)
    compared = getattr(list, name) if name in ("index", "count") else None
    return compared and functools.partial(_compare_items, function, compared)


def _sort(owner: list, scope, **kwargs) -> None:
    ordered = _builtin(sorted, scope, owner, **kwargs)
    changing(owner, lambda: operator.setitem(owner, slice(None), ordered))


def _compare_items(function, compared, /, *args):
    items = function.__self__
    if len(args) == 1 and any(map(TRACE.get().stager.is_staged, (*args, *items))):
        form = TRACE.get().stager.form(compared)
        return form(function, items, *args)
    return function(*args)


def _unbound(function, scope):
    """The form of `list.append` and the like while tracing: that of the method of its first
    argument, which may be a list of the stager. None for others.
    """
    if function.__objclass__ is not list or TRACE.get().stager.checkpoint() is None:
        return None

    def call(*args, **kwargs):
        own = args and (type(args[0]) in LIST_CLASSES or TRACE.get().stager.is_staged(args[0]))
        method = getattr(args[0], function.__name__, None) if own else None
        if method is None:
            return function(*args, **kwargs)
        return callee(method, scope)(*args[1:], **kwargs)

    return call


def _constructor(cls, scope):
    """The form of a class, while tracing, whose `__init__`, or `__post_init__` of a data class, is
    converted; None for others.
    """
    init = cls.__init__
    if type(init) is not types.FunctionType or cls.__new__ is not object.__new__:
        return None
    post = getattr(cls, "__post_init__", None)
    if type(post) is types.FunctionType and init.__code__.co_filename == "<string>":
        is_form = is_user_code(post) and TRACE.get().stager.checkpoint() is not None
        return functools.partial(_constructed_record, cls, callee(post, scope)) if is_form else None
    is_made_by_type = type(cls).__call__ is type.__call__ and not is_record_class(cls)
    if not is_made_by_type or not is_user_code(init) or TRACE.get().stager.checkpoint() is None:
        return None
    return functools.partial(_constructed, cls, callee(init, scope))


def _constructed(cls, init, /, *args, **kwargs):
    instance = object.__new__(cls)
    result = init(instance, *args, **kwargs)
    if result is not None:
        raise TypeError(f"__init__() should return None, not '{type(result).__name__}'")
    return instance


def _constructed_record(cls, post, /, *args, **kwargs):
    new = object.__new__(cls)
    if getattr(new, "__dict__", None) is None:  # with slots: it has the method of the class alone
        return cls(*args, **kwargs)
    initialize_record(new, post, args, kwargs)
    return new


def special_method(owner, name: str):
    """A method that Python itself calls, converted if it is user code."""
    method = types.MethodType(getattr(type(owner), name), owner)
    is_function = type(method.__func__) is types.FunctionType
    return callee(method, None) if is_function and is_user_code(method.__func__) else method


def _minding_shared(function):
    """`np.add.at` and `array.resize`, which write into read-only arrays too, raise while tracing
    what others do: arrays are locked where a tensor decides whether they change.
    """
    check_generator(function)
    owner, name = function.__self__, function.__name__
    if type(owner).__module__ != "numpy" or name not in ("at", "resize"):
        return function

    def checked(*args, **kwargs):
        array = args[0] if name == "at" else owner
        is_locked = isinstance(array, np.ndarray) and not array.flags.writeable
        if is_locked and TRACE.get().stager.checkpoint() is not None:
            raise ValueError("assignment destination is read-only")
        return function(*args, **kwargs)

    return checked


def _announced(function, /, *args, **kwargs):
    trace = TRACE.get()
    instead = trace.on_call(function, args, kwargs)
    form = _form(function, trace.bound)
    return instead(form, args, kwargs) if instead else form(*args, **kwargs)


def call_merging(function, args, mappings, scope):
    """`function(*args, **mappings[0], **mappings[1], ...)`, converted."""
    kwargs: dict = {}
    for mapping in mappings:
        if not hasattr(mapping, "keys") or not kwargs.keys().isdisjoint(mapping.keys()):
            function(*args, **kwargs, **mapping)  # raises Python's own error
        kwargs.update(mapping)
    return converted_call(function, args, kwargs, scope)


DIRECT_CALLERS.update(one.__code__ for one in (converted_call, call_merging, _announced))


def _builtin(function, scope, /, *args, **kwargs):
    if TRACE.get() is UNTRACED and function not in TAKES_FUNCTION:
        return function(*map(required, args), **kwargs)
    if function in TAKES_FUNCTION:
        args, kwargs = _converting(function, args, kwargs, scope)
        if function is filter and len(args) == 2 and not TRACE.get().stager.is_staged(args[1]):
            return filtered(*args)
    if args and function is next:
        check_advance(args[0])
    elif args and function is not iter:
        args, kwargs = _consumed(function, args, kwargs)
    if function in FORMAT and args and TRACE.get().stager.checkpoint() is not None:
        return form_of(formatted)(function, *args, **kwargs)
    staged = is_staged_truth if function in TRUTHS else TRACE.get().stager.is_staged
    is_direct = any(map(staged, args)) or (kwargs and any(map(staged, kwargs.values())))
    if is_direct or (function in REDUCERS and _any_staged(function, args, kwargs)):
        replacement = TRACE.get().stager.form(function)
        if replacement is not None:
            if is_direct and function in TAKES_FUNCTION:
                args, kwargs = _with_unchanging(function, args, kwargs)
            return replacement(*args, **kwargs)
    if function is range:
        return _range(*args, **kwargs)
    result = function(*args, **kwargs)
    is_new = function in MAKES_LISTS and not is_among(result, (*args, *kwargs.values()))
    return fresh(result) if is_new else result


def _range(*bounds, **kwargs):
    """`range`; a None while tracing is mostly a size of a shape."""
    try:
        return range(*bounds, **kwargs)
    except TypeError as error:
        if any(bound is None for bound in bounds) and TRACE.get().stager.checkpoint() is not None:
            error.add_note("A size that is None in x.shape is known when the graph runs: len(x).")
        raise


def _consumed(function, args, kwargs) -> tuple:
    """The arguments of a builtin, with a list of what it consumes, item by item as Python does."""
    first, *others = args if args[1:] or function not in REDUCERS else map(certain, args)
    others = map(walked, others)
    first = first if type(first) is Tested else walked(first)
    is_reduced = function in REDUCERS and TRACE.get().stager.checkpoint() is not None
    if is_reduced and function in COMPARES and kwargs.get("key") is not None:
        is_one, is_staged = len(args) == 1, TRACE.get().stager.is_staged(first)
        if is_one and not is_staged and isinstance(first, (*CONSUMED, list, tuple, range, dict)):
            return _keyed(function, first, kwargs)
        if not is_one and function is not sorted and "default" not in kwargs:
            return _keyed(function, (first, *others), kwargs)
    if is_reduced and isinstance(first, CONSUMED):
        decides = DECIDES.get(function)
        return (until(decides, first) if decides else collected(first), *others), kwargs
    if type(first) is Tested:
        first = first.collected() if function in WHOLE else first.walked()
    return (first, *others), kwargs


def _keyed(function, iterable, kwargs) -> tuple:
    """The arguments of `max`, `min` and `sorted` with a list of keys: `sorted` makes those after
    all of the items, the others each after its item.
    """
    key, keys = kwargs["key"], Keys()
    if function is sorted:
        items = collected(iterable)
        keys += map(key, items) if type(items) is list else ()
    else:
        items = collected(iterable, lambda item: keys.append(key(item)))
    if type(items) is not list:
        return (items,), kwargs
    return (items,), {**kwargs, "key": keys}


class Keys(collections.deque):
    """A key for each of some items, in their order: a function that returns the next one."""

    def __call__(self, item):
        return self.popleft()


def _any_staged(function, args, kwargs) -> bool:
    """Whether an item that a reducer consumes, or the key of one, is staged, or has a part that is
    and is compared.
    """
    if not args or TRACE.get().stager.checkpoint() is None:
        return False
    staged = _has_staged if function in COMPARES else is_staged_truth
    if type(args[0]) in (*LIST_CLASSES, tuple) and any(map(staged, args if args[1:] else args[0])):
        return True
    key = kwargs.get("key")
    return type(key) is Keys and any(map(staged, key))


def _has_staged(item) -> bool:
    if type(item) in (*LIST_CLASSES, tuple):
        return any(map(_has_staged, item))
    return TRACE.get().stager.is_staged(item)


def _with_unchanging(function, args, kwargs) -> tuple:
    """The arguments of a builtin over staged items, with a function that may change nothing."""
    where = f"the function of `{function.__name__}` over items known only when the graph runs"

    def once(form):
        return lambda *items: unchanged(lambda: form(*items), where, FOR_LOOP)

    if (function is map or function is filter) and callable(args[0]):
        return (once(args[0]), *args[1:]), kwargs
    key = kwargs.get("key")
    return args, kwargs if key is None else {**kwargs, "key": once(key)}


def _converting(function, args, kwargs, scope):
    """The arguments of a builtin with its function, or its `key`, converted."""
    is_user = bool(args) and isinstance(args[0], _USER_CALLABLES)
    traces = TRACE.get().stager.checkpoint() is not None  # other functions have forms of tensors
    if function in (map, filter) and (is_user or (args and callable(args[0]) and traces)):
        return (_converted(args[0], scope), *args[1:]), kwargs
    if isinstance(kwargs.get("key"), _USER_CALLABLES):
        return args, {**kwargs, "key": _converted(kwargs["key"], scope)}
    return args, kwargs


_USER_CALLABLES = (types.FunctionType, types.MethodType, functools.partial)


def _converted(function, scope):
    return lambda *items: converted_call(function, items, None, scope)


def _forget_forms(phase: str, info: dict) -> None:
    """Before a full garbage collection: a form has the closure and the globals of its function, in
    which the function itself may be. Kept forms would keep such functions alive for ever.
    """
    if phase == "start" and info["generation"] == 2:
        _forms.clear()


gc.callbacks.append(_forget_forms)


def _form(function, bound=None):
    """The callable that runs for a function: its converted form, which `bound` may bind to other
    globals, or the form of the stager for one of a library.
    """
    entry = _entry_of(function)
    form = entry[2] or _inside_decorator(function)
    if form is not function:
        return bound(form) if bound is not None else form
    staged = TRACE.get().stager.form(function) if entry[3] else None
    return staged or noting_changes(function, function)


def converted_form(function: types.FunctionType) -> types.FunctionType:
    """The converted function, or the function itself if it is not converted."""
    return _entry_of(function)[2] or _inside_decorator(function)


def _entry_of(function: types.FunctionType) -> tuple:
    """The entry of a function, with its converted form (None if it is not converted), and
    whether it is one of a library.

    A module that is reloaded in place gives its functions other code and other defaults.
    """
    key, state = id(function), _state_of(function)
    entry = _forms.get(key)
    is_known = entry is not None and entry[0]() is function
    if entry is None or not (is_known and all(map(operator.is_, entry[1], state))):
        held = weakref.ref(function, lambda _: _forms.pop(key, None))
        form, is_library = form_in(sys.modules[__package__], function)
        # a function that is not converted must not keep itself alive
        form = None if form is function else form
        entry = _forms[key] = (held, state, form, is_library)
    if entry[2] is None and STRICT in FEATURES.get():
        _refuse(function)
    return entry


def _refuse(function) -> None:
    """Raise ConversionError if a function should be converted and cannot."""
    failure = FAILURES.get(function.__code__)
    if failure is not None:
        raise ConversionError(
            f"strict=True: '{function.__qualname__}' cannot be converted: {failure}"
        )


def _inside_decorator(function):
    """The converted form of a function inside `convert()`, if its features are on already."""
    inner, features = getattr(function, DECORATED, (None, None))
    if inner is None or features != FEATURES.get() or type(inner) is not types.FunctionType:
        return function
    return converted_form(inner)


def form_in(operators, function) -> tuple:
    """The converted function, which knows the namespace `operators` as `ag__`, or the function
    itself; and whether it is one of a library.
    """
    from ..conversion.converted_functions import CONVERTED_CODE, convert_function

    code = function.__code__
    if code in CONVERTED_CODE or code in FAILURES:
        return function, False
    if not is_user_code(function):
        return function, True
    try:
        return convert_function(function, operators), False
    except ConversionError as error:
        FAILURES[code] = error
        if LOG.verbosity:
            print(f"allograph: {function.__qualname__} runs as it is: {error}", file=sys.stderr)
        return function, False


def is_user_code(function) -> bool:
    """Whether a function may be converted: it is not marked, and in no skipped package."""
    if getattr(function, DO_NOT_CONVERT, False):
        return False
    if is_of_python_library(function):
        return True
    names = (function.__globals__.get("__name__") or "").split(".")
    around = {".".join(names[:end]) for end in range(1, len(names) + 1)}  # the packages, the module
    return not around.isdisjoint(CONVERTED_PACKAGES) or around.isdisjoint(SKIPPED_PACKAGES)
