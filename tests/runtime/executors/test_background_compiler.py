"""The thread that compiles in the background."""

import threading

from allograph.runtime.executors.tiering import BackgroundCompiler


class Work:
    """Something to compile, which waits for `begin` where there is one."""

    why_not_native = None

    def __init__(self, compiled: list, begin: threading.Event | None = None):
        self.compiled = compiled
        self.begin = begin

    def compile(self):
        if self.begin is not None:
            assert self.begin.wait(10)
        self.compiled.append(id(self))


def test_what_is_no_longer_in_use_is_not_compiled():
    compiler, compiled, begin = BackgroundCompiler(), [], threading.Event()
    first, used, dropped = Work(compiled, begin), Work(compiled), Work(compiled)
    for work in (first, used, dropped):
        compiler.add(work)
    del dropped, work
    begin.set()
    compiler.wait()
    assert compiled == [id(first), id(used)]
    assert not compiler.pending
    compiler.stop()


def test_a_forked_child_compiles_what_was_queued_and_is_still_in_use():
    compiler, compiled, begin = BackgroundCompiler(), [], threading.Event()
    first, used, dropped = Work(compiled, begin), Work(compiled), Work(compiled)
    for work in (first, used, dropped):
        compiler.add(work)
    waiting = compiler.pending[1:]
    begin.set()
    compiler.wait()
    compiler.stop()
    compiled.clear()
    compiler.pending = waiting  # as in a child that was forked before
    compiler.stopping = False
    del dropped, work
    compiler.restart()
    compiler.wait()
    assert compiled == [id(used)]
    compiler.stop()
