"""`ag.summary.trace_on` and `trace_export`: graphs of executed functions, for TensorBoard."""

from __future__ import annotations

import os

import numpy as np

from ...extend.errors import FailedPreconditionError
from ...extend.graphs import OBSERVERS, Graph
from ...extend.registration import public
from . import event_files
from . import profiler as profiles
from .graph_definitions import as_graph_def
from .summaries import WRITER, write

PLUGIN = "graph_run_metadata_graph"  # of TensorBoard


class GraphTrace:
    """Collects the distinct graphs that run."""

    def __init__(self, is_profiled: bool):
        self.is_profiled = is_profiled
        self.graphs: dict[Graph, None] = {}

    def __call__(self, op, where, start, inputs, outputs) -> None:
        """Ignore single operations."""

    def ran(self, graph: Graph) -> None:
        self.graphs[graph] = None


def _running() -> GraphTrace | None:
    return next((one for one in OBSERVERS if isinstance(one, GraphTrace)), None)


@public("summary.trace_on")
def trace_on(graph: bool = True, profiler: bool = False, profiler_outdir=None) -> None:
    """Start collecting the graphs of functions that run, and with `profiler` also a profile.

    It does nothing if collecting is on. `profiler_outdir` is the folder of the profile, which can
    also be an argument of `trace_export`.
    """
    if _running() is None:
        OBSERVERS.append(GraphTrace(bool(profiler)))
        if profiler:
            profiles.start(profiler_outdir or "")


@public("summary.trace_export")
def trace_export(name, step=None, profiler_outdir=None) -> None:
    """Write the graphs collected since `trace_on` with the default writer, and stop collecting.

    >>> import allograph as ag, tempfile
    >>> writer = ag.summary.create_file_writer(tempfile.mkdtemp())
    >>> double = ag.function(lambda x: x * 2)
    >>> ag.summary.trace_on()
    >>> _ = double(ag.constant(1))
    >>> with writer.as_default():
    ...     ag.summary.trace_export("double", step=0)

    Raises FailedPreconditionError if collecting is off or there is no default writer.
    """
    trace = _running()
    if trace is None:
        raise FailedPreconditionError("no graphs are collected", "Call ag.summary.trace_on().")
    if WRITER.get() is None:
        raise FailedPreconditionError("there is no default writer", "Use writer.as_default().")
    recording = profiles.running() if trace.is_profiled else None
    trace_off()
    graphs = [event_files.graph(as_graph_def(graph).node) for graph in trace.graphs]
    write(name, np.array(event_files.run_metadata(graphs), object), step, PLUGIN)
    if recording is not None:
        recording.folder = os.fspath(profiler_outdir or recording.folder)
        recording.save()


@public("summary.trace_off")
def trace_off() -> None:
    """Stop collecting without writing.

    >>> ag.summary.trace_off()
    """
    trace = _running()
    if trace is not None:
        OBSERVERS.remove(trace)
        if trace.is_profiled and profiles.running() is not None:
            profiles.stop(save=False)
