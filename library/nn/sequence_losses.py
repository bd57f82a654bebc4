"""Connectionist temporal classification: the loss, and decoders, of sequences without alignment.

Source: Graves et al., "Connectionist temporal classification", 2006. A label sequence is what a
sequence of classes becomes when repeated classes are merged and blanks are removed.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ... import (
    boolean_mask,
    cast,
    concat,
    convert_to_tensor,
    cumsum,
    int32,
    int64,
    reduce_sum,
    scatter_nd,
    sequence_mask,
    shape,
    transpose,
)
from ...extend.errors import InvalidArgumentError
from ...extend.operations import FLOATS, INTEGERS, Spec, hidden_op, ops
from ...extend.registration import public
from ..sparse_tensors.conversions import to_dense
from ..sparse_tensors.sparse_tensor import SparseTensor

# ---- the loss --------------------------------------------------------------------------------


def _log_softmax(x: np.ndarray) -> np.ndarray:
    x = x - x.max(axis=-1, keepdims=True)
    return x - np.log(np.exp(x).sum(axis=-1, keepdims=True))


def _forward(scores: np.ndarray, skips: np.ndarray) -> np.ndarray:
    """The log-probability of each prefix that ends with each symbol, at each step."""
    result = np.full(scores.shape, -np.inf)
    result[0, :2] = scores[0, :2]
    for step in range(1, len(scores)):
        reached = result[step - 1].copy()
        reached[1:] = np.logaddexp(reached[1:], result[step - 1, :-1])
        skipped = np.where(skips[2:], result[step - 1, :-2], -np.inf)
        reached[2:] = np.logaddexp(reached[2:], skipped)
        result[step] = reached + scores[step]
    return result


def _prefixes(probabilities: np.ndarray, labels: np.ndarray, blank: int):
    """The symbols of one sequence of log-probabilities, whether each may follow the last but one,
    the log-probability of each symbol and of each prefix, at each step, and that of the labels.
    """
    symbols = np.full(2 * len(labels) + 1, blank)
    symbols[1::2] = labels
    skips = np.zeros(len(symbols), bool)
    skips[2:] = (symbols[2:] != blank) & (symbols[2:] != symbols[:-2])
    scores = probabilities[:, symbols]
    if not len(probabilities):
        return symbols, skips, scores, scores, -np.inf if len(labels) else -0.0
    prefixes = _forward(scores, skips)
    return symbols, skips, scores, prefixes, np.logaddexp.reduce(prefixes[-1, -2:])


def _loss_of(probabilities: np.ndarray, labels: np.ndarray, blank: int):
    return -_prefixes(probabilities, labels, blank)[-1]


def _slope_of(probabilities: np.ndarray, labels: np.ndarray, blank: int) -> np.ndarray:
    """The derivative of the loss by the logits; 0 where the loss is infinite."""
    symbols, skips, scores, prefixes, total = _prefixes(probabilities, labels, blank)
    taken = np.zeros_like(probabilities)
    if not len(probabilities) or total == -np.inf:
        return taken
    back = np.zeros(len(symbols), bool)
    back[2:] = skips[::-1][:-2]
    suffixes = _forward(scores[::-1, ::-1], back)[::-1, ::-1]
    shares = np.exp(prefixes + suffixes - scores - total)
    np.add.at(taken.T, symbols, shares.T)
    return np.exp(probabilities) - taken


CTC_INPUTS = {
    "logits": FLOATS, "labels": INTEGERS, "label_lengths": INTEGERS, "lengths": INTEGERS,
}  # fmt: skip


def _of_each(function, logits, labels, label_lengths, lengths, blank: int) -> Iterator[tuple]:
    """`function` of the log-probabilities and the labels of each sequence, after its length."""
    classes = logits.shape[2]
    with np.errstate(invalid="ignore", divide="ignore"):
        for number in range(logits.shape[1]):
            steps, wanted = int(lengths[number]), labels[number, : int(label_lengths[number])]
            if steps > len(logits):
                raise InvalidArgumentError(f"a sequence of {len(logits)} has length {steps}")
            if wanted.size and not 0 <= wanted.min() <= wanted.max() < classes:
                raise InvalidArgumentError(f"labels are classes below {classes}: {wanted}")
            given = _log_softmax(logits[:steps, number].astype(np.float64))
            yield steps, function(given, wanted, blank % classes)


@hidden_op
class CtcLoss:
    """The loss of each sequence, for logits [time, batch, class]."""

    accepts = CTC_INPUTS
    alike = ()

    def kernel(logits, labels, label_lengths, lengths, *, blank):
        found = _of_each(_loss_of, logits, labels, label_lengths, lengths, blank)
        return np.array([loss for _, loss in found], logits.dtype)

    def result(logits, labels, label_lengths, lengths, *, blank):
        return Spec(logits.dtype, None if logits.shape is None else (logits.shape[1],))

    def gradient(dy, y, logits, labels, label_lengths, lengths, *, blank):
        slopes = CtcSlope(logits, labels, label_lengths, lengths, blank=blank)
        return slopes * dy[None, :, None], None, None, None


@hidden_op
class CtcSlope:
    """The derivative of each loss by its logits."""

    accepts = CTC_INPUTS
    alike = ()

    def kernel(logits, labels, label_lengths, lengths, *, blank):
        slopes = np.zeros_like(logits)
        found = _of_each(_slope_of, logits, labels, label_lengths, lengths, blank)
        for number, (steps, slope) in enumerate(found):
            slopes[:steps, number] = slope
        return slopes

    def result(logits, labels, label_lengths, lengths, *, blank):
        return Spec(logits.dtype, logits.shape)

    def gradient(dy, y, logits, labels, label_lengths, lengths, *, blank):
        raise InvalidArgumentError("ctc_loss has no second derivative")


@public("nn.ctc_loss")
def ctc_loss(
    labels, logits, label_length, logit_length, logits_time_major=True, unique=None,
    blank_index=None, name=None,
):  # fmt: skip
    """The CTC loss: minus the log-probability of label sequences, given logits for each step.

    labels        [batch, length], padded; or a SparseTensor, whose `label_length` may be None
    logits        [time, batch, classes], or [batch, time, classes] if not `logits_time_major`
    label_length  the number of labels of each sequence
    logit_length  the number of steps of each sequence
    blank_index   the class that stands for no label, 0 by default; negative ones count from the end

    It is infinite where there are too few steps for the labels. `unique` is not needed.

    >>> loss = ag.nn.ctc_loss([[1]], ag.zeros([2, 1, 2]), [1], [2])
    >>> bool(abs(loss[0] - ag.math.log(4 / 3)) < 1e-6)
    True
    """
    logits = convert_to_tensor(logits)
    if isinstance(labels, SparseTensor):
        if blank_index is None:
            raise ValueError("ctc_loss: sparse labels need a blank_index")
        rows = labels.indices[:, 0]
        label_length = ops.unsorted_segment_sum(rows * 0 + 1, rows, labels.dense_shape[0])
        labels = to_dense(labels)
    if not logits_time_major:
        logits = transpose(logits, [1, 0, 2])
    lengths = [convert_to_tensor(one) for one in (label_length, logit_length)]
    blank = 0 if blank_index is None else int(blank_index)
    return CtcLoss(logits, convert_to_tensor(labels, dtype_hint=int32), *lengths, blank=blank)


# ---- decoders --------------------------------------------------------------------------------


def _sparse(rows: list[list[int]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The components of a sparse matrix with these rows."""
    counts = [len(row) for row in rows]
    indices = [(number, place) for number, count in enumerate(counts) for place in range(count)]
    return (
        np.array(indices, np.int64).reshape(-1, 2),
        np.array([one for row in rows for one in row], np.int64),
        np.array([len(rows), max(counts, default=0)], np.int64),
    )


SPARSE = Spec(int64, (None, 2)), Spec(int64, (None,)), Spec(int64, (2,))


def _greedy(row: np.ndarray, merge_repeated: bool, blank: int) -> list[int]:
    """The labels of the most probable class of each step."""
    best = row.argmax(axis=-1)
    if merge_repeated and best.size:
        best = best[np.concatenate([[True], best[1:] != best[:-1]])]
    return best[best != blank].tolist()


@hidden_op
class GreedyDecode:
    """The labels of the most probable class of each step, as a sparse matrix; minus its logits."""

    accepts = {"logits": FLOATS, "lengths": INTEGERS}
    alike = ()

    def kernel(logits, lengths, *, merge_repeated, blank):
        steps = np.arange(logits.shape[0])[:, None] < lengths
        sums = np.where(steps, logits.max(axis=-1), 0).sum(axis=0)
        rows = [
            _greedy(logits[: lengths[number], number], merge_repeated, blank % logits.shape[2])
            for number in range(logits.shape[1])
        ]
        return *_sparse(rows), -sums[:, None].astype(logits.dtype)

    def result(logits, lengths, *, merge_repeated, blank):
        batch = None if logits.shape is None else logits.shape[1]
        return *SPARSE, Spec(logits.dtype, (batch, 1))


@public("nn.ctc_greedy_decoder")
def ctc_greedy_decoder(inputs, sequence_length, merge_repeated=True, blank_index=None):
    """The labels of the most probable class of each step of logits [time, batch, classes].

    The result is a list of one SparseTensor [batch, length], and minus the sums of the largest
    logits, [batch, 1]. The blank is the last class by default.

    >>> logits = ag.one_hot([[1], [1], [2], [0]], 3)
    >>> (decoded,), _ = ag.nn.ctc_greedy_decoder(logits, [4])
    >>> decoded.values.numpy()
    array([1, 0])
    """
    blank = -1 if blank_index is None else int(blank_index)
    *parts, sums = GreedyDecode(
        convert_to_tensor(inputs), cast(sequence_length, int32), merge_repeated=merge_repeated,
        blank=blank,
    )  # fmt: skip
    return [SparseTensor(*parts)], sums


def _beams(scores: np.ndarray, width: int, blank: int) -> list[tuple[tuple[int, ...], float]]:
    """The most probable label sequences, with their log-probabilities, the best first."""
    # For each sequence, the log-probability that it ends with a blank, and that it does not.
    beams: dict[tuple[int, ...], tuple[float, float]] = {(): (0.0, -np.inf)}
    for step in scores:
        ends: dict[tuple[int, ...], list[float]] = {}
        for labels, (with_blank, with_label) in beams.items():
            both = np.logaddexp(with_blank, with_label)
            same = ends.setdefault(labels, [-np.inf, -np.inf])
            same[0] = np.logaddexp(same[0], both + step[blank])
            if labels:
                same[1] = np.logaddexp(same[1], with_label + step[labels[-1]])
            for label in range(len(step)):
                if label != blank:
                    repeated = labels and labels[-1] == label
                    longer = ends.setdefault((*labels, label), [-np.inf, -np.inf])
                    score = (with_blank if repeated else both) + step[label]
                    longer[1] = np.logaddexp(longer[1], score)
        ordered = sorted(ends.items(), key=lambda one: -np.logaddexp(*one[1]))
        beams = {labels: tuple(pair) for labels, pair in ordered[:width]}
    return [(labels, float(np.logaddexp(*pair))) for labels, pair in beams.items()]


@hidden_op
class BeamDecode:
    """The most probable label sequences, as sparse matrices; and their log-probabilities."""

    accepts = {"logits": FLOATS, "lengths": INTEGERS}
    alike = ()
    several = True

    def kernel(logits, lengths, *, beam_width, top_paths):
        scores, blank = _log_softmax(logits.astype(np.float64)), logits.shape[2] - 1
        found = [
            _beams(scores[: lengths[number], number], beam_width, blank)[:top_paths]
            for number in range(logits.shape[1])
        ]
        if any(len(one) < top_paths for one in found):
            raise InvalidArgumentError(
                f"there are fewer than {top_paths} label sequences: lower top_paths"
            )
        parts = [_sparse([list(one[path][0]) for one in found]) for path in range(top_paths)]
        scores = np.array([[score for _, score in one] for one in found], logits.dtype)
        return *(part for path in parts for part in path), scores.reshape(-1, top_paths)

    def result(logits, lengths, *, beam_width, top_paths):
        batch = None if logits.shape is None else logits.shape[1]
        return *(SPARSE * top_paths), Spec(logits.dtype, (batch, top_paths))


@public("nn.ctc_beam_search_decoder")
def ctc_beam_search_decoder(inputs, sequence_length, beam_width=100, top_paths=1):
    """The most probable label sequences of logits [time, batch, classes]; the last class is blank.

    The result is a list of `top_paths` SparseTensors [batch, length], the best first, and their
    log-probabilities, [batch, top_paths]. So many as `beam_width` are followed at each step.

    >>> logits = ag.one_hot([[1], [2], [0]], 3) * 9.0
    >>> (decoded,), _ = ag.nn.ctc_beam_search_decoder(logits, [3])
    >>> decoded.values.numpy()
    array([1, 0])
    """
    if not 1 <= top_paths <= beam_width:
        raise ValueError(f"there are 1 to {beam_width} paths, the beam_width, not {top_paths}")
    *parts, scores = BeamDecode(
        convert_to_tensor(inputs), cast(sequence_length, int32), beam_width=beam_width,
        top_paths=top_paths,
    )  # fmt: skip
    return [SparseTensor(*parts[3 * path : 3 * path + 3]) for path in range(top_paths)], scores


# ---- labels ----------------------------------------------------------------------------------


@public("nn.collapse_repeated")
def collapse_repeated(labels, seq_length, name=None):
    """Label sequences [batch, length] without repetitions, padded with 0, and their lengths.

    >>> labels, lengths = ag.nn.collapse_repeated([[1, 1, 2, 2, 1], [3, 3, 0, 0, 0]], [5, 3])
    >>> labels.numpy().tolist(), lengths.numpy().tolist()
    ([[1, 2, 1], [3, 0, 0]], [3, 2])
    """
    labels = convert_to_tensor(labels)
    is_first = concat([labels[:, :1] == labels[:, :1], labels[:, 1:] != labels[:, :-1]], 1)
    kept = ops.logical_and(is_first, sequence_mask(seq_length, shape(labels)[1]))
    lengths = reduce_sum(cast(kept, int32), 1)
    longest = ops.reduce_max(lengths, axis=None, keepdims=False)
    rows = ops.nonzero(kept)
    places = cumsum(cast(kept, int32), axis=1) - 1
    at = ops.stack(cast(rows[:, 0], int32), boolean_mask(places, kept), axis=1)
    sizes = ops.stack(shape(labels)[0], longest, axis=0)
    return scatter_nd(at, boolean_mask(labels, kept), sizes), lengths


@public("nn.ctc_unique_labels")
def ctc_unique_labels(labels, name=None):
    """The distinct labels of each row, padded with 0, and where each label is among them.

    >>> distinct, places = ag.nn.ctc_unique_labels([[3, 4, 4, 3]])
    >>> distinct.numpy().tolist(), places.numpy().tolist()
    ([[3, 4, 0, 0]], [[0, 1, 1, 0]])
    """
    labels = convert_to_tensor(labels)
    return UniqueOfRows(cast(labels, int64))


@hidden_op
class UniqueOfRows:
    """The distinct elements of each row, in order and padded with 0; the place of each element."""

    accepts = INTEGERS

    def kernel(labels):
        distinct, places = np.zeros_like(labels), np.zeros(labels.shape, np.int32)
        for number, row in enumerate(labels.tolist()):
            seen = {label: place for place, label in enumerate(dict.fromkeys(row))}
            distinct[number, : len(seen)] = list(seen)
            places[number] = [seen[label] for label in row]
        return distinct, places

    def result(labels):
        return Spec(labels.dtype, labels.shape), Spec(int32, labels.shape)
