"""A limit to the seconds of computing of a call, where the system has timers that send signals."""

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
    start = time.process_time()
    handler = signal.signal(signal.SIGPROF, _raise)
    outer, _ = signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, handler)
        if outer:
            left = outer - (time.process_time() - start)
            signal.setitimer(signal.ITIMER_PROF, max(left, 0.01))
