"""Texts of kernels: compiled, they compute what Python does with them."""

import numpy as np
import pytest
from example_counts import examples
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("llvmlite")

from kernel_compilation import call, compiled, llvm_of

from allograph.runtime.jit.kernel_types import ArrayType, RunTimeSize, UntranslatableError
from allograph.runtime.jit.loop_hints import intrinsic, kernel_function
from allograph.runtime.parallel import parallel_for

pytestmark = pytest.mark.slow


def as_python(text, *arguments, **scope):
    """What Python makes of a text."""
    scope = {"np": np, **scope}
    exec(text, scope)
    return scope["kernel"](*arguments)


def agree(text, *arguments, **scope):
    """Compiled and as Python, a text gives the same and leaves the same in its arguments."""
    plain, native = ([np.array(one) for one in arguments] for _ in range(2))
    plain = [one if one.ndim else one[()] for one in plain]
    native = [one if one.ndim else one[()] for one in native]
    with np.errstate(all="ignore"):
        wanted = as_python(text, *plain, **scope)
    found = call(text, *native, results=wanted, **scope)
    for one, other in zip((*wanted, *plain), (*found, *native), strict=True):
        np.testing.assert_array_equal(np.asarray(other), np.asarray(one))


def test_quotients_and_remainders_of_counters_are_those_of_numbers():
    agree(
        """
def kernel(n, out):
    for i in range(n):
        out[0, i] = i // 3 * 100 + i % 7
    for j in range(2, n, 3):
        k = np.int64(j)
        out[1, j] = k // 5 + k % 4
        j = j - 20
        out[2, j + 20] = j // 5 * 100 + j % 4
    for i0 in range(-9, 9):
        out[3, i0 + 9] = i0 // 4 * 100 + i0 % 4 + i0 % -5
    for i1 in range(n, -4, -1):
        out[4, i1 + 3] = i1 // 3 * 100 + i1 % 3
    return ()
""",
        np.int64(24),
        np.zeros((5, 40), np.int64),
    )


def test_a_loop_ends_where_its_condition_does_or_at_a_break():
    agree(
        """
def kernel(n, out):
    total = 0
    while True:
        n = n - 1
        if n < 0:
            break
        if n % 3 == 1:
            continue
        for i in range(n, -1, -2):
            total += i * n
            if total > 500:
                break
        out[n] = total
    return (total, n, )
""",
        np.int64(12),
        np.zeros(20, np.int64),
    )


def test_a_variable_takes_the_type_that_holds_all_that_it_gets():
    agree(
        """
def kernel(x):
    y = 1
    for i in range(3):
        y = y + x
    z = x > 0.5
    z = z + 3
    return (y, z, )
""",
        np.float64(0.25),
    )


def test_the_second_operand_of_and_and_or_is_computed_only_where_it_decides():
    agree(
        """
def kernel(x, n):
    found = 0
    i = 0
    while i < n and x[i] != 0:
        i += 1
    if i == n or x[i] == 0:
        found = 1 if i < n else 2
    return (i, found, not found == 1, )
""",
        np.array([3, 1, 0, 7]),
        np.int64(4),
    )


@pytest.mark.parametrize("low, x, high", [(0, 1, 2), (0, 3, 2), (2, 1, 3)])
def test_comparisons_are_chained(low, x, high):
    text = "def kernel(a, b, c):\n    return (a < b < c, a <= b <= c, a < b != c, )\n"
    agree(text, *map(np.int64, (low, x, high)))


def test_arrays_are_exchanged_without_a_copy():
    agree(
        """
def kernel(a, b):
    for i in range(3):
        for j in range(len(a)):
            b[j] = a[j] * 2 + i
        a, b = b, a
    a[0] = 7
    return ()
""",
        np.arange(4.0),
        np.zeros(4),
    )


def test_parts_of_arrays_are_views():
    agree(
        """
def kernel(x, n):
    row = x[1]
    row[2] = 5
    part = x[:, 1:3]
    part[0, 1] = 6
    column = x[:, n]
    for i in range(len(column)):
        column[i] = column[i] * 10
    block = x[1:n + 5]
    block[:] = -1
    flat = x.reshape(12)
    flat[n] = 8
    return (x.shape[0] * x.size, len(block), len(part), )
""",
        np.arange(12).reshape(3, 4),
        np.int64(3),
    )


def test_new_arrays_hold_zeros_or_a_value_and_large_ones_too():
    agree(
        """
def kernel(n, out):
    small, large = np.zeros(3, np.int32), np.zeros(n, np.float64)
    full = np.full((2, 2), n)
    for i in range(n):
        large[i] += i * full[1, 0]
    copy = large.copy()
    large[:] = 0
    for i in range(n):
        out[i] = copy[i] + large[i]
    small[1] += 2
    return (small[0] + small[1], )
""",
        np.int64(5000),
        np.zeros(5000),
    )


def test_a_function_is_compiled_for_the_types_of_its_arguments():
    @kernel_function
    def power(x, n):
        made = x * 0 + 1
        for _ in range(n):
            made = made * x
        return made, n

    agree(
        """
def kernel(x, y):
    first, n = power(x, 3)
    second, m = power(y, 2)
    return (first, second, n + m, )
""",
        np.float64(1.5),
        np.int64(3),
        power=power,
    )


def test_what_follows_two_branches_that_leave_may_read_names_that_neither_sets():
    agree(
        """
def kernel(n, out):
    for i in range(n):
        if i % 3 == 1:
            if i > 0:
                continue
            value = i
        else:
            if i >= 0:
                out[i] = i
                continue
            value = -i
        out[i] = value
    return ()
""",
        np.int64(9),
        np.zeros(9, np.int64),
    )
    run = compiled(
        """
def kernel(n):
    if n > 0:
        if not False:
            raise ValueError
        value = n
    else:
        if not False:
            raise ValueError
        value = -n
    return (value,)
""",
        [np.int64(1)],
        [np.int64(1)],
    )
    with pytest.raises(ArithmeticError):
        run(np.int64(4))


def test_a_failure_inside_of_a_function_ends_the_kernel():
    @kernel_function
    def checked(x):
        if x < 0:
            raise ValueError
        return x

    run = compiled(
        "def kernel(x):\n    return (checked(x) + 1, )\n",
        [np.int64(1)],
        [np.int64(1)],
        checked=checked,
    )
    assert run(np.int64(4)) == (5,)
    with pytest.raises(ArithmeticError):
        run(np.int64(-4))
    assert run(np.int64(1)) == (2,)


KINDS = ["int8", "int32", "int64", "uint8", "uint64", "float32", "float64"]


SIGNS = ["+", "-", "*", "<", "<=", "==", "!=", ">", ">="]


@pytest.mark.parametrize(
    "kind, sign",
    [
        (kind, sign)
        for kind in KINDS  # floats are divided by functions: floor_divide, floor_mod
        for sign in [*SIGNS, *(("//", "%") if "int" in kind else ("/",))]
    ],
)
def test_operators_compute_what_numpy_does(kind, sign):
    draw = np.random.default_rng(0)
    x, y = (draw.integers(1, 90, 60).astype(kind) for _ in range(2))
    if np.dtype(kind).kind != "u":
        x, y = x * draw.choice([-1, 1], 60).astype(kind), y * draw.choice([-1, 1], 60).astype(kind)
    made = eval(f"x {sign} y")
    text = f"""
def kernel(x, y, out):
    for i in range(len(x)):
        out[i] = x[i] {sign} y[i]
    return ()
"""
    found = np.zeros_like(made)
    call(text, x, y, found)
    np.testing.assert_array_equal(found, made)


@pytest.mark.parametrize("kind", [*KINDS, "bool"])
@pytest.mark.parametrize("to", [*KINDS, "bool"])
def test_numbers_are_converted_as_numpy_converts_them(kind, to):
    x = np.array([0, 1, 2, 100]).astype(kind)
    cast = "bool" if to == "bool" else f"np.{to}"
    text = f"""
def kernel(x, out):
    for i in range(4):
        out[i] = {cast}(x[i])
    return ()
"""
    found = np.zeros(4, to)
    call(text, x, found)
    np.testing.assert_array_equal(found, x.astype(to))


@pytest.mark.parametrize(
    "text",
    [
        "def kernel(x):\n    with x:\n        pass\n    return ()\n",
        "def kernel(x):\n    return ([x], )\n",
        "def kernel(x):\n    y = x\n    y = np\n    return ()\n",
        "def kernel(x):\n    return (open(x), )\n",
        "def kernel(x):\n    return (x**x, )\n",
        "def kernel(x):\n    return (unknown, )\n",
    ],
)
def test_what_kernels_have_not_is_refused(text):
    with pytest.raises(UntranslatableError):
        llvm_of(text, [np.int64(1)], [np.int64(1)])


def test_arrays_of_a_constant_and_of_a_computed_size_are_compared():
    text = """
def kernel(x, y, n):
    x[:] = y[:n]
    return ()
"""
    x, y = np.zeros(4), np.arange(6.0)
    run = compiled(text, (x, y, np.int64(0)))
    run(x, y, np.int64(4))
    assert x.tolist() == [0, 1, 2, 3]
    for n in (3, 5):
        with pytest.raises(ArithmeticError):
            run(x, y, np.int64(n))


def test_sizes_among_the_numbers_of_the_last_argument_are_compared():
    text = """
def kernel(x, numbers):
    n = size_at(numbers, 1)
    x = reshaped(x, (n,))
    for i in range(short(n)):
        x[i] += np.float64(numbers[0])
    return (x, np.int64(n))
"""
    x = ArrayType(np.dtype(np.float64), (RunTimeSize(1, 1),))
    run = compiled(text, (x, np.zeros(2, np.int64)), (x, np.int64(0)))
    for n in (2, 5, 9):
        found = np.zeros(n)
        array, number = run(found, np.array([3, n]))
        assert array is found
        assert (number, array.tolist()) == (n, [3.0] * n)
        with pytest.raises(TypeError):
            run(np.zeros(n + 1), np.array([3, n]))


def test_a_helper_that_chooses_by_a_number_at_run_time_is_refused():
    @intrinsic
    def chosen(writer, number):
        return 1 if number == 2 else 2

    text = "def kernel(x):\n    return (np.int64(chosen(x)), )\n"
    with pytest.raises(UntranslatableError, match="known only when the kernel runs"):
        compiled(text, (np.int64(2),), (np.int64(0),), chosen=chosen)


def test_a_kernel_that_runs_lets_other_threads_run():
    import threading
    import time

    # By its address: LLVM takes it that nobody else changes the arguments of a kernel.
    text = """
def kernel(x):
    turns = 0
    while array_at(x[0], (1,), np.int64)[0] == 0 and turns < 1 << 40:
        turns += 1
        x[1] = turns
    return ()
"""
    flag = np.zeros(1, np.int64)
    x = np.array([flag.ctypes.data, 0])
    run = compiled(text, [x], array_at=parallel_for.functions()["array_at"])
    worker = threading.Thread(target=run, args=(x,))
    worker.start()
    time.sleep(0.05)
    assert worker.is_alive()
    flag[0] = 1
    worker.join(timeout=20)
    assert not worker.is_alive()


def test_a_kernel_shows_its_instructions():
    import allograph as ag

    f = ag.function(lambda x: ag.sqrt(x) + 1, jit_compile=True)
    (kernel,) = f.get_concrete_function(ag.ones([100])).kernels()
    assert kernel.source.startswith("def kernel(")
    assert "sqrtps" in kernel.assembly() or "fsqrt" in kernel.assembly()


def test_many_small_arrays_do_not_fill_the_stack():
    lines = [f"    a{i} = np.zeros(500, np.float64)\n    a{i}[x] = {i}\n" for i in range(40)]
    lines += [f"    total += a{i}[x]\n" for i in range(40)]
    text = f"def kernel(x):\n    total = 0.0\n{''.join(lines)}    return (total, )\n"
    agree(text, np.int64(3))


# ---- random texts ----------------------------------------------------------------------------

NAMES = ("a", "b", "c")
NUMBERS = st.one_of(st.sampled_from(NAMES), st.integers(-3, 9).map(str))
SUMS = st.tuples(NUMBERS, st.sampled_from("+-*"), NUMBERS).map(" ".join)
MORE = st.tuples(SUMS, SUMS).map(lambda pair: f"max({pair[0]}, min({pair[1]}, 50)) % 97")
TESTS = st.tuples(SUMS, st.sampled_from(["<", "<=", "==", "!="]), NUMBERS).map(" ".join)
BOTH = st.tuples(TESTS, st.sampled_from(["and", "or"]), TESTS).map(" ".join)


def _indented(lines):
    return ["    " + line for line in lines]


def _branch(parts):
    test, then, orelse = parts
    return [f"if {test}:", *_indented(then), "else:", *_indented(orelse)]


def _loop(parts):
    count, body, test = parts
    return [f"for i in range({count}):", *_indented([*body, f"if {test}:", "    break"])]


ASSIGNMENT = st.tuples(st.sampled_from(NAMES), st.one_of(SUMS, MORE)).map(
    lambda pair: [f"{pair[0]} = ({pair[1]}) % 1009"]
)
BLOCK = st.deferred(
    lambda: st.lists(
        st.one_of(
            ASSIGNMENT,
            st.tuples(st.one_of(TESTS, BOTH), BLOCK, BLOCK).map(_branch),
            st.tuples(st.integers(0, 5), BLOCK, TESTS).map(_loop),
        ),
        min_size=1,
        max_size=3,
    ).map(lambda blocks: [line for block in blocks for line in block])
)


@examples(40)
@given(BLOCK, st.tuples(*[st.integers(-20, 20)] * 3))
def test_random_texts_agree_with_python(body, numbers):
    lines = ["def kernel(a, b, c):", *_indented([*body, "return (a, b, c, )"])]
    agree("\n".join(lines) + "\n", *map(np.int64, numbers))


@pytest.mark.parametrize("size", [8, 100_000])
def test_a_function_that_returns_an_array_of_its_own_is_refused(size):
    @kernel_function
    def twice(x):
        made = np.empty(size, np.float64)
        for i in range(size):
            made[i] = 2 * x[i]
        return made

    @kernel_function
    def last(x):
        scratch = np.empty(size, np.float64)
        scratch[0] = x[size - 1]
        return scratch[0], 1

    x = np.arange(float(size))
    with pytest.raises(UntranslatableError, match="twice returns an array that it makes"):
        compiled("def kernel(x):\n    return (twice(x)[1],)\n", [x], [x[0]], twice=twice)
    run = compiled("def kernel(x):\n    return (last(x)[0],)\n", [x], [x[0]], last=last)
    assert run(x) == (size - 1,)
