"""The lock of whoever is in LLVM: it is held while this process forks, and when it has ended."""

from __future__ import annotations

from ...core.locks import RLock, hold_during_fork

LLVM = hold_during_fork(RLock())
