"""The types that public functions return, in terms of public names, for the stubs.

A function without an annotation has its type in `result_types.txt`: a type, then the names of the
functions that return it. The examples of the documents hold the table: a test compares each result.
"""

from __future__ import annotations

import functools
import inspect
import pathlib
import re
import textwrap

import allograph

from .reference import public_names

FILE = pathlib.Path(__file__).with_name("result_types.txt")
BUILTINS = {
    cls: cls.__name__ for cls in (bool, int, float, complex, str, bytes, dict, type(None))
} | {type(None): "None"}
WORD = re.compile(r"[A-Za-z_][\w.]*")
PLAIN = {*BUILTINS.values(), "Any", "list", "tuple", "np.ndarray", "set"}


@functools.cache
def table() -> dict[str, str]:
    """The type of each function of the table, by public name.

    >>> table()["linalg.svd"]
    'tuple[Tensor, Tensor, Tensor]'
    """
    rows = {}
    for block in FILE.read_text(encoding="utf-8").strip().split("\n\n")[1:]:
        type_name, *names = block.split("\n")
        rows.update(dict.fromkeys(" ".join(names).split(), type_name))
    return rows


def write(rows: dict[str, str]) -> None:
    """Write the table, with the functions of a type in order."""
    head = FILE.read_text(encoding="utf-8").split("\n\n")[0]
    blocks = [head]
    for type_name in sorted({type_name for type_name in rows.values() if type_name != "Any"}):
        names = " ".join(sorted(name for name in rows if rows[name] == type_name))
        blocks.append(type_name + "\n" + textwrap.fill(names, 99, break_on_hyphens=False))
    FILE.write_text("\n\n".join(blocks) + "\n", encoding="utf-8")


@functools.cache
def _names_of_classes() -> dict[type, str]:
    """The shortest public name of each class."""
    names: dict[type, str] = {}
    for name in sorted(public_names(), key=lambda name: (name.count("."), name)):
        thing = functools.reduce(getattr, name.split("."), allograph)
        if inspect.isclass(thing):
            names.setdefault(thing, name)
    return names


def name_of(cls: type) -> str:
    """The public name of a class, or of the first public class that it inherits from.

    >>> import numpy as np
    >>> name_of(allograph.Variable), name_of(np.ndarray), name_of(type(name_of))
    ('Variable', 'np.ndarray', 'Any')
    """
    if cls in BUILTINS:
        return BUILTINS[cls]
    if cls.__module__ == "numpy" and cls.__name__ == "ndarray":
        return "np.ndarray"
    names = _names_of_classes()
    return next((names[base] for base in cls.__mro__ if base in names), "Any")


def annotation_of(thing) -> str | None:
    """The annotated type of the result, where it is of public names; None otherwise."""
    try:
        noted = inspect.signature(thing).return_annotation
    except (TypeError, ValueError):
        return None
    if noted is inspect.Signature.empty:
        return None
    if inspect.isclass(noted):
        noted = name_of(noted)
    by_own_name = {cls.__name__: name for cls, name in _names_of_classes().items()}
    words = {word: by_own_name.get(word, word) for word in WORD.findall(str(noted))}
    public = {*PLAIN, *_names_of_classes().values()}
    if not public.issuperset(words.values()):
        return None
    return WORD.sub(lambda match: words[match[0]], str(noted))
