"""What all messages of files share: their bytes, and the methods of protocol buffers."""

from __future__ import annotations

import copy


class Message:
    """Base class of messages; a subclass defines `encoded()` and `_read(serialized)`."""

    def encoded(self) -> bytes:
        """The message as bytes."""
        raise NotImplementedError

    def _read(self, serialized: bytes) -> None:
        """Replace the content by that of a message. Raises InvalidArgumentError if it is none."""
        raise NotImplementedError

    def SerializeToString(self, deterministic: bool = True) -> bytes:  # noqa: N802
        """The message as bytes, with the features in the order of their names."""
        return self.encoded()

    def ParseFromString(self, serialized: bytes) -> int:  # noqa: N802
        """Replace the content by that of a message. Raises InvalidArgumentError if it is none."""
        self._read(bytes(serialized))
        return len(serialized)

    @classmethod
    def FromString(cls, serialized: bytes):  # noqa: N802
        """The object of a message. Raises InvalidArgumentError if it is none."""
        made = cls()
        made.ParseFromString(serialized)
        return made

    def CopyFrom(self, other) -> None:  # noqa: N802
        """Replace the content by that of another message of the class."""
        if type(other) is not type(self):
            raise TypeError(f"{type(self).__name__} cannot copy {other!r}")
        vars(self).update(copy.deepcopy(vars(other)))

    def Clear(self) -> None:  # noqa: N802
        """Remove the content."""
        self.CopyFrom(type(self)())

    def ByteSize(self) -> int:  # noqa: N802
        """The number of bytes of the message."""
        return len(self.encoded())
