"""Functions that Numba compiled are operations in decorated functions."""

import ctypes
import ctypes.util
import types

import cffi
import numba
import numpy as np
import pytest
from execution_modes import NATIVE, PLAN
from native_calls import is_native
from numba import cfunc, float64, guvectorize, jit, njit, prange, vectorize
from numba.experimental import jitclass

import allograph as ag


@njit
def bump(x, n):
    return x * 0.5 + n


@njit
def norm(x):
    total = 0.0
    for one in x:
        total += one * one
    return total


@njit
def twice(x):
    return x * 2


@njit
def parts(x):
    return x[0], x + 1


@njit
def fails(x):
    if x[0] > 1:
        raise ArithmeticError("too large")
    return x


@njit
def draws(x):
    return x + np.random.random()


@njit
def writes(x):
    x[0] = 0
    return x


@njit
def factorial(n):
    return 1 if n < 2 else n * factorial(n - 1)


@njit
def is_even(n):
    return True if n == 0 else is_odd(n - 1)


@njit
def is_odd(n):
    return False if n == 0 else is_even(n - 1)


@njit(parallel=True)
def summed(x):
    total = 0.0
    for i in prange(x.size):
        total += x[i]
    return total


@njit
def begin(x):
    rows = [x[-1], x[0]]
    if rows[0] > 5:
        raise KeyError("large")
    return np.full(x.shape, rows[1] - x.dtype.type(len(rows)))


@vectorize
def checked(x):
    if x > 1:
        raise ValueError("above one")
    return np.sin(x)


@jit(forceobj=True)
def in_object_mode(x):
    return x + 1


@njit
def odd(x):
    return "a"


@njit
def numbers(x):
    yield x[0]


@njit
def each(x):
    yield from x


@vectorize
def smaller(x, y):
    return x if x < y else y


@guvectorize(["void(float32[:], float32, float32[:])"], "(n),()->(n)")
def moved(x, step, out):
    for i in range(x.shape[0]):
        out[i] = x[i] + step


@guvectorize(["void(float32[:], float32[:])"], "(n)->()")
def total(x, out):
    out[0] = 0
    for one in x:
        out[0] += one


X = np.array([1.0, 2.0, 3.0], np.float32)
twice_op = ag.numba_op(twice, shape=lambda x: x, gradient=lambda dy, x: 2.0 * dy)


def loop(x, n):
    i, s = 0, ag.constant(1.0, ag.float64)
    while i < n:
        s = bump(s, ag.cast(i, ag.float64)) + norm(x)
        x = smaller(twice_op(x) * 0.75, 4.0)
        i += 1
    return s, x


def by_hand(x, n):
    s = 1.0
    for i in range(n):
        s = s * 0.5 + i + float(np.sum(x.astype(np.float64) ** 2))
        x = np.minimum(x * 2 * np.float32(0.75), np.float32(4.0))
    return s, x


pytestmark = pytest.mark.slow


@pytest.mark.parametrize("options", [{}, PLAN, NATIVE], ids=["auto", "plan", "native"])
def test_calls_in_a_loop_are_operations(options):
    s, x = ag.function(loop, **options)(ag.constant(X), ag.constant(4))
    wanted = by_hand(X, 4)
    np.testing.assert_allclose(float(s), wanted[0], rtol=1e-6)
    np.testing.assert_array_equal(x.numpy(), wanted[1])


def test_native_code_calls_them_without_python():
    native = ag.function(loop, jit_compile=True)
    (kernel,) = native.get_concrete_function(ag.constant(X), ag.constant(4)).kernels()
    for name in ("numba_bump_", "numba_norm_", "numba_twice_", "numba_smaller_"):
        assert name in kernel.source
    assert "numba_bump" not in kernel.assembly()  # it is inlined


def test_both_compilers_call_them():
    ag.config.set_kernel_compiler("numba")
    try:
        _, x = ag.function(loop, jit_compile=True)(ag.constant(X), ag.constant(4))
    finally:
        ag.config.set_kernel_compiler("auto")
    np.testing.assert_array_equal(x.numpy(), by_hand(X, 4)[1])


def test_several_results_are_a_tuple():
    first, rest = ag.function(lambda x: parts(x))(ag.constant(X))
    assert (float(first), rest.numpy().tolist()) == (1.0, [2.0, 3.0, 4.0])


def test_plain_arguments_go_to_the_function_itself():
    assert ag.function(lambda x: x + bump(2.0, 1.0))(ag.constant(1.0)).numpy() == 3.0


def test_arguments_may_have_names():
    assert ag.function(lambda x: bump(n=1.0, x=x))(ag.constant(2.0)).numpy() == 2.0
    assert ag.numba_op(bump)(ag.constant(2.0), n=1.0).numpy() == 2.0
    with pytest.raises(TypeError, match="missing a required argument: 'n'"):
        ag.function(lambda x: bump(x=x))(ag.constant(2.0))


def test_a_stated_gradient_is_used_in_loops():
    @ag.function(jit_compile=True)
    def slope(x):
        with ag.GradientTape() as tape:
            tape.watch(x)
            y = x
            for _ in ag.range(3):
                y = twice_op(y)
        return tape.gradient(y, x)

    np.testing.assert_array_equal(slope(ag.constant(X)).numpy(), [8.0, 8.0, 8.0])


def test_without_a_stated_gradient_the_cure_is_named():
    x = ag.constant(2.0)
    with ag.GradientTape() as tape:
        tape.watch(x)
        y = ag.numba_op(bump)(x, 1.0)
    with pytest.raises(LookupError, match=r"bump.*ag\.numba_op\(f, gradient="):
        tape.gradient(y, x)


@pytest.mark.parametrize("options", [PLAN, NATIVE], ids=["plan", "native"])
def test_an_error_of_the_function_keeps_its_class(options):
    run = ag.function(ag.numba_op(fails, shape=lambda x: x), **options)
    run(ag.constant([0.5, 1.0]))
    with pytest.raises(ArithmeticError, match="too large"):
        run(ag.constant([2.0, 1.0]))


def test_random_numbers_are_drawn_at_each_call():
    twins = ag.function(lambda x: (draws(x), draws(x)))
    one, other = twins(ag.constant(0.0))
    assert float(one) != float(other)


def refused(function, *values, **options):
    with pytest.raises(ag.errors.InvalidArgumentError) as caught:
        ag.function(lambda *x: function(*x), **options)(*map(ag.constant, values))
    return str(caught.value)


def test_native_code_refuses_effects_and_threads_of_numba():
    assert "'draws' may do more than compute" in refused(draws, 1.0, jit_compile=True)
    assert "'summed' starts threads" in refused(summed, X, jit_compile=True)


def test_functions_with_lists_are_called_by_address():
    first = ag.numba_op(begin, shape=lambda x: x)

    @ag.function(jit_compile=True)
    def run(x, n):
        while n > 0:
            x = -first(x)
            n -= 1
        return x, is_even(n)

    x = ag.constant(X)
    (kernel,) = run.get_concrete_function(x, ag.constant(2)).kernels()
    assert "numba_begin" in kernel.assembly()
    found, even = run(x, ag.constant(2))
    assert (found.numpy().tolist(), bool(even)) == ([1.0, 1.0, 1.0], True)
    with pytest.raises(KeyError, match="large"):
        run(ag.constant([7.0]), ag.constant(1))


def test_threads_share_loops_of_calls_and_their_errors():
    f = ag.function(lambda x: checked(x) * 2.0, jit_compile=True)
    x = np.linspace(0, 1, 400_000)
    (kernel,) = f.get_concrete_function(ag.constant(x)).kernels()
    assert "run_region" in kernel.source
    np.testing.assert_allclose(f(ag.constant(x)).numpy(), np.sin(x) * 2, rtol=1e-14)
    x[-1] = 2
    with pytest.raises(ValueError, match="above one"):
        f(ag.constant(x))


def test_functions_that_call_themselves_are_native():
    f = ag.function(lambda n: (factorial(n), is_even(n)), jit_compile=True)
    assert list(map(int, f(ag.constant(5, ag.int64)))) == [120, False]


def test_native_code_refuses_unknown_shapes():
    assert "before it runs: ag.numba_op(shape=)" in refused(twice, X, jit_compile=True)


@pytest.mark.parametrize(
    ("function", "value", "reason"),
    [
        (writes, X, "Cannot modify readonly array"),
        (odd, X, "is no tensor"),
        (numbers, X, "is no tensor"),
        (each, X, "unsupported opcode"),
        (in_object_mode, X, "object mode"),
        (twice, "word", "string"),
        (norm, 2.0, "Numba does not compile norm"),
    ],
)
def test_wrong_uses_are_refused_while_tracing(function, value, reason):
    with pytest.raises((ag.errors.InvalidArgumentError, TypeError), match=reason):
        ag.function(lambda x: function(x))(ag.constant(value))


def test_what_was_compiled_for_arrays_that_may_be_written_to_gets_copies():
    compiled = njit("float32[:](float32[:])")(writes.py_func)
    x = ag.constant(X)
    assert ag.function(lambda x: compiled(x))(x).numpy().tolist() == [0.0, 2.0, 3.0]
    assert x.numpy().tolist() == [1.0, 2.0, 3.0]
    native = ag.numba_op(compiled, shape=lambda x: x)
    assert "needs copies" in refused(native, X, jit_compile=True)


def test_a_wrong_shape_rule_is_an_error():
    wrong = ag.numba_op(twice, shape=lambda x: (7,))
    with pytest.raises(ag.errors.InvalidArgumentError, match=r"returned the shape \(3,\)"):
        ag.function(wrong)(ag.constant(X))


def test_constants_of_modules_are_a_part_of_what_a_function_computes():
    settings = types.ModuleType("settings")
    for settings.factor in (2.0, 3.0):
        scaled = njit(lambda x: x * settings.factor)
        f = ag.function(lambda x: scaled(x), jit_compile=True)  # noqa: B023
        assert float(f(ag.constant(1.0))) == settings.factor


@njit
def applied(f, x, g=twice):
    return f(x) + g(x)


@pytest.mark.parametrize("options", [PLAN, NATIVE], ids=["plan", "native"])
def test_arguments_that_are_functions_of_numba_are_constants(options):
    run = ag.function(lambda x: applied(twice, x) + applied(fails_above, x, checked), **options)
    assert float(run(ag.constant(0.0, ag.float64))) == 0.0
    with pytest.raises(ArithmeticError, match="above"):
        run(ag.constant(3.0, ag.float64))
    slope = ag.numba_op(applied, gradient=lambda dy, x: dy * 4.0)
    x = ag.constant(1.0, ag.float64)
    with ag.GradientTape() as tape:
        tape.watch(x)
        y = slope(twice, x)
    assert (float(y), float(tape.gradient(y, x))) == (4.0, 4.0)
    jitted = ag.jit(lambda x: applied(twice, x))
    assert jitted(1.5) == 6.0
    assert "native code" in jitted.inspect()


@njit
def fails_above(x):
    if x > 2:
        raise ArithmeticError("above two")
    return x


def test_decorated_functions_are_arguments_of_functions_of_numba():
    tripled, halved = ag.jit(lambda x: x * 3.0), ag.function(lambda x: x * 0.5)
    assert applied(tripled, 2.0) == 10.0
    assert applied(halved, 2.0, tripled) == 7.0
    assert applied(halved.as_cfunc("float64(float64)"), 2.0) == 5.0


@jitclass([("value", float64)])
class Box:
    def __init__(self, value):
        self.value = value

    def twice(self):
        return self.value * 2


@njit
def opened(box, x):
    return box.value + x


@njit
def boxed(x):
    return Box(x)


def test_objects_of_jitclass_are_no_tensors():
    box = Box(2.0)
    for function in (lambda x: opened(box, x), Box, boxed):
        with pytest.raises(TypeError, match="no tensor"):
            ag.function(lambda x: function(x))(ag.constant(1.0))  # noqa: B023
    assert float(ag.function(lambda x: x + box.twice())(ag.constant(1.0))) == 5.0


def test_numba_has_no_numbers_of_16_bits():
    with pytest.raises(TypeError, match=r"is float16[\s\S]*It takes bool"):
        ag.function(lambda x: twice(x))(ag.constant(1.0, ag.float16))


def test_numba_op_takes_functions_of_numba_only():
    with pytest.raises(ag.errors.InvalidArgumentError, match="njit"):
        ag.numba_op(len)


def test_a_rank_has_to_be_known():
    spec = ag.TensorSpec(None, ag.float32)
    with pytest.raises(ag.errors.InvalidArgumentError, match="rank of 'x' is not known"):
        ag.function(lambda x: twice(x), input_signature=[spec]).get_concrete_function()


def test_functions_of_vectorize_fuse_with_what_is_around_them():
    f = ag.function(lambda x: ag.reduce_sum(smaller(x * 2, 4.0) + x), jit_compile=True)
    (kernel,) = f.get_concrete_function(ag.constant(X)).kernels()
    assert kernel.source.count("for ") == 1
    assert float(f(ag.constant(X))) == 16.0


def test_functions_of_jit_call_them_natively():
    @ag.jit
    def run(a):
        total = 0.0
        for i in range(len(a)):
            total += norm(a) + bump(i, 0.5)
            a[i] = bump(i, 1)
        return total, smaller(a, a[1])

    expected, found = np.arange(3.0), np.arange(3.0)
    wanted, got = run.python_function(expected), run(found)
    assert "native code" in run.inspect()
    assert (type(got[0]), got[0]) == (float, wanted[0])
    np.testing.assert_array_equal(got[1], wanted[1])
    np.testing.assert_array_equal(found, expected)


def test_functions_of_jit_leave_those_that_write_to_numpy():
    @ag.jit
    def run(a):
        writes(a)
        return a.sum()

    a = X.copy()
    assert (run(a), a[0]) == (5.0, 0.0)
    assert "Cannot modify readonly array" in run.inspect()


@pytest.mark.parametrize("options", [PLAN, NATIVE], ids=["plan", "native"])
def test_the_signature_of_a_generalized_function_is_its_shape_rule(options):
    rows = np.stack([X, X + 1])
    f = ag.function(lambda x: moved(x, total(x)), **options)
    concrete = f.get_concrete_function(ag.constant(rows))
    assert concrete.structured_outputs.shape == (2, 3)
    np.testing.assert_array_equal(concrete(rows).numpy(), rows + rows.sum(1, keepdims=True))
    if options is NATIVE:
        assert total.__name__ in concrete.kernels()[0].source
        run = ag.jit(lambda a: total(a))
        assert (type(run(X)), run(X)) == (np.float32, 6.0)
        assert "native code" in run.inspect()


def test_wrong_uses_of_generalized_functions_are_refused():
    with pytest.raises(ag.errors.InvalidArgumentError, match="no axes"):
        ag.function(lambda x: total(x))(ag.constant(1.0))
    with pytest.raises(TypeError, match="State its types") as caught:
        ag.function(lambda x: guvectorize("(n)->()")(total.gufunc_builder.py_func)(x))(
            ag.constant(X)
        )
    assert '@guvectorize(["void(float32[:], float32[:])"], "(n)->()")' in str(caught.value)


class Saved(ag.Module):
    """A module whose functions call those of Numba."""

    def __init__(self, function):
        self.run = ag.function(function, input_signature=[ag.TensorSpec([3], ag.float32)])


def test_saved_graphs_name_the_functions_of_modules(tmp_path):
    ag.saved_model.save(Saved(lambda x: smaller(twice_op(x), total(x))), tmp_path)
    with pytest.raises(ag.errors.PermissionDeniedError, match="allow_functions=True"):
        ag.saved_model.load(tmp_path)
    loaded = ag.saved_model.load(tmp_path, allow_functions=True)
    assert loaded.run(ag.constant(X)).numpy().tolist() == [2.0, 4.0, 6.0]
    (file,) = tmp_path.glob("graphs-*.txt")
    file.write_text(file.read_text().replace(":total", ":absent"))
    with pytest.raises(ag.errors.NotFoundError, match="'absent'"):
        ag.saved_model.load(tmp_path, allow_functions=True)


def test_functions_without_a_name_in_a_module_are_not_saved(tmp_path):
    local = ag.numba_op(njit(lambda x: x + 1), shape=lambda x: x)
    with pytest.raises(ag.errors.InvalidArgumentError, match="top level of a module"):
        ag.saved_model.save(Saved(lambda x: local(x)), tmp_path)


def test_functions_of_c_are_called_by_address():
    cbrt = ctypes.CDLL(ctypes.util.find_library("m")).cbrt
    with pytest.raises(ag.errors.InvalidArgumentError, match="argtypes"):
        ag.numba_op(cbrt)
    cbrt.argtypes, cbrt.restype = [ctypes.c_double], ctypes.c_double
    root = ag.numba_op(cbrt, stateful=False, gradient=lambda dy, x: dy / (3 * root(x) ** 2))
    half = cfunc("float64(float64)")(lambda x: x * 0.5)
    f = ag.function(lambda x: root(x) + half(x), jit_compile=True)
    x = ag.constant(8.0, ag.float64)
    with ag.GradientTape() as tape:
        tape.watch(x)
        y = root(x)
    assert (float(f(x)), float(tape.gradient(y, x))) == (6.0, 1 / 12)
    assert "stateful=False" in refused(ag.numba_op(cbrt), 8.0, jit_compile=True)


def test_functions_of_cffi_are_called_by_address():
    ffi = cffi.FFI()
    ffi.cdef("double cbrt(double); int printf(const char *, ...);")
    library = ffi.dlopen(ctypes.util.find_library("m"))
    root = ag.numba_op(library.cbrt, stateful=False)
    f = ag.function(lambda x: root(x) * 2, jit_compile=True)
    assert float(f(ag.constant(8.0, ag.float64))) == 4.0
    with pytest.raises(ag.errors.InvalidArgumentError, match="fixed number"):
        ag.numba_op(ffi.dlopen(None).printf)


def test_literally_gives_its_argument_in_jit_and_types_of_numba_hide_nothing():
    @ag.jit
    def scaled(a, n):
        for i in range(len(a)):
            a[i] *= numba.literally(n)
        total = np.float64(0.0)  # the module of `numba` has a name `float64`, too
        with numba.objmode(total="float64"):
            for weight in numba.literal_unroll((1, 2.5)):
                total += weight * a[0]
        return total

    a, b = np.ones(4), np.ones(4)
    assert scaled(a, 3) == scaled.python_function(b, 3) and (a == b).all()
    assert is_native(scaled)
