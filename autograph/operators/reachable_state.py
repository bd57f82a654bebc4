"""What can be changed by a function that a staged block calls: all that is reachable from the local
variables of the functions that are being traced.

    def make():
        stats = Stats(inner=Inner())
        return lambda x: stats.inner.add(x)     # reachable from the lambda

    add = make()
    if x > 0:
        add(x)

What is reachable only from outside of the trace, such as global variables and the closure of the
traced function, is not part of it: it may count the traces.
"""

from __future__ import annotations

import collections
import functools
import inspect
import pathlib
import re
import sys
import types

import numpy as np

from ..conversion.display_names import OUTLINED
from ..stager import CURRENT
from .comprehensions import Postponed
from .containers import attributes_of, children, fields_of, is_record_class, slots_of
from .opaque_content import of_class
from .undefined import Undefined

LIMIT = 100_000  # objects: their content is compared after each staged block
PACKAGE = __name__.partition(".")[0]
OPERATORS = __name__.rpartition(".")[0]
UNBOUND = Undefined("a closure variable")
OUTSIDE = (f"{PACKAGE}.autograph.api", f"{PACKAGE}.tracing.functions")  # a trace begins in these
INSTALLED = {"site-packages", "dist-packages"}  # folders
LIBRARIES = {*sys.stdlib_module_names, PACKAGE, "numpy"} - {"__main__"}
HOLDERS = {
    "argparse",
    "collections",
    "contextlib",
    "queue",
    "types",
    "weakref",
}  # which hold what users put there
HOLDER_TYPES = {types.MethodType, functools.partial, types.MappingProxyType}
PLAIN, CONTAINER, ARRAY, ITERATOR, OBJECT, HOLDER, FUNCTION = range(7)


class Reachable:
    """The containers, objects and closure cells, with their names, the arrays and the iterators."""

    def __init__(self, lists, set_state):
        """`lists` names variables of the statement itself that may change while it is traced, and
        `set_state` sets its state.
        """
        self.containers: list[tuple] = []
        self.objects: list[tuple] = []
        self.cells: list[tuple] = []
        self.arrays: list[np.ndarray] = []
        self.iterators: list = []
        frames = _Frames(lists)
        self._state = _cells_of(set_state)
        self._outside = frames.outside
        self._seen: set[tuple] = set()
        # Breadth first, so that each gets its shortest name. The third says whether a container
        # around it is compared, and it with that.
        self._queue = [(name, value, False) for name, value in frames.variables]
        for name, value, is_inside in self._queue:  # which grows meanwhile
            self._visit(name, value, is_inside)
            if len(self._queue) > LIMIT:
                raise _too_many(name)

    def _visit(self, name: str, value, is_inside: bool) -> None:
        role = _role(type(value))
        if role == PLAIN or (id(value), is_inside) in self._seen:
            return
        self._seen.add((id(value), is_inside))
        if (id(value), not is_inside) in self._seen:
            if role == CONTAINER and not is_inside:
                self.containers.append((name, value))
            return
        if role == CONTAINER and not is_inside:
            self.containers.append((name, value))
        elif role == ARRAY:
            self.arrays.append(value)
        elif role == ITERATOR:
            self.iterators.append(value)
        if role == OBJECT or (role == CONTAINER and hasattr(value, "__dict__")):
            self.objects.append((name, value))
        if role == FUNCTION:
            self._visit_function(name, value)
        else:
            is_compared = role == CONTAINER and of_class(type(value)) is None
            inside = is_compared or (is_inside and isinstance(value, tuple))
            self._queue += [(part, one, inside) for part, one in _parts(name, value, role)]

    def _visit_function(self, name: str, function) -> None:
        """The attributes, the defaults and the closure of a function of the user."""
        code = function.__code__
        if code in OUTLINED:
            return
        self.objects.append((name, function))
        self._queue.append((f"{name}.__defaults__", function.__defaults__, False))
        for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
            value = content(cell)
            if id(cell) in self._state or not self._outside.isdisjoint((id(value), name)):
                continue
            if (id(cell), False) not in self._seen:
                self._seen.add((id(cell), False))
                self.cells.append((name, cell))
            self._queue.append((name, value, False))


def _too_many(name: str) -> Exception:
    root = re.split(r"[.\[]", name)[0]
    return CURRENT.stager.refusal_of_construct(
        f"more than {LIMIT:,} objects can be reached from local variables, for example from "
        f"'{root}', so what a staged statement changes in them cannot be followed",
        f"Let '{root}' be a global variable, or keep its numbers in tensors or arrays.",
    )


class _Frames:
    """The frames of the functions that are being traced.

    `variables` holds their local variables, the innermost first, `outside` the names and the
    identities of what the trace does not own.
    """

    def __init__(self, lists):
        self.variables: list[tuple] = []
        self.outside: set = set()
        outermost, is_own = None, True
        for frame in traced_frames():
            code, values = frame.f_code, frame.f_locals
            for name in _names_of_locals(code):
                value = values.get(name)
                if _role(type(value)) == PLAIN:
                    continue
                if is_own and name in lists:
                    self.outside.add(id(value))
                else:
                    self.variables.append((name, value))
            is_outlined = bool(OUTLINED.get(code))
            is_own = is_own and is_outlined
            outermost = outermost if is_outlined else frame
        if outermost is not None:
            for name in outermost.f_code.co_freevars:
                value = outermost.f_locals.get(name)
                self.outside.add(name if _role(type(value)) == PLAIN else id(value))


def traced_frames() -> list[types.FrameType]:
    """The frames up to the beginning of the trace. Where a graph is built by hand there is none,
    and those of programs that run the user's, such as test runners, do not count.
    """
    found: list[types.FrameType] = []
    until = None
    frame = inspect.currentframe()
    while frame is not None:
        module = frame.f_globals.get("__name__") or ""
        if module.startswith(OUTSIDE):
            return found
        root = module.partition(".")[0]
        if root not in LIBRARIES:
            if until is None and _is_installed(root):
                until = len(found)
            found.append(frame)
        frame = frame.f_back
    return found[:until]


@functools.lru_cache(512)
def _is_installed(root: str) -> bool:
    """Whether a module or package is one that was installed, not a file of the user's project."""
    file = getattr(sys.modules.get(root), "__file__", None) or ""
    return not INSTALLED.isdisjoint(pathlib.PurePath(file).parts)


@functools.lru_cache(512)
def _names_of_locals(code) -> tuple[str, ...]:
    """The variables of a function, without those of the functions around it, and without the
    functions outlined from it.
    """
    inner = [one for one in code.co_consts if isinstance(one, types.CodeType)]
    outlined = {OUTLINED.get(one) for one in inner if one in OUTLINED}
    names = dict.fromkeys((*code.co_varnames, *code.co_cellvars))
    return tuple(name for name in names if name not in outlined)


def content(cell):
    """The value of a closure variable."""
    try:
        return cell.cell_contents
    except ValueError:
        return UNBOUND


def _is_generated(function) -> bool:
    return function.__code__ in OUTLINED or (function.__module__ or "").startswith(OPERATORS)


def _cells_of(set_state) -> set[int]:
    """The identities of the closure cells that a function of generated code, and those of this
    package around it, set.
    """
    found: set[int] = set()
    queue = [set_state]
    for function in queue:  # which grows meanwhile
        for cell in function.__closure__ or ():
            found.add(id(cell))
            value = content(cell)
            if isinstance(value, types.FunctionType) and _is_generated(value):
                queue.append(value)
    return found


def _parts(name: str, value, role: int) -> list[tuple]:
    """What lies directly in a value, with names, if it may be changed."""
    cls = type(value)
    if role == OBJECT:
        rows = attributes_of(value).items()
        if _is_installed(cls.__module__.partition(".")[0]):  # what is below may be the whole of it
            rows = [(key, one) for key, one in rows if _role(type(one)) in (CONTAINER, ARRAY)]
        return [(f"{name}.{key}", one) for key, one in rows]
    if cls is types.MethodType:
        return [(name, value.__self__), (name, value.__func__)]
    if cls is functools.partial:
        return [(name, one) for one in (value.func, *value.args, *value.keywords.values())]
    if isinstance(value, (dict, types.MappingProxyType)):
        keys = [(f"a key of {name}", key) for key in value if _role(type(key)) != PLAIN]
        return keys + [(f"{name}[{_shown(key)}]", one) for key, one in value.items()]
    if role == ARRAY:
        rows = enumerate(value.flat if value.dtype.kind == "O" else ())
    elif isinstance(value, (set, frozenset, collections.deque)):
        rows = enumerate(value)
    elif role == CONTAINER and is_record_class(cls):
        return [(f"{name}.{key}", one) for key, one in fields_of(value).items()]
    else:
        rows = enumerate(children(value))
    return [(f"{name}[{_shown(key)}]", one) for key, one in rows if _role(type(one))]


def _shown(key) -> str:
    """A key in a name. The `repr` of a class of the user's may do anything."""
    return repr(key) if type(key) in (int, str) else f"<{type(key).__name__}>"


@functools.lru_cache(512)
def _role(cls) -> int:
    """What the objects of a class are to a watch; PLAIN if they do not matter."""
    if cls in (int, float, str, bool, type(None)):
        return PLAIN
    if cls is types.FunctionType:
        return FUNCTION
    if issubclass(cls, np.ndarray):
        return ARRAY
    if issubclass(cls, (list, dict)) or is_record_class(cls) or of_class(cls) is not None:
        return CONTAINER
    if issubclass(cls, (tuple, frozenset)) or cls in HOLDER_TYPES:
        return HOLDER
    if issubclass(cls, (type, types.ModuleType)):
        return PLAIN
    roots = [base.__module__.partition(".")[0] for base in cls.__mro__]
    if issubclass(cls, BaseException):
        return PLAIN if PACKAGE in roots else OBJECT
    if hasattr(cls, "__next__"):
        return ITERATOR if cls is Postponed or PACKAGE not in roots else PLAIN
    has_attributes = cls.__dictoffset__ != 0 or slots_of(cls)
    is_users = (roots[0] not in LIBRARIES or roots[0] in HOLDERS) and PACKAGE not in roots
    return OBJECT if has_attributes and is_users else PLAIN
