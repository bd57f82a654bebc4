"""Which page of the reference has which names: groups of a namespace, and pages of large ones.

Names that a module defines are a group, and its docstring says what they have in common. The names
at the root are too many for that: `ROOT` says which rooms make a page of them.
"""

from __future__ import annotations

import functools
import inspect
import pathlib
import re
import sys
from collections.abc import Iterator
from typing import NamedTuple

import allograph

MOST = 100  # names that one page describes
OTHERS = "Others"
LEAST = 5  # names of a module that have a page of their own

MOST_READ = (  # the first ones on their pages
    *("function", "jit", "Tensor", "constant", "Variable", "GradientTape"),
    *("data.Dataset", "keras.Model"),
)

ROOT = (  # a page of names at the root: its title, what it has, and the modules of its names
    (
        "Functions",
        "Decorators that make graphs or native code of functions, and views of what they became.",
        "tracing.functions tracing.numpy_mode python_library backends library.explore "
        "library.profiling library.testing library.notebook",
    ),
    (
        "Control flow",
        "Loops and branches as functions, assertions, printing, and calls of Python in graphs.",
        "tracing.stager library.map_and_scan library.tensor_array library.assertions "
        "runtime.ops.state.printing runtime.ops.state.python_calls",
    ),
    ("Gradients", "Derivatives of functions, branches and loops.", "tracing.differentiation"),
    (
        "Tensors and types",
        "Tensors, variables, shapes, data types, and the types that choose a trace.",
        "runtime.core runtime.tensors runtime.ops.state tracing.type_system library.module "
        "library.extension_types library.array_api",
    ),
    ("Random numbers", "Random tensors, and their seed.", "library.random.random_draws"),
    (
        "Arrays",
        "Tensors made, reshaped, indexed, joined, sorted and masked.",
        "runtime.ops.array library.math.vector_slices library.counting library.nn",
    ),
    (
        "Elementary functions",
        "Functions of elements, comparisons, reductions and scans.",
        "runtime.ops.math library.clipping",
    ),
    (
        "Matrices and signals",
        "Matrix products, eigenvalues and Fourier transforms.",
        "runtime.ops.linalg library.linalg library.signal",
    ),
    (
        "Ragged, sparse and strings",
        "Rows of different lengths, elements that are not zero, and strings.",
        "library.ragged library.sparse_tensors library.strings runtime.ops.strings",
    ),
    ("Initial values", "Initial values of weights.", "library.keras"),
    ("Names of older programs", "Names that programs for TensorFlow 1 use.", "library.compat"),
)

WITH_MODULES = ("Arrays", "Elementary functions")  # pages of the root in groups of modules


class Entry(NamedTuple):
    """A public name, and what it stands for."""

    name: str
    thing: object

    @property
    def shown(self) -> str:
        return f"ag.{self.name}"

    @property
    def anchor(self) -> str:
        return self.name.replace(".", "-")

    @property
    def rank(self) -> tuple[bool, str]:
        """The place among others: those that most programs use, then by the alphabet."""
        return self.name not in MOST_READ, self.name.lower()


class Group(NamedTuple):
    """Names that belong together, and what they have in common."""

    title: str
    about: str
    entries: list[Entry]


class Page(NamedTuple):
    """A page of the reference: groups of names, and names that stand for those of other pages."""

    file: str
    namespace: str
    title: str
    about: str
    groups: list[Group]
    aliases: list[tuple[Entry, Entry]]
    parts: list[Page]

    def with_parts(self) -> Iterator[Page]:
        """The page, and the pages that its names are divided into."""
        yield self
        yield from self.parts


@functools.cache
def about_namespaces() -> dict[str, str]:
    """What each namespace is for.

    >>> about_namespaces()["ag.bitwise"]
    'Operations on the bits of integers.'
    """
    table = pathlib.Path(__file__).with_name("reference_namespaces.txt").read_text(encoding="utf-8")
    rows = (row.partition(": ") for row in table.splitlines()[1:])
    return {name: about for name, _, about in rows}


def pages_of(namespaces: dict[str, list[tuple[Entry, Entry]]]) -> Iterator[Page]:
    """The page of each namespace, of pairs of an entry and the one that describes it."""
    for name, pairs in namespaces.items():
        own = [entry for entry, described in pairs if entry is described]
        aliases = [pair for pair in pairs if pair[0] is not pair[1]]
        shown = f"ag.{name}" if name else "ag"
        stem = name or "allograph"
        groups = list(_by_room(own) if not name else _by_module(own))
        parts = []
        if len(own) > MOST:
            divided = groups if not name else _divided(own)
            parts = [_part(stem, shown, group) for group in divided]
            groups = []
        about = about_namespaces().get(shown, "")
        yield Page(f"{stem}.md", shown, f"`{shown}`", about, groups, aliases, parts)


def _part(stem: str, shown: str, group: Group) -> Page:
    """A page of some names of a namespace."""
    file = f"{stem}-{re.sub('[^a-z0-9]+', '-', group.title.lower())}.md"
    is_flat = stem == "allograph" and group.title not in WITH_MODULES
    by_rank = sorted(group.entries, key=lambda entry: entry.rank)
    groups = [Group("", "", by_rank)] if is_flat else list(_by_module(group.entries))
    if len(groups) == 1:
        groups = [Group("", "", groups[0].entries)]
    return Page(file, shown, f"`{shown}`: {group.title.lower()}", group.about, groups, [], [])


def _by_room(entries: list[Entry]) -> Iterator[Group]:
    """The groups of names at the root, by the longest prefix of their module."""
    prefixes = {prefix: title for title, _, rooms in ROOT for prefix in rooms.split()}
    by_title: dict[str, list[Entry]] = {title: [] for title, _, _ in ROOT}
    for entry in entries:
        module = _module_of(entry)
        fits = [prefix for prefix in prefixes if f"{module}.".startswith(f"{prefix}.")]
        by_title[prefixes[max(fits, key=len, default="runtime.core")]].append(entry)
    for title, about, _ in ROOT:
        if by_title[title]:
            yield Group(title, about, by_title[title])


def _by_module(entries: list[Entry]) -> Iterator[Group]:
    """A group for each module that defines several names, and one for the names of all others."""
    by_module: dict[str, list[Entry]] = {}
    for entry in entries:
        by_module.setdefault(_module_of(entry), []).append(entry)
    several = {module: group for module, group in by_module.items() if len(group) > 1 and module}
    if len(several) == len(by_module) == 1:
        yield Group("", "", entries)
        return
    for module, group in sorted(several.items()):
        yield Group(_title_of(module), _about_module(module), group)
    rest = [entry for entry in entries if _module_of(entry) not in several]
    rest.sort(key=lambda entry: entry.rank)
    if rest:
        yield Group(OTHERS if several else "", "", rest)


def _divided(entries: list[Entry]) -> Iterator[Group]:
    """A group for each module with some names, in parts where it has many, and one of the rest."""
    groups = list(_by_module(entries))
    small = [group for group in groups if len(group.entries) < LEAST or group.title == OTHERS]
    for group in groups:
        if group not in small:
            yield from _parts_of_alphabet(group)
    if rest := [entry for group in small for entry in group.entries]:
        yield Group(OTHERS, "", rest)


def _parts_of_alphabet(group: Group) -> Iterator[Group]:
    """A group in as few parts as have at most `MOST` names."""
    count = -(-len(group.entries) // MOST)
    size = -(-len(group.entries) // count)
    for start in range(0, len(group.entries), size):
        entries = group.entries[start : start + size]
        first, last = (entry.name.rpartition(".")[2] for entry in (entries[0], entries[-1]))
        title = group.title if count == 1 else f"{group.title}, {first} to {last}"
        yield Group(title, group.about, entries)


def _module_of(entry: Entry) -> str:
    """The module that defines what a name stands for, without the name of the package."""
    module = getattr(entry.thing, "__module__", None) or ""
    return module.removeprefix(f"{allograph.__name__}.")


def _title_of(module: str) -> str:
    return module.rpartition(".")[2].replace("_", " ").capitalize()


def _about_module(module: str) -> str:
    """The first sentence of a module's docstring."""
    docstring = inspect.getdoc(sys.modules.get(f"{allograph.__name__}.{module}")) or ""
    return " ".join(docstring.split("\n\n")[0].split())
