"""Errors of services and of work for others: not allowed, not there now, or given up."""

from __future__ import annotations

from ...extend.errors import Error
from ...extend.registration import public


@public("errors.AbortedError")
class AbortedError(Error, RuntimeError, code=10):
    """Work was given up, usually because something else happened at the same time."""


@public("errors.DeadlineExceededError")
class DeadlineExceededError(Error, TimeoutError, code=4):
    """Time ran out."""


@public("errors.PermissionDeniedError")
class PermissionDeniedError(Error, PermissionError, code=7):
    """What is asked for is not allowed."""


@public("errors.UnavailableError")
class UnavailableError(Error, ConnectionError, code=14):
    """A service does not answer now, and may answer later."""


@public("errors.UnknownError")
class UnknownError(Error, RuntimeError, code=2):
    """An error of which nothing more is known."""
