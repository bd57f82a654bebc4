"""`keras.utils`: helpers for labels, normalization and random seeds."""

from __future__ import annotations

import random

import numpy as np

from ...extend.operations import ag
from ...extend.registration import expose, public
from ...extend.tensors import tensor_of
from .layers import base_layer, initializers, regularizers  # noqa: F401 - they register
from .layers.call_context import reset_names
from .registry import TABLES
from .training import losses, metrics, optimizers  # noqa: F401 - they register


@public("keras.utils.to_categorical")
def to_categorical(y, num_classes=None, dtype="float32"):
    """Integer labels as one-hot vectors along a new last axis, in a NumPy array.

    `num_classes` defaults to the largest label plus 1.

    >>> ag.keras.utils.to_categorical([1, 0])
    array([[0., 1.],
           [1., 0.]], dtype=float32)
    """
    labels = np.asarray(y, np.int64)
    if labels.ndim > 1 and labels.shape[-1] == 1:
        labels = labels[..., 0]
    count = int(labels.max()) + 1 if num_classes is None else num_classes
    return np.eye(count, dtype=dtype)[labels]


@public("keras.utils.normalize")
def normalize(x, axis=-1, order=2):
    """Vectors along `axis` scaled to norm 1 of order `order`: a tensor if `x` is one.

    >>> ag.keras.utils.normalize(np.array([[3.0, 4.0]]))
    array([[0.6, 0.8]])
    """
    if tensor_of(x) is not None:
        length = ag.norm(tensor_of(x), order, axis, keepdims=True)
        return x / ag.where(length == 0, ag.ones_like(length), length)
    length = np.linalg.norm(x, order, axis, keepdims=True)
    return x / np.where(length == 0, 1, length)


@public("keras.utils.set_random_seed")
def set_random_seed(seed: int) -> None:
    """Set the seeds of the random generators of Python, NumPy and this package.

    >>> ag.keras.utils.set_random_seed(1)
    """
    random.seed(seed)
    np.random.seed(seed)
    ag.random.set_seed(seed)


@public("keras.utils.pad_sequences", "keras.preprocessing.sequence.pad_sequences")
def pad_sequences(
    sequences, maxlen=None, dtype="int32", padding="pre", truncating="pre", value=0.0
) -> np.ndarray:
    """Sequences of several lengths in an array [count, maxlen].

    They are filled with `value` at the start ("pre") or at the end ("post"), and cut there.

    >>> ag.keras.utils.pad_sequences([[1, 2, 3], [4]], maxlen=2, padding="post")
    array([[2, 3],
           [4, 0]], dtype=int32)
    """
    for option in (padding, truncating):
        if option not in ("pre", "post"):
            raise ValueError(f"pad_sequences: 'pre' or 'post', not {option!r}")
    rows = [np.asarray(sequence) for sequence in sequences]
    size = max(map(len, rows), default=0) if maxlen is None else maxlen
    inner = next((row.shape[1:] for row in rows if len(row)), ())
    result = np.full((len(rows), size, *inner), value, dtype)
    for number, row in enumerate(rows):
        kept = row[max(len(row) - size, 0) :] if truncating == "pre" else row[:size]
        if len(kept):
            start = size - len(kept) if padding == "pre" else 0
            result[number, start : start + len(kept)] = kept
    return result


@public("keras.backend.clear_session", "keras.utils.clear_session")
def clear_session() -> None:
    """Restart the numbering of layer names.

    >>> ag.keras.backend.clear_session()
    """
    reset_names()


for _family, _name in (
    ("layers", "Layer"), ("losses", "Loss"), ("metrics", "Metric"), ("optimizers", "Optimizer"),
    ("initializers", "Initializer"), ("regularizers", "Regularizer"),
):  # fmt: skip
    expose(TABLES[_family][_name], f"keras.{_name}")


@public("keras.utils.Progbar")
class Progbar:
    """Prints how far a loop is, with means of values.

    verbose           0 prints nothing, 1 a line that is written over, 2 a line at the end
    stateful_metrics  names of values that are means already

    >>> bar = ag.keras.utils.Progbar(2, verbose=2)
    >>> bar.update(1, [("loss", 0.5)])
    >>> bar.update(2, [("loss", 1.5)])
    2/2 - loss: 1.0000
    """

    def __init__(
        self, target, width=20, verbose=1, interval=0.05, stateful_metrics=None,
        stateless_metrics=None, unit_name="step",
    ):  # fmt: skip
        self.target, self.width, self.verbose = target, width, verbose
        self.stateful_metrics = set(stateful_metrics or ())
        self.seen = 0
        self.sums: dict[str, list[float]] = {}

    def update(self, current, values=None, finalize=None) -> None:
        """Set the number of steps done, and count values, pairs of a name and a number."""
        steps = max(current - self.seen, 1)
        for name, value in values or ():
            total = self.sums.setdefault(name, [0.0, 0.0])
            if name in self.stateful_metrics:
                total[:] = float(value), 1.0
            else:
                total[0] += float(value) * steps
                total[1] += steps
        self.seen = current
        is_last = finalize or (self.target is not None and current >= self.target)
        if self.verbose == 1 or (self.verbose == 2 and is_last):
            start, end = ("", "\n") if self.verbose == 2 else ("\r", "\n" if is_last else "")
            print(start + self._line(), end=end, flush=True)

    def add(self, n, values=None) -> None:
        """Count `n` more steps."""
        self.update(self.seen + n, values)

    def _line(self) -> str:
        means = "".join(f" - {name}: {total / count:.4f}"
                        for name, (total, count) in self.sums.items())  # fmt: skip
        bar = ""
        if self.verbose == 1 and self.target:
            done = int(self.width * self.seen / self.target)
            bar = f" [{'=' * done}{'.' * (self.width - done)}]"
        return f"{self.seen}/{self.target if self.target is not None else '?'}{bar}{means}"
