"""Operations with a native form of their own: the values of NumPy, in and out of loops."""

import numpy as np
import pytest

import allograph as ag

pytestmark = pytest.mark.slow
pytest.importorskip("llvmlite")


def both(f, *args):
    """The result on NumPy and in native code."""
    native = ag.function(f, jit_compile=True, autograph=False)
    found = native(*args).numpy()
    assert native.get_concrete_function(*args).kernels()
    return ag.function(f, kernel_compiler="none", autograph=False)(*args).numpy(), found


def numbers(*shape, dtype=np.float32):
    generator = np.random.default_rng(sum(shape))
    if np.dtype(dtype).kind == "i":
        return ag.constant(generator.integers(-9, 9, shape).astype(dtype))
    return ag.constant(generator.standard_normal(shape).astype(dtype))


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.int64])
@pytest.mark.parametrize(
    "a, b",
    [
        ((3, 4), (4, 2)),
        ((5, 3, 4), (5, 4, 2)),
        ((5, 3, 4), (4, 2)),
        ((2, 1, 3, 4), (5, 4, 2)),
        ((3, 0), (0, 2)),
        ((0, 3, 4), (0, 4, 2)),
    ],
)
def test_products_of_matrices_and_batches(a, b, dtype):
    plan, native = both(ag.matmul, numbers(*a, dtype=dtype), numbers(*b, dtype=dtype))
    np.testing.assert_allclose(native, plan, rtol=1e-5, atol=1e-5)
    assert native.dtype == plan.dtype


@pytest.mark.parametrize("scan", [ag.cumsum, ag.math.cumprod])
@pytest.mark.parametrize("options", [{}, {"exclusive": True}, {"reverse": True}])
@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("dtype", [np.float32, np.int32])
def test_running_sums_and_products(scan, axis, options, dtype):
    for shape in ((2, 5, 3), (2, 0, 3)):
        x = numbers(*shape, dtype=dtype)
        plan, native = both(lambda x: scan(x, axis=axis, **options), x)
        assert np.array_equal(native, plan)


EDGES = np.array([0.0, -0.0, 1.0, -1.0, -2.5, np.inf, -np.inf, np.nan, 1e-30, -1e-30, 1e30, 7.5])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("f", [
    ag.math.digamma,
    lambda x: ag.math.nextafter(x[:, None], x),
    ag.math.cumulative_logsumexp,
    lambda x: ag.math.cumulative_logsumexp(x[:5], exclusive=True, reverse=True),
    lambda x: ag.tensor_scatter_nd_min(x, [[1], [3], [1]], [-2.0, np.nan, -5.0]),
    lambda x: ag.tensor_scatter_nd_max(x, [[1], [7], [1]], [-2.0, 3.0, 5.0]),
    lambda x: ag.repeat(x, [3, 0] * 6),
    lambda x: ag.repeat(ag.reshape(x, [4, 3]), [1, 2, 0], axis=1),
    lambda x: ag.reduce_sum(x, axis=[]),
    lambda x: ag.reduce_max(ag.reshape(x, [4, 3]), axis=[], keepdims=True),
])  # fmt: skip
def test_elements_at_the_edges_of_their_type(f, dtype):
    with np.errstate(all="ignore"):
        plan, native = both(f, ag.constant(EDGES.astype(dtype)))
    near = 16 * np.finfo(dtype).eps
    np.testing.assert_allclose(native, plan, rtol=near, atol=near)


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.int64, np.uint16])
def test_integers_are_divided_towards_zero(dtype):
    limits = np.iinfo(dtype)
    x = np.array([limits.min, limits.max, 0, 7, 100], dtype)
    y = np.array([limits.max, limits.min or 3, 2, 7], dtype) - np.array([0, 0, 3, 0]).astype(dtype)
    plan, native = both(ag.truncatediv, ag.constant(x[:, None]), ag.constant(y))
    assert np.array_equal(native, plan)


def test_rows_of_running_sums_are_shared_by_threads():
    f = ag.function(lambda x: ag.cumsum(x, axis=-1), jit_compile=True)
    x = numbers(300, 1200)
    wanted = np.cumsum(x.numpy(), -1)
    for count in (1, 2):
        ag.config.threading.set_intra_op_parallelism_threads(count)
        assert np.array_equal(f(x), wanted)
    ag.config.threading.set_intra_op_parallelism_threads(0)
    assert "def region_1" in f.get_concrete_function(x).kernels()[0].source


def test_integers_wrap_in_products_and_sums():
    x = ag.constant([[2**30, 2**30], [2**30, 1]])
    for f in (lambda x: ag.matmul(x, x), lambda x: ag.cumsum(x, axis=0)):
        plan, native = both(f, x)
        assert np.array_equal(native, plan)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("size", [1, 2, 6, 16, 20])
def test_linear_systems(size, dtype):
    matrix = numbers(size, size, dtype=dtype)
    plan, native = both(ag.linalg.solve, matrix, numbers(size, 3, dtype=dtype))
    np.testing.assert_allclose(native, plan, rtol=1e-3 if dtype == np.float32 else 1e-9)


def test_rows_trade_places_where_the_pivot_is_zero():
    plan, native = both(ag.linalg.solve, ag.constant([[0.0, 2.0], [4.0, 0.0]]), ag.ones([2, 1]))
    assert native.tolist() == plan.tolist() == [[0.25], [0.5]]


def test_a_singular_matrix_is_the_error_of_the_plan():
    f = ag.function(ag.linalg.solve, jit_compile=True)
    with pytest.raises(ag.errors.InvalidArgumentError, match="Singular matrix"):
        f(ag.ones([2, 2]), ag.ones([2, 1]))


@pytest.mark.parametrize("name", ["inv", "det", "cholesky"])
def test_functions_of_matrices(name):
    x = numbers(4, 4, dtype=np.float64)
    square = ag.matmul(x, x, transpose_b=True)
    plan, native = both(getattr(ag.linalg, name), square)
    np.testing.assert_allclose(native, plan, rtol=1e-9)


@pytest.mark.parametrize("position", [ag.argmax, ag.argmin])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_positions_of_extremes(position, axis):
    x = numbers(3, 4, 5).numpy()
    x[0, 1, 2] = x[2, 3, 4] = x[2, 3, 0] = np.nan
    for given in (x, np.zeros((2, 3, 2), np.float32), x > 0, np.nan_to_num(x * 9).astype(np.int32)):
        with np.errstate(all="ignore"):
            plan, native = both(lambda x: position(x, axis=axis), ag.constant(given))
        assert np.array_equal(native, plan)
        assert native.dtype == plan.dtype


def test_the_position_in_a_vector_is_a_scalar():
    plan, native = both(lambda x: ag.argmax(x) + 1, ag.constant([1.0, 7.0, 7.0]))
    assert (int(plan), int(native)) == (2, 2)


@pytest.mark.parametrize(
    "scatter",
    [ag.tensor_scatter_nd_update, ag.tensor_scatter_nd_add, ag.tensor_scatter_nd_sub],
)
@pytest.mark.parametrize("places", [[[0], [3], [0]], [[1, 2], [3, 0]], [[[2], [1]]]])
def test_scattered_updates(scatter, places):
    x, places = numbers(4, 3), np.array(places)
    updates = numbers(*places.shape[:-1], *x.shape[places.shape[-1] :])
    plan, native = both(lambda x, u: scatter(x, places, u), x, updates)
    assert np.array_equal(native, plan)
    with pytest.raises(ag.errors.OutOfRangeError):
        both(lambda x, u: scatter(x, places + 9, u), x, updates)


def test_a_loop_scatters_in_place():
    @ag.function(jit_compile=True)
    def f(n):
        x = ag.zeros([5])
        for i in ag.range(n):
            x = ag.tensor_scatter_nd_add(x, [[i % 5]], [1.0])
        return x

    assert f(ag.constant(7)).numpy().tolist() == [2.0, 2.0, 1.0, 1.0, 1.0]
    (kernel,) = f.get_concrete_function(ag.constant(7)).kernels()
    assert "copy_elements" not in kernel.source.partition("while True:")[2]


@pytest.mark.parametrize(
    "equation, shapes",
    [
        ("ij,jk->ik", ((3, 4), (4, 2))),
        ("ij,jk->ki", ((3, 4), (4, 2))),
        ("ij,jk", ((3, 4), (4, 2))),
        ("bhqd,bhkd->bhqk", ((2, 3, 4, 5), (2, 3, 6, 5))),
        ("i,j->ij", ((3,), (4,))),
        ("ij,ij->i", ((3, 4), (3, 4))),
        ("ij,ij->", ((3, 4), (3, 4))),
        ("ijk,jl->l", ((3, 4, 2), (4, 5))),
        ("ijk,kjl->lki", ((2, 3, 4), (4, 3, 5))),
    ],
)
@pytest.mark.parametrize("dtype", [np.float64, np.int32])
def test_sums_in_einsteins_notation(equation, shapes, dtype):
    a, b = (numbers(*shape, dtype=dtype) for shape in shapes)
    plan, native = both(lambda a, b: ag.einsum(equation, a, b), a, b)
    np.testing.assert_allclose(native, plan, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    "axes, shapes",
    [
        (0, ((2, 3), (4,))),
        (1, ((2, 3), (3, 4))),
        (2, ((2, 3, 4), (3, 4, 5))),
        (([0, 2], [1, 0]), ((2, 3, 4), (4, 2, 5))),
        ((-1, 0), ((2, 3), (3, 4))),
    ],
)
def test_tensordot_over_axes(axes, shapes):
    a, b = (numbers(*shape, dtype=np.float64) for shape in shapes)
    plan, native = both(lambda a, b: ag.tensordot(a, b, axes), a, b)
    np.testing.assert_allclose(native, plan, rtol=1e-9)


@pytest.mark.parametrize("name", ["sum", "prod", "max", "min", "mean"])
@pytest.mark.parametrize("dtype", [np.float32, np.int32])
def test_segments_are_combined_in_order(name, dtype):
    combine = getattr(ag.math, f"unsorted_segment_{name}")
    x, places = numbers(40, 3, dtype=dtype), (np.arange(40, dtype=np.int32) * 7) % 5 - 1
    if dtype == np.float32:
        x = ag.tensor_scatter_nd_update(x, [[3, 1]], [np.nan])
    for data, ids in (
        (x, places),
        (x[:, 0], places),
        (x, places.reshape(20, 2)[:, :1].repeat(3, 1)),
    ):
        data = data if ids.ndim == 1 else data[:20]
        plan, native = both(lambda x, i: combine(x, i, 6), data, ag.constant(ids))
        assert native.dtype == plan.dtype and native.tobytes() == plan.tobytes()


def test_a_segment_out_of_range_is_the_error_of_the_plan():
    f = ag.function(lambda x, i: ag.math.unsorted_segment_sum(x, i, 2), jit_compile=True)
    with pytest.raises(ag.errors.InvalidArgumentError, match="segment id 2"):
        f(ag.constant([1.0]), ag.constant([2]))
