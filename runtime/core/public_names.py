"""The public vocabulary: every public name, and the object it stands for.

`expose(thing, "tanh", "math.tanh")` makes `ag.tanh` and `ag.math.tanh`. A dotted prefix is a
namespace; nothing else has to be declared. `public_index.txt`, which is written with the type stub,
tells which module registers a name, and that module alone is imported when the name is first used.
Likewise operations, also those without a public name.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Iterable

from .places import PACKAGE, imported, object_at
from .tracebacks import boundaries_of, boundary, did_you_mean, lines_of_data, other_names

# The version is that of the reference whose names these are: for libraries that choose a path by
# `__version__`, `sys.modules["tensorflow"] = allograph.compat.v2` has it as its own.
PUBLIC: dict[str, object] = {"version.VERSION": "2.21.0", "version.GIT_VERSION": "allograph"}
# Namespaces of older code: what they do not have of their own is the name without the prefix.
MIRRORS = ("compat.v1", "compat.v2", "contrib.eager")
# Data types of optional packages: a function of this module makes each when it is first asked for.
LATER = dict.fromkeys(("bfloat16", "dtypes.bfloat16"), "runtime.core.dtypes")
CONSTANTS = {"newaxis": None}  # of the root: in mirrors too
OPERATION = ":"  # begins the names of operations, and of NumPy's functions, in the index
OPERATIONS = "runtime.ops"  # loaded first: tensors have the operators that it registers


def expose(thing, *names: str):
    """Give `thing` the public `names`; a name is given once.

    Errors leave the methods of a class without the frames inside. Tracebacks show an exception
    class under its public name, by which a program can catch it.
    Raises ValueError when a name is taken by something else.
    """
    if isinstance(thing, type) and not issubclass(thing, BaseException):
        boundaries_of(thing)
        thing.__dir__ = public_members  # type: ignore[assignment, method-assign]
    elif isinstance(thing, type) and f"errors.{thing.__name__}" in names:
        thing.__module__ = f"{PACKAGE}.errors"
    for name in names:
        if PUBLIC.setdefault(name, thing) is not thing:
            raise ValueError(f"the public name {name!r} is given twice")
    return thing


def public(*names: str):
    """Decorator form of `expose`; without names, the function's own.

    Errors leave a function without the frames inside.
    """

    def register(declared):
        if isinstance(declared, types.FunctionType):
            declared = boundary(declared)
        return expose(declared, *(names or (declared.__name__,)))

    return register


def public_members(thing) -> list[str]:
    """The `__dir__` of public classes."""
    return sorted({*object.__dir__(thing)} - internal_members(type(thing)))


def internal_members(owner: type) -> set[str]:
    """The members of a class and its objects that `internal_members.txt` lists, and those that
    stand for missing ones and say what to use instead.
    """
    ours = [base for base in owner.__mro__ if base.__module__.partition(".")[0] == PACKAGE]
    members = {
        name: member for base in reversed(owner.__mro__) for name, member in vars(base).items()
    }
    missing = {name for name, member in members.items() if type(member).__name__ == "MissingMember"}
    return missing.union(*(_listed_members().get(base.__name__, ()) for base in ours))


@functools.cache
def _listed_members() -> dict[str, list[str]]:
    return {owner: rest for owner, *rest in map(str.split, lines_of_data("internal_members.txt"))}


class Namespace(types.ModuleType):
    """The public names below a dotted prefix, as in `ag.math.tanh`: a module without a file."""

    def __init__(self, prefix: str):
        super().__init__(f"{PACKAGE}.{prefix}")
        self._prefix = prefix
        self.__path__: list[str] = []  # import statements look for members

    @boundary
    def __getattr__(self, name: str):
        if name == "__version__" and self._prefix in MIRRORS:
            return PUBLIC["version.VERSION"]
        if name.startswith("_"):  # as in `loading.find`
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        if self._prefix in MIRRORS and name in CONSTANTS:
            return CONSTANTS[name]
        value = member(self._prefix, name)
        setattr(self, name, value)
        return value

    def __dir__(self):
        return names_below(self._prefix)

    def __repr__(self):
        return f"<namespace 'allograph.{self._prefix}'>"


def advice_for_missing(full: str, siblings: Iterable[str]) -> str:
    """What to use in place of a name that its namespace, with these `siblings`, does not have."""
    from .user_source import in_users_words  # only errors need it

    _, _, name = full.rpartition(".")
    certain = known_to_reference(full) or in_users_words(called_here(full))
    return certain or did_you_mean(name, siblings, elsewhere(full, index()))


def called_here(full: str) -> str:
    """What a name of another library is called here, as a sentence; empty for other names.

    >>> called_here("vmap")
    ' Use ag.vectorized_map(f, x).'
    """
    code = other_names().get(full)
    return f" Use {code}." if code else ""


def elsewhere(full: str, known: Iterable[str]) -> str:
    """A question that names the same name in another namespace; empty if no namespace has it.

    >>> elsewhere("relu", ["nn.relu", "keras.activations.relu", "math.log"])
    " Did you mean 'nn.relu'?"
    """
    short = full.rpartition(".")[2]
    similar = [name for name in known if name.rpartition(".")[2] == short]
    first = other_names()["!first"].split()

    def distance(name: str):
        namespace = name.rpartition(".")[0]
        return first.index(namespace) if namespace in first else len(first), name.count("."), name

    return f" Did you mean {min(similar, key=distance)!r}?" if similar else ""


def known_to_reference(name: str) -> str:
    """What there is to say of a missing name that TensorFlow has; empty for other names.

    >>> known_to_reference("tpu.experimental")
    ' TensorFlow has it; it is out of scope here: TPUs.'
    >>> known_to_reference("nonsense")
    ''
    """
    names, excluded, instead = reference_names()
    prefixes = [name.rsplit(".", count)[0] for count in range(name.count(".") + 1)]
    for prefix in prefixes:
        if prefix in excluded:
            return f" TensorFlow has it; it is out of scope here: {excluded[prefix]}."
    namespace, _, short = name.rpartition(".")
    if short not in names.get(namespace or "root", ()) and name not in names:
        return ""
    cure = next((instead[prefix] for prefix in prefixes if prefix in instead), None)
    return f" TensorFlow has it; this package does not{f': {cure}' if cure else ''}."


@functools.cache
def reference_names() -> tuple[dict[str, list[str]], dict[str, str], dict[str, str]]:
    """TensorFlow's names by namespace, those that are out of scope, and what to use instead."""
    names: dict[str, list[str]] = {}
    excluded, instead = {}, {}
    for line in lines_of_data("reference_names.txt"):
        head, _, rest = line.partition(": ")
        if line.startswith("!"):
            excluded[head[1:]] = rest
        elif line.startswith("="):
            instead[head[1:]] = rest
        elif not line.startswith("#"):
            names[head] = rest.split()
    return names, excluded, instead


@functools.cache
def _homes() -> dict[str, str]:
    rows = (line.split() for line in lines_of_data("public_index.txt"))
    return {name: module for module, *names in rows for name in names}


@functools.cache
def index() -> dict[str, str]:
    """The module that registers each public name, without the package's own name."""
    return {name: module for name, module in _homes().items() if name[0] != OPERATION}


def load_operation(name: str) -> None:
    """Import the module that declares an operation, or a function of NumPy, if there is one."""
    if OPERATION + name in _homes():
        for module in (OPERATIONS, _homes()[OPERATION + name]):
            imported(module)


class Declared(dict):
    """Objects by name, which enter as modules declare them. For a name that is not there, all
    modules that register public names are imported: a file may name what any of them declares.
    """

    def __missing__(self, name: str):
        for module in {OPERATIONS: None, **dict.fromkeys(index().values())}:
            imported(module)
        if name in self:
            return self[name]
        raise KeyError(name)


@functools.cache
def namespaces() -> set[str]:
    """The dotted prefixes of public names."""
    prefixes = {*MIRRORS, *(name.rpartition(".")[0] for name in (*PUBLIC, *index()))} - {""}
    return {
        prefix.rsplit(".", count)[0]
        for prefix in prefixes
        for count in range(prefix.count(".") + 1)
    }


def lookup(name: str):
    """The object with this public name, whose module is imported if it was not yet; a `Namespace`
    when names lie below it; None if there is no such name.

    >>> lookup("math.tanh").__name__, lookup("math"), lookup("nonsense")
    ('tanh', <namespace 'allograph.math'>, None)
    """
    if name not in PUBLIC and name in index():
        for module in (OPERATIONS, index()[name]):
            imported(module)
    if name in PUBLIC:
        return PUBLIC[name]
    if name in LATER:
        return object_at(f"{LATER[name]}:{name.rpartition('.')[2]}")()
    if name in namespaces():
        return Namespace(name)
    for mirror in MIRRORS:
        if name.startswith(mirror + "."):
            return lookup(name.removeprefix(mirror + "."))
    return None


def member(prefix: str, name: str):
    """The member of a namespace, of the root if `prefix` is empty; AttributeError with the most
    similar name if there is none.
    """
    full = f"{prefix}.{name}" if prefix else name
    value = lookup(full)
    if value is None:
        holder = f"{PACKAGE}.{prefix}" if prefix else PACKAGE
        raise AttributeError(
            f"module '{holder}' has no attribute {name!r}."
            f"{advice_for_missing(full, names_below(prefix))}",
            name=name,
            obj=None,  # Python would suggest a name once more
        )
    return value


def names_below(prefix: str) -> list[str]:
    """The direct members of a namespace; of the root when `prefix` is empty."""
    start = prefix + "." if prefix else ""
    return sorted(
        {name[len(start) :].split(".")[0] for name in {*PUBLIC, *index()} if name.startswith(start)}
    )
