"""The law of every gradient rule: it gives what finite differences give."""

import itertools
import math

import numpy as np
import pytest
from op_samples import all_samples, is_elementwise

import allograph as ag
from allograph.runtime.core.dtypes import FROM_NUMPY, complex128, float64
from allograph.runtime.executors.executable import Executable
from allograph.runtime.gradients.graph_derivative import Derivative
from allograph.runtime.gradients.records import OpRecord
from allograph.runtime.ir.op import TABLE
from allograph.runtime.tensors.graph_builder import Builder
from allograph.runtime.tensors.tensor import EagerTensor

ag.constant(0)  # registers the operations
ag.GradientTape()
SAMPLES = all_samples()

# Inputs that no rule goes back to: their effect has no closed form.
CONSTANT_INPUTS = {
    ("igamma", 0), ("igammac", 0), ("polygamma", 0), ("zeta", 0), ("betainc", 0), ("betainc", 1),
}  # fmt: skip
# Operations whose floats are not differentiated, and why.
WITHOUT_RULE = {
    "bitcast": "bits are no numbers",
    "compressed": "made for native code after gradients",
    "complex_inv": "made for native code after gradients",
    "complex_matrix_solve": "made for native code after gradients",
    "memory_of": "of NumPy mode, which has no gradients",
    "greedy_decode": "the choice has no slope",
    "beam_decode": "the choice has no slope",
    "draw_boxes": "the reference has none",
    "select_boxes": "the choice has no slope",
    "select_boxes_of_classes": "the choice has no slope",
    "shuffle": "its order is not known to the rule",
    "distinct": "its order is not known to the rule",
    "range": "the number of elements depends on the inputs",
    "linspace": "spaced by Python numbers",
    "random_variates": "counts have no slope, and the others none that is known in closed form",
}
BY_ITSELF = {
    "py_function", "stack_push", "stop_gradient", "ctc_slope",  # tested with tapes
    "max_pool_gradient", "cholesky", "eigh", "qr", "svd", "sqrtm",  # not for any input
}  # fmt: skip
BEYOND_ONE = {"acosh", "zeta"}  # operations whose domain is above 1
DIFFERENCE = 1e-6


def is_smooth(array, place, op) -> bool:
    """Whether an input may be a float at all: an index may not."""
    return array.dtype.kind in "iuf" and float64 in op.accepts[op.input_index(place)]


def points_of(name):
    """Float64 arguments in the shapes of the samples, small ones, each shape once."""
    seen, random = set(), np.random.default_rng(7)
    for sample in SAMPLES.get(name, ()):
        op = sample.op
        smooth = [place for place, a in enumerate(sample.arrays) if is_smooth(a, place, op)]
        shapes = str([(a.shape, a.dtype.kind) for a in sample.arrays]) + str(sample.attrs)
        if not smooth or shapes in seen or max(a.size for a in sample.arrays) > 24:
            continue
        seen.add(shapes)
        arrays = list(sample.arrays)
        for place in smooth:
            drawn = random.uniform(0.2, 0.9, arrays[place].shape)
            arrays[place] = np.asarray(drawn + (name in BEYOND_ONE))
        if name == "polygamma":
            arrays[0] = np.ceil(arrays[0])  # the number of a derivative
        yield sample, arrays, smooth


def differences(sample, arrays, place, weights):
    """The weighted sum of the results by each element of one input: central differences."""
    made = np.zeros(arrays[place].shape)

    def total(x):
        outputs = sample.run([x if at == place else a for at, a in enumerate(arrays)])
        pairs = zip(weights, outputs, strict=True)
        return sum(np.sum(w[w != 0] * y[w != 0]) for w, y in pairs if w is not None)

    for index in np.ndindex(made.shape):
        step = np.zeros(made.shape)
        step[index] = DIFFERENCE
        made[index] = (total(arrays[place] + step) - total(arrays[place] - step)) / DIFFERENCE / 2
    return made


def weights_for(outputs):
    random = np.random.default_rng(11)
    return [
        random.normal(size=y.shape) * (np.abs(y) < 1e300) if y.dtype == np.float64 else None
        for y in outputs
    ]


def by_rule(sample, arrays, weights):
    inputs = tuple(map(EagerTensor, arrays))
    outputs = tuple(map(EagerTensor, sample.run(arrays)))
    dys = [None if w is None else ag.constant(w) for w in weights]
    return OpRecord(sample.op, inputs, sample.attrs, outputs).pullback(dys)


DIFFERENTIABLE = sorted(
    name
    for name, op in TABLE.items()
    if op.gradient is not None
    and name in SAMPLES
    and name not in BY_ITSELF
    and any(True for _ in points_of(name))
)


@pytest.mark.parametrize("name", DIFFERENTIABLE)
def test_a_rule_gives_what_finite_differences_give(name):
    for sample, arrays, smooth in points_of(name):
        weights = weights_for(sample.run(arrays))
        if all(w is None for w in weights):
            continue
        found = by_rule(sample, arrays, weights)
        for place in smooth:
            if (name, place) in CONSTANT_INPUTS:
                continue
            expected = differences(sample, arrays, place, weights)
            actual = 0 * expected if found[place] is None else found[place].numpy()
            assert actual.shape == expected.shape
            np.testing.assert_allclose(actual, expected, rtol=2e-5, atol=1e-7)


@pytest.mark.parametrize("name", DIFFERENTIABLE)
def test_a_rule_serves_shapes_that_are_not_known(name):
    for sample, arrays, _smooth in points_of(name):
        weights = weights_for(sample.run(arrays))
        if all(w is None for w in weights) or sample.op.effect_of(sample.attrs):
            continue
        builder = Builder("unknown")
        inputs = [
            builder.input(FROM_NUMPY[a.dtype], (None,) * a.ndim if a.dtype.kind == "f" else a.shape)
            for a in arrays
        ]
        made = builder.record(sample.op, inputs, sample.attrs)
        outputs = made if isinstance(made, tuple) else (made,)
        derivative = Derivative(builder.finish(outputs))
        finished = derivative.finish()
        extra = Executable(finished.forward, "plan")(*arrays)[len(outputs) :]
        rest = iter(extra)
        saved = [next(rest) if at is None else arrays[at] for at in finished.saved]
        given = [w for w in weights if w is not None]
        results = Executable(finished.backward, "plan")(*given, *saved)
        found = by_rule(sample, arrays, weights)
        for place, result in zip(finished.source_indices, results, strict=True):
            np.testing.assert_allclose(result, found[place].numpy(), rtol=1e-12)


ANALYTIC = [
    name
    for name in DIFFERENTIABLE
    if is_elementwise(TABLE[name])
    and complex128 in TABLE[name].accepts[0]
    and name not in {"abs", "sign", "angle", "real", "imag", "conj"}
]


@pytest.mark.parametrize("name", ANALYTIC)
def test_a_rule_gives_what_complex_steps_give(name):
    """The imaginary part of f(x + ih) is h f'(x), without cancellation: Squire and Trapp, 1998."""
    for sample, arrays, smooth in points_of(name):
        weights = weights_for(sample.run(arrays))
        found = by_rule(sample, arrays, weights)
        for place in smooth:
            for index in np.ndindex(arrays[place].shape):
                moved = [a.astype(np.complex128) for a in arrays]
                moved[place][index] += 1e-30j
                by_step = sum(
                    np.sum(w * y.imag) for w, y in zip(weights, sample.run(moved), strict=True)
                )
                np.testing.assert_allclose(
                    found[place].numpy()[index], by_step / 1e-30, rtol=1e-10, atol=1e-12
                )


def test_an_operation_on_floats_has_a_rule_or_a_reason():
    for name, samples in SAMPLES.items():
        op = TABLE[name]
        if op.gradient is not None or name in WITHOUT_RULE:
            continue
        for sample in samples:
            floats = [a for a in sample.arrays if a.dtype.kind == "f"]
            assert not floats or not any(y.dtype.kind == "f" for y in sample.run()), name


# Sizes that a graph knows of two operands, and sizes that they have in calls.
UNKNOWN_SIZES = [
    ([None, 4], [], [(3, 4), (1, 4)], [()]),
    ([None, 4], [4], [(3, 4), (1, 4)], [(4,)]),
    ([None, 4], [1, 4], [(3, 4), (1, 4)], [(1, 4)]),
    ([None, 4], [None, 1], [(3, 4), (1, 4)], [(3, 1), (1, 1)]),
    ([None, 4], [None, 4], [(3, 4), (1, 4)], [(3, 4), (1, 4)]),
    ([None], [2, 1], [(3,), (1,)], [(2, 1)]),
    ([1, None], [3, 1], [(1, 4), (1, 1)], [(3, 1)]),
    ([None, None], [None], [(3, 4), (1, 1)], [(4,), (1,)]),
    ([1], [None], [(1,)], [(3,), (1,)]),
    (None, [4], [(3, 4), (1,)], [(4,)]),
]


@pytest.mark.parametrize("operation", [ag.add, ag.multiply, ag.maximum, ag.math.atan2])
@pytest.mark.parametrize("left, right, left_shapes, right_shapes", UNKNOWN_SIZES)
def test_an_operand_that_broadcasting_may_repeat_gets_a_sum(
    operation, left, right, left_shapes, right_shapes
):
    def gradients(x, y):
        with ag.GradientTape() as tape:
            tape.watch((x, y))
            loss = ag.reduce_sum(ag.sin(operation(x, y)) * x)
        return tape.gradient(loss, (x, y))

    for own, other in ((left, right), (right, left)):
        specs = [ag.TensorSpec(own, ag.float64), ag.TensorSpec(other, ag.float64)]
        graph = ag.function(gradients, input_signature=specs)
        for shapes in itertools.product(left_shapes, right_shapes):
            shapes = shapes if own is left else shapes[::-1]
            arrays = [np.linspace(0.2, 1.7, math.prod(shape)).reshape(shape) for shape in shapes]
            eager = gradients(*map(ag.constant, arrays))
            for got, expected in zip(graph(*arrays), eager, strict=True):
                assert got.shape == expected.shape
                np.testing.assert_allclose(got, expected, rtol=1e-12)


def test_an_operand_that_nothing_repeats_gets_no_sum():
    def gradient(x):
        with ag.GradientTape() as tape:
            tape.watch(x)
            y = ag.transpose(ag.tanh(x * 0.5) + [1.0, 2.0, 3.0])
            loss = ag.reduce_sum(ag.cumsum(ag.nn.softmax(y)))
        return tape.gradient(loss, x)

    spec = ag.TensorSpec([None, 3], ag.float32)
    graph = ag.function(gradient).get_concrete_function(spec).graph
    assert "sum_to_shape" not in [op.type for op in graph.get_operations()]


def test_cotangents_of_a_16_bit_operand_that_broadcasts_add_up_in_float32():
    bias, x = ag.zeros([2], ag.float16), ag.ones([5000, 2], ag.float16)
    with ag.GradientTape() as tape:
        tape.watch(bias)
        y = x + bias
    assert tape.gradient(y, bias).numpy().tolist() == [5000.0, 5000.0]
