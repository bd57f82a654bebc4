"""`jit`: slices whose bounds are computed run as native code, and mean what they mean in NumPy."""

import numpy as np
import pytest
from native_calls import is_native
from numpy_programs import assert_same_outcome, function_of

import allograph as ag

pytestmark = pytest.mark.slow

SIZES = (0, 1, 2, 7, 40)
NUMBERS = np.random.default_rng(0)


def normal(*shape):
    return NUMBERS.normal(size=shape)


def definite(n):
    matrix = normal(n, n)
    return matrix @ matrix.T + n * np.eye(n)


def check(function, *args):
    """`function` decorated does what it does undecorated, and the native code itself does it."""
    compiled = ag.jit(function)
    assert_same_outcome(function, compiled, args)
    assert is_native(compiled), compiled.inspect()
    compiled.python_function = None  # which runs where the native code leaves a call to it
    assert_same_outcome(function, compiled, args)


# ---- linear algebra ----------------------------------------------------------------------------


def lu(a):
    n = a.shape[0]
    for i in range(n):
        for j in range(i):
            a[i, j] -= a[i, :j] @ a[:j, j]
            a[i, j] /= a[j, j]
        for j in range(i, n):
            a[i, j] -= a[i, :i] @ a[:i, j]


def lu_by_rows(a):
    for k in range(a.shape[0] - 1):
        a[k + 1 :, k] /= a[k, k]
        a[k + 1 :, k + 1 :] -= np.outer(a[k + 1 :, k], a[k, k + 1 :])


def lu_with_pivots(a):
    for k in range(a.shape[0]):
        pivot = k + np.argmax(np.abs(a[k:, k]))
        if pivot != k:
            row = a[k].copy()
            a[k] = a[pivot]
            a[pivot] = row
        a[k + 1 :, k] /= a[k, k]
        a[k + 1 :, k + 1 :] -= a[k + 1 :, k][:, None] * a[k, k + 1 :]


def cholesky(a):
    for i in range(a.shape[0]):
        for j in range(i):
            a[i, j] = (a[i, j] - np.dot(a[i, :j], a[j, :j])) / a[j, j]
        a[i, i] = np.sqrt(a[i, i] - np.dot(a[i, :i], a[i, :i]))


def forward_substitution(matrix, x, b):
    for i in range(x.shape[0]):
        x[i] = (b[i] - matrix[i, :i] @ x[:i]) / matrix[i, i]


def gram_schmidt(a, q, r):
    for k in range(a.shape[1]):
        r[k, k] = np.sqrt(a[:, k] @ a[:, k])
        q[:, k] = a[:, k] / r[k, k]
        r[k, k + 1 :] = q[:, k] @ a[:, k + 1 :]
        a[:, k + 1 :] -= np.outer(q[:, k], r[k, k + 1 :])


def covariance(data):
    n = data.shape[1]
    data -= np.mean(data, axis=0)
    result = np.zeros((n, n))
    for i in range(n):
        result[i:n, i] = result[i, i:n] = data[:, i] @ data[:, i:n] / (data.shape[0] - 1.0)
    return result


def triangular_product(alpha, a, b):
    for i in range(b.shape[0]):
        for j in range(b.shape[1]):
            b[i, j] += np.dot(a[i + 1 :, i], b[i + 1 :, j])
    b *= alpha


def levinson(r, y):
    alpha, beta = -0.5, 1.0
    for k in range(1, r.shape[0]):
        beta *= 1.0 - alpha * alpha
        alpha = -(r[k] + np.dot(np.flip(r[:k]), y[:k])) / (beta + 3.0)
        y[:k] += alpha * np.flip(y[:k])
        y[k] = alpha
    return y


ALGORITHMS = {
    lu: lambda n: (definite(n),),
    lu_by_rows: lambda n: (definite(n),),
    lu_with_pivots: lambda n: (normal(n, n),),
    cholesky: lambda n: (definite(n),),
    forward_substitution: lambda n: (definite(n), normal(n), normal(n)),
    gram_schmidt: lambda n: (normal(n + 3, n), np.zeros((n + 3, n)), np.zeros((n, n))),
    covariance: lambda n: (normal(n + 3, n),),
    triangular_product: lambda n: (1.5, normal(n, n), normal(n, n + 1)),
    levinson: lambda n: (normal(n) / (n + 1), normal(n)),
}


@pytest.mark.slow
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=lambda one: one.__name__)
def test_an_algorithm_is_native_and_right_for_a_size(algorithm, size):
    check(algorithm, *ALGORITHMS[algorithm](size))


@pytest.mark.slow
def test_one_kernel_serves_all_bounds():
    compiled = ag.jit(lambda x, i, j: x[i:j].sum())
    x = normal(9)
    for i in range(-11, 12):
        for j in range(-11, 12):
            assert np.isclose(compiled(x, i, j), x[i:j].sum())
    assert compiled.inspect().splitlines()[1:] == []


# ---- reading -----------------------------------------------------------------------------------


@pytest.mark.parametrize("i", (-9, -3, 0, 2, 5, 9))
@pytest.mark.parametrize("step", (1, 2, -1, -3))
def test_steps_and_negative_bounds_are_those_of_numpy(i, step):
    def read(x, i):
        return (
            (x[i::step] * 2).sum(),
            x[:i:step].sum(),
            x[i : i + 4 : step].sum(),
            x[::step][i:].sum(),
        )

    check(read, normal(7), i)


@pytest.mark.parametrize("step", (1, 3, -1, -2, 9, -9, 2**60, -(2**60)))
def test_a_computed_step_of_either_sign_is_that_of_numpy(step):
    def read(x, m, i, j, step):
        rows = m[::step, ::-step]
        x[i:j:step] = x[::step][0] * 2.0
        x[::-1][::step] += 1.0
        return x[i:j:step].sum(), x[::step].size, x[: j - i : step][:2].sum(), rows.max()

    for i, j in ((1, 6), (6, 1), (-3, 20), (-20, -2)):
        check(read, normal(7), normal(4, 5), i, j, step)


def test_a_computed_step_of_zero_raises_the_error_of_numpy():
    compiled = ag.jit(lambda x, step: x[::step].sum())
    assert compiled(np.arange(5.0), -2) == 6.0
    with pytest.raises(ValueError, match="slice step cannot be zero"):
        compiled(np.arange(5.0), 0)


def test_a_computed_step_of_zero_raises_where_nothing_changes():
    def itself(x, step):
        x[::step] = x[::step]
        x[::step]

    compiled = ag.jit(itself)
    compiled(np.arange(5.0), 2)
    with pytest.raises(ValueError, match="slice step cannot be zero"):
        compiled(np.arange(5.0), 0)


def test_a_slice_of_a_slice_reads_the_array_itself():
    def read(x, i, j):
        return x[i:][:j].sum(), x[i:][::-1][j:].sum(), x[1:-1][i:][j]

    check(read, normal(9), 2, 3)


def test_an_index_outside_a_slice_raises_the_error_of_numpy():
    def read(x, i, j):
        return x[:i][j]

    compiled = ag.jit(read)
    assert compiled(np.arange(5.0), 3, -3) == 0.0
    with pytest.raises(IndexError, match="index 4 is out of bounds for axis 0 with size 3"):
        compiled(np.arange(5.0), 3, 4)


def test_lengths_that_differ_broadcast_or_raise_as_in_numpy():
    def product(x, i):
        return (x[:i] * x[i:]).sum()

    for i in range(8):
        assert_same_outcome(product, ag.jit(product), (normal(7), i))


def test_a_computed_size_is_a_number():
    def sizes(x, m, i):
        return x[i:].shape[0], len(x[:i]), m[i:, 1:].size, x[:i].mean()

    check(sizes, normal(6), normal(6, 4), 2)


def test_the_largest_of_no_elements_is_left_to_numpy():
    compiled = ag.jit(lambda x, i: x[:i].max())
    assert compiled(np.arange(3.0), 2) == 1.0
    with pytest.raises(ValueError, match="zero-size array"):
        compiled(np.arange(3.0), 0)


@pytest.mark.slow
def test_products_of_parts_are_those_of_numpy():
    def products(a, x, i, j):
        return (a[i:, :j] @ x[:j]).sum(), (x[i:] @ a[i:, j:]).sum(), (a[:i] @ a[:, j:]).sum()

    check(products, normal(6, 6), normal(6), 2, 3)


# ---- writing -----------------------------------------------------------------------------------


@pytest.mark.parametrize("i", (-9, -2, 0, 3, 9))
def test_slices_are_assigned_as_in_numpy(i):
    def write(x, m, i):
        x[i:] = 1.0
        x[:i] += x[-1]
        x[i::-2] *= 2.0
        m[i:, 1] = m[i:, 0] - 1
        m[1, :i] = m[2, :i]
        m[:, i:] = x[:1]
        x[1:][:i] = 5.0

    check(write, normal(6), normal(6, 6), i)


@pytest.mark.slow
def test_what_is_assigned_is_read_before():
    def shifted(x, i):
        x[i:] = x[: x.shape[0] - i] + x[i:]

    check(shifted, normal(7), 2)


@pytest.mark.slow
def test_a_copy_of_a_slice_is_an_array_of_its_own():
    def copied(x, i):
        part = x[i:].copy()
        part[0] = 7.0
        part += 1.0
        x[:i] = part[0]
        return part.sum()

    check(copied, normal(7), 3)


def test_a_value_of_another_length_raises_the_error_of_numpy():
    def write(x, y, i):
        x[i:] = y

    compiled = ag.jit(write)
    compiled(np.zeros(5), np.ones(3), 2)
    with pytest.raises(ValueError, match="could not broadcast"):
        compiled(np.zeros(5), np.ones(3), 1)


# ---- loops -------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_loop_without_iterations_before_one_of_the_same_counter_is_native():
    def triangles(a):
        for i in range(a.shape[0]):
            for j in range(i):
                a[i, j] -= a[j, j]
            for j in range(i, a.shape[0]):
                a[i, j] += 1.0

    check(triangles, normal(5, 5))


# ---- what is read and written in one statement ---------------------------------------------------


STATEMENTS = {
    "the same part": "x[i:] = x[i:] * 2 + y[i:]",
    "the elements before": "x[1:] = x[:-1] * 2",
    "the elements behind": "x[:-1] = x[1:] * 2",
    "the other direction": "x[:] = x[::-1] + x",
    "the other half": "x[:3] = x[3:6] * y[:3]",
    "another start": "x[i:] = x[: x.shape[0] - i] + x[i:]",
    "all of it": "x[...] = x * y - x",
    "rows and columns": "m[i] = m[:, i] * 2",
    "a row by the rows around": "m[1:-1] = (m[:-2] + m[1:-1] + m[2:]) * 0.5",
    "a rank-1 update": "m[i:, i:] -= np.outer(m[i:, 0], m[0, i:])",
    "a view of itself": "m[:] = m.T + m",
}


@pytest.mark.parametrize("statement", STATEMENTS.values(), ids=STATEMENTS)
@pytest.mark.parametrize("i", (0, 2))
def test_a_statement_reads_everything_before_it_writes(statement, i):
    source = f"def program(x, y, m, i):\n    for _ in range(2):\n        {statement}\n"
    check(function_of(source, statement), normal(7), normal(7), normal(7, 7), i)


def test_a_slice_of_everything_of_a_slice_is_the_slice():
    check(lambda a, m: np.sum(a[:4][:] @ m[:]), normal(6), normal(4, 5))


def test_a_computed_slice_of_constant_length_is_a_vector_of_its_elements():
    def medians(image):
        out, window = image.copy(), np.empty(9)
        for i in range(1, image.shape[0] - 1):
            for j in range(1, image.shape[1] - 1):
                window[:] = image[i - 1 : i + 2, j - 1 : j + 2].ravel()
                window.sort()
                out[i, j] = window[4]
        return out

    check(medians, normal(7, 9))


@pytest.mark.slow
def test_a_computed_shape_is_a_vector_of_numbers():
    def means(m, i):
        return np.mean(m[i:], axis=0).sum(), np.std(m[:, i:]), np.mean(m[:i, i:])

    check(means, normal(6, 6), 2)


@pytest.mark.slow
def test_threads_share_loops_that_read_arrays_of_computed_sizes():
    def blurred(image, kernel):
        rows, columns = image.shape[0] - 2, image.shape[1] - 2
        out = np.zeros((rows, columns))
        for i in range(3):
            for j in range(3):
                out += kernel[i, j] * image[i : i + rows, j : j + columns]
        return out

    check(blurred, normal(400, 400), normal(3, 3))
