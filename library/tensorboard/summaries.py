"""`ag.summary`: scalars, histograms, text and images, written for TensorBoard."""

from __future__ import annotations

import os
from contextlib import contextmanager
from contextvars import ContextVar

import numpy as np

from ... import bool as bool_
from ... import convert_to_tensor
from ...extend.errors import FailedPreconditionError, InvalidArgumentError
from ...extend.graphs import BUILDER
from ...extend.operations import ANY, BOOLS, SIGNED, WRITES, Spec, apply, hidden_op
from ...extend.registration import public
from ...extend.specs import FROM_NUMPY, is_floating
from ...extend.state import NAMES, within
from ...extend.tensors import constant_of
from . import event_files
from .event_files import EventFile

WRITER: ContextVar[SummaryWriter | None] = ContextVar("allograph_summary_writer", default=None)
STEP: ContextVar = ContextVar("allograph_summary_step", default=None)
RECORD: ContextVar = ContextVar("allograph_summary_record", default=True)


@public("summary.SummaryWriter")
class SummaryWriter:
    """Writes events to a file in a folder; created by `create_file_writer`.

    `with writer.as_default(): ...` makes it the writer of `summary.scalar` and the other functions.
    As a context manager it is the default writer too, and is closed at the end.
    """

    def __init__(self, folder: str, max_queue: int, flush_millis: int, suffix: str):
        self._file = EventFile(folder, suffix, max_queue, flush_millis / 1000)

    @contextmanager
    def as_default(self, step=None):
        """A context manager that makes this the default writer, and `step` the default step."""
        if self._file.is_closed:
            raise FailedPreconditionError("the summary writer is closed")
        try:
            with within(WRITER, self), within(STEP, STEP.get() if step is None else step):
                yield self
        finally:
            flush(self)

    def set_as_default(self, step=None) -> None:
        """Make this the default writer from now on."""
        WRITER.set(self)
        if step is not None:
            STEP.set(step)

    def init(self) -> None:
        """Do nothing: the file exists."""

    def flush(self) -> None:
        """Write buffered events to the file; inside a function, when it runs."""
        flush(self)

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def put(self, message: bytes) -> None:
        if self._file.is_closed:
            raise FailedPreconditionError("the summary writer is closed")
        self._file.write(message)

    def __enter__(self):
        self._entry = WRITER.set(self)
        return self

    def __exit__(self, *error):
        WRITER.reset(self._entry)
        self.close()


@public("summary.create_file_writer")
def create_file_writer(
    logdir, max_queue=None, flush_millis=None, filename_suffix=None, name=None
) -> SummaryWriter:
    """A writer of an event file in the folder `logdir`, for TensorBoard.

    Events are flushed after `max_queue` of them (default 10) or after `flush_millis` milliseconds
    (default 120,000).

    >>> import allograph as ag, tempfile
    >>> writer = ag.summary.create_file_writer(tempfile.mkdtemp())
    >>> @ag.function
    ... def step(k, loss):
    ...     with writer.as_default():
    ...         ag.summary.scalar("loss", loss, step=k)
    >>> for k in ag.range(3):
    ...     step(k, 1.0 / ag.cast(k + 1, ag.float32))
    """
    return SummaryWriter(
        os.fspath(logdir), 10 if max_queue is None else max_queue,
        120_000 if flush_millis is None else flush_millis, filename_suffix or "",
    )  # fmt: skip


class NoWriter:
    """A writer that discards everything."""

    def as_default(self, step=None):
        return within(WRITER, None)

    def set_as_default(self, step=None) -> None:
        WRITER.set(None)

    def init(self) -> None: ...

    def flush(self) -> None: ...

    def close(self) -> None: ...


@public("summary.create_noop_writer")
def create_noop_writer() -> NoWriter:
    """A writer that discards everything, to disable summaries.

    >>> with ag.summary.create_noop_writer().as_default():
    ...     bool(ag.summary.scalar("loss", 0.5, step=1))
    False
    """
    return NoWriter()


# ---- default writer, step and condition ------------------------------------------------------


@public("summary.record_if")
@contextmanager
def record_if(condition):
    """A context manager in which summaries are written only if `condition` is true.

    `condition` is a bool, a bool tensor, or a function that returns one.

    >>> with ag.summary.record_if(False):
    ...     bool(ag.summary.should_record_summaries())
    False
    """
    with within(RECORD, condition):
        yield


@public("summary.should_record_summaries")
def should_record_summaries():
    """Whether there is a default writer and the condition of `record_if` is true: a bool tensor.

    >>> bool(ag.summary.should_record_summaries())
    False
    """
    condition = RECORD.get()
    condition = condition() if callable(condition) else condition
    return convert_to_tensor(condition if WRITER.get() is not None else False)


@public("summary.experimental.set_step")
def set_step(step) -> None:
    """Set the default step of summaries; a variable is read whenever a summary is written.

    >>> ag.summary.experimental.set_step(None)
    """
    STEP.set(step)


@public("summary.experimental.get_step")
def get_step():
    """The default step of summaries, or None.

    >>> ag.summary.experimental.get_step()
    """
    return STEP.get()


@public("summary.flush")
def flush(writer=None, name=None) -> None:
    """Write the buffered events of `writer`, by default of the default writer, to its file.

    >>> ag.summary.flush()
    """
    writer = WRITER.get() if writer is None else writer
    if writer is not None:
        apply(FlushSummaries, (), {"writer": writer})  # type: ignore[arg-type]


# ---- writing ---------------------------------------------------------------------------------


@hidden_op
class FlushSummaries:
    """Write buffered summaries to the file."""

    effect = WRITES

    def kernel(*, writer):
        if not writer._file.is_closed:
            writer._file.flush()
        return ()

    def result(*, writer):
        return ()


@hidden_op
class WriteSummary:
    """Write a summary if `condition` is true; the result is the condition."""

    effect = WRITES
    accepts = {"data": ANY, "step": SIGNED, "condition": BOOLS}

    def kernel(data, step, condition, *, writer, tag, plugin, convert, options, description):
        if condition:
            dtype = "string" if data.dtype == object else FROM_NUMPY[data.dtype].name
            array, dtype = (np.asarray(data), dtype) if convert is None else convert(data, *options)
            message = event_files.summary(tag, array, dtype, plugin, description)
            writer.put(event_files.event(int(step), 5, message))
        return np.asarray(condition)

    def result(data, step, condition, *, writer, tag, plugin, convert, options, description):
        return Spec(bool_, ())


def _write(tag: str, data, step, plugin="", convert=None, options=(), description=None):
    writer = WRITER.get()
    if writer is None:
        return constant_of(np.array(False))
    step = STEP.get() if step is None else step
    if step is None:
        raise ValueError(
            f"the summary '{tag}' has no step: give step=..., or call ag.summary.experimental."
            "set_step before"
        )
    attrs = {
        "writer": writer, "tag": NAMES.get() + tag, "plugin": plugin, "convert": convert,
        "options": options, "description": description or "",
    }  # fmt: skip
    return apply(WriteSummary, (data, convert_to_tensor(step), should_record_summaries()), attrs)  # type: ignore[arg-type]


@public("summary.write")
def write(tag, tensor, step=None, metadata=None, name=None):
    """Write a tensor under a tag; `metadata` may be the name of a plugin of TensorBoard.

    Like the other functions of `summary`, it returns whether the tensor was written, as a bool
    scalar: False without a default writer.

    >>> bool(ag.summary.write("weights", [1.0, 2.0], step=0))
    False

    Raises ValueError if there is neither `step` nor a default step.
    """
    return _write(tag, convert_to_tensor(tensor), step, metadata or "")


@public("summary.scalar")
def scalar(name, data, step=None, description=None):
    """Write a scalar, converted to float32; see `summary.write`.

    >>> bool(ag.summary.scalar("loss", 0.5, step=0))
    False

    Raises InvalidArgumentError for another shape.
    """
    data = convert_to_tensor(data)
    if data.dims:
        raise InvalidArgumentError(f"summary.scalar '{name}': a scalar, not shape {data.shape}")
    return _write(name, data, step, "scalars", _as_scalar, (), description)


@public("summary.histogram")
def histogram(name, data, step=None, buckets=None, description=None):
    """Write a histogram of the elements of a tensor with `buckets` equal intervals (default 30).

    >>> bool(ag.summary.histogram("weights", [1.0, 2.0], step=0))
    False
    """
    data = convert_to_tensor(data)
    options = (30 if buckets is None else int(buckets),)
    return _write(name, data, step, "histograms", _as_histogram, options, description)


@public("summary.image")
def image(name, data, step=None, max_outputs=3, description=None):
    """Write the first `max_outputs` images of a tensor of shape [count, height, width, channels].

    There are 1 to 4 channels. Pixels are uint8, or floats from 0 to 1.

    >>> bool(ag.summary.image("digits", ag.zeros([1, 8, 8, 1]), step=0))
    False

    Raises InvalidArgumentError for other shapes.
    """
    data = convert_to_tensor(data)
    if data.dims is not None and len(data.dims) != 4:
        raise InvalidArgumentError(
            f"summary.image '{name}': shape (count, height, width, channels), not {data.shape}"
        )
    return _write(name, data, step, "images", _as_images, (int(max_outputs),), description)


@public("summary.text")
def text(name, data, step=None, description=None):
    """Write a tensor of strings, which TensorBoard shows as Markdown.

    >>> bool(ag.summary.text("notes", "a *note*", step=0))
    False

    Raises InvalidArgumentError for another dtype.
    """
    data = convert_to_tensor(data)
    if data.dtype.name != "string":
        raise InvalidArgumentError(
            f"summary.text '{name}': the dtype is string, not {data.dtype.name}"
        )
    return _write(name, data, step, "text", None, (), description)


@public("summary.graph")
def graph(graph_data):
    """Write the graph of a concrete function (`concrete.graph`) for TensorBoard.

    Raises FailedPreconditionError inside a function.
    """
    writer = WRITER.get()
    if BUILDER.get() is not None:
        raise FailedPreconditionError("summary.graph writes eagerly, not inside a function")
    if writer is not None:
        nodes = graph_data.as_graph_def().node
        writer.put(event_files.event(0, 4, event_files.graph(nodes)))
    return constant_of(np.array(writer is not None))


# ---- conversions -----------------------------------------------------------------------------


def _as_scalar(data):
    if np.ndim(data):
        raise InvalidArgumentError(f"summary.scalar: a scalar, not shape {np.shape(data)}")
    return np.asarray(data, np.float32), "float32"


def _as_histogram(data, buckets: int):
    """A histogram as rows of left edge, right edge and count."""
    values = np.asarray(data, np.float64).reshape(-1)
    if not values.size or not buckets:
        return np.zeros((buckets, 3)), "float64"
    low, high = float(values.min()), float(values.max())
    if low == high or not np.isfinite(high - low):
        counts = np.zeros(buckets)
        counts[-1] = values.size
        edges = np.full(buckets + 1, low)
    else:
        counts, edges = np.histogram(values, buckets, (low, high))
    return np.stack([edges[:-1], edges[1:], counts], axis=1), "float64"


def _as_images(data, max_outputs: int):
    """Images as strings: the width, the height, and a PNG file for each image."""
    pixels = np.asarray(data)
    if pixels.ndim != 4 or not 1 <= pixels.shape[3] <= 4:
        raise InvalidArgumentError(
            f"summary.image: (count, height, width, 1 to 4 channels), not shape {pixels.shape}"
        )
    if is_floating(pixels.dtype):
        pixels = (np.clip(pixels.astype(np.float32), 0, 1) * 255.999).astype(np.uint8)
    _, height, width, _ = pixels.shape
    files = [event_files.png(pixel.astype(np.uint8)) for pixel in pixels[:max_outputs]]
    components = np.empty(2 + len(files), object)
    components[:] = [str(width).encode(), str(height).encode(), *files]
    return components, "string"
