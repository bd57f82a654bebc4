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

import allograph

from ..loading import all_names
from ..runtime.core.parsing import parsed
from ..runtime.core.public_names import internal_members
from .reference_pages import MOST_READ, Entry, Page, pages_of

ABOUT = "Before each example stand `import allograph as ag` and `import numpy as np`."
MOST_USED = "Most programs use these:"
OLDER = ("compat", "contrib")  # namespaces whose names are those of others


@functools.cache
def pages() -> dict[str, str]:
    """The Markdown of each page by its file name.

    >>> "ag.math.angle(x, *, name=None)" in pages()["math.md"]
    True
    """
    made = [page for page in pages_by_namespace() for page in page.with_parts()]
    files = {entry.name: page.file for page in made for entry in _own_entries(page)}
    content = {page.file: _page(page, files) for page in made}
    content["index.md"] = _index(files)
    return content


@functools.cache
def pages_by_namespace() -> list[Page]:
    """The page of each namespace, with the pages that its names are divided into."""
    seen: dict[int, Entry] = {}
    namespaces = dict(_namespaces(allograph, ""))
    return list(
        pages_of({name: _first_names(entries, seen) for name, entries in namespaces.items()})
    )


def _own_entries(page: Page) -> list[Entry]:
    """The entries that a page describes."""
    return [entry for group in page.groups for entry in group.entries]


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
    for name in sorted(dir(holder) if prefix else all_names()):
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


def _index(files: dict[str, str]) -> str:
    shown = [page for page in pages_by_namespace() if page.groups or page.parts or page.aliases]
    tables = {
        "Namespaces": [page for page in shown if not page.namespace.startswith("ag.keras")],
        "Keras": [page for page in shown if page.namespace.startswith("ag.keras")],
    }
    blocks = ["# Reference", "Every public name, by namespace. " + ABOUT, MOST_USED]
    blocks += [f"- {_link(name, files)}: {_summary(_thing(name))}" for name in MOST_READ]
    blocks = ["\n\n".join(blocks[:3]) + "\n", *blocks[3:]]
    for title, rows in tables.items():
        blocks += ["", f"## {title}", "", "| namespace | what for | names |", "|---|---|---:|"]
        blocks += [
            f"| [`{row.namespace}`]({row.file}) | {row.about} | {_size(row)} |" for row in rows
        ]
    return "\n".join(blocks) + "\n"


def _size(page: Page) -> int:
    own = sum(len(_own_entries(part)) for part in page.with_parts())
    return own + len(page.aliases)


def _thing(name: str) -> object:
    return functools.reduce(getattr, name.split("."), allograph)


def _link(name: str, files: dict[str, str]) -> str:
    entry = Entry(name, None)
    return f"[`{entry.shown}`]({files[name]}#{entry.anchor})"


def _page(page: Page, files: dict[str, str]) -> str:
    blocks = [f"# {page.title}", page.about]
    for part in page.parts:
        blocks += [f"## [{part.title.partition(': ')[2].capitalize()}]({part.file})", part.about]
        blocks += [_summaries(sorted(_own_entries(part), key=lambda entry: entry.rank), files)]
    for group in page.groups:
        blocks += [f"**{group.title}.** {group.about}" if group.title else ""]
        blocks += [_summaries(group.entries, files)]
    blocks += [_described(entry) for entry in _own_entries(page)]
    if page.aliases:
        rows = [
            f"| `{entry.shown}`{{#{entry.anchor}}} | {_link(first.name, files)} |"
            for entry, first in page.aliases
        ]
        blocks += ["## Names for others", "\n".join(["| name | the same as |", "|---|---|", *rows])]
    return "\n\n".join(block for block in blocks if block) + "\n"


def _summaries(entries: list[Entry], files: dict[str, str]) -> str:
    """A table of names, with the first sentence of each."""
    rows = [f"| {_link(entry.name, files)} | {_summary(entry.thing)} |" for entry in entries]
    return "\n".join(["| name | what it is |", "|---|---|", *rows])


def _summary(thing) -> str:
    """The first sentence of a docstring, or a value."""
    paragraph = " ".join(docstring_of(thing).split("\n\n")[0].split())
    sentence = re.split(r"(?<=\.)\s", paragraph)[0]
    if not sentence and not callable(thing):
        sentence = f"`{thing!r}`"
    return sentence.rstrip(":").replace("|", "\\|")


def docstring_of(thing) -> str:
    """The docstring that was written for a thing, and not the one of its type in Python.

    >>> docstring_of(3), docstring_of(allograph.reduce_sum)[:7]
    ('', 'The sum')
    """
    written = inspect.getdoc(thing) or ""
    return "" if written == (inspect.getdoc(type(thing)) or "") else written


def _described(entry: Entry) -> str:
    thing = entry.thing
    head = f"## `{entry.shown}` {{#{entry.anchor}}}"
    example = markdown(examples().get(entry.name, ""))
    about = markdown(docstring_of(thing))
    if isinstance(thing, types.ModuleType):
        names = ", ".join(f"`{name}`" for name in dir(thing) if not name.startswith("_"))
        blocks = [head, about, example, f"Names: {names}."]
    elif not callable(thing):
        blocks = [head, f"`{thing!r}`", example]
    else:
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
        if not docstring_of(member) or name in getattr(owner, "_fields", ()):
            plain.append(f"`{name}`")
            continue
        if name not in vars(owner):
            inherited.append(f"`{name}`")
            continue
        full = f"{full_name.rpartition('.')[2]}.{name}"
        rows = [f"### `{full}`", _call(full, member) if callable(member) else ""]
        described.append("\n\n".join(filter(None, [*rows, markdown(docstring_of(member))])))
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
    results = {}
    bodies = [("", parsed(file.read_text(encoding="utf-8")).body)]
    for prefix, body in bodies:  # it grows
        for node in body:
            if isinstance(node, ast.ClassDef):
                bodies.append((f"{prefix}{node.name}.", node.body))
                decorators = [one.lineno for one in node.decorator_list]
                results[prefix + node.name] = min([node.lineno, *decorators])
    return results


def main() -> None:
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in pages().items():
        (folder / name).write_text(content, encoding="utf-8")


if __name__ == "__main__":
    main()
