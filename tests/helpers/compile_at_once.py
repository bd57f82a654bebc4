"""Every function becomes native code at its second call, before the call goes on.

Otherwise time decides which calls of a test are native. A failure to compile that is no refusal is
an error of the test.
"""

from allograph.runtime.executors import executable, tiering


def compile_at_once() -> None:
    """For the rest of the process."""
    at_once = tiering.FUNCTIONS._replace(hot_seconds=0.0, hot_calls=1)
    tiering.FUNCTIONS = executable.FUNCTIONS = at_once
    tiering.COMPILER.add = _compile


def _compile(waiting) -> None:
    try:
        waiting.compile()
    except tiering.EXPECTED as error:
        waiting.why_not_native = f"{type(error).__name__}: {error}"
