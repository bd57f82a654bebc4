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

import functools
import inspect
import pathlib
import re
import sys
import types
from collections.abc import Collection, Iterator

import numpy as np

from ..conversion.bytecode_liveness import Liveness, read_by_inner
from ..conversion.display_names import DIRECT_CALLERS, OUTLINED
from ..current_trace import TRACE, unsupported
from ..identity_map import cached_per_object
from .containers import (
    attributes_of,
    content,
    is_record_class,
    items_of,
    parts_of,
    path_to,
    shown,
    slots_of,
)
from .forwarding_lists import LIST_CLASSES, ForwardingList, OwnIterator, sources_of
from .opaque_content import of_class

LIMIT = 100_000  # objects: their content is compared after each staged block
PACKAGE = __name__.partition(".")[0]
OPERATORS = __name__.rpartition(".")[0]
OUTSIDE = (f"{PACKAGE}.autograph.api", f"{PACKAGE}.tracing.functions")  # a trace begins in these
# Code, by its identity: to look it up by its content takes as long as a function is.
APART: set[int] = set()  # calls what changes nothing but its arguments, which are the stager's
# Runs blocks of staged statements, and has a stager stage one: frames between are of a backend.
BLOCKS: set[int] = set()
STATEMENTS: set[int] = set()
INSTALLED = {"site-packages", "dist-packages"}  # folders
LIBRARIES = {*sys.stdlib_module_names, PACKAGE, "numpy"} - {"__main__"}
HOLDERS = {"argparse", "collections", "contextlib", "queue", "types", "weakref"}  # of users' values
HOLDER_TYPES = {types.MethodType, functools.partial, types.MappingProxyType}
LOOPS = 0  # in place of the identity of an object: what the running loops go through
PLAIN, CONTAINER, ARRAY, ITERATOR, OBJECT, HOLDER, FUNCTION = range(7)


class Reachable:
    """The containers, objects and closure cells, with their names, the arrays and the iterators."""

    def __init__(self, lists, set_state, tensors: bool = False):
        """`lists` names variables of the statement itself that may change while it is traced, and
        `set_state` sets its state. `tensors`: the edges lead to those too.
        """
        self._tensors = tensors
        self.containers: list[tuple] = []
        self.objects: list[tuple] = []
        self.cells: list[tuple] = []
        self.arrays: list[np.ndarray] = []
        self.iterators: list = []
        self.frames = frames = _Frames(lists, tensors)
        self._state = _cells_of(set_state)
        self._outside = frames.outside
        self._seen: set[tuple] = set()
        self._live_edges: list[tuple] | None = None
        self._known_liveness: Liveness | None = None
        self._closures: list[tuple] = []  # (code, key of the edge, identity of the cell, value)
        # Breadth first, so that each gets its shortest name. The third says whether a container
        # around it is compared, and it with that; the fourth, whether it is a variable once more;
        # the last, what holds it and how: an object's identity and `.name` or `[key]`, or the
        # `~index` of a frame and the variable.
        rows = frames.variables
        self.edges = [(name, start, False, again, (~at, name)) for name, start, again, at in rows]
        self.edges += [
            ("what the loop goes through", start, False, False, (LOOPS, str(position)))
            for position, items in enumerate(TRACE.get().iterated)
            for start in sources_of(items)
            if _role(type(start)) != PLAIN
        ]
        for name, value, is_inside, *_ in self.edges:  # a worklist
            self._visit(name, value, is_inside)
            if len(self.edges) > LIMIT:
                raise _too_many(name)
        for name, cell in frames.captured_in_blocks():
            self._visit_cell(name, cell, content(cell))

    def live_edges(self) -> list[tuple]:
        """The edges on the way from variables that are read after the statement. A path that the
        caller binds anew as soon as it has the result is none of its variables':

            self.rows = grow(self.rows, x)
        """
        if self._live_edges is not None:
            return self._live_edges
        frames, liveness, parts = self.frames.frames, self._liveness(), self.parts()
        edges: list[tuple] = []
        seen: set[int] = set()
        assigned: set[tuple] = set()
        for index, frame in enumerate(frames):
            assigned |= _key_assigned(frame, liveness.points[index].assigned)
            queue = [out for out in parts.get(~index, ()) if liveness.is_live(index, out[0])]
            queue += parts.get(LOOPS, ()) if index == 0 else ()
            for edge in queue:  # a worklist
                edges.append(edge)
                if id(edge[1]) not in seen:
                    seen.add(id(edge[1]))
                    inner = parts.get(id(edge[1]), ())
                    queue += [out for out in inner if out[-1] not in assigned]
        self._live_edges = edges
        return edges

    def _liveness(self) -> Liveness:
        if self._known_liveness is None:
            self._known_liveness = Liveness(self.frames.frames, DIRECT_CALLERS)
        return self._known_liveness

    def parts(self) -> dict[int, list]:
        """The edges by what they come from."""
        edges_by_source: dict[int, list] = {}
        for edge in self.edges:
            edges_by_source.setdefault(edge[-1][0], []).append(edge)
        return edges_by_source

    @property
    def assigned(self) -> str | None:
        """The variable to which the result of the operator that runs is bound."""
        names = self._liveness().points[0].assigned
        return names[0] if len(names) == 1 else None

    def is_live(self, variable: str) -> bool:
        """Whether a variable of the function that has the statement is read after it."""
        return any(
            self._liveness().is_live(at, variable)
            for at, frame in enumerate(self.frames.frames[: self.frames.own])
            if variable in _names_of_locals(frame.f_code)
        )

    def keys_of(self, name: str, value) -> set[tuple]:
        """The keys of the edges to a variable of that function, or to a path from one."""
        root, steps = name_and_steps(name)
        frames = self.frames.frames[: self.frames.own]
        name, *is_of_another = name.split(" (")  # as `_unused` names it
        if not steps and not is_of_another and any(root in frame.f_locals for frame in frames):
            keys = {(~at, root) for at in range(self.frames.own)}
            is_free = root in frames[-1].f_code.co_freevars
            return keys | self._keys_outside(root, value) if is_free else keys
        holder = next((frame.f_locals[root] for frame in frames if root in frame.f_locals), None)
        for step in steps[:-1]:
            holder = _part_at(holder, step)
        if steps and _part_at(holder, steps[-1]) is value:
            return {(id(holder), steps[-1])}
        return {key for other, part, *_, key in self.edges if other == name and part is value}

    def _keys_outside(self, name: str, value) -> set[tuple]:
        """The keys of the edges to a closure variable that has a value, if only one has."""
        cells = [row for row in self._closures if row[1][1] == name and row[3] is value]
        if len({cell for *_, cell, _ in cells}) != 1:
            return set()
        inner = {(code, name) for code, *_ in cells}
        return {key for _, key, *_ in cells} | {
            (~at, name)
            for at, frame in enumerate(self.frames.frames)
            if not inner.isdisjoint(read_by_inner(frame.f_code))
        }

    def _visit(self, name: str, value, is_inside: bool) -> None:
        role = _role(type(value))
        if role == PLAIN or (id(value), is_inside) in self._seen:
            return
        if role == OBJECT and TRACE.get().stager.is_tensor(value):
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
        has_attributes = role in (CONTAINER, ITERATOR) and hasattr(value, "__dict__")
        is_own = isinstance(value, (OwnIterator, ForwardingList))
        if role == OBJECT or (has_attributes and not is_own):
            self.objects.append((name, value))
        if role == FUNCTION:
            self._visit_function(name, value)
        else:
            is_compared = role == CONTAINER and of_class(type(value)) is None
            inside = is_compared or (is_inside and isinstance(value, tuple))
            parts = _parts(name, value, role, self._tensors)
            self.edges += [
                (part, part_value, inside, False, (id(value), part[len(name) :]))
                for part, part_value in parts
            ]

    def _visit_function(self, name: str, function) -> None:
        """The attributes, the defaults and the closure of a function of the user."""
        code = function.__code__
        if code in OUTLINED:
            return
        self.objects.append((name, function))
        key = (id(function), "__defaults__")
        self.edges.append((f"{name}.__defaults__", function.__defaults__, False, False, key))
        for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
            value = content(cell)
            key = (id(function), name)
            self._closures.append((code, key, id(cell), value))
            if self._visit_cell(name, cell, value):
                is_again = self.frames.is_inner(code, name)
                self.edges.append((name, value, False, is_again, key))

    def _visit_cell(self, name: str, cell, value) -> bool:
        """Whether the trace owns a closure variable, and the statement does not set it."""
        if id(cell) in self._state or not self._outside.isdisjoint((id(value), name)):
            return False
        if (id(cell), False) not in self._seen:
            self._seen.add((id(cell), False))
            self.cells.append((name, cell))
        return True


def name_and_steps(path: str) -> tuple[str, list[str]]:
    """The variable that a path starts from, and its `.name` and `[key]`.

    >>> name_and_steps("self.rows['a.b'][0]")
    ('self', ['.rows', "['a.b']", '[0]'])
    """
    root, *steps = re.findall(r"^\w+|\.\w+|\['.*?'\]|\[.*?\]", path)
    return root, steps


def _part_at(holder, step: str):
    if step.startswith("."):
        return attributes_of(holder).get(step[1:])
    items = items_of(holder) if isinstance(holder, (list, dict, tuple)) else {}
    return next((item for key, item in items.items() if f"[{shown(key)}]" == step), None)


def _key_assigned(frame, path: tuple) -> set[tuple]:
    """The key of the edge to which a path in a function leads (`bytecode_liveness.Point`)."""
    if len(path) < 2:
        return set()
    holder = frame.f_locals.get(path[0])
    for name in path[1:-2]:
        holder = attributes_of(holder).get(name)
    access, key = path[-2:]
    if access == "." and not hasattr(getattr(type(holder), key, None), "fget"):
        return {(id(holder), f".{key}")}
    if access == "[" and type(holder) in (*LIST_CLASSES, dict):
        key = key + len(holder) if type(holder) in LIST_CLASSES and key < 0 else key
        return {(id(holder), f"[{shown(key)}]")}
    return set()


def _too_many(name: str) -> Exception:
    root = re.split(r"[.\[]", name)[0]
    return unsupported(
        f"more than {LIMIT:,} objects can be reached from local variables, for example from "
        f"'{root}', so what a staged statement changes in them cannot be followed",
        f"Let '{root}' be a global variable, or keep its numbers in tensors or arrays.",
    )


class _Frames:
    """The frames of the functions that are being traced.

    `variables` holds their local variables, the innermost first, whether each is a parameter of
    generated code, which holds what another one does, and the index of its frame. `outside` has the
    names and the identities of what the trace does not own.
    """

    def __init__(self, lists, tensors: bool):
        self.frames: list[types.FrameType] = []
        self.locals: list = []  # the variables of each, by name
        self.own = 1  # so many of them belong to the function that has the statement
        self.variables: list[tuple] = []
        self.outside: set = set()
        outermost, is_own = None, True
        for index, frame in enumerate(traced_frames()):
            code, values = frame.f_code, frame.f_locals
            self.frames.append(frame)
            self.locals.append(values)
            generated = code.co_varnames[: code.co_argcount] if OUTLINED.get(code) else ()
            for name in _names_of_locals(code):
                value = values.get(name)
                if _role(type(value)) == PLAIN and not (
                    tensors and TRACE.get().stager.is_tensor(value)
                ):
                    continue
                if is_own and name in lists and _role(type(value)) != OBJECT:
                    self.outside.add(id(value))
                else:
                    self.variables.append((name, value, name in generated, index))
            is_outlined = bool(OUTLINED.get(code))
            is_own = is_own and is_outlined
            self.own += is_own
            outermost = outermost if is_outlined else frame
        if outermost is not None:
            values = outermost.f_locals  # each time that it is asked, Python fills it anew
            for name in outermost.f_code.co_freevars:
                value = values.get(name)
                self.outside.add(name if _role(type(value)) == PLAIN else id(value))

    def is_inner(self, code, name: str) -> bool:
        """Whether a function is inside of one of these, and reads a variable of it."""
        return any((code, name) in read_by_inner(frame.f_code) for frame in self.frames)

    def namespaces_outside(self, known: Collection) -> Iterator[tuple]:
        """(code, package, names and values) of what the trace does not own: the closure of the
        traced function, and the global variables that functions read, whose code is not `known`.
        """
        outermost = next(
            (frame for frame in reversed(self.frames) if not _is_outlined(frame)), None
        )
        for frame in self.frames:
            code, values = frame.f_code, frame.f_globals
            if code in known:
                continue
            namespace = {name: values[name] for name in code.co_names if name in values}
            if frame is outermost:
                values = frame.f_locals
                namespace |= {name: values[name] for name in code.co_freevars if name in values}
            yield code, _package_of(frame), namespace

    def captured_in_blocks(self):
        """The closure variables of the function that has the statement which functions defined in
        its blocks read. Such a function exists only while a block runs.
        """
        for frame, values in zip(self.frames[: self.own], self.locals, strict=False):
            for block, users in _blocks_with_functions(frame.f_code).items():
                value = values.get(block)
                if type(value) is types.FunctionType and value.__code__ in OUTLINED:
                    rows = zip(value.__code__.co_freevars, value.__closure__ or (), strict=True)
                    yield from ((name, cell) for name, cell in rows if name in users)


@cached_per_object
def _blocks_with_functions(code) -> dict[str, set[str]]:
    """The blocks outlined from a function in which others are defined, by the variables that hold
    them, and the variables that those others read.
    """
    blocks = [
        inner for inner in code.co_consts if isinstance(inner, types.CodeType) and inner in OUTLINED
    ]
    users = {
        OUTLINED.get(block): {name for read, name in read_by_inner(block) if read not in OUTLINED}
        for block in blocks
    }
    return {block: names for block, names in users.items() if names}


def _package_of(frame) -> str:
    return str(frame.f_globals.get("__name__")).partition(".")[0]


def _is_outlined(frame) -> bool:
    return bool(OUTLINED.get(frame.f_code))


def traced_frames() -> list[types.FrameType]:
    """The frames up to the beginning of the trace. Where a graph is built by hand there is none,
    and those of programs that run the user's, such as test runners, do not count.
    """
    frames: list[types.FrameType] = []
    until, is_backend = None, False
    frame = inspect.currentframe()
    while frame is not None:
        code = id(frame.f_code)
        is_backend = code in BLOCKS or (is_backend and code not in STATEMENTS)
        module = frame.f_globals.get("__name__") or ""
        if module.startswith(OUTSIDE) or code in APART:
            return frames
        if not is_backend and (root := module.partition(".")[0]) not in LIBRARIES:
            if until is None and _is_installed(root):
                until = len(frames)
            frames.append(frame)
        frame = frame.f_back
    return frames[:until]


@functools.lru_cache(512)
def _is_installed(root: str) -> bool:
    """Whether a module or package is one that was installed, not a file of the user's project."""
    file = getattr(sys.modules.get(root), "__file__", None) or ""
    return not INSTALLED.isdisjoint(pathlib.PurePath(file).parts)


@cached_per_object
def _names_of_locals(code) -> tuple[str, ...]:
    """The variables of a function, without those of the functions around it, and without the
    functions outlined from it.
    """
    inner = [constant for constant in code.co_consts if isinstance(constant, types.CodeType)]
    outlined = {OUTLINED.get(constant) for constant in inner if constant in OUTLINED}
    names = dict.fromkeys((*code.co_varnames, *code.co_cellvars))
    return tuple(name for name in names if name not in outlined)


def _is_generated(function) -> bool:
    return function.__code__ in OUTLINED or (function.__module__ or "").startswith(OPERATORS)


def _cells_of(set_state) -> set[int]:
    """The identities of the closure cells that a function of generated code, and those of this
    package around it, set.
    """
    cells: set[int] = set()
    queue = [set_state]
    for function in queue:  # a worklist
        for cell in function.__closure__ or ():
            cells.add(id(cell))
            value = content(cell)
            if isinstance(value, types.FunctionType) and _is_generated(value):
                queue.append(value)
    return cells


def _parts(name: str, value, role: int, tensors: bool) -> list[tuple]:
    """The mutable children of `value`, as (path, child)."""
    is_installed = role == OBJECT and _is_installed(type(value).__module__.partition(".")[0])
    tensors = tensors and not is_installed

    is_tensor = TRACE.get().stager.is_tensor

    def may_change(part) -> bool:
        role = _role(type(part))
        if is_installed:  # what is below may be the whole of it
            return role in (CONTAINER, ARRAY)
        return bool(role) or (tensors and is_tensor(part))

    parts = (part for part in parts_of(value) if may_change(part[1]))
    return [(path_to(name, key, form), child) for key, child, form in parts]


@functools.lru_cache(512)
def _role(cls) -> int:
    """The role of the objects of a class in a snapshot; PLAIN if they do not matter."""
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
        return ITERATOR if issubclass(cls, OwnIterator) or PACKAGE not in roots else PLAIN
    has_attributes = cls.__dictoffset__ != 0 or slots_of(cls)
    is_users = (roots[0] not in LIBRARIES or roots[0] in HOLDERS) and PACKAGE not in roots
    return OBJECT if has_attributes and is_users else PLAIN
