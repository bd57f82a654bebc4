"""ALLOGRAPH_DEBUG=code,graph,passes,program,kernels prints each as it comes to be.

    code      the source that autograph generates
    graph     each graph as it was traced
    passes    the graph after every pass that changed it
    program   the schedule of a graph: what is fused, which memory is used again
    kernels   the text of each native kernel

`all` stands for all of them. They go to the error stream.
"""

from __future__ import annotations

import os
import sys


def show(topic: str, title: str, thing: object) -> None:
    """Print a thing under a title, when its topic was asked for."""
    asked = os.environ.get("ALLOGRAPH_DEBUG")
    if asked and {topic, "all"}.intersection(asked.replace(" ", "").split(",")):
        print(f"---- {topic}: {title}\n{str(thing).rstrip()}\n", file=sys.stderr, flush=True)
