"""A limit to the seconds of a call, where the system has timers that send signals."""

from __future__ import annotations

import contextlib
import signal
import threading
import time
from collections.abc import Iterator


class TimedOutError(BaseException):
    """A call takes too long. Programs that catch exceptions do not catch it."""


def _raise(*_) -> None:
    raise TimedOutError


@contextlib.contextmanager
def limit(seconds: float) -> Iterator[None]:
    """Raise TimedOutError in what runs longer; limits may be inside one another."""
    is_main = threading.current_thread() is threading.main_thread()
    if not (is_main and hasattr(signal, "setitimer")):
        yield
        return
    start = time.monotonic()
    handler = signal.signal(signal.SIGALRM, _raise)
    outer, _ = signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)
        if outer:
            left = outer - (time.monotonic() - start)
            signal.setitimer(signal.ITIMER_REAL, max(left, 0.01))
