"""The memory of native code: which variable holds whose elements, and which is free again.

Every array that native code makes lives in a *buffer*, a variable of the kernel that holds an array
of one type and shape. A value that is not used any more frees its buffer for the next value of that
kind. The number of buffers never changes while control flow runs: what a branch or an iteration
leaves in another buffer than the one expected is put right by exchanging variables, not elements.
"""

from __future__ import annotations

from ..core.array_pool import BufferType
from ..ir.graph import Value


def buffer_type(value: Value) -> BufferType:
    return BufferType(value.dtype.numpy_dtype.name, value.shape)


class Buffers:
    """The buffers there are, and the values that live in each at this point of the kernel."""

    def __init__(self):
        self.types: dict[str, BufferType] = {}
        self.buffer_of: dict[Value, str] = {}
        self.users: dict[str, set[Value]] = {}

    def state(self) -> tuple[dict, dict]:
        """Who lives where, to come back to with `restore`."""
        return dict(self.buffer_of), {name: set(values) for name, values in self.users.items()}

    def restore(self, state: tuple[dict, dict]) -> None:
        """Go back to an earlier point; buffers made since then stay, and are free."""
        buffer_of, users = state
        self.buffer_of = dict(buffer_of)
        self.users = {name: set(users.get(name, ())) for name in self.types}

    def of(self, values) -> Buffers:
        """Those that `values` live in alone: the others are neither free nor to be overwritten."""
        restricted = Buffers()
        names = {self.buffer_of[value] for value in values if value in self.buffer_of}
        restricted.types = {name: self.types[name] for name in names}
        restricted.users = {name: set(self.users[name]) for name in names}
        restricted.buffer_of = {
            value: name for value, name in self.buffer_of.items() if name in names
        }
        return restricted

    def free(self, wanted_type: BufferType, best: str | None = None) -> str | None:
        """A buffer of this type that nobody lives in, if there is one; `best` if that is one."""
        names = [
            name for name, own in self.types.items() if own == wanted_type and not self.users[name]
        ]
        return best if best in names else names[0] if names else None

    def add(self, name: str, wanted_type: BufferType) -> None:
        self.types[name] = wanted_type
        self.users[name] = set()

    def place(self, value: Value, name: str) -> None:
        """`value` lives in this buffer from now on."""
        self.buffer_of[value] = name
        self.users[name].add(value)

    def share(self, value: Value, other: Value) -> None:
        """`value` is made of the elements of another one: the same buffer, if that has one."""
        if other in self.buffer_of:
            self.place(value, self.buffer_of[other])

    def drop(self, value: Value) -> None:
        """Nobody needs `value` any more."""
        name = self.buffer_of.pop(value, None)
        if name is not None:
            self.users[name].discard(value)

    def is_alone(self, value: Value) -> bool:
        """Whether overwriting the elements of `value` changes no other value."""
        return value in self.buffer_of and self.users[self.buffer_of[value]] == {value}


def exchange(wanted: list[str], found: list[str]) -> list[tuple[str, str]]:
    """The simultaneous assignments `variable = variable` after which `wanted` holds what `found`
    did; every buffer is still held by one variable.

    >>> exchange(["a", "b"], ["c", "a"])
    [('a', 'c'), ('b', 'a'), ('c', 'b')]
    """
    pairs = [(new, old) for new, old in zip(wanted, found, strict=True)]
    left = [name for name in found if name not in wanted]
    spare = [name for name in wanted if name not in found]
    pairs += zip(left, spare, strict=True)
    return [(new, old) for new, old in pairs if new != old]
