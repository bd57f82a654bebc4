"""Source locations, which every node, error and profile row carries."""

from __future__ import annotations

import itertools
import linecache
import os
import sys
import types
import weakref
from contextvars import ContextVar


def width_of(line: str, column: int) -> int:
    """How many places of the screen a line takes up to a column, which counts bytes of UTF-8."""
    if line.isascii():
        return column
    import unicodedata

    before = line.encode()[:column].decode(errors="ignore")
    return sum(1 + (unicodedata.east_asian_width(character) in "FW") for character in before)


def _cell(file: str) -> tuple[str, str] | None:
    """The name of a cell of a notebook in tracebacks: `("Cell", "In[3]")`."""
    module = sys.modules.get("IPython")
    shell = None if module is None else module.get_ipython()
    return getattr(getattr(shell, "compile", None), "format_code_name", lambda name: None)(file)


def _shown(file: str) -> str:
    """A file as tracebacks name it: in a notebook, a cell has its number."""
    name = _cell(file)
    return f'File "{file}"' if name is None else " ".join(name)


class SourceLocation:
    """A location in the user's source; its columns are computed when first asked for."""

    __slots__ = ("_code", "_instruction", "_position", "line")

    def __init__(self, code, instruction: int, line: int):
        self._code = code
        self._instruction = instruction
        self.line = line
        self._position: tuple[int | None, ...] | None = None

    @property
    def file(self) -> str:
        return self._code.co_filename

    @property
    def file_name(self) -> str:
        """The file without its folder, or the number of a cell of a notebook."""
        return " ".join(_cell(self.file) or (os.path.basename(self.file),))

    @property
    def function(self) -> str:
        return self._code.co_name

    @property
    def instruction(self) -> bytes:
        """The instruction that runs there, with its argument."""
        return self._code.co_code[self._instruction :][:2]

    @property
    def columns(self) -> tuple[int, int] | None:
        """First and last column of the expression, when the interpreter knows them."""
        if self._position is None:
            index = self._instruction // 2
            positions = itertools.islice(self._code.co_positions(), index, index + 1)
            self._position = next(positions, (None, None, None, None))
        start_line, end_line, start, end = self._position
        if start is None or end is None or start_line != self.line or end_line != start_line:
            return None
        return start, end

    def excerpt(self) -> str:
        """The location as tracebacks show it: file, line, source and a caret underneath."""
        head = f"  {_shown(self.file)}, line {self.line}, in {self.function}"
        source = self.source_line()
        if not source:
            return head
        bare = source.lstrip()
        indent = len(source) - len(bare)
        lines = [head, "    " + bare]
        if self.columns is not None:
            start, end = (width_of(source, column) for column in self.columns)
            lines.append("    " + " " * (start - indent) + "^" * max(1, end - start))
        return "\n".join(lines)

    def source_line(self) -> str:
        """The line of source; empty if there is none."""
        return linecache.getline(self.file, self.line).rstrip()

    def __str__(self):
        return f"{self.file}:{self.line}"

    def __repr__(self):
        return f"SourceLocation({self})"

    def __reduce__(self):
        facts = (self.file, self.function, self.line, self.columns, self.source_line())
        return CopiedLocation, facts


class CopiedLocation(SourceLocation):
    """A location from another process, with its line of source: the file may not exist here."""

    __slots__ = ("_source_line", "columns", "file", "function")

    def __init__(
        self, file: str, function: str, line: int, columns: tuple[int, int] | None, source_line: str
    ):
        self.file, self.function, self.line = file, function, line  # type: ignore[misc]
        self.columns, self._source_line = columns, source_line  # type: ignore[misc]

    def source_line(self) -> str:
        return self._source_line


class SavedLocation(SourceLocation):
    """A location read from a saved graph: the source may be elsewhere, or gone.

    Excerpts open the file, and its name may come from a stranger: only Python source is opened.
    """

    __slots__ = ("_file",)
    function, columns = "<saved>", None

    def __init__(self, file: str, line: int):
        self._file = file
        self.line = line

    @property
    def file(self) -> str:
        is_source = self._file.endswith(".py") and os.path.isfile(self._file)
        return self._file if is_source or not os.path.exists(self._file) else f"<{self._file}>"

    def __reduce__(self):
        return SavedLocation, (self._file, self.line)


INTERNAL = (__name__.split(".")[0], "contextlib")  # contextlib stands between our frames
# id of a code object -> (weak reference to it, whether it is ours, its lines by instruction)
_internal_code: dict[int, tuple] = {}


def is_internal(frame) -> bool:
    """Whether a frame runs code that this package has, generates, or calls itself through."""
    return (_internal_code.get(id(frame.f_code)) or _classified(frame))[1]


def _classified(frame) -> tuple:
    """As `is_internal`, noted by identity: equal code may stand in a file of the user's."""
    code = frame.f_code
    key = id(code)
    generated = code.co_filename.startswith(f"<{INTERNAL[0]} ")
    is_ours = generated or is_internal_module(frame.f_globals.get("__name__"))
    held = weakref.ref(code, lambda _: _internal_code.pop(key, None))
    _internal_code[key] = held, is_ours, {}
    return _internal_code[key]


def _line_at(frame, lines: dict[int, int | None]) -> int:
    """The line that a frame is at: `f_lineno` walks all instructions before it, and each node of a
    long function asks.
    """
    if not lines:
        rows = frame.f_code.co_lines()
        lines.update((at, line) for start, end, line in rows for at in range(start, end, 2))
    line = lines.get(frame.f_lasti)
    return frame.f_lineno if line is None else line


def is_internal_module(name: str | None) -> bool:
    """Whether a module is of this package, or one that it calls itself through."""
    return (name or "").split(".")[0] in INTERNAL


def ends_at(traceback: types.TracebackType | None, where: SourceLocation) -> bool:
    """Whether the last entry of a traceback is this location."""
    if traceback is None:
        return False
    while traceback.tb_next is not None:
        traceback = traceback.tb_next
    code = traceback.tb_frame.f_code
    return traceback.tb_lineno == where.line and code.co_filename == where.file


# The line of the forward operation whose backward step is running, or of a call whose operations
# are the package's own.
FORWARD: ContextVar[SourceLocation | None] = ContextVar("allograph_forward_line", default=None)


def depth_of_user() -> int:
    """The `stacklevel` with which a warning of the caller points at the user's line."""
    depth, frame = 1, sys._getframe(1)
    while frame.f_back is not None and is_internal(frame):
        depth, frame = depth + 1, frame.f_back
    return depth


def line_of_operation(depth: int = 1) -> SourceLocation | None:
    """The user's line that an operation belongs to: in a backward pass, that of the forward one."""
    return FORWARD.get() or user_location(depth + 1)


def user_location(depth: int = 1) -> SourceLocation | None:
    """The innermost frame outside this package and NumPy, or None when there is none."""
    frame: types.FrameType | None = sys._getframe(depth)
    known_as = _internal_code.get  # as in `is_internal`: each node asks for some 50 frames
    while frame is not None:
        _, is_ours, lines = known_as(id(frame.f_code)) or _classified(frame)
        if not is_ours and not frame.f_globals.get("__name__", "").startswith("numpy."):
            return SourceLocation(frame.f_code, frame.f_lasti, _line_at(frame, lines))
        frame = frame.f_back
    return None
