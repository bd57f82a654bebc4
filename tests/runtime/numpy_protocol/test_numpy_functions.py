"""NumPy's functions in graphs compute what NumPy computes, of the same type and shape."""

import re

import numpy as np
import numpy_rows  # noqa: F401 - registers implementations
import pytest
from example_counts import examples
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from native_calls import is_native

import allograph as ag
from allograph.runtime.numpy_protocol.registry import FUNCTIONS, is_traced, name_of, row_of
from allograph.runtime.tensors.tensor import Tensor

GRID = np.array([[3, -1, 2], [0, 5, -4]], np.int32)
REALS = np.array([[0.5, -2.25, 1.0], [7.5, 0.0, -0.5]], np.float32)
DOUBLES = np.array([0.25, 3.0, -1.0, 2.5])
CUBE = np.arange(24.0).reshape(2, 3, 4)
TRUTHS = np.array([[True, False, True], [False, False, True]])
WAVES = np.array([1 + 2j, -1j, 0.5], np.complex64)
HOLES = np.array([[1.0, np.nan, 3.0], [np.nan, np.nan, np.inf]])
SQUARE = np.array([[2.0, 1.0], [1.0, 3.0]])


def flattened(result):
    if isinstance(result, (list, tuple)):
        return [leaf for item in result for leaf in flattened(item)]
    return [result]


def check(function, *values, close=1e-6, known=True):
    """`function` on symbolic tensors of the values gives what it gives on the arrays."""
    with np.errstate(all="ignore"):
        expected = flattened(function(*values))
    symbolic = []

    def traced(*tensors):
        result = function(*tensors)
        symbolic.append(all(isinstance(leaf, Tensor) for leaf in flattened(result)))
        return result

    specs = [
        ag.TensorSpec(
            np.shape(value) if known else [None] * np.ndim(value), np.asarray(value).dtype
        )
        for value in values
    ]
    f = ag.function(traced, autograph=False, kernel_compiler="none").get_concrete_function(*specs)
    found = [np.asarray(leaf) for leaf in flattened(f(*map(ag.constant, values)))]
    assert len(found) == len(expected)
    for one, other in zip(found, expected):
        other = np.asarray(other)
        assert one.shape == other.shape
        if symbolic[0]:
            assert one.dtype == other.dtype
        np.testing.assert_allclose(one, other, rtol=close, atol=close)


AXES = [None, 0, -1]
CASES = {
    np.sum: [lambda x, a=a, k=k: np.sum(x, axis=a, keepdims=k) for a in AXES for k in (0, 1)],
    np.prod: [lambda x, a=a: np.prod(x, a) for a in AXES],
    np.mean: [lambda x, a=a: np.mean(x, axis=a) for a in AXES],
    np.max: [lambda x, a=a: np.max(x, axis=a) for a in AXES],
    np.min: [lambda x, a=a: np.min(x, axis=a) for a in AXES],
    np.ptp: [lambda x, a=a: np.ptp(x, axis=a) for a in AXES],
    np.any: [lambda x, a=a: np.any(x, axis=a) for a in AXES],
    np.all: [lambda x, a=a: np.all(x, axis=a) for a in AXES],
    np.count_nonzero: [lambda x, a=a: np.count_nonzero(x, axis=a) for a in AXES],
    np.var: [lambda x, a=a: np.var(x, axis=a) for a in AXES] + [lambda x: np.var(x, ddof=1)],
    np.std: [lambda x: np.std(x, 0, ddof=1, keepdims=True)],
    np.average: [lambda x: np.average(x, 1), lambda x: np.average(x, 1, [1.0, 2.0, 4.0])],
    np.median: [lambda x, a=a, k=k: np.median(x, a, keepdims=k) for a in AXES for k in (0, 1)],
    np.nansum: [lambda x: np.nansum(x, axis=0)],
    np.nanprod: [lambda x: np.nanprod(x)],
    np.nanmax: [lambda x: np.nanmax(x, 0)],
    np.nanmin: [lambda x: np.nanmin(x, 0)],
    np.nanmean: [lambda x: np.nanmean(x, axis=0)],
    np.nanmedian: [lambda x, a=a: np.nanmedian(x, a, keepdims=True) for a in AXES],
    np.argmax: [lambda x, a=a: np.argmax(x, a) for a in AXES],
    np.argmin: [lambda x, a=a: np.argmin(x, a, keepdims=True) for a in AXES],
    np.cumsum: [lambda x, a=a: np.cumsum(x, a) for a in AXES],
    np.cumulative_sum: [
        lambda x, i=i: np.cumulative_sum(x, axis=1, include_initial=i) for i in (False, True)
    ],
    np.cumulative_prod: [
        lambda x, i=i: np.cumulative_prod(x, axis=0, include_initial=i) for i in (False, True)
    ],
    np.unstack: [lambda x, a=a: np.unstack(x, axis=a)[1] for a in (0, 1)],
    np.cumprod: [lambda x, a=a: np.cumprod(x, a) for a in AXES],
    np.diff: [
        lambda x: np.diff(x), lambda x: np.diff(x, axis=0), lambda x: np.diff(x, 2),
        lambda x: np.diff(x, prepend=1, append=x[:, :2]),
    ],
    np.trapezoid: [lambda x: np.trapezoid(x), lambda x: np.trapezoid(x, dx=0.5, axis=0)],
    np.shape: [np.shape],
    np.ndim: [np.ndim],
    np.size: [np.size, lambda x: np.size(x, 1)],
    np.iscomplexobj: [np.iscomplexobj],
    np.isrealobj: [np.isrealobj],
    np.reshape: [lambda x: np.reshape(x, (3, 2)), lambda x: np.reshape(x, -1)],
    np.ravel: [np.ravel],
    np.copy: [np.copy],
    np.transpose: [np.transpose, lambda x: np.transpose(x, (-1, 0))],
    np.matrix_transpose: [np.matrix_transpose, np.linalg.matrix_transpose],
    np.swapaxes: [lambda x: np.swapaxes(x, 0, -1)],
    np.moveaxis: [lambda x: np.moveaxis(x, 0, -1), lambda x: np.moveaxis(x[None], [0, 2], [2, 0])],
    np.squeeze: [lambda x: np.squeeze(x[None]), lambda x: np.squeeze(x[None], axis=0)],
    np.expand_dims: [lambda x: np.expand_dims(x, 1), lambda x: np.expand_dims(x, (0, -1))],
    np.broadcast_to: [lambda x: np.broadcast_to(x, (2, 2, 3))],
    np.broadcast_arrays: [lambda x: np.broadcast_arrays(x, x[0], x[:, :1])],
    np.atleast_1d: [lambda x: np.atleast_1d(x[0, 0], x), lambda x: np.atleast_1d(x[0])],
    np.atleast_2d: [lambda x: np.atleast_2d(x[0, 0]), lambda x: np.atleast_2d(x[0])],
    np.atleast_3d: [lambda x: np.atleast_3d(x[0, 0], x[0], x), lambda x: np.atleast_3d(x[0], x)],
    np.flip: [np.flip, lambda x: np.flip(x, -1), lambda x: np.flip(x, (0, 1))],
    np.fliplr: [np.fliplr],
    np.flipud: [np.flipud],
    np.rot90: [lambda x, k=k: np.rot90(x, k) for k in (0, 1, 2, 3, -1)],
    np.roll: [lambda x: np.roll(x, 2), lambda x: np.roll(x, 1, 0), lambda x: np.roll(x, 1, (0, 1))],
    np.tile: [lambda x: np.tile(x, 2), lambda x: np.tile(x, (2, 1, 2)), lambda x: np.tile(x[0], 3)],
    np.repeat: [lambda x: np.repeat(x, 2), lambda x: np.repeat(x, [1, 0, 2], axis=1)],
    np.pad: [
        lambda x: np.pad(x, 1), lambda x: np.pad(x, ((0, 1), (2, 0)), constant_values=7),
        lambda x: np.pad(x, (1, 0), mode="reflect"),
        lambda x: np.pad(x, 1, "symmetric"),
    ],
    np.full_like: [lambda x: np.full_like(x, 3), lambda x: np.full_like(x, 3, "float64", shape=2)],
    np.zeros_like: [np.zeros_like],
    np.ones_like: [np.ones_like, lambda x: np.ones_like(x, dtype=np.int8)],
    np.empty_like: [lambda x: np.shape(np.empty_like(x))],
    np.linspace: [lambda x: np.linspace(x[0], x[1], 4), lambda x: np.linspace(x[0], 1, 3, axis=-1)],
    np.meshgrid: [
        lambda x: np.meshgrid(x[0], x[1]), lambda x: np.meshgrid(x[0], x[1], indexing="ij")
    ],
    np.tril: [np.tril, lambda x: np.tril(x, 1)],
    np.triu: [np.triu, lambda x: np.triu(x, -1)],
    np.diag: [lambda x: np.diag(x[0], -1), lambda x: np.diag(x), lambda x: np.diag(x, 1)],
    np.diagonal: [lambda x, k=k: np.diagonal(x, k) for k in (0, 1, -1, 5)],
    np.linalg.diagonal: [lambda x: np.linalg.diagonal(x, offset=1)],
    np.trace: [np.trace, lambda x: np.trace(x, 1), np.linalg.trace],
    np.concatenate: [
        lambda x: np.concatenate([x, x], 1), lambda x: np.concatenate((x, x), axis=None),
        lambda x: np.concatenate([x, np.ones((2, 1))], 1),
    ],
    np.stack: [lambda x: np.stack([x, x], -1), lambda x: np.stack([x[0], [1, 2, 3]])],
    np.vstack: [lambda x: np.vstack([x[0], x])],
    np.hstack: [lambda x: np.hstack([x, x]), lambda x: np.hstack([x[0], x[1], x[0, 0]])],
    np.dstack: [lambda x: np.dstack([x, x])],
    np.column_stack: [lambda x: np.column_stack([x, x[:, 0]])],
    np.append: [lambda x: np.append(x, 1.5), lambda x: np.append(x, x, axis=0)],
    np.split: [lambda x: np.split(x, 3, 1), lambda x: np.split(x, [1, 2], -1)],
    np.array_split: [lambda x: np.array_split(x, 2, 1), lambda x: np.array_split(x, 4, 0)],
    np.vsplit: [lambda x: np.vsplit(x, 2)],
    np.hsplit: [lambda x: np.hsplit(x, 3), lambda x: np.hsplit(x[0], [1])],
    np.dsplit: [lambda x: np.dsplit(x[None], 3)],
    np.kron: [lambda x: np.kron(x, x), lambda x: np.kron(x[0], x)],
    np.where: [lambda x: np.where(x > 0, x, -1), lambda x: np.where(x, 1.5, x), np.where],
    np.select: [lambda x: np.select([x > 2, x > 0], [x, x * 2], -1)],
    np.nonzero: [np.nonzero],
    np.argwhere: [np.argwhere],
    np.flatnonzero: [np.flatnonzero],
    np.clip: [
        lambda x: np.clip(x, 0, 2), lambda x: np.clip(x, None, 1), lambda x: np.clip(x, 1.5, None),
        lambda x: np.clip(x, min=0),
    ],
    np.take: [lambda x: np.take(x, [0, -1]), lambda x: np.take(x, [[1, 0]], axis=1)],
    np.take_along_axis: [lambda x: np.take_along_axis(x, np.argsort(x, a), a) for a in (0, 1)],
    np.compress: [lambda x: np.compress([True, False, True], x, axis=1)],
    np.extract: [lambda x: np.extract(x > 0, x)],
    np.isin: [lambda x: np.isin(x, [1, 2, 3]), lambda x: np.isin(x, [5], invert=True)],
    np.sort: [lambda x, a=a: np.sort(x, a) for a in AXES],
    np.argsort: [lambda x, a=a: np.argsort(x, axis=a) for a in AXES],
    np.searchsorted: [
        lambda x: np.searchsorted(np.sort(x[0]), x),
        lambda x: np.searchsorted([0, 1, 5], x, "right"),
        lambda x: np.searchsorted(np.sort(x[0]), 2**40),
    ],
    np.unique: [np.unique],
    np.isclose: [lambda x: np.isclose(x, np.round(x)), lambda x: np.isclose(x, 0.5)],
    np.allclose: [lambda x: np.allclose(x, x), lambda x: np.allclose(x, 1)],
    np.array_equal: [lambda x: np.array_equal(x, x), lambda x: np.array_equal(x, x[:1])],
    np.round: [np.round, lambda x: np.round(x, 1)],
    np.fix: [np.fix],
    np.sinc: [np.sinc],
    np.nan_to_num: [np.nan_to_num, lambda x: np.nan_to_num(x, nan=1.0, posinf=2.0)],
    np.real: [np.real],
    np.imag: [np.imag],
    np.angle: [np.angle, lambda x: np.angle(x, deg=True)],
    np.polyval: [lambda x: np.polyval(x[0], 2.0), lambda x: np.polyval(x[0], x)],
    np.isreal: [np.isreal],
    np.iscomplex: [np.iscomplex],
    np.digitize: [
        lambda x: np.digitize(x, [-1, 0, 2]), lambda x: np.digitize(x, [0.5, -1.0], right=True),
        lambda x: np.digitize(x, np.sort(x[0])),
    ],
    np.interp: [
        lambda x: np.interp(x, [-1.0, 0.0, 2.0], [5.0, 1.0, 3.0]),
        lambda x: np.interp(x, np.sort(x[0]), x[1], left=-9, right=9),
    ],
    np.quantile: [
        lambda x, a=a, k=k, q=q: np.quantile(x, q, axis=a, keepdims=k)
        for a in AXES for k in (0, 1) for q in (0.3, [0.0, 0.5, 1.0])
    ],
    np.percentile: [lambda x: np.percentile(x, [25, 60], axis=1)],
    np.nanvar: [lambda x: np.nanvar(x, axis=0), lambda x: np.nanvar(x, ddof=1, keepdims=True)],
    np.nanstd: [lambda x: np.nanstd(x, axis=-1)],
    np.linalg.vector_norm: [
        lambda x: np.linalg.vector_norm(x, keepdims=True),
        lambda x: np.linalg.vector_norm(x, axis=1, ord=1),
    ],
    np.linalg.matrix_norm: [np.linalg.matrix_norm],
    np.linalg.cross: [lambda x: np.linalg.cross(x, x[::-1])],
    np.linalg.vecdot: [lambda x: np.linalg.vecdot(x, x[0])],
    np.result_type: [lambda x: np.zeros(1, np.result_type(x, np.int8))],
    np.dot: [
        lambda x: np.dot(x, x.transpose() if isinstance(x, np.ndarray) else np.transpose(x)),
        lambda x: np.dot(x[0], x[1]), lambda x: np.dot(x, x[0]), lambda x: np.dot(x, 2),
    ],
    np.inner: [lambda x: np.inner(x, x), lambda x: np.inner(x, x[0])],
    np.vdot: [lambda x: np.vdot(x, x)],
    np.outer: [lambda x: np.outer(x, x[0]), lambda x: np.linalg.outer(x[0], x[1])],
    np.linalg.matmul: [lambda x: np.linalg.matmul(x, np.transpose(x))],
    np.tensordot: [
        lambda x: np.tensordot(x, x), lambda x: np.linalg.tensordot(x, x, axes=[[0], [0]])
    ],
    np.einsum: [lambda x: np.einsum("ij,kj->ik", x, x), lambda x: np.einsum("ij->j", x)],
    np.cross: [lambda x: np.cross(x, x[::-1])],
    np.linalg.norm: [
        lambda x, o=o: np.linalg.norm(x[0], o) for o in (None, 0, 1, 2, 3, np.inf, -np.inf)
    ] + [lambda x, o=o: np.linalg.norm(x, o) for o in ("fro", 1, -1, np.inf, "nuc", -2)]
      + [lambda x: np.linalg.norm(x, axis=1, keepdims=True), np.linalg.norm],
    np.linalg.matrix_power: [lambda x: np.linalg.matrix_power(x[:, :2], 3)],
    np.linalg.multi_dot: [lambda x: np.linalg.multi_dot([x, np.transpose(x), x])],
    np.linalg.svdvals: [np.linalg.svdvals],
    np.linalg.matrix_rank: [np.linalg.matrix_rank, lambda x: np.linalg.matrix_rank(x, rtol=0.9)],
    **{
        function: [
            lambda x, f=function: f(x), lambda x, f=function: f(x, 4, axis=0, norm="ortho"),
            lambda x, f=function: f(x, norm="forward"),
        ]
        for function in (np.fft.fft, np.fft.ifft, np.fft.rfft, np.fft.irfft, np.fft.hfft,
                         np.fft.ihfft)
    },
    **{
        function: [lambda x, f=function: f(x), lambda x, f=function: f(x, (2, 3), (0, 1), "ortho")]
        for function in (np.fft.fftn, np.fft.ifftn, np.fft.rfftn, np.fft.irfftn)
    },
    np.fft.fftshift: [np.fft.fftshift, lambda x: np.fft.fftshift(x, 1)],
    np.fft.ifftshift: [np.fft.ifftshift],
}  # fmt: skip
SAME = {
    np.amax, np.amin, np.around, np.linalg.matrix_transpose, np.linalg.trace, np.linalg.outer,
    np.linalg.tensordot,
}  # fmt: skip
BY_COUNTERPART = {  # they are as good as `ag.linalg` is
    np.linalg.inv, np.linalg.det, np.linalg.slogdet, np.linalg.cholesky, np.linalg.pinv,
    np.linalg.eigh, np.linalg.eigvalsh, np.linalg.qr, np.linalg.svd, np.linalg.solve,
}  # fmt: skip
FLOATS_ONLY = {np.linalg.norm, np.nanmax, np.linspace}


def test_every_traced_function_is_tried():
    assert set(filter(is_traced, FUNCTIONS)) == set(CASES) | SAME | BY_COUNTERPART


@pytest.mark.parametrize("function", CASES, ids=name_of)
@pytest.mark.parametrize("values", [REALS, GRID], ids=["float32", "int32"])
def test_a_function_traces_as_numpy_computes(function, values):
    if values is GRID and function is np.round:
        values = values.astype(np.float64)
    for case in CASES[function]:
        check(case, values)


OF_TYPES = {np.result_type}  # a trace knows the types


def natively(function, values) -> bool:
    """Whether a function is native in `jit`, where it gives what NumPy gives."""
    compiled = ag.jit(lambda x: function(x), kernel_compiler="python")
    with np.errstate(all="ignore"):
        expected, found = flattened(function(values)), flattened(compiled(values))
    assert [type(one) for one in found] == [type(one) for one in expected]
    for one, other in zip(found, expected):
        assert getattr(one, "dtype", None) == getattr(other, "dtype", None)
        np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-6)
    return is_native(compiled)


@pytest.mark.parametrize("function", CASES, ids=name_of)
def test_a_function_is_native_in_jit_if_its_row_says_so(function):
    assert callable(ag.jit)  # which registers the forms of arrays
    cases = [natively(case, REALS) for case in CASES[function]]
    is_native = row_of(function).is_native or function in OF_TYPES
    assert any(cases) is is_native


STATIC = {  # they need the sizes
    np.shape, np.size, np.empty_like, np.polyval, np.unstack, np.fft.irfft, np.fft.hfft,
    np.fft.irfftn,
}  # fmt: skip


@pytest.mark.parametrize("function", [f for f in CASES if f not in STATIC], ids=name_of)
def test_the_sizes_need_not_be_known(function):
    for case in CASES[function]:
        check(case, REALS, known=False)


@pytest.mark.parametrize(
    "case",
    [np.sum, np.any, np.all, np.cumsum, np.mean, np.max, np.min, np.argmax, np.diff, np.sort],
    ids=name_of,
)
def test_truth_values_count_as_in_numpy(case):
    check(case, TRUTHS)


@pytest.mark.parametrize(
    "case",
    [
        np.sum,
        np.mean,
        np.var,
        np.real,
        np.imag,
        np.angle,
        np.prod,
        np.isclose,
        np.vdot,
        np.linalg.norm,
    ],
    ids=name_of,
)
def test_complex_numbers(case):
    two = {np.isclose, np.vdot}
    check(lambda x: case(x, x) if case in two else case(x), WAVES)


@pytest.mark.parametrize(
    "case",
    [
        np.nanvar, lambda x: np.quantile(x, 0.5, axis=0),
        np.nansum, np.nanprod, np.nan_to_num, np.median, np.max, np.argmax, np.sort,
        lambda x: np.nanmax(x, 0), lambda x: np.nanmin(x[0]), lambda x: np.nanmean(x[0]),
        lambda x: np.isclose(x, x, equal_nan=True), lambda x: np.allclose(x, x, equal_nan=True),
        lambda x: np.array_equal(x, x), lambda x: np.array_equal(x, x, equal_nan=True),
        lambda x: np.fmax(x, 1.0), lambda x: np.fmin(1.0, x), lambda x: np.maximum(x, 1.0),
    ],
)  # fmt: skip
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_nan_is_treated_as_in_numpy(case):
    check(case, HOLES)


@pytest.mark.parametrize(
    "function", [np.linalg.inv, np.linalg.det, np.linalg.cholesky], ids=name_of
)
def test_a_function_of_matrices_traces_where_there_is_an_operation(function):
    if hasattr(ag.linalg, function.__name__):
        check(function, SQUARE)
    else:
        with pytest.raises(TypeError, match="ag.numpy_function"):
            check(function, SQUARE)


ELEMENTS = [arrays.from_dtype(np.dtype(t), allow_nan=False, min_value=-50, max_value=50)
            for t in (np.int32, np.float64, np.float32)]  # fmt: skip


@st.composite
def pairs(draw):
    """Two arrays whose shapes broadcast, of any two types."""
    shapes = draw(arrays.mutually_broadcastable_shapes(num_shapes=2, max_dims=3, max_side=3))
    kinds = st.sampled_from([np.int32, np.int64, np.float32, np.float64, np.int8, np.uint8])
    return [
        draw(arrays.arrays(draw(kinds), shape, elements=st.integers(0, 9)))
        for shape in shapes.input_shapes
    ]


@examples(60)
@given(pairs())
@pytest.mark.slow
def test_two_types_are_promoted_as_in_numpy(values):
    for case in (
        lambda x, y: np.where(np.greater(x, y), x, y),
        lambda x, y: np.add(x, y),
        lambda x, y: np.multiply(x, y),
        lambda x, y: np.true_divide(x, np.exp(y)),
        lambda x, y: np.maximum(x, y),
        lambda x, y: np.less(x, y),
        lambda x, y: np.concatenate([np.ravel(x), np.ravel(y)]),
        lambda x, y: np.hypot(x, y),
    ):  # fmt: skip
        check(case, *values, close=1e-3)


floats = arrays.arrays(
    st.sampled_from([np.float32, np.float64]),
    arrays.array_shapes(min_dims=0, max_dims=3, max_side=4),
    elements=st.floats(-8, 8, width=16),
)


def nearness(values) -> float:
    """The relative error that a function may have in the type of the values."""
    return 1e-5 if values.dtype == np.float32 else 1e-13


UNARY = [
    np.sin, np.cos, np.tan, np.exp, np.expm1, np.tanh, np.sinh, np.cosh, np.arctan, np.arcsinh,
    np.sign, np.abs, np.fabs, np.square, np.floor, np.ceil, np.trunc, np.rint, np.negative,
    np.positive, np.isnan, np.isinf, np.isfinite, np.logical_not, np.cbrt, np.exp2, np.deg2rad,
    np.rad2deg, np.radians, np.degrees, np.signbit, np.conjugate,
]  # fmt: skip
POSITIVE = [np.log, np.log2, np.log10, np.log1p, np.sqrt, np.reciprocal]
BINARY = [
    np.add, np.subtract, np.multiply, np.maximum, np.minimum, np.fmax, np.fmin, np.arctan2,
    np.hypot, np.logaddexp, np.logaddexp2, np.heaviside, np.copysign, np.equal, np.not_equal,
    np.less, np.less_equal, np.greater, np.greater_equal, np.logical_and, np.logical_or,
    np.logical_xor,
]  # fmt: skip


@examples(20)
@given(floats)
@pytest.mark.slow
def test_ufuncs_of_one_argument(values):
    for ufunc in UNARY:
        check(ufunc, values, close=2e-3 if values.dtype == np.float32 else 1e-13)
    for ufunc in POSITIVE:
        check(ufunc, np.abs(values) + values.dtype.type(0.5), close=nearness(values))


@examples(20)
@given(floats, st.floats(-4, 4, width=16))
@pytest.mark.slow
def test_ufuncs_of_two_arguments(values, other):
    for ufunc in BINARY:
        check(lambda x: ufunc(x, other), values, close=nearness(values))
        check(lambda x: ufunc(other, x), values, close=nearness(values))
    check(lambda x: np.divmod(x, 3), values, close=nearness(values))
    check(lambda x: np.power(np.abs(x), 2), values, close=nearness(values))


@pytest.mark.parametrize("ufunc", [np.sin, np.exp, np.sqrt, np.arctan, np.log10, np.cbrt, np.rint])
@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int32, np.int64, np.uint8, np.bool_])
def test_integers_become_the_floats_that_numpy_chooses(ufunc, dtype):
    check(ufunc, np.array([0, 1, 1], dtype), close=1e-2)


def test_methods_of_ufuncs():
    for case in (
        lambda x: np.add.reduce(x), lambda x: np.multiply.reduce(x, axis=1),
        lambda x: np.maximum.reduce(x, axis=None), lambda x: np.add.accumulate(x),
        lambda x: np.add.outer(x[0], x), lambda x: np.subtract.outer(x[0], x[1]),
    ):  # fmt: skip
        check(case, REALS)


class TestOperatorsWithArraysOnTheLeft:
    """`array + tensor` is a call of a ufunc; the array takes the type of the tensor."""

    @pytest.mark.parametrize(
        "operation",
        [
            lambda a, x: a + x, lambda a, x: a - x, lambda a, x: a * x, lambda a, x: a / x,
            lambda a, x: a // x, lambda a, x: a % x, lambda a, x: a**x, lambda a, x: a @ x,
            lambda a, x: a < x, lambda a, x: a >= x, lambda a, x: a == x, lambda a, x: a != x,
            lambda a, x: divmod(a, x)[1],
        ],
    )  # fmt: skip
    @pytest.mark.parametrize("traced", [False, True])
    def test_an_operator(self, operation, traced):
        array, values = np.array([[1.0, 7.0], [2.0, 3.0]]), np.float32([[2.0, 4.0], [0.5, 1.0]])
        call = lambda x: operation(array, x)
        found = (ag.function(call, autograph=False) if traced else call)(ag.constant(values))
        assert isinstance(found, Tensor)
        assert found.dtype in (ag.float32, ag.bool)
        np.testing.assert_allclose(found, operation(array.astype(np.float32), values))

    def test_adding_to_an_array_in_place_keeps_it_an_array(self):
        array = np.ones(3)
        array += ag.constant([1.0, 2.0, 3.0])
        assert type(array) is np.ndarray and array.tolist() == [2.0, 3.0, 4.0]

    def test_a_symbolic_tensor_does_not_go_into_an_array(self):
        def f(x):
            array = np.ones(3)
            array += x
            return array

        with pytest.raises(TypeError, match=r"Write `a = a \+ x`"):
            ag.function(f, autograph=False)(ag.ones([3]))


class TestTensorsWithValues:
    def test_numpys_functions_give_numpys_results(self):
        x = ag.constant([[1.0, 2.0], [3.0, 1.0]])
        assert type(np.sum(x)) is np.float32
        assert set(np.unique(x)) == {1.0, 2.0, 3.0}
        assert (np.argmax(x, axis=1) == [1, 0]).mean() == 1.0
        assert np.allclose(x, x) is True or bool(np.allclose(x, x))
        assert type(np.concatenate([x, x])) is np.ndarray

    def test_functions_without_a_traced_form_work_too(self):
        x = ag.constant([1.0, 2.0, 2.0])
        assert np.histogram(x, bins=2)[0].tolist() == [1, 2]
        assert np.sum(x, where=[True, False, True]) == 3.0
        assert np.gcd(ag.constant(12), 18) == 6
        assert np.add(x, 1, out=np.zeros(3)).tolist() == [2.0, 3.0, 3.0]

    def test_a_variable_is_traced_in_a_graph_and_has_a_value_outside(self):
        v = ag.Variable([1.0, 2.0])
        total = ag.function(lambda: np.sum(v))
        assert float(total()) == float(np.sum(v)) == 3.0
        v.assign([5.0, 5.0])
        assert float(total()) == 10.0

    def test_an_eager_tensor_in_a_trace_is_a_constant(self):
        x = ag.constant([1.0, 2.0])
        assert float(ag.function(lambda y: y + np.sum(x))(1.0)) == 4.0


class TestWhatCannotBeTraced:
    def test_the_alternative_is_named(self):
        with pytest.raises(
            TypeError, match=r"np.histogram cannot be traced.*(\n.*)*ag.numpy_function"
        ):
            ag.function(lambda x: np.histogram(x), autograph=False)(ag.ones([3]))

    def test_an_operation_of_the_same_name_is_named(self):
        with pytest.raises(
            NotImplementedError, match="does not support 'where'(\n.*)*Use ag.reduce_sum"
        ):
            ag.function(lambda x: np.sum(x, where=x > 0), autograph=False)(ag.ones([3]))

    def test_an_unknown_parameter(self):
        with pytest.raises(NotImplementedError, match="np.unique on symbolic tensors"):
            ag.function(lambda x: np.unique(x, return_counts=True), autograph=False)(ag.ones([3]))

    def test_a_ufunc_without_a_form(self):
        with pytest.raises(TypeError, match="np.spacing cannot be traced"):
            ag.function(lambda x: np.spacing(x), autograph=False)(ag.ones([3]))

    def test_the_rank_has_to_be_known_where_it_matters(self):
        f = ag.function(lambda x: np.swapaxes(x, 0, 1), autograph=False)
        with pytest.raises(TypeError, match="rank of .* is not known"):
            f.get_concrete_function(ag.TensorSpec(None))


@pytest.mark.parametrize("function", [np.sum, np.mean, np.cumsum, np.prod, np.std])
def test_the_types_of_python_are_the_data_types_of_numpy(function):
    summed = ag.function(lambda x: function(x, dtype=float))
    assert summed(ag.constant([1, 2])).dtype is ag.float64


@pytest.mark.parametrize("native", [True, False])
def test_weights_that_sum_to_zero_have_no_average(native):
    average = ag.function(lambda x, w: np.average(x, 0, w), jit_compile=native)
    x = ag.constant([[1.0, 2.0], [3.0, 4.0]])
    np.testing.assert_allclose(average(x, ag.constant([1.0, 3.0])), [2.5, 3.5])
    with pytest.raises(ag.errors.InvalidArgumentError, match="Weights sum to zero"):
        average(x, ag.constant([1.0, -1.0]))


@pytest.mark.parametrize("name", ["add", "subtract", "maximum", "minimum"])
def test_a_ufunc_at_indices_of_a_tensor_says_which_function_makes_a_new_one(name):
    def add(x, indices, values):
        getattr(np, name).at(x, indices, values)

    x, indices, values = ag.constant([1.0, 2.0, 3.0]), np.array([0, 0, 2]), np.float32([5, 1, 0])
    for run in (add, ag.function(add)):
        with pytest.raises(TypeError, match="a tensor does not change") as raised:
            run(x, indices, values)
    scope = {"ag": ag, "x": x, "indices": indices, "values": values}
    exec(re.search("x = ag.*", str(raised.value))[0], scope)
    wanted = x.numpy().copy()
    add(wanted, indices, values)
    np.testing.assert_array_equal(scope["x"], wanted)


def test_another_ufunc_at_indices_needs_arrays():
    with pytest.raises(TypeError, match="call it with NumPy arrays, in a function of ag.jit"):
        np.multiply.at(ag.constant([1.0]), [0], 2.0)
