"""The error for what has no native form."""

from __future__ import annotations

from ..core.source_locations import SourceLocation


class NotNativeError(Exception):
    """A step of a program has no native form; `where` is the user's line."""

    def __init__(self, reason: str, where: SourceLocation | None = None):
        super().__init__(reason)
        self.where = where
