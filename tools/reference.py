"""The reference of the public names as Markdown: a page for each namespace.

    python -m allograph.tools.reference FOLDER     # writes the pages below a folder

Names are found at run time, as those of the type stubs are. A name that stands for the same thing
as another refers to it. Each other name has an example: that of its docstring, or one of the file
`reference_examples.txt`, which holds those of constants and of names that differ little from
others.
"""

from __future__ import annotations

import ast
import enum
import functools
import inspect
import pathlib
import re
import sys
import types
from collections.abc import Iterator
from typing import NamedTuple

import allograph

from ..runtime.core.parsing import parsed
from ..runtime.core.public_names import internal_members

ABOUT = "Before each example stand `import allograph as ag` and `import numpy as np`."
OLDER = ("compat", "contrib")  # namespaces whose names are those of others


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


def pages() -> dict[str, str]:
    """The Markdown of each page by its file name.

    >>> "ag.math.angle(x, *, name=None)" in pages()["math.md"]
    True
    """
    namespaces = dict(_namespaces(allograph, ""))
    seen: dict[int, Entry] = {}
    first = {name: _first_names(entries, seen) for name, entries in namespaces.items()}
    made = {f"{name or 'allograph'}.md": _page(name, first[name]) for name in namespaces}
    made["index.md"] = _index(first)
    return made


def public_names() -> list[str]:
    """Every public name, those of namespaces with dots."""
    return [entry.name for _, entries in _namespaces(allograph, "") for entry in entries]


@functools.cache
def examples() -> dict[str, str]:
    """The examples beside names, those that stand in no docstring.

    >>> examples()["version.GIT_VERSION"].splitlines()
    ['>>> ag.version.GIT_VERSION', "'allograph'"]
    """
    file = pathlib.Path(__file__).with_name("reference_examples.txt")
    _, *blocks = file.read_text(encoding="utf-8").strip().split("\n\n")
    return {name: example for name, _, example in (block.partition("\n") for block in blocks)}


def described_names() -> list[Entry]:
    """The entries with a description of their own: those that do not refer to another."""
    seen: dict[int, Entry] = {}
    namespaces = _namespaces(allograph, "")
    pairs = [pair for _, entries in namespaces for pair in _first_names(entries, seen)]
    return [entry for entry, described in pairs if entry is described]


def _namespaces(holder, prefix: str) -> Iterator[tuple[str, list[Entry]]]:
    entries, inner = [], []
    for name in sorted(dir(holder)):
        if name.startswith("_") or not name.isidentifier() or (not prefix and name in OLDER):
            continue
        thing = getattr(holder, name)
        full = f"{prefix}.{name}" if prefix else name
        if type(thing).__name__ == "Namespace":
            inner.append((thing, full))
        elif getattr(thing, "__file__", None) is None or not isinstance(thing, types.ModuleType):
            entries.append(Entry(full, thing))
    yield prefix, entries
    for thing, full in inner:
        yield from _namespaces(thing, full)


def _first_names(entries: list[Entry], seen: dict[int, Entry]) -> list[tuple[Entry, Entry]]:
    """Each entry with the one that describes it, which comes first and may be the same."""
    return [(entry, seen.setdefault(id(entry.thing), entry)) for entry in entries]


def _index(first: dict[str, list]) -> str:
    rows = [
        f"| [`ag{'.' + name if name else ''}`]({name or 'allograph'}.md) | {len(entries)} |"
        for name, entries in first.items()
    ]
    head = [
        "# Reference",
        "",
        "Every public name, by namespace.",
        "",
        ABOUT,
        "",
        "| namespace | names |",
    ]
    return "\n".join([*head, "|---|---:|", *rows]) + "\n"


def _page(name: str, entries: list[tuple[Entry, Entry]]) -> str:
    title = f"# `ag.{name}`" if name else "# `allograph`"
    return "\n\n".join([title, *(_described(*pair) for pair in entries)]) + "\n"


def _described(entry: Entry, described: Entry) -> str:
    if entry is not described:
        page = described.name.rpartition(".")[0] or "allograph"
        link = f"[`{described.shown}`]({page}.md#{described.anchor})"
        return f"## `{entry.shown}` {{#{entry.anchor}}}\n\nThe same as {link}."
    thing = entry.thing
    head = f"## `{entry.shown}` {{#{entry.anchor}}}"
    example = markdown(examples().get(entry.name, ""))
    if isinstance(thing, types.ModuleType):
        names = ", ".join(f"`{name}`" for name in dir(thing) if not name.startswith("_"))
        blocks = [head, markdown(inspect.getdoc(thing) or ""), example, f"Names: {names}."]
    elif not callable(thing):
        blocks = [head, f"`{thing!r}`", example]
    else:
        about = markdown(inspect.getdoc(thing) or "")
        blocks = [head, _call(entry.shown, thing), about, example, _source(thing)]
    if inspect.isclass(thing):
        blocks += _members(entry.name, thing)
    return "\n\n".join(block for block in blocks if block)


def _call(name: str, thing) -> str:
    return f"```python\n{name}{signature_of(thing)}\n```"


def _members(full_name: str, owner: type) -> list[str]:
    """The methods and properties of a class, and the names of those of its bases."""
    described, inherited, plain = [], [], []
    internal = internal_members(owner)
    for name, member in inspect.getmembers_static(owner):
        if name.startswith("_") or name in internal or not _is_ours(owner, name):
            continue
        member = getattr(owner, name, member)
        if inspect.getdoc(member) is None:
            plain.append(f"`{name}`")
            continue
        if name not in vars(owner):
            inherited.append(f"`{name}`")
            continue
        full = f"{full_name.rpartition('.')[2]}.{name}"
        rows = [f"### `{full}`", _call(full, member) if callable(member) else ""]
        described.append("\n\n".join(filter(None, [*rows, markdown(inspect.getdoc(member) or "")])))
    lists = {"Further members": plain, "Inherited": inherited}
    return described + [f"{title}: {', '.join(names)}." for title, names in lists.items() if names]


def _is_ours(owner: type, name: str) -> bool:
    holder = next((one for one in owner.__mro__ if name in vars(one)), object)
    return holder.__module__.split(".")[0] == allograph.__name__


def signature_of(thing) -> str:
    """The parameters of a callable, without annotations and `self`."""
    try:
        rows = list(inspect.signature(thing).parameters.values())
    except (TypeError, ValueError):
        return "(...)"
    empty = inspect.Parameter.empty
    plain = [
        row.replace(annotation=empty, default=_Printed.of(row.default))
        for row in rows
        if row.name != "self"
    ]
    return str(inspect.Signature(plain))


class _Printed:
    """A default value as it is printed, without addresses."""

    def __init__(self, value):
        self.shown = re.sub(r"<(?:function )?(\w+)[^<>]* at 0x\w+>", r"\1", repr(value))
        if inspect.isclass(value):
            self.shown = value.__name__
        elif isinstance(value, enum.Enum):
            self.shown = str(value)

    @classmethod
    def of(cls, value):
        return value if value is inspect.Parameter.empty else cls(value)

    def __repr__(self):
        return self.shown


def markdown(docstring: str) -> str:
    """A docstring as Markdown: its examples become blocks of code.

    >>> markdown("Adds.\\n\\n>>> 1 + 1\\n2").splitlines()[2:]
    ['```pycon', '>>> 1 + 1', '2', '```']
    """
    blocks = []
    for block in docstring.split("\n\n"):
        if block.lstrip().startswith(">>>"):
            block = f"```pycon\n{inspect.cleandoc(block)}\n```"
        elif re.match(r"\s*(?:\S.*\n)?\s+[|+-]{2,}|^    ", block):  # a table of plain text
            block = f"```text\n{block}\n```"
        blocks.append(block)
    return "\n\n".join(blocks)


def _source(thing) -> str:
    """The file and the line that define it, where they are known."""
    try:
        thing = inspect.unwrap(thing)
        file = pathlib.Path(inspect.getsourcefile(thing) or "").resolve()
        path = file.relative_to(pathlib.Path(allograph.__file__).resolve().parent)
        line = _first_line(thing, file)
    except (KeyError, OSError, TypeError, ValueError):
        return ""
    return f"Defined in `{path.as_posix()}`, line {line}."


def _first_line(thing, file: pathlib.Path) -> int:
    """The line of a definition, of its first decorator if it has any.

    `inspect.getsourcelines` parses the file again for each class.
    """
    if inspect.isclass(thing):
        return _lines_of_classes(file)[thing.__qualname__]
    return thing.__code__.co_firstlineno


@functools.cache
def _lines_of_classes(file: pathlib.Path) -> dict[str, int]:
    """The first lines of the classes of a file by their qualified names."""
    found = {}
    bodies = [("", parsed(file.read_text(encoding="utf-8")).body)]
    for prefix, body in bodies:  # it grows
        for node in body:
            if isinstance(node, ast.ClassDef):
                bodies.append((f"{prefix}{node.name}.", node.body))
                decorators = [one.lineno for one in node.decorator_list]
                found[prefix + node.name] = min([node.lineno, *decorators])
    return found


def main() -> None:
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in pages().items():
        (folder / name).write_text(content, encoding="utf-8")


if __name__ == "__main__":
    main()
