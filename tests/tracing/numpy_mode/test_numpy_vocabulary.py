"""What NumPy's functions, methods and operators give in `jit`: values, types, shared memory."""

import linecache
import warnings

import numpy as np
import pytest
from native_calls import is_native

import allograph as ag

RANDOM = np.random.default_rng(0)
V = RANDOM.normal(size=6)
S = RANDOM.normal(size=(4, 4)) + 4 * np.eye(4)
I = RANDOM.integers(0, 6, 6)  # noqa: E741 - the name in the expressions below
ARGUMENTS = {
    "V": V, "M": RANDOM.normal(size=(4, 5)), "S": S, "I": I, "B": V > 0,
    "F": V.astype(np.float32), "I8": I.astype(np.int8), "P": np.abs(V) + 0.1,
}  # fmt: skip

NATIVE = """
np.all(B) | np.any(B) | np.append(V, V) | np.argmax(V) | np.argmax(M, axis=1) | np.argmin(V)
np.argsort(V) | np.around(V, 2) | np.average(V) | np.column_stack((V, V)) | np.concatenate((V, V))
np.concatenate((M, M), axis=1) | np.concatenate((V, F)) | np.cross(V[:3], V[3:]) | np.cumprod(V)
np.cumsum(V) | np.cumsum(I8) | np.cumsum(M, axis=0) | np.diff(V) | np.digitize(V, np.sort(V))
np.dot(V, V) | np.dot(M, M.T) | np.dot(M.T, V[:4]) | V @ V | M @ V[:5] | V[:4] @ M
np.dstack((V, V)) | np.hstack((V, V)) | np.inner(V, V) | np.interp(V, np.sort(V), V)
np.isclose(V, V) | np.kron(V, V) | np.linalg.cholesky(S @ S.T) | np.linalg.det(S)
np.linalg.inv(S) | np.linalg.norm(V) | np.linalg.norm(M, axis=1) | np.linalg.solve(S, V[:4])
np.max(V) | np.max(M, axis=0) | np.mean(V) | np.mean(I) | np.mean(F) | np.median(V) | np.min(I8)
np.nan_to_num(V) | np.nanmax(V) | np.nanmean(V) | np.nansum(V) | np.outer(V, V) | np.pad(V, 2)
np.percentile(V, 30) | np.polyval(V, 0.5) | np.prod(I8) | np.prod(V) | np.ptp(V)
np.quantile(V, 0.3) | np.repeat(V, 2) | np.roll(V, 2) | np.round(V)
np.searchsorted(np.sort(V), V) | np.sort(V) | np.sort(M, axis=0) | np.stack((V, V)) | np.std(V)
np.std(F) | np.sum(V) | np.sum(I8) | np.sum(B) | np.sum(F) | np.sum(M, axis=1, keepdims=True)
np.take(V, I) | np.tensordot(M, M.T, 1) | np.tile(V, 2) | np.trace(S) | np.trapezoid(V)
np.tril(M) | np.triu(M, 1) | np.var(V) | np.vdot(V, V) | np.vstack((V, V)) | np.std(V, ddof=1)
np.where(B, V, 0.0) | np.where(B, F, 0.0) | np.where(B, I8, 1) | np.where(B, 1, 2)
np.clip(V, -.5, .5) | np.clip(F, 0, 1) | np.clip(I, 1, 3) | V.clip(0, 1) | V.sum() | M.mean(axis=1)
V.astype(np.float32) | V.astype(np.int64) | I.astype(np.int8) | F * 2 | F * 2.5 | F + V | I8 + 1
I8 * I | I8 + I8 | I / 2 | I // 2 | I % 3 | -I | abs(V) | V ** 2 | V ** 3 | P ** 0.5 | P ** V
I ** 2 | V > 0 | (V > 0) & (V < 1) | ~B | np.logical_and(B, B) | np.sqrt(P)
np.exp(V) | np.log(P) | np.sin(V) | np.cos(F) | np.tanh(V) | np.arctan2(V, V) | np.floor(V)
np.ceil(V) | np.sign(V) | np.maximum(V, 0) | np.minimum(F, 0.5) | np.add(V, 1) | np.power(V, 2)
np.square(V) | np.fmax(V, 0) | np.mod(V, 1) | np.fabs(V) | np.reciprocal(P) | np.exp2(V)
np.log10(P) | np.log2(P) | np.cbrt(V) | np.trunc(V) | np.rint(V) | np.isnan(V) | np.zeros(3)
np.zeros((2, 3), np.int32) | np.ones(4) | np.full(3, 7) | np.full((2, 2), 1.5) | np.empty(3) * 0
np.eye(3) | np.arange(5) | np.arange(0, 1, 0.25) | np.zeros_like(I8) | np.ones_like(V)
np.full_like(V, 2) | np.array([1.0, 2.0]) | np.copy(V) | V.copy() | V[::2] | V[::-1] | V[I] | M[1]
M[:, 2] | M[1, 2] | M[-1, -1] | M.T | M.reshape(5, 4) | M.reshape(-1) | M.ravel() | M.flatten()
np.transpose(M) | np.swapaxes(M, 0, 1) | np.flip(V) | np.flipud(M) | V[:, None] * V | V[None]
np.float32(V[0]) | np.int64(I[0]) | float(V[0]) | int(I[0]) | V[0] * 2 | V[0] + I[0] | F[0] * 2.0
F[0] + V[0] | I8[0] + 1 | I8[0] * I8[1] | V[0] > 0 | V.shape | V.shape[0] * 2 | V.size | M.ndim
len(M) | V.dot(V) | V.argmax() | V.max() | V.item(0) | V.round(2) | V.std() | V.var(ddof=1)
np.sum(V, dtype=np.float32) | V.cumsum() | V.repeat(2) | V.take([0, 1]) | V.any() | V.all()
V.argsort() | V.prod() | max(V[0], V[1]) | abs(V[0]) | max(1, 2) | V[0] ** 2 | 2 ** 3
I[0] // 2 | I[0] % 2 | I[0] / 2 | I[0] & 1 | I ^ 1 | ~I | I << 1 | I >> 1
not V[0] > 0 | V[0] > 0 and V[1] > 0 | V[0] > 0 or V[1] > 0 | 0 < V[0] < 1 | 1 if V[0] > 0 else 2
np.add.reduce(V) | np.tanh(0.5) | np.add(1, 2) | np.sqrt(V.size)
min(V[0], 0.0) | np.hypot(V, P) | np.hypot(V[0], 0.0) | np.count_nonzero(B) | np.count_nonzero(I)
np.diag(V, -2) | np.diag(M) | np.diag(M, 1) * 2 | np.meshgrid(V, I)[1] | np.cov(M) | I8 < 300
np.corrcoef(M) | np.corrcoef(M, rowvar=False) | np.corrcoef(V, P) | np.cov(V, P)
np.argsort(I, kind='stable')
np.count_nonzero(M, axis=0) | np.einsum('ij,jk', M, M.T)
np.allclose(V, V) | np.split(V, 2)[0] | np.split(M, [1, 3], axis=1)[1] | np.rot90(M)
np.rot90(M, 3) | np.moveaxis(M, 0, 1) | np.squeeze(V[None]) | np.expand_dims(V, 1)
np.atleast_1d(V) | np.atleast_2d(V) | np.atleast_2d(M)
np.convolve(V, V) | np.convolve(P[:3], I, "same") | np.convolve(V, P[:2], "valid") | np.nanstd(V)
np.bincount(I, minlength=9) | np.bincount(I, V, 6) | np.histogram(V) | np.histogram(I, 3)
np.linspace(0, 1, 7) | np.linspace(V[0], 2, len(V)) | np.linspace(0, P[1], 4, False)
np.identity(3) | np.tri(3, 4) | np.logspace(0, 2, 4) | np.histogram(V, 4, (-1, 1)) | divmod(I[0], 4)
divmod(len(V), V.size) | sum([V[0], V[1]]) | sum([V, P], V)
np.linalg.eigh(S @ S.T) | np.linalg.eigvalsh(S @ S.T) | np.linalg.qr(M) | np.linalg.qr(M.T).R
np.linalg.qr(M.T, "complete") | np.linalg.slogdet(S) | np.linalg.slogdet(-S).sign
np.linalg.eigvalsh(S, 'U') | np.linalg.qr(S, 'r') | np.linalg.svd(I[:4].reshape(2, 2))
np.linalg.svd(M) | np.linalg.svd(M, full_matrices=False).S | np.linalg.svd(M, compute_uv=False)
np.array_equal(V, V) | np.array_equal(V, P) | np.array_equal(M, V) | np.array_equal(I, I + 0.0)
np.gradient(V) | np.gradient(M, 0.5) | np.gradient(M, axis=1) | np.gradient(I)
np.histogram(V, [0, 1, 1, 2]) | np.histogram(I, np.arange(4), density=True)
np.gradient(M, V[0], 2) | np.gradient(F) | np.multiply.outer(V, V)
np.subtract.outer(M, I) | np.add.outer(V[0], V)
V[B] * 0 + 1 | np.real(V) | np.nonzero(V)[0]
"""
BY_NUMPY = """
np.less.outer(V, 0.5) | V.tolist()
np.histogram(V, [0, 1], weights=V)[0]
np.bincount(I) | np.unique(I, return_index=True) | np.broadcast_to(V, (2, 6))
np.fft.fft(V).real
np.sum(V, where=B) | np.max(V, initial=0) | np.random.rand(0)
"""


def expressions(page: str) -> list[str]:
    """The expressions of a page, which ` | ` or the end of a line separates."""
    return [row for line in page.strip().splitlines() for row in line.split(" | ")]


def function_of(expression: str):
    source = f"def f({', '.join(ARGUMENTS)}):\n    return {expression}\n"
    file = f"<vocabulary {expression}>"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    scope = {"np": np, "__name__": "vocabulary_of_a_user"}
    exec(compile(source, file, "exec"), scope)
    return scope["f"]


def same(found, expected) -> bool:
    if type(found) is not type(expected):
        return False
    if isinstance(expected, (tuple, list)):
        return len(found) == len(expected) and all(map(same, found, expected))
    if isinstance(expected, (np.ndarray, np.generic)):
        rtol = 1e-5 if expected.dtype == np.float32 else 1e-12
        is_alike = (found.dtype, found.shape) == (expected.dtype, expected.shape)
        return is_alike and np.allclose(found, expected, rtol, 1e-14, equal_nan=True)
    return found == expected


def check(expression: str, native: bool) -> None:
    """One expression, or several in a tuple, each of which has to be the same."""
    function = function_of(expression)
    compiled = ag.jit(function)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected, found = function(*ARGUMENTS.values()), compiled(*ARGUMENTS.values())
    assert is_native(compiled) is native, compiled.inspect()
    assert type(found) is type(expected)
    pairs = (
        [(found, expected)] if type(expected) is not tuple else zip(found, expected, strict=True)
    )
    for one, other in pairs:
        assert same(one, other), (one, other)
        if isinstance(other, np.ndarray):
            for array in ARGUMENTS.values():
                assert np.shares_memory(one, array) == np.shares_memory(other, array)


@pytest.mark.slow
@pytest.mark.parametrize("line", NATIVE.strip().splitlines())
def test_the_expressions_of_a_line_are_native_and_mean_the_same(line):
    check("(" + line.replace(" | ", ", ") + ",)", native=True)


@pytest.mark.slow
@pytest.mark.parametrize("expression", expressions(BY_NUMPY))
def test_an_expression_without_a_native_form_is_left_to_numpy(expression):
    check(expression, native=False)
