"""Boxes in images: drawn, and selected by their scores."""

from __future__ import annotations

import numpy as np

from ... import cast, convert_to_tensor, float32, int32, pad, shape
from ...extend.errors import InvalidArgumentError
from ...extend.operations import FLOATS, NUMBERS, Spec, hidden_op, ops
from ...extend.registration import public

# Colors of boxes where none are given: red, green, blue and alpha.
COLORS = np.float32(
    [
        [1, 1, 0, 1],
        [0, 0, 1, 1],
        [1, 0, 0, 1],
        [0, 1, 0, 1],
        [0.5, 0, 0.5, 1],
        [0.5, 0.5, 0, 1],
        [0.5, 0, 0, 1],
        [0, 0, 0.5, 1],
        [0, 1, 1, 1],
        [1, 0, 1, 1],
    ]
)


@hidden_op
class DrawBoxes:
    """Images [batch, height, width, channels] with the edges of boxes [batch, n, 4]."""

    accepts = {"images": FLOATS, "boxes": FLOATS, "colors": FLOATS}

    def kernel(images, boxes, colors):
        result = np.array(images)
        for image, rows in zip(result, boxes, strict=True):
            for index, box in enumerate(rows):
                _draw(image, box, colors[index % len(colors)])
        return result

    def result(images, boxes, colors):
        return Spec(images.dtype, images.shape)


def _draw(image, box, color) -> None:
    """Draw the edges of a box, as far as they are inside of the image."""
    height, width, channels = image.shape
    top, left, bottom, right = (
        int(place * (size - 1)) for place, size in zip(box, (height, width) * 2, strict=True)
    )
    if top > bottom or left > right:
        return
    inside = [max(top, 0), max(left, 0), min(bottom, height - 1), min(right, width - 1)]
    rows, columns = slice(inside[0], inside[2] + 1), slice(inside[1], inside[3] + 1)
    for row in {top, bottom}:
        if 0 <= row < height:
            image[row, columns] = color[:channels]
    for column in {left, right}:
        if 0 <= column < width:
            image[rows, column] = color[:channels]


@public("image.draw_bounding_boxes")
def draw_bounding_boxes(images, boxes, colors=None, name=None):
    """A batch of images with lines around `boxes` [batch, n, 4].

    The edges of a box are (y1, x1, y2, x2), where 0 and 1 are the first and the last pixel.
    `colors` [m, channels] are used in turn.

    >>> image = ag.zeros([1, 3, 3, 1])
    >>> ag.image.draw_bounding_boxes(image, [[[0.0, 0.0, 1.0, 1.0]]], [[1.0]]).numpy()[0, ..., 0]
    array([[1., 1., 1.],
           [1., 0., 1.],
           [1., 1., 1.]], dtype=float32)
    """
    colors = COLORS if colors is None or not len(colors) else colors
    images = convert_to_tensor(images)
    return DrawBoxes(
        images, cast(convert_to_tensor(boxes), float32), cast(colors, float32), name=name
    )


# ---- selection -------------------------------------------------------------------------------


def overlaps_of(boxes: np.ndarray) -> np.ndarray:
    """The area that each two boxes share, divided by the area that they cover together."""
    top, bottom = np.sort(boxes[:, [0, 2]]).T
    left, right = np.sort(boxes[:, [1, 3]]).T
    areas = (bottom - top) * (right - left)
    height = np.minimum(bottom[:, None], bottom) - np.maximum(top[:, None], top)
    width = np.minimum(right[:, None], right) - np.maximum(left[:, None], left)
    shared = np.maximum(height, 0) * np.maximum(width, 0)
    union = areas[:, None] + areas - shared
    return np.where((areas[:, None] > 0) & (areas > 0), shared / np.where(union, union, 1), 0)


def selected(overlaps, scores, most: int, threshold: float, least: float, sigma: float):
    """The boxes by falling score without those that overlap a better one, and their scores.

    With `sigma`, scores of boxes fall with their overlap with a better one instead.
    """
    scores = np.array(scores)
    waiting = np.flatnonzero(scores > least)
    chosen, kept = [], []
    while len(waiting) and len(chosen) < most:
        best = waiting[np.argmax(scores[waiting])]
        chosen.append(best)
        kept.append(scores[best])
        waiting = waiting[waiting != best]
        shared = overlaps[best, waiting]
        if sigma > 0:
            scores[waiting] *= np.exp(-0.5 / sigma * shared**2, dtype=scores.dtype)
            waiting = waiting[(scores[waiting] > least)]
            shared = overlaps[best, waiting]
        if threshold < 1 and sigma == 0:
            waiting = waiting[shared <= threshold]
    return np.array(chosen, np.int32), np.array(kept, scores.dtype)


@hidden_op
class SelectBoxes:
    """Indices of boxes, and their scores; of boxes [n, 4], or of overlaps [n, n]."""

    accepts = {"boxes": FLOATS, "scores": FLOATS, "most": NUMBERS, "limits": FLOATS}

    def kernel(boxes, scores, most, limits, *, are_overlaps):
        if boxes.ndim != 2 or len(boxes) != len(scores) or (not are_overlaps and
                                                            boxes.shape[1] != 4):  # fmt: skip
            raise InvalidArgumentError(
                f"non_max_suppression: boxes of shape {boxes.shape} and scores of {scores.shape}"
            )
        overlaps = boxes if are_overlaps else overlaps_of(boxes)
        return selected(overlaps, scores, int(most), *(float(limit) for limit in limits))

    def result(boxes, scores, most, limits, *, are_overlaps):
        return Spec(int32, (None,)), Spec(scores.dtype, (None,))


def _select(boxes, scores, most, threshold, least, sigma=0.0, are_overlaps=False):
    limits = ops.stack(*[cast(one, float32) for one in (threshold, least, sigma)], axis=0)
    return SelectBoxes(
        cast(boxes, float32),
        cast(scores, float32),
        cast(most, int32),
        limits,
        are_overlaps=are_overlaps,
    )


@public("image.non_max_suppression")
def non_max_suppression(
    boxes,
    scores,
    max_output_size,
    iou_threshold=0.5,
    score_threshold=float("-inf"),
    name=None,
):
    """The indices of boxes [n, 4] by falling score, without those that overlap a better one.

    Boxes overlap too much if the area that they share is more than `iou_threshold` of the area that
    they cover together. The result is int32, of at most `max_output_size` boxes.

    >>> boxes = [[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 0.9], [2.0, 2.0, 3.0, 3.0]]
    >>> ag.image.non_max_suppression(boxes, [0.5, 0.9, 0.1], 3).numpy()
    array([1, 2], dtype=int32)
    """
    return _select(boxes, scores, max_output_size, iou_threshold, score_threshold)[0]


@public("image.non_max_suppression_with_scores")
def non_max_suppression_with_scores(
    boxes,
    scores,
    max_output_size,
    iou_threshold=0.5,
    score_threshold=float("-inf"),
    soft_nms_sigma=0.0,
    name=None,
):
    """`image.non_max_suppression` and the scores; with a sigma, overlaps reduce scores instead.

    >>> boxes = [[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 1.0]]
    >>> found, scores = ag.image.non_max_suppression_with_scores(boxes, [0.5, 1.0], 2,
    ...                                                          soft_nms_sigma=0.5)
    >>> found.numpy(), scores.numpy().round(3)
    (array([1, 0], dtype=int32), array([1.   , 0.184], dtype=float32))
    """
    return _select(boxes, scores, max_output_size, iou_threshold, score_threshold, soft_nms_sigma)


@public("image.non_max_suppression_overlaps")
def non_max_suppression_overlaps(
    overlaps,
    scores,
    max_output_size,
    overlap_threshold=0.5,
    score_threshold=float("-inf"),
    name=None,
):
    """`image.non_max_suppression` of what each two boxes overlap, [n, n].

    >>> ag.image.non_max_suppression_overlaps([[1.0, 0.9], [0.9, 1.0]], [0.1, 0.2], 2).numpy()
    array([1], dtype=int32)
    """
    return _select(
        overlaps, scores, max_output_size, overlap_threshold, score_threshold, are_overlaps=True
    )[0]


@public("image.non_max_suppression_padded")
def non_max_suppression_padded(
    boxes,
    scores,
    max_output_size,
    iou_threshold=0.5,
    score_threshold=float("-inf"),
    pad_to_max_output_size=False,
    name=None,
):
    """`image.non_max_suppression` and the number of boxes; zeros fill the rest if asked to.

    >>> boxes = [[0.0, 0.0, 1.0, 1.0], [2.0, 2.0, 3.0, 3.0]]
    >>> found, count = ag.image.non_max_suppression_padded(boxes, [0.1, 0.2], 4,
    ...                                                    pad_to_max_output_size=True)
    >>> found.numpy().tolist(), count.numpy().item()
    ([1, 0, 0, 0], 2)
    """
    found = non_max_suppression(boxes, scores, max_output_size, iou_threshold, score_threshold)
    count = shape(found)[0]
    if pad_to_max_output_size:
        found = pad(found, [[0, max_output_size - count]])
        if isinstance(max_output_size, int):
            found = ops.ensure_shape(found, shape=(max_output_size,))
    return found, count


@hidden_op
class SelectBoxesOfClasses:
    """Boxes of batches of images, of several classes, selected for each class."""

    accepts = {"boxes": FLOATS, "scores": FLOATS}

    def kernel(boxes, scores, *, per_class, total, limits, pad_per_class, clip):
        found = [
            _best_of_classes(image, points, per_class, total, limits)
            for image, points in zip(boxes, scores, strict=True)
        ]
        rows = min(total, per_class * scores.shape[2]) if pad_per_class else total
        counts = np.array([len(one[0]) for one in found], np.int32)
        results = [np.stack([_rows(one[part], rows) for one in found]) for part in range(3)]
        if clip:
            results[0] = np.clip(results[0], 0, 1)
        return (*results, counts)

    def result(boxes, scores, *, per_class, total, limits, pad_per_class, clip):
        batch = None if boxes.shape is None else boxes.shape[0]
        classes = None if scores.shape is None else scores.shape[2]
        rows = total
        if pad_per_class:
            rows = None if classes is None else min(total, per_class * classes)
        return (
            Spec(float32, (batch, rows, 4)),
            Spec(float32, (batch, rows)),
            Spec(float32, (batch, rows)),
            Spec(int32, (batch,)),
        )


def _rows(array, count: int):
    result = np.zeros((count, *array.shape[1:]), np.float32)
    result[: len(array)] = array[:count]
    return result


def _best_of_classes(boxes, scores, per_class: int, total: int, limits):
    """The boxes [n, 4], the scores and the classes of one image, by falling score."""
    chosen = []
    for number in range(scores.shape[1]):
        own = boxes[:, min(number, boxes.shape[1] - 1)]
        indices, kept = selected(overlaps_of(own), scores[:, number], per_class, *limits, 0.0)
        chosen += [(-score, number, own[index]) for index, score in zip(indices, kept, strict=True)]
    chosen.sort(key=lambda one: one[0])
    best = chosen[:total]
    return (
        np.array([one[2] for one in best], np.float32).reshape(-1, 4),
        np.array([-one[0] for one in best], np.float32),
        np.array([one[1] for one in best], np.float32),
    )


@public("image.combined_non_max_suppression")
def combined_non_max_suppression(
    boxes,
    scores,
    max_output_size_per_class,
    max_total_size,
    iou_threshold=0.5,
    score_threshold=float("-inf"),
    pad_per_class=False,
    clip_boxes=True,
    name=None,
):
    """`image.non_max_suppression` of each class of a batch of images, and the best of all classes.

    `boxes` [batch, n, classes or 1, 4], `scores` [batch, n, classes]. Returns boxes [batch, rows,
    4], scores, classes and, for each image, the number of rows that are not filled with zeros.

    >>> boxes = ag.constant([[[[0.0, 0.0, 1.0, 1.0]], [[0.0, 0.0, 0.1, 0.1]]]])
    >>> found = ag.image.combined_non_max_suppression(boxes, [[[0.2, 0.1], [0.3, 0.9]]], 2, 3)
    >>> found[2].numpy().tolist(), found[3].numpy().tolist()
    ([[1.0, 0.0, 0.0]], [3])
    """
    return SelectBoxesOfClasses(
        cast(boxes, float32),
        cast(scores, float32),
        per_class=int(max_output_size_per_class),
        total=int(max_total_size),
        limits=(float(iou_threshold), float(score_threshold)),
        pad_per_class=bool(pad_per_class),
        clip=bool(clip_boxes),
        name=name,
    )
