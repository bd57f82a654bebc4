"""ALLOGRAPH_DEBUG=code,graph,passes,program,kernels prints each as it comes to be.

    code      the source that autograph generates
    graph     each graph as it was traced
    passes    the graph after every pass that changed it
    program   the schedule of a graph: what is fused, which memory is used again
    kernels   the text of each native kernel

`all` stands for all of them. They go to the error stream.
"""

from __future__ import annotations

import functools
import os
import sys
import warnings

TOPICS = ("all", "code", "graph", "kernels", "passes", "program")


@functools.cache
def _asked(value: str) -> frozenset[str]:
    """The topics that ALLOGRAPH_DEBUG names; a warning, once, names those that do not exist."""
    asked = frozenset(value.replace(" ", "").split(",")) - {""}
    unknown = sorted(asked - set(TOPICS))
    if unknown:
        warnings.warn(
            f"ALLOGRAPH_DEBUG: there is no {', '.join(map(repr, unknown))}; the topics are "
            f"{', '.join(TOPICS)}",
            stacklevel=3,
        )
    return asked


def is_asked(topic: str) -> bool:
    """Whether ALLOGRAPH_DEBUG asks for a topic."""
    return not _asked(os.environ.get("ALLOGRAPH_DEBUG", "")).isdisjoint({topic, "all"})


def show(topic: str, title: str, thing: object) -> None:
    """Print a thing under a title, when its topic was asked for."""
    if is_asked(topic):
        print(f"---- {topic}: {title}\n{str(thing).rstrip()}\n", file=sys.stderr, flush=True)


def log(topic: str, message: str, *args: object) -> None:
    """Tell the logger `allograph.TOPIC`, where the program has imported `logging`."""
    get_logger = getattr(sys.modules.get("logging"), "getLogger", None)  # None while it is loading
    if get_logger is not None:
        get_logger(f"allograph.{topic}").info(message, *args)


def is_on(variable: str) -> bool:
    """Whether a flag of the environment is 1. A warning tells of values that are neither 0 nor 1.

    >>> is_on("SURELY_NOT_SET")
    False
    """
    value = os.environ.get(variable, "").strip()
    if value not in ("", "0", "1"):
        warnings.warn(f"{variable}={value!r} is neither 0 nor 1, and counts as 0", stacklevel=2)
    return value == "1"
