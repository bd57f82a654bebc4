"""A call of each function of the array API standard with each of its keywords.

`CALLS` maps names to functions of a namespace and of the arrays that they read: reals, integers,
small integers, complex numbers, and a symmetric matrix.
"""

import numpy as np

CALLS = {
    "asarray": [
        lambda p, a: p.asarray([1, 2], dtype=p.float32, device=None, copy=None),
        lambda p, a: p.asarray(a.reals, copy=True),
        lambda p, a: p.asarray(2.5),
        lambda p, a: p.asarray([True, False]),
    ],
    "arange": [
        lambda p, a: p.arange(5),
        lambda p, a: p.arange(1, 7, 2, dtype=p.int32),
        lambda p, a: p.arange(0.0, 2.0, 0.5, device=None),
    ],
    "empty": [lambda p, a: p.zeros_like(p.empty((2, 3), dtype=p.float32))],
    "empty_like": [lambda p, a: p.zeros_like(p.empty_like(a.reals, dtype=p.int64))],
    "eye": [lambda p, a: p.eye(3), lambda p, a: p.eye(2, 3, k=1, dtype=p.int16)],
    "full": [
        lambda p, a: p.full((2, 2), 3.5),
        lambda p, a: p.full((2,), True),
        lambda p, a: p.full((2,), 7, dtype=p.uint8),
    ],
    "full_like": [lambda p, a: p.full_like(a.reals, 3, dtype=p.int8)],
    "linspace": [
        lambda p, a: p.linspace(0, 1, 5),
        lambda p, a: p.linspace(0.0, 1.0, 4, dtype=p.float32, endpoint=False),
    ],
    "meshgrid": [
        lambda p, a: p.meshgrid(p.arange(3), p.arange(2))[1],
        lambda p, a: p.meshgrid(p.arange(3), p.arange(2), indexing="ij")[0],
    ],
    "ones": [lambda p, a: p.ones((2,), dtype=p.int8)],
    "zeros": [lambda p, a: p.zeros(3)],
    "ones_like": [lambda p, a: p.ones_like(a.reals, dtype=p.bool)],
    "zeros_like": [lambda p, a: p.zeros_like(a.integers, dtype=p.complex64)],
    "tril": [lambda p, a: p.tril(a.reals, k=-1)],
    "triu": [lambda p, a: p.triu(a.reals, k=1)],
    "broadcast_arrays": [lambda p, a: p.broadcast_arrays(a.reals, p.asarray([1.0, 2.0, 3.0]))[1]],
    "bitwise_and": [
        lambda p, a: p.bitwise_and(a.integers, 3),
        lambda p, a: a.integers & p.asarray(6),
    ],
    "bitwise_or": [lambda p, a: p.bitwise_or(a.integers, a.integers + 1)],
    "bitwise_xor": [lambda p, a: a.integers ^ 1],
    "bitwise_invert": [lambda p, a: ~a.integers, lambda p, a: ~a.small],
    "bitwise_left_shift": [
        lambda p, a: a.integers << 1,
        lambda p, a: p.bitwise_left_shift(a.small, p.asarray(2, dtype=p.uint8)),
    ],
    "bitwise_right_shift": [lambda p, a: a.integers >> 1],
    "conj": [lambda p, a: p.conj(a.complexes)],
    "imag": [lambda p, a: p.imag(a.complexes)],
    "real": [lambda p, a: p.real(a.complexes)],
    "reciprocal": [lambda p, a: p.reciprocal(a.reals)],
    "abs": [lambda p, a: p.abs(a.complexes), lambda p, a: abs(-a.integers)],
    "sign": [lambda p, a: p.sign(a.complexes), lambda p, a: p.sign(a.integers - 3)],
    "round": [lambda p, a: p.round(a.complexes * 1.3), lambda p, a: p.round(a.integers)],
    "square": [lambda p, a: p.square(a.complexes)],
    "floor": [lambda p, a: p.floor(a.integers)],
    "ceil": [lambda p, a: p.ceil(a.integers)],
    "trunc": [lambda p, a: p.trunc(a.integers)],
    "expm1": [lambda p, a: p.expm1(a.complexes)],
    "log1p": [lambda p, a: p.log1p(a.complexes)],
    "log2": [lambda p, a: p.log2(a.complexes)],
    "log10": [lambda p, a: p.log10(a.complexes)],
    "clip": [
        lambda p, a: p.clip(a.integers, 2, 5),
        lambda p, a: p.clip(a.reals, min=0.0),
        lambda p, a: p.clip(a.reals, max=1.0),
        lambda p, a: p.clip(a.reals, a.reals - 1, None),
        lambda p, a: p.clip(a.reals),
    ],
    "pow": [
        lambda p, a: p.pow(a.integers, 2),
        lambda p, a: 2.0**a.reals,
        lambda p, a: a.complexes**2,
    ],
    "remainder": [lambda p, a: a.integers % 3, lambda p, a: a.reals % -0.7],
    "floor_divide": [lambda p, a: a.integers // 2, lambda p, a: a.reals // -0.7],
    "divide": [lambda p, a: a.complexes / 2],
    "maximum": [lambda p, a: p.maximum(a.reals, 0.0)],
    "where": [
        lambda p, a: p.where(a.reals > 0, a.reals, 0.0),
        lambda p, a: p.where(a.reals > 0, 1.0, a.reals),
    ],
    "take": [
        lambda p, a: p.take(p.asarray([3.0, 4.0, 5.0]), p.asarray([2, 0])),
        lambda p, a: p.take(a.reals, p.asarray([1]), axis=0),
    ],
    "take_along_axis": [
        lambda p, a: p.take_along_axis(a.reals, p.asarray([[2], [0]]), axis=1),
        lambda p, a: p.take_along_axis(a.reals, p.asarray([[2, 1], [0, 0]])),
    ],
    "vecdot": [
        lambda p, a: p.vecdot(a.reals, a.reals, axis=-1),
        lambda p, a: p.vecdot(a.complexes, a.complexes),
        lambda p, a: p.vecdot(a.reals.T, a.reals.T, axis=-2),
    ],
    "tensordot": [
        lambda p, a: p.tensordot(a.reals, a.reals.T, axes=1),
        lambda p, a: p.tensordot(p.asarray([1.0, 2.0]), p.asarray([3.0, 4.0]), axes=0),
    ],
    "matmul": [
        lambda p, a: a.integers @ a.integers.T,
        lambda p, a: a.reals @ p.asarray([1.0, 2.0, 3.0]),
    ],
    "concat": [
        lambda p, a: p.concat([a.reals, a.reals], axis=None),
        lambda p, a: p.concat((a.integers, a.integers)),
    ],
    "expand_dims": [lambda p, a: p.expand_dims(a.reals, axis=-1)],
    "flip": [lambda p, a: p.flip(a.reals), lambda p, a: p.flip(a.reals, axis=(0, 1))],
    "moveaxis": [lambda p, a: p.moveaxis(p.ones((2, 3, 4)), (0, 1), (2, 0))],
    "permute_dims": [lambda p, a: p.permute_dims(p.ones((2, 3, 4)), axes=(2, 0, 1))],
    "repeat": [
        lambda p, a: p.repeat(a.reals, 2),
        lambda p, a: p.repeat(a.reals, p.asarray([1, 2, 0]), axis=1),
    ],
    "reshape": [
        lambda p, a: p.reshape(a.reals, (-1,)),
        lambda p, a: p.reshape(a.reals, shape=(3, -1), copy=True),
    ],
    "roll": [lambda p, a: p.roll(a.reals, 1), lambda p, a: p.roll(a.reals, (1, -1), axis=(0, 1))],
    "squeeze": [
        lambda p, a: p.squeeze(p.ones((1, 3, 1)), axis=(0, 2)),
        lambda p, a: p.squeeze(p.ones((1, 3, 1)), 0),
    ],
    "stack": [
        lambda p, a: p.stack([a.reals, a.reals]),
        lambda p, a: p.stack((a.reals, a.reals), axis=-1),
    ],
    "tile": [lambda p, a: p.tile(a.reals, (2, 1, 2))],
    "unstack": [lambda p, a: p.unstack(a.reals, axis=1)[2]],
    "argmax": [
        lambda p, a: p.argmax(a.reals),
        lambda p, a: p.argmax(a.reals, axis=0, keepdims=True),
    ],
    "argmin": [lambda p, a: p.argmin(a.integers, axis=-1)],
    "nonzero": [lambda p, a: p.nonzero(p.asarray([0, 1, 2]))[0]],
    "count_nonzero": [
        lambda p, a: p.count_nonzero(a.integers - 2),
        lambda p, a: p.count_nonzero(a.integers - 2, axis=1, keepdims=True),
    ],
    "searchsorted": [
        lambda p, a: p.searchsorted(p.asarray([1.0, 2.0, 3.0]), p.asarray([2.0, 2.5])),
        lambda p, a: p.searchsorted(
            p.asarray([3.0, 1.0, 2.0]),
            p.asarray([2.0, 0.0]),
            side="right",
            sorter=p.asarray([1, 2, 0]),
        ),
    ],
    "unique_values": [lambda p, a: p.sort(p.unique_values(a.integers))],
    "unique_counts": [lambda p, a: p.unique_counts(a.integers).counts],
    "unique_inverse": [lambda p, a: p.unique_inverse(a.integers).inverse_indices],
    "unique_all": [lambda p, a: p.unique_all(a.integers).indices],
    "isin": [lambda p, a: p.isin(a.integers, p.asarray([2, 3]))],
    "cumulative_sum": [
        lambda p, a: p.cumulative_sum(p.asarray([1, 2, 3], dtype=p.int8)),
        lambda p, a: p.cumulative_sum(a.reals, axis=0, include_initial=True),
        lambda p, a: p.cumulative_sum(a.reals, axis=1, dtype=p.float32),
    ],
    "cumulative_prod": [
        lambda p, a: p.cumulative_prod(a.reals, axis=1),
        lambda p, a: p.cumulative_prod(p.asarray([1, 2, 3]), include_initial=True),
    ],
    "max": [lambda p, a: p.max(a.reals), lambda p, a: p.max(a.reals, axis=(0, 1), keepdims=True)],
    "min": [lambda p, a: p.min(a.integers, axis=0)],
    "mean": [
        lambda p, a: p.mean(a.reals),
        lambda p, a: p.mean(a.reals, axis=0, keepdims=True),
        lambda p, a: p.mean(a.complexes),
    ],
    "prod": [
        lambda p, a: p.prod(a.small),
        lambda p, a: p.prod(a.reals, axis=1, dtype=p.float32, keepdims=True),
    ],
    "sum": [
        lambda p, a: p.sum(a.small),
        lambda p, a: p.sum(p.asarray([1, 2], dtype=p.int8)),
        lambda p, a: p.sum(a.reals, axis=(0, 1), dtype=p.float32),
        lambda p, a: p.sum(a.complexes, keepdims=True),
    ],
    "std": [
        lambda p, a: p.std(a.reals, correction=1),
        lambda p, a: p.std(a.reals, axis=1, keepdims=True, correction=0.5),
    ],
    "var": [lambda p, a: p.var(a.reals, axis=0, correction=1.0)],
    "all": [
        lambda p, a: p.all(a.reals > -9),
        lambda p, a: p.all(a.integers, axis=1, keepdims=True),
    ],
    "any": [lambda p, a: p.any(a.reals > 2, axis=(0, 1))],
    "diff": [
        lambda p, a: p.diff(a.integers, n=2),
        lambda p, a: p.diff(a.reals, axis=0, prepend=p.zeros((1, 3)), append=p.ones((1, 3))),
    ],
    "sort": [lambda p, a: p.sort(a.reals, axis=0, descending=True, stable=False)],
    "argsort": [lambda p, a: p.argsort(a.reals, axis=0, descending=True, stable=True)],
    "astype": [
        lambda p, a: p.astype(a.reals, p.int32, copy=False),
        lambda p, a: p.astype(a.reals > 0, p.float32),
        lambda p, a: p.astype(a.integers, p.complex64, device=None),
    ],
    "matrix_transpose": [lambda p, a: p.matrix_transpose(p.ones((2, 3, 4)))],
    "broadcast_to": [lambda p, a: p.broadcast_to(p.asarray(1), (2, 2))],
    "nextafter": [lambda p, a: p.nextafter(a.reals, p.asarray(9.0))],
    "logical_not": [lambda p, a: p.logical_not(a.reals > 0)],
    "signbit": [lambda p, a: p.signbit(a.reals)],
    "hypot": [lambda p, a: p.hypot(a.reals, a.reals)],
    "linalg.cholesky": [
        lambda p, a: p.linalg.cholesky(a.symmetric),
        lambda p, a: p.linalg.cholesky(a.symmetric, upper=True),
    ],
    "linalg.cross": [
        lambda p, a: p.linalg.cross(a.reals, a.reals[::-1, :]),
        lambda p, a: p.linalg.cross(a.symmetric, a.symmetric.T + 1, axis=-2),
    ],
    "linalg.det": [lambda p, a: p.linalg.det(a.symmetric)],
    "linalg.diagonal": [lambda p, a: p.linalg.diagonal(a.symmetric, offset=1)],
    "linalg.eigh": [lambda p, a: p.linalg.eigh(a.symmetric).eigenvalues],
    "linalg.eigvalsh": [lambda p, a: p.linalg.eigvalsh(a.symmetric)],
    "linalg.inv": [lambda p, a: p.linalg.inv(a.symmetric)],
    "linalg.matmul": [lambda p, a: p.linalg.matmul(a.symmetric, a.symmetric)],
    "linalg.matrix_norm": [
        lambda p, a: p.linalg.matrix_norm(a.reals),
        lambda p, a: p.linalg.matrix_norm(a.reals, keepdims=True, ord="nuc"),
        lambda p, a: p.linalg.matrix_norm(a.reals, ord=1),
        lambda p, a: p.linalg.matrix_norm(a.reals, ord=-2),
        lambda p, a: p.linalg.matrix_norm(a.reals, ord=float("inf")),
    ],
    "linalg.matrix_power": [
        lambda p, a: p.linalg.matrix_power(a.symmetric, 3),
        lambda p, a: p.linalg.matrix_power(a.symmetric, -1),
        lambda p, a: p.linalg.matrix_power(a.symmetric, 0),
    ],
    "linalg.matrix_rank": [
        lambda p, a: p.linalg.matrix_rank(a.symmetric),
        lambda p, a: p.linalg.matrix_rank(a.symmetric, rtol=0.9),
    ],
    "linalg.outer": [lambda p, a: p.linalg.outer(p.asarray([1.0, 2.0]), p.asarray([3.0, 4.0]))],
    "linalg.pinv": [
        lambda p, a: p.linalg.pinv(a.reals),
        lambda p, a: p.linalg.pinv(a.reals, rtol=0.5),
    ],
    "linalg.qr": [
        lambda p, a: p.abs(p.linalg.qr(a.symmetric).R),
        lambda p, a: p.abs(p.linalg.qr(a.reals, mode="complete").Q),
    ],
    "linalg.slogdet": [
        lambda p, a: p.linalg.slogdet(-a.symmetric).sign,
        lambda p, a: p.linalg.slogdet(a.symmetric).logabsdet,
    ],
    "linalg.solve": [
        lambda p, a: p.linalg.solve(a.symmetric, a.symmetric),
        lambda p, a: p.linalg.solve(a.symmetric, p.asarray([1.0, 2.0, 3.0])),
    ],
    "linalg.svd": [
        lambda p, a: p.linalg.svd(a.reals).S,
        lambda p, a: p.linalg.svd(a.reals, full_matrices=False).Vh * 0,
    ],
    "linalg.svdvals": [lambda p, a: p.linalg.svdvals(a.reals)],
    "linalg.tensordot": [lambda p, a: p.linalg.tensordot(a.reals, a.reals, axes=2)],
    "linalg.trace": [lambda p, a: p.linalg.trace(a.symmetric, offset=-1, dtype=p.float32)],
    "linalg.vecdot": [lambda p, a: p.linalg.vecdot(a.reals, a.reals)],
    "linalg.matrix_transpose": [lambda p, a: p.linalg.matrix_transpose(a.reals)],
    "linalg.vector_norm": [
        lambda p, a: p.linalg.vector_norm(a.reals),
        lambda p, a: p.linalg.vector_norm(a.reals, axis=1, keepdims=True, ord=1),
        lambda p, a: p.linalg.vector_norm(a.reals, ord=float("inf")),
        lambda p, a: p.linalg.vector_norm(a.reals, axis=(0, 1), ord=3),
        lambda p, a: p.linalg.vector_norm(a.reals, ord=0, axis=0),
    ],
}
for n in "fft ifft fftn ifftn".split():
    CALLS["fft." + n] = [
        lambda p, a, n=n: getattr(p.fft, n)(a.complexes),
        lambda p, a, n=n: getattr(p.fft, n)(
            a.complexes,
            **({"n": 4, "axis": 0} if n[-1] != "n" else {"s": (4, 2), "axes": (0, 1)}),
            norm="ortho",
        ),
    ]
for n in "rfft rfftn".split():
    CALLS["fft." + n] = [
        lambda p, a, n=n: getattr(p.fft, n)(a.reals),
        lambda p, a, n=n: getattr(p.fft, n)(a.reals, norm="forward"),
    ]
for n in "irfft irfftn hfft".split():
    CALLS["fft." + n] = [
        lambda p, a, n=n: getattr(p.fft, n)(a.complexes),
        lambda p, a, n=n: getattr(p.fft, n)(a.complexes, norm="ortho"),
    ]
CALLS["fft.ihfft"] = [
    lambda p, a: p.fft.ihfft(a.reals),
    lambda p, a: p.fft.ihfft(a.reals, n=4, axis=0),
]
CALLS["fft.fftfreq"] = [
    lambda p, a: p.fft.fftfreq(5, d=0.5),
    lambda p, a: p.fft.fftfreq(4, dtype=p.float32, device=None),
]
CALLS["fft.rfftfreq"] = [lambda p, a: p.fft.rfftfreq(5, d=0.5)]
CALLS["fft.fftshift"] = [
    lambda p, a: p.fft.fftshift(a.reals),
    lambda p, a: p.fft.fftshift(a.reals, axes=1),
]
CALLS["fft.ifftshift"] = [lambda p, a: p.fft.ifftshift(a.reals, axes=(0,))]
CALLS = {f"{name}-{n}": call for name, calls in CALLS.items() for n, call in enumerate(calls)}
ARRAYS = {
    "reals": np.array([[0.5, -2.0, 3.0], [1.5, 0.25, -0.75]]),
    "integers": np.array([[5, 1, 3], [2, 2, 7]]),
    "small": np.array([[5, 1, 3], [2, 2, 7]], np.uint8),
    "complexes": np.array([[1 + 2j, 3 - 1j, 0.5j], [2.0, -1j, 1.0]]),
    "symmetric": np.array([[4.0, 1.0, 0.0], [1.0, 3.0, 1.0], [0.0, 1.0, 2.0]]),
}
