"""What the host does for the steps of a program: launches of kernels and products, and loops.

The iterations of a loop that a test ends are launched by the device itself where that is possible.
Else they are launched in groups, each twice as large as the one before. After each group the host
asks for the truth value of the test; kernels that come too many do nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from .grid_kernel import (
    GridBranch,
    GridKernel,
    GridLoop,
    GridStep,
    HostStep,
    NoteFailure,
    Product,
)

MOST_AHEAD = 16  # iterations that are launched before the host asks whether the loop has ended


class Runner:
    """Carries out single steps."""

    def launch(self, kernel: GridKernel) -> None:
        raise NotImplementedError

    def multiply(self, product: Product) -> None:
        raise NotImplementedError

    def call(self, step: HostStep) -> None:
        """Compute an operation on the host. Raises ArithmeticError where it fails."""
        raise NotImplementedError

    def copy_word(self, target: int, source: int) -> None:
        """Copy a word from one buffer to another."""
        raise NotImplementedError

    def holds(self, flag: int) -> bool:
        """Whether a loop goes on, or a branch is taken: the truth value in a buffer, which is false
        after a failure.
        """
        raise NotImplementedError

    def repeated(self, flag: int, run: Callable[[], None]) -> bool:
        """Launch the same as a function as long as the truth value in a buffer holds, which `run`
        computes again, without the host. Whether that is possible.
        """
        return False

    def recorded(self, run: Callable[[], None]) -> Callable[[], None]:
        """What launches the same as a function, perhaps sooner than one launch after the other."""
        return run


def run_steps(steps: Iterable[GridStep], runner: Runner) -> None:
    """Carry out the steps of a program."""
    for step in steps:
        if isinstance(step, GridKernel):
            runner.launch(step)
        elif isinstance(step, Product):
            runner.multiply(step)
        elif isinstance(step, HostStep):
            runner.call(step)
        elif isinstance(step, NoteFailure):
            runner.copy_word(step.before, step.status)
        elif isinstance(step, GridBranch):
            run_steps(step.then if runner.holds(step.flag) else step.orelse, runner)
        elif step.count is not None:
            _counted(step, step.count, runner)
        else:
            _while(step, runner)


def _counted(loop: GridLoop, count: int, runner: Runner) -> None:
    def iterations(number: int) -> None:
        for _ in range(number):
            run_steps(loop.body, runner)

    groups, rest = divmod(count, MOST_AHEAD)
    if groups > 1 and loop.may_overrun:
        launch = runner.recorded(lambda: iterations(MOST_AHEAD))
        for _ in range(groups):
            launch()
        count = rest
    iterations(count)


def _while(loop: GridLoop, runner: Runner) -> None:
    assert loop.flag is not None

    def group() -> None:
        for _ in range(ahead):
            run_steps(loop.body, runner)
            run_steps(loop.test, runner)

    run_steps(loop.test, runner)
    ahead, launch = 1, group
    if loop.may_overrun and runner.repeated(loop.flag, group):
        return
    while runner.holds(loop.flag):
        launch()
        if loop.may_overrun and ahead < MOST_AHEAD:
            ahead *= 2
            launch = runner.recorded(group) if ahead == MOST_AHEAD else group
