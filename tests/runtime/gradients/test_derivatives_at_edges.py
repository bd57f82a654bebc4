"""Derivatives at kinks, ties, zeros, edges of domains, infinities and masked elements: those of
TensorFlow, else those of JAX or torch, or what an argument says.
"""

import functools
import re
from fnmatch import fnmatch

import numpy as np
import pytest
from derivative_cases import CASES, POINTS
from edge_derivatives import ORDERS, arrays_of, by_tapes, differences, read_table
from functions_without_edges import WITHOUT_EDGES

import allograph as ag
from allograph.runtime.core.public_names import MIRRORS, PUBLIC

PEERS = read_table()
# Functions with derivatives that TensorFlow does not have, but central differences; with the reason
# why it differs. `ag.` is left out of the names.
EXACT = {
    "TensorFlow divides by zero factors, or takes their products for constant": """
        reduce_prod math.cumprod keras.backend.prod keras.backend.cumprod keras.ops.prod
        keras.ops.nanprod keras.ops.cumprod keras.ops.nancumprod keras.ops.segment_prod
        math.unsorted_segment_prod
    """,
    "TensorFlow takes the mean that a variance subtracts for constant": """
        nn.moments keras.ops.moments keras.ops.layer_normalization
    """,
    "TensorFlow takes labels for constants whose sum is 1": """
        nn.softmax_cross_entropy_with_logits keras.losses.categorical_crossentropy
        keras.ops.categorical_crossentropy
    """,
    "the peers divide by 0 at 0": """
        math.special.bessel_i0 math.special.bessel_i1 keras.ops.i0
    """,
    "TensorFlow adds the slopes of both sides of a kink that is none, or neither": """
        keras.activations.celu keras.ops.celu nn.weighted_cross_entropy_with_logits
        keras.ops.fmod keras.ops.logaddexp keras.ops.logaddexp2
    """,
    "TensorFlow takes the larger operand for constant": "keras.ops.hypot",
    "TensorFlow's counts equal numbers twice": "keras.activations.sparsemax keras.ops.sparsemax",
}
# Functions that are not differentiable at some points, where only JAX or torch has a number.
WITHOUT_A_NUMBER = {
    "the slope of a root of 0 times the change 0, as in TensorFlow": """
        math.reduce_std math.reduce_euclidean_norm norm keras.ops.norm keras.ops.cdist
    """,
    "the angle and the distance of the origin": """
        atan2 keras.ops.arctan2 math.hypot keras.ops.hypot
    """,
    "outside of the domain, or infinite": """
        acosh atanh keras.ops.arccosh keras.ops.arctanh math.ndtri math.special.bessel_j0
        math.special.bessel_j1 math.special.bessel_y0 math.special.bessel_y1 math.special.spence
        math.zeta pow(x,y) keras.ops.power keras.backend.pow
    """,
}
# Functions with derivatives that differ from those of all peers, with the argument.
ARGUED = {
    "the slope of Keras 3, as of `keras.activations`": "keras.backend.hard_sigmoid",
    "the variance's mean is no constant, as for `nn.moments`": "keras.layers.GroupNormalization",
    "not a number where the function is none": """
        math.special.bessel_k0 math.special.bessel_y0 math.special.bessel_y1 math.special.spence
    """,
    "without the gradient of the order, which has no closed form": "math.igamma math.igammac",
    "equal elements share the gradient, as those of `reduce_max` do": """
        image.rgb_to_hsv keras.ops.image.rgb_to_hsv nn.fractional_max_pool
        keras.ops.adaptive_max_pool keras.layers.AdaptiveMaxPooling2D keras.layers.MaxPooling3D
        nn.isotonic_regression
    """,
    "TensorFlow has no gradient; the color has kinks at six hues": """
        image.hsv_to_rgb keras.ops.image.hsv_to_rgb
    """,
    "the gradient of both triangles of a symmetric matrix": "linalg.eigh linalg.eigvalsh",
    "singular values of 0 have no second derivative": "linalg.svd",
    "a power of 0 or 1 in the density of betainc has an infinite slope": "math.betainc",
    "zero vectors stay as they are": "keras.utils.normalize",
    "Stirling's term of targets up to 1 is left out": "nn.log_poisson_loss",
    "the probability is at least 1e-7, as in the other cross entropies": """
        keras.losses.categorical_generalized_cross_entropy
    """,
    "the formula of `keras.ops`, without a second epsilon": "keras.backend.binary_crossentropy",
    "infinities have no difference: the first one counts": """
        keras.ops.logaddexp keras.ops.logaddexp2 math.cumulative_logsumexp
    """,
}


def listed(reasons: dict, case) -> bool:
    """Whether a table of reasons has a function that a case calls, or its whole call."""
    listed = {name for names in reasons.values() for name in names.split()}
    return not listed.isdisjoint([*case.names, case.call.removeprefix("ag.")])


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


def agrees(values, row: dict, is_masked: bool, is_exact: bool) -> np.ndarray:
    """For each derivative whether it is TensorFlow's, or, where that is not a number or not exact,
    that of JAX or torch; or 0 where the gradient that comes in is. Where no peer has a number, any
    is right.
    """
    peers = {name: np.array(one) for name, one in row.items() if len(one) == len(values)}
    first = peers.pop("tf", np.full(len(values), np.nan))
    right = np.isclose(values, first, rtol=1e-4, atol=1e-5)
    has_number = np.isfinite(first)
    for other in peers.values():
        right |= (~has_number | is_exact) & np.isclose(values, other, rtol=1e-4, atol=1e-5)
    is_free = ~np.any([has_number, *map(np.isfinite, peers.values())], axis=0)
    return right | is_free | (is_masked & (values == 0))


@pytest.mark.parametrize("case", CASES, ids=str)
def test_derivatives_at_edges_are_those_of_a_peer(case):
    row, ours = PEERS[str(case)], by_tapes(ag, case)
    for order in ORDERS:
        right = agrees(ours[order], row[order], "masked" in order, listed(EXACT, case))
        if listed(WITHOUT_A_NUMBER, case):
            right |= np.isnan(ours[order])
        if listed(EXACT, case):
            places = np.flatnonzero(~right)
            exact = differences(ag, case, order, places)
            right[places] = np.isclose(ours[order][places], exact, rtol=1e-3, atol=1e-3)
        assert right.all() or listed(ARGUED, case), (order, ours[order][~right])


def test_what_differs_from_the_peers_is_called():
    called = {name for case in CASES for name in [*case.names, case.call.removeprefix("ag.")]}
    for names in [*EXACT.values(), *WITHOUT_A_NUMBER.values(), *ARGUED.values()]:
        assert called.issuperset(names.split())


ELEMENTWISE = [case for case in CASES if POINTS[case.points].elementwise]
# Layers make variables, and the number of segments of sorted numbers is not known to a graph.
STAGED = [case for case in CASES if not re.search(r"keras\.layers\.[A-Z]|\.segment_", case.call)]


@pytest.mark.parametrize("case", ELEMENTWISE, ids=str)
def test_forward_derivatives_at_edges_are_those_backward(case):
    tensors = [ag.constant(array) for array in arrays_of(case)]
    backward = np.split(by_tapes(ag, case)["first"], len(tensors))
    for tensor, expected in zip(tensors, backward, strict=True):
        with ag.autodiff.ForwardAccumulator(tensor, ag.ones_like(tensor)) as accumulator:
            y = eval(case.call, {"ag": ag, **dict(zip("xy", tensors, strict=False))})
        forward = accumulator.jvp(y, unconnected_gradients="zero").numpy()
        # A product of 0 and infinity is 0 where the zero comes in, which depends on the direction.
        known = ~np.isnan(forward) & ~np.isnan(expected)
        np.testing.assert_allclose(forward[known], expected[known], rtol=1e-6, atol=1e-9)


eager_derivatives = functools.lru_cache(1)(functools.partial(by_tapes, ag))  # of the last case


@pytest.mark.slow
@pytest.mark.parametrize("native", [False, True], ids=["graph", "native"])
@pytest.mark.parametrize("case", STAGED, ids=str)
def test_derivatives_at_edges_of_graphs_are_those_of_eager_code(case, native):
    staged = functools.partial(ag.function, jit_compile=native)
    try:
        found = by_tapes(ag, case, staged)
    except ag.errors.InvalidArgumentError as error:
        assert native and "jit_compile=True" in str(error), error
        return
    for order, expected in eager_derivatives(case).items():
        np.testing.assert_allclose(found[order], expected, rtol=1e-4, atol=1e-6)
