"""Images mirrored and rotated, by choice or at random."""

from __future__ import annotations

from ... import cast, convert_to_tensor, int32, random, reverse, shape, stack, where
from ... import transpose as transposed
from ...extend.operations import ops
from ...extend.registration import public
from .arguments import as_image, in_batches, known_number


def _flipped(image, axis: int, caller: str):
    x = as_image(image, caller)
    return reverse(x, [len(x.dims) + axis])


@public("image.flip_left_right")
def flip_left_right(image):
    """Images with their columns in reverse.

    >>> ag.image.flip_left_right([[[1], [2]]]).numpy().ravel()
    array([2, 1], dtype=int32)
    """
    return _flipped(image, -2, "flip_left_right")


@public("image.flip_up_down")
def flip_up_down(image):
    """Images with their rows in reverse.

    >>> ag.image.flip_up_down([[[1]], [[2]]]).numpy().ravel()
    array([2, 1], dtype=int32)
    """
    return _flipped(image, -3, "flip_up_down")


@public("image.transpose")
def transpose(image, name=None):
    """Images with rows and columns exchanged.

    >>> ag.image.transpose(ag.zeros([2, 5, 3])).shape
    TensorShape([5, 2, 3])
    """
    return in_batches(lambda x: transposed(x, [0, 2, 1, 3]), image, "transpose")


@public("image.rot90")
def rot90(image, k=1, name=None):
    """Images rotated `k` times by a quarter, counter-clockwise.

    >>> ag.image.rot90([[[1], [2]]]).numpy()[..., 0].tolist()
    [[2], [1]]

    A `k` that is known only when the graph runs takes square images.
    """
    known = known_number(k)

    def of_batch(x):
        if isinstance(known, int):
            return _rotated(x, known % 4)
        which = known % 4
        result = x
        for count in (1, 2, 3):
            result = where(ops.equal(which, count), _rotated(x, count), result)
        return result

    return in_batches(of_batch, image, "rot90")


def _rotated(x, count: int):
    if count == 1:
        return reverse(transposed(x, [0, 2, 1, 3]), [1])
    if count == 2:
        return reverse(x, [1, 2])
    return transposed(reverse(x, [1]), [0, 2, 1, 3]) if count == 3 else x


def _flipped_at_random(image, axis: int, draw, caller: str):
    """Each image of a batch mirrored with probability 1/2."""

    def of_batch(x):
        flips = draw(stack([shape(x)[0]])) < 0.5
        return where(flips[:, None, None, None], reverse(x, [axis]), x)

    return in_batches(of_batch, image, caller)


@public("image.random_flip_left_right")
def random_flip_left_right(image, seed=None):
    """Each image as it is, or with its columns in reverse, with probability 1/2.

    >>> ag.image.random_flip_left_right(ag.zeros([4, 2, 2, 1])).shape
    TensorShape([4, 2, 2, 1])
    """
    return _flipped_at_random(
        image, 2, lambda size: random.uniform(size, seed=seed), "random_flip_left_right"
    )


@public("image.random_flip_up_down")
def random_flip_up_down(image, seed=None):
    """Each image as it is, or with its rows in reverse, with probability 1/2.

    >>> ag.image.random_flip_up_down(ag.zeros([2, 2, 1])).shape
    TensorShape([2, 2, 1])
    """
    return _flipped_at_random(
        image, 1, lambda size: random.uniform(size, seed=seed), "random_flip_up_down"
    )


@public("image.stateless_random_flip_left_right")
def stateless_random_flip_left_right(image, seed):
    """`image.random_flip_left_right` with the same result for the same `seed`, two integers.

    >>> ag.image.stateless_random_flip_left_right([[[1], [1]]], [1, 2]).numpy().ravel()
    array([1, 1], dtype=int32)
    """
    return _flipped_at_random(
        image,
        2,
        lambda size: random.stateless_uniform(size, seed),
        "stateless_random_flip_left_right",
    )


@public("image.stateless_random_flip_up_down")
def stateless_random_flip_up_down(image, seed):
    """`image.random_flip_up_down` with the same result for the same `seed`, two integers.

    >>> ag.image.stateless_random_flip_up_down([[[1]], [[1]]], [1, 2]).numpy().ravel()
    array([1, 1], dtype=int32)
    """
    return _flipped_at_random(
        image, 1, lambda size: random.stateless_uniform(size, seed), "stateless_random_flip_up_down"
    )


@public("image.stateless_random_crop")
def stateless_random_crop(value, size, seed, name=None):
    """A part of the size `size` of a tensor, the same for the same `seed`, two integers.

    >>> ag.image.stateless_random_crop(ag.ones([5, 5, 3]), [2, 2, 3], [1, 2]).shape
    TensorShape([2, 2, 3])
    """
    return _cropped(value, size, lambda count: random.stateless_uniform([count], seed))


@public("image.random_crop")
def random_crop(value, size, seed=None, name=None):
    """A part of the size `size` of a tensor, at a random place.

    >>> ag.image.random_crop(ag.ones([5, 5, 3]), [2, 2, 3]).shape
    TensorShape([2, 2, 3])
    """
    return _cropped(value, size, lambda count: random.uniform([count], seed=seed))


def _cropped(value, size, draw):
    x = convert_to_tensor(value)
    count = len(x.dims)
    room = cast(shape(x) - convert_to_tensor(size, int32) + 1, "float32")
    starts = ops.minimum(cast(draw(count) * room, int32), cast(room, int32) - 1)
    return ops.slice(x, starts, convert_to_tensor(size, int32))
