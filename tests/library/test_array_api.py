"""The array API standard: names, results and dtypes are those of its strict implementation."""

import os
import subprocess
import sys

import array_api_compat
import array_api_extra
import array_api_strict as strict
import numpy as np
import pytest

import allograph as ag

xp = ag.array_api
STRICT_ALONE = {
    "Device", "ArrayAPIStrictFlags", "set_array_api_strict_flags", "get_array_api_strict_flags",
    "reset_array_api_strict_flags", "__version__",
}  # fmt: skip
FLOATS = [[0.5, -2.0, 3.0], [1.5, 0.25, -0.75]]
UNARY = """abs atan ceil cos cosh exp expm1 floor isfinite isinf isnan negative positive
round sign signbit sin sinh square tan tanh trunc asinh"""
BINARY = """add atan2 copysign divide equal floor_divide greater greater_equal hypot less less_equal
logaddexp maximum minimum multiply nextafter not_equal remainder
subtract"""
REDUCTIONS = "all any argmax argmin count_nonzero max mean min prod std sum var"
CALLS = {
    **{name: lambda p, x, name=name: getattr(p, name)(x) for name in UNARY.split()},
    **{name: lambda p, x, name=name: getattr(p, name)(x, x + 1.0) for name in BINARY.split()},
    **{
        f"{name} of an axis": lambda p, x, name=name: getattr(p, name)(x, axis=1)
        for name in REDUCTIONS.split()
    },
    "logical_not": lambda p, x: p.logical_not(x > 0),
    **{
        name: lambda p, x, name=name: getattr(p, name)(x > 0, x < 1)
        for name in ("logical_and", "logical_or", "logical_xor")
    },
    "acos": lambda p, x: p.acos(x / 4.0), "asin": lambda p, x: p.asin(x / 4.0),
    "acosh": lambda p, x: p.acosh(p.abs(x) + 1.0), "atanh": lambda p, x: p.atanh(x / 4.0),
    "log": lambda p, x: p.log(p.abs(x)), "log2": lambda p, x: p.log2(p.abs(x)),
    "log10": lambda p, x: p.log10(p.abs(x)), "log1p": lambda p, x: p.log1p(p.abs(x)),
    "sqrt": lambda p, x: p.sqrt(p.abs(x)), "pow": lambda p, x: p.pow(p.abs(x), x),
    "clip": lambda p, x: p.clip(x, -1.0, 1.0), "where": lambda p, x: p.where(x > 0, x, -x),
    "astype": lambda p, x: p.astype(x, p.int32), "to bool": lambda p, x: p.astype(x, p.bool),
    "concat": lambda p, x: p.concat([x, x], axis=1), "stack": lambda p, x: p.stack([x, x], axis=1),
    "expand_dims": lambda p, x: p.expand_dims(x, axis=1), "flip": lambda p, x: p.flip(x, axis=0),
    "permute_dims": lambda p, x: p.permute_dims(x, (1, 0)), "T": lambda p, x: x.T,
    "moveaxis": lambda p, x: p.moveaxis(x, 0, 1), "reshape": lambda p, x: p.reshape(x, (3, 2)),
    "roll": lambda p, x: p.roll(x, 1, axis=1), "squeeze": lambda p, x: p.squeeze(x[:1, :], axis=0),
    "repeat": lambda p, x: p.repeat(x, 2, axis=1), "tile": lambda p, x: p.tile(x, (2, 1)),
    "tril": lambda p, x: p.tril(x), "triu": lambda p, x: p.triu(x), "mT": lambda p, x: x.mT,
    "matmul": lambda p, x: p.matmul(x, x.T), "vecdot": lambda p, x: p.vecdot(x, x),
    "tensordot": lambda p, x: p.tensordot(x, x, axes=((1,), (1,))),
    "take": lambda p, x: p.take(x, p.asarray([2, 0]), axis=1), "diff": lambda p, x: p.diff(x),
    "sort": lambda p, x: p.sort(x), "sort down": lambda p, x: p.sort(x, descending=True),
    "argsort": lambda p, x: p.argsort(x),
    "argsort down": lambda p, x: p.argsort(p.round(x), descending=True),
    "cumulative_sum": lambda p, x: p.cumulative_sum(x, axis=1),
    "zeros_like": lambda p, x: p.zeros_like(x), "ones_like": lambda p, x: p.ones_like(x),
    "full_like": lambda p, x: p.full_like(x, 1e300),
    "matrix_transpose": lambda p, x: p.matrix_transpose(x),
    "broadcast_to": lambda p, x: p.broadcast_to(x, (2, 2, 3)),
    "operators": lambda p, x: (2 * x - x / 3) ** 2,
    "items": lambda p, x: x[0, 1:], "unstack": lambda p, x: p.unstack(x)[1],
    "inv": lambda p, x: p.linalg.inv(x @ x.T),
    "det": lambda p, x: p.linalg.det(x @ x.T),
    "norm": lambda p, x: p.linalg.vector_norm(x),
    "outer": lambda p, x: p.linalg.outer(x[0, :], x[1, :]),
    "trace": lambda p, x: p.linalg.trace(x), "solve": lambda p, x: p.linalg.solve(x @ x.T, x),
    "cholesky": lambda p, x: p.linalg.cholesky(x @ x.T),
    "diagonal": lambda p, x: p.linalg.diagonal(x),
}  # fmt: skip


def test_the_names_are_those_of_the_standard():
    assert set(strict.__all__) - STRICT_ALONE <= set(dir(xp))
    assert set(dir(xp)) - set(strict.__all__) == {"Array"}
    assert sorted(strict.linalg.__all__) == dir(xp.linalg)
    assert sorted(strict.fft.__all__) == dir(xp.fft)


def agree(found, expected):
    assert isinstance(found, xp.Array)
    assert found.shape == expected.shape
    assert found.dtype == np.asarray(expected).dtype
    np.testing.assert_allclose(np.asarray(found), np.asarray(expected), rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize("name", CALLS)
def test_eager_results_are_those_of_the_strict_implementation(name):
    call = CALLS[name]
    agree(call(xp, xp.asarray(FLOATS)), call(strict, strict.asarray(FLOATS)))


@pytest.mark.parametrize("name", CALLS)
def test_traced_results_are_the_eager_ones(name):
    call = CALLS[name]
    x = xp.asarray(FLOATS)
    agree(ag.function(lambda x: call(xp, x), autograph=False)(x), call(xp, x))


@pytest.mark.parametrize("name", ["fft", "rfft", "fftshift", "ihfft"])
def test_transforms(name):
    dtype = "float64" if name in ("rfft", "ihfft") else "complex128"
    found = getattr(xp.fft, name)(xp.asarray(FLOATS, dtype=getattr(xp, dtype)))
    agree(found, getattr(strict.fft, name)(strict.asarray(FLOATS, dtype=getattr(strict, dtype))))


class TestArrays:
    def test_attributes_are_those_of_the_standard(self):
        x = xp.asarray(FLOATS, dtype=xp.float32)
        assert (x.shape, x.ndim, x.size, x.device) == ((2, 3), 2, 6, "cpu")
        assert x.dtype == xp.float32 and x.to_device("cpu") is x
        assert x.__array_namespace__() is xp and array_api_compat.array_namespace(x) is xp

    def test_dtypes_are_promoted_as_the_standard_says(self):
        small, wide = xp.asarray([1], dtype=xp.int8), xp.asarray([1], dtype=xp.int16)
        assert (small + wide).dtype == xp.int16 and (small + 1).dtype == xp.int8
        assert xp.result_type(small, xp.uint8) == xp.int16 and not xp.isdtype(wide.dtype, "bool")
        assert (xp.asarray([1.0], dtype=xp.float32) * 2.0).dtype == xp.float32

    def test_an_assignment_changes_no_other_array(self):
        x = xp.asarray(FLOATS)
        y = x[0, ...]
        x[0, :] = 7.0
        assert np.asarray(x)[0].tolist() == [7.0] * 3 and np.asarray(y).tolist() == FLOATS[0]

    def test_an_assignment_in_a_function(self):
        def f(x):
            x = xp.asarray(x, copy=True)
            x[0, 1:] = 0.0
            return x

        assert np.asarray(ag.function(f)(xp.asarray(FLOATS)))[0].tolist() == [0.5, 0.0, 0.0]

    def test_others_are_no_operands(self):
        with pytest.raises(TypeError):
            xp.asarray([1]) + np.ones(1)
        with pytest.raises(TypeError):
            xp.asarray([1]) + "1"

    def test_statements_are_staged(self):
        @ag.function
        def root(x):
            guess = x
            while xp.abs(guess * guess - x) > 1e-9:
                guess = (guess + x / guess) / 2
            return guess

        assert abs(float(root(xp.asarray(2.0))) - 2**0.5) < 1e-9

    def test_a_loop_over_rows_and_a_choice_have_arrays(self):
        @ag.function
        def total(x):
            found = xp.zeros((3,))
            for row in x:
                if xp.sum(row) > 0:
                    found = found + xp.astype(row, xp.float64)
            return found

        assert np.asarray(total(xp.asarray(FLOATS))).tolist() == [2.0, -1.75, 2.25]

    def test_gradients_pass_through(self):
        x = xp.asarray([1.0, 2.0])
        with ag.GradientTape() as tape:
            tape.watch(x.to_tensor())
            y = xp.sum(x**2) + xp.linalg.vecdot(x, x)
        assert tape.gradient(y.to_tensor(), x.to_tensor()).numpy().tolist() == [4.0, 8.0]

    def test_equal_elements_keep_their_order_in_both_directions(self):
        x = xp.asarray([3, 1, 3, 2])
        assert np.asarray(xp.argsort(x, descending=True)).tolist() == [0, 2, 3, 1]
        assert np.asarray(xp.argsort(x)).tolist() == [1, 3, 0, 2]

    def test_a_name_that_the_standard_does_not_have_is_an_error(self):
        with pytest.raises(AttributeError, match="standard has no 'fliplr'"):
            xp.fliplr


class TestLibraries:
    """Functions that are written against the standard."""

    def test_those_of_array_api_extra(self):
        x = xp.asarray(FLOATS)
        np.testing.assert_allclose(array_api_extra.cov(x), np.cov(np.array(FLOATS)))
        assert array_api_extra.atleast_nd(x, ndim=3).shape == (1, 2, 3)
        traced = ag.function(lambda x: array_api_extra.kron(x, x), autograph=False)(x)
        np.testing.assert_allclose(traced, np.kron(FLOATS, FLOATS))

    @pytest.mark.slow
    def test_those_of_scipy_and_scikit_learn(self):
        done = subprocess.run(
            [sys.executable, "-c", LIBRARIES], env={**os.environ, "SCIPY_ARRAY_API": "1"},
            capture_output=True, text=True,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr


EINOPS = """
import sys, allograph as ag, numpy as np
sys.modules["tensorflow"] = ag.compat.v2
from einops import pack, rearrange, reduce, repeat

x = ag.reshape(ag.range(24.0), [2, 3, 4])
a = x.numpy()
for f in (lambda x: rearrange(x, "a b c -> c (a b)"), lambda x: reduce(x, "a b c -> a c", "max"),
          lambda x: repeat(x, "a b c -> a b c d", d=2), lambda x: pack([x, x], "a * c")[0]):
    for call in (f, ag.function(f)):
        found = call(x)
        assert isinstance(found, ag.Tensor)
        np.testing.assert_array_equal(found, f(a))
v = ag.Variable(x)
with ag.GradientTape() as tape:
    y = ag.reduce_sum(reduce(v, "a b c -> b", "sum") ** 2)
np.testing.assert_allclose(tape.gradient(y, v)[0, :, 0], 2 * a.sum((0, 2)))
"""


@pytest.mark.slow
def test_einops_takes_plain_tensors_where_the_package_stands_for_tensorflow():
    pytest.importorskip("einops")
    done = subprocess.run([sys.executable, "-c", EINOPS], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


LIBRARIES = """
import allograph as ag, numpy as np, scipy.cluster.vq, scipy.special, scipy.stats, sklearn
from sklearn.decomposition import PCA
from sklearn.metrics import r2_score
from sklearn.preprocessing import MinMaxScaler

a = np.random.default_rng(0).normal(size=(6, 3))
x = ag.array_api.asarray(a)
w = ag.array_api.asarray(a[:, 0])
import einops.array_api, scipy.fft, scipy.signal, scipy.spatial.distance as distance
import scipy.spatial.transform
assert einops.array_api.rearrange(x, "(a b) c -> a (b c)", b=2).shape == (3, 6)
for call in (
    scipy.fft.dct, scipy.signal.detrend, scipy.signal.hilbert, scipy.special.gammaln,
    scipy.stats.rankdata, lambda x: scipy.stats.ttest_1samp(x, 0.0).pvalue, distance.pdist,
):
    np.testing.assert_allclose(np.asarray(call(abs(x))), call(abs(a)), rtol=1e-6)
sections = scipy.signal.butter(2, 0.3, output="sos")  # these write into what they are given
rotated = scipy.spatial.transform.Rotation.from_rotvec(x).as_matrix()
np.testing.assert_allclose(
    np.asarray(rotated), scipy.spatial.transform.Rotation.from_rotvec(a).as_matrix()
)
filtered = scipy.signal.sosfilt(ag.array_api.asarray(sections), w)
np.testing.assert_allclose(np.asarray(filtered), scipy.signal.sosfilt(sections, a[:, 0]))
assert (np.asarray(x) == a).all()
for call in (scipy.fft.rfft, lambda x: scipy.signal.fftconvolve(x, x[:3])):
    traced = ag.function(lambda w: call(w), autograph=False)(w)
    np.testing.assert_allclose(np.asarray(traced), call(a[:, 0]), rtol=1e-6)
of_scipy = [
    scipy.stats.zscore, scipy.stats.skew, scipy.cluster.vq.whiten, scipy.special.logsumexp,
    lambda x: scipy.special.softmax(x, axis=1), lambda x: scipy.stats.gmean(abs(x)),
]
for call in of_scipy:
    assert isinstance(call(x), ag.array_api.Array)
    np.testing.assert_allclose(np.asarray(call(x)), call(a), rtol=1e-6)
for call in (scipy.stats.zscore, scipy.special.logsumexp):
    traced = ag.function(lambda x: call(x), autograph=False)(x)
    np.testing.assert_allclose(np.asarray(traced), call(a), rtol=1e-6)
of_scikit_learn = [
    lambda x: r2_score(x[:, 0], x[:, 1]), lambda x: MinMaxScaler().fit_transform(x),
    lambda x: PCA(2, svd_solver="full").fit(x).explained_variance_,
]
with sklearn.config_context(array_api_dispatch=True):
    for call in of_scikit_learn:
        np.testing.assert_allclose(np.asarray(call(x)), call(a), rtol=1e-6)
"""
