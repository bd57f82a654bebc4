"""Derivatives at kinks, ties, zeros, edges of domains, infinities and masked elements: those of
TensorFlow, else those of JAX or torch, or what an argument says.
"""

from fnmatch import fnmatch

import numpy as np
import pytest
from derivative_cases import CASES
from edge_derivatives import ORDERS, by_tapes, read_table
from functions_without_edges import WITHOUT_EDGES

import allograph as ag
from allograph.runtime.core.public_names import MIRRORS, PUBLIC

PEERS = read_table()
# Derivatives that no peer has, with the reason for ours; `ag.` is left out.
DEVIATIONS = {
    "the exact derivative: TensorFlow divides by zero factors, or takes the product for 0": """
        math.cumprod keras.backend.prod keras.backend.cumprod keras.ops.prod keras.ops.nanprod
        keras.ops.cumprod keras.ops.nancumprod keras.ops.segment_prod math.unsorted_segment_prod
    """,
    "the exact second derivative: TensorFlow takes the mean of the variance for a constant": """
        nn.moments keras.ops.moments keras.ops.layer_normalization keras.layers.GroupNormalization
    """,
    "the exact derivative: TensorFlow takes the labels for constants whose sum is 1": """
        nn.softmax_cross_entropy_with_logits keras.losses.categorical_crossentropy
        keras.ops.categorical_crossentropy
    """,
    "the exact derivative, of the function's series at 0": """
        math.special.bessel_i0 math.special.bessel_i1
    """,
    "the exact derivative: TensorFlow stops it": "image.hsv_to_rgb keras.ops.image.hsv_to_rgb",
    "the exact projection onto the simplex": "keras.activations.sparsemax keras.ops.sparsemax",
    "the exact derivative of the density": "math.betainc",
    "not a number where the function is none": """
        math.special.bessel_k0 math.special.bessel_y0 math.special.bessel_y1 math.special.spence
    """,
    "without a gradient of the order, whose effect has no closed form": """
        math.igamma math.igammac
    """,
    "equal elements share the gradient, as those of `reduce_max` do": """
        image.rgb_to_hsv keras.ops.image.rgb_to_hsv nn.fractional_max_pool
        keras.ops.adaptive_max_pool
        keras.layers.AdaptiveMaxPooling2D keras.layers.MaxPooling3D nn.isotonic_regression
    """,
    "the gradient of both triangles of a symmetric matrix": "linalg.eigh linalg.eigvalsh",
    "the derivative of 0 singular values does not exist": "linalg.svd",
    "zero vectors stay as they are": "keras.utils.normalize",
    "defined for counts below 1, which have no further term": "nn.log_poisson_loss",
    "the probability is at least 1e-7, as in the other cross entropies": """
        keras.losses.categorical_generalized_cross_entropy
    """,
    "the formula of `keras.ops`, without TensorFlow's second epsilon": """
        keras.backend.binary_crossentropy
    """,
    "infinities have no difference: the first one counts": """
        keras.ops.logaddexp keras.ops.logaddexp2 math.cumulative_logsumexp
    """,
}
DEVIATING = {name for names in DEVIATIONS.values() for name in names.split()}


def public_functions():
    """The names of every public function, those of one function together."""
    dir(ag)
    named: dict = {}
    for name, thing in PUBLIC.items():
        if callable(thing) and not isinstance(thing, type) and not name.startswith(MIRRORS):
            named.setdefault(id(thing), []).append(name)
    return list(named.values())


def test_every_public_function_has_calls_at_edges_or_a_reason():
    called = {name for case in CASES for name in case.names}
    reasons = [pattern for names in WITHOUT_EDGES.values() for pattern in names.split()]
    for names in public_functions():
        if called.isdisjoint(names):
            assert any(fnmatch(name, one) for name in names for one in reasons), names


def test_every_call_has_a_row_of_the_peers():
    assert set(PEERS) == set(map(str, CASES))


def agrees(values, row: dict, is_masked: bool) -> np.ndarray:
    """For each derivative whether it is a peer's, or 0 where the gradient that comes in is; and
    where no peer has a number, any is right.
    """
    peers = np.array([one for one in row.values() if len(one) == len(values)])
    if not len(peers):
        return np.ones(len(values), bool)
    same = np.isclose(values, peers, rtol=1e-4, atol=1e-5, equal_nan=True).any(0)
    return same | (is_masked & (values == 0)) | ~np.isfinite(peers).any(0)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_derivatives_at_edges_are_those_of_a_peer(case):
    row, ours = PEERS[str(case)], by_tapes(ag, case)
    for order in ORDERS:
        if DEVIATING.isdisjoint(case.names):
            right = agrees(ours[order], row[order], "masked" in order)
            assert right.all(), (order, np.flatnonzero(~right), ours[order][~right])
