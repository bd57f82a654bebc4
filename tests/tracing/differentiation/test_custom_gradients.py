"""Gradients that the user states, recomputed ones, and derivatives that go forward."""

import numpy as np
import pytest

import allograph as ag


@ag.custom_gradient
def log1pexp(x):
    e = ag.exp(x)

    def grad(dy):
        return dy * (1 - 1 / (1 + e))

    return ag.math.log(1 + e), grad


def slope(f, *values):
    tensors = [ag.constant(v) for v in values]
    with ag.GradientTape() as tape:
        tape.watch(tensors)
        y = f(*tensors)
    found = tape.gradient(y, tensors)
    return found[0] if len(found) == 1 else found


class TestCustomGradient:
    def test_eagerly(self):
        assert float(slope(log1pexp, 100.0)) == 1.0  # by the rules of log and exp: NaN

    def test_in_a_function(self):
        assert float(slope(ag.function(lambda x: log1pexp(x) * 2.0), 100.0)) == 2.0

    @pytest.mark.slow
    def test_in_a_staged_loop(self):
        @ag.function
        def f(x, n):
            for _ in ag.range(n):
                x = log1pexp(x)
            return x

        assert float(slope(lambda x: f(x, ag.constant(2)), 100.0)) == 1.0

    def test_a_function_without_a_tape_just_computes(self):
        assert float(log1pexp(ag.constant(0.0))) == pytest.approx(np.log(2))

    def test_of_several_arguments_and_results(self):
        @ag.custom_gradient
        def swap(a, b):
            return (b, a), lambda db, da: (da * 10.0, db * 100.0)

        a, b = slope(lambda a, b: swap(a, b)[0] + 0.0 * swap(a, b)[1], 1.0, 2.0)
        assert (float(a), float(b)) == (0.0, 100.0)

    @pytest.mark.slow
    def test_with_variables(self):
        w = ag.Variable(3.0)

        @ag.custom_gradient
        def scaled(x):
            y = x * w

            def grad(dy, variables):
                assert variables[0] is w
                return dy * 7.0, [dy * 11.0]

            return y, grad

        for f in (scaled, ag.function(lambda x: scaled(x))):
            x = ag.constant(2.0)
            with ag.GradientTape() as tape:
                tape.watch(x)
                y = f(x)
            assert [float(g) for g in tape.gradient(y, [x, w])] == [7.0, 11.0]

    @pytest.mark.slow
    def test_a_wrong_number_of_gradients_is_an_error(self):
        @ag.custom_gradient
        def f(a, b):
            return a + b, lambda dy: dy

        with pytest.raises(ValueError, match="1 gradients for 2"):
            slope(f, 1.0, 2.0)

    def test_second_derivatives_are_those_of_the_stated_gradient(self):
        x = ag.constant(0.5)
        with ag.GradientTape() as outer:
            outer.watch(x)
            with ag.GradientTape() as inner:
                inner.watch(x)
                y = log1pexp(x)
            first = inner.gradient(y, x)
        sigmoid = 1 / (1 + np.exp(-0.5))
        assert float(outer.gradient(first, x)) == pytest.approx(sigmoid * (1 - sigmoid))


class TestRecomputed:
    def test_gives_the_same_gradient(self):
        w = ag.Variable(2.0)

        def f(x):
            return ag.sin(x) * w

        for g in (ag.recompute_grad(f), ag.function(ag.recompute_grad(f))):
            x = ag.constant(0.5)
            with ag.GradientTape() as tape:
                tape.watch(x)
                y = g(x)
            by_x, by_w = tape.gradient(y, [x, w])
            assert float(by_x) == pytest.approx(2 * np.cos(0.5))
            assert float(by_w) == pytest.approx(np.sin(0.5))


class TestForwardAccumulator:
    def test_a_directional_derivative(self):
        x = ag.constant([1.0, 2.0])
        with ag.autodiff.ForwardAccumulator(x, ag.constant([1.0, 10.0])) as acc:
            y = x * x
        assert acc.jvp(y).numpy().tolist() == [2.0, 40.0]

    def test_through_a_function_with_a_loop(self):
        @ag.function
        def power(x, n):
            y = ag.ones_like(x)
            for _ in ag.range(n):
                y = y * x
            return y

        x = ag.constant(2.0)
        with ag.autodiff.ForwardAccumulator(x, ag.constant(1.0)) as acc:
            y = power(x, ag.constant(3))
        assert float(acc.jvp(y)) == 12.0

    def test_by_a_variable(self):
        w = ag.Variable(3.0)
        with ag.autodiff.ForwardAccumulator(w, ag.constant(1.0)) as acc:
            y = w * w
        assert float(acc.jvp(y)) == 6.0

    def test_what_does_not_move_has_none(self):
        x, other = ag.constant(1.0), ag.constant(2.0)
        with ag.autodiff.ForwardAccumulator(x, ag.constant(1.0)) as acc:
            y = other * 2.0
        assert acc.jvp(y) is None
        assert float(acc.jvp(y, unconnected_gradients="zero")) == 0.0

    def test_forward_over_reverse_is_a_product_with_the_hessian(self):
        x = ag.constant([1.0, 2.0])
        with ag.autodiff.ForwardAccumulator(x, ag.constant([1.0, 0.0])) as acc:
            with ag.GradientTape() as tape:
                tape.watch(x)
                y = x[0] * x[0] * x[1]
            slope = tape.gradient(y, x)
        assert acc.jvp(slope).numpy().tolist() == [4.0, 2.0]


# ---- Python code -------------------------------------------------------------------------------


@pytest.mark.parametrize("decorate", [lambda f: f, ag.function], ids=["eager", "graph"])
def test_python_code_in_a_graph_has_a_gradient(decorate):
    runs = []

    def area(x, y):
        runs.append(1)
        return x * x * y

    both = decorate(lambda x, y: ag.py_function(area, [x, y], ag.float32) * 2.0)
    x, y = ag.constant(3.0), ag.constant(4.0)
    with ag.GradientTape() as tape:
        tape.watch([x, y])
        z = both(x, y)
    assert [float(one) for one in tape.gradient(z, [x, y])] == [48.0, 18.0]
    assert len(runs) == 1


def test_python_code_has_a_second_derivative():
    cube = ag.function(lambda x: ag.py_function(lambda x: x * x * x, [x], ag.float32))
    x = ag.constant(2.0)
    with ag.GradientTape() as outer:
        outer.watch(x)
        with ag.GradientTape() as inner:
            inner.watch(x)
            y = cube(x)
        slope = inner.gradient(y, x)
    assert (float(slope), float(outer.gradient(slope, x))) == (12.0, 12.0)


def test_python_code_in_a_loop_has_a_gradient():
    @ag.function
    def power(x):
        for _ in ag.range(3):
            x = ag.py_function(lambda x: x * x, [x], ag.TensorSpec([]))
        return x

    x = ag.constant(2.0)
    with ag.GradientTape() as tape:
        tape.watch(x)
        y = power(x)
    assert (float(y), float(tape.gradient(y, x))) == (2.0**8, 8 * 2.0**7)


def test_only_the_numbers_among_several_results_have_gradients():
    @ag.function
    def slope(x):
        with ag.GradientTape() as tape:
            tape.watch(x)
            square, _, same = ag.py_function(
                lambda x, n: (x * x, n + 1, x), [x, 3], [ag.float32, ag.int32, ag.float32]
            )
            y = square + same
        return tape.gradient(y, x)

    assert float(slope(ag.constant(5.0))) == 11.0


def test_numpy_code_has_no_gradient():
    x = ag.constant(1.0)
    with ag.GradientTape() as tape:
        tape.watch(x)
        y = ag.numpy_function(np.sin, [x], ag.float32)
    with pytest.raises(LookupError, match="py_function"):
        tape.gradient(y, x)


@ag.custom_gradient
def limited(x):
    def grad(dy):
        if ag.norm(dy) > 1.0:
            return dy / ag.norm(dy)
        return dy

    if x[0] > 0:
        return x * 1.0, grad
    return x * 2.0, grad


def test_tensors_drive_the_control_flow_of_a_custom_gradient():
    @ag.function
    def slope(x):
        with ag.GradientTape() as tape:
            tape.watch(x)
            y = ag.reduce_sum(limited(x) ** 2)
        return tape.gradient(y, x)

    for x in ([3.0, 4.0], [-0.1, 0.1]):
        expected = slope.python_function(ag.constant(x))
        np.testing.assert_allclose(slope(ag.constant(x)), expected, rtol=1e-6)


def test_what_is_recomputed_may_branch():
    def chosen(v):
        return v * v if v > 1 else -v

    @ag.function
    def slope(x):
        with ag.GradientTape() as tape:
            tape.watch(x)
            y = ag.recompute_grad(chosen)(x[1])
        return tape.gradient(y, x)

    assert slope(ag.constant([0.0, 3.0])).numpy().tolist() == [0.0, 6.0]


class Scaled:
    factor = 7.0

    @ag.custom_gradient
    def of_one(self, x):
        return x * 1.0, lambda dy: dy * self.factor

    @ag.custom_gradient
    def of_all(self, x, y, mode):
        return x * y, lambda dy: (None, dy * self.factor, dy, None)

    @ag.recompute_grad
    def recomputed(self, x):
        return x * x * self.factor


@pytest.mark.parametrize("decorate", [lambda f: f, ag.function])
def test_methods_have_custom_gradients_too(decorate):
    scaled = Scaled()
    assert float(slope(decorate(scaled.of_one), 2.0)) == 7.0
    both = slope(decorate(lambda x, y: scaled.of_all(x, y, None)), 2.0, 3.0)
    assert [float(one) for one in both] == [7.0, 1.0]
    assert float(slope(decorate(scaled.recomputed), 2.0)) == 28.0


@ag.custom_gradient
def product(x, y, *, scale=None, times=1):
    def grad(dy):
        return (dy * 10.0, dy * 20.0) if scale is None else (dy * 10.0, dy * 20.0, dy * 30.0)

    return x * y * (1.0 if scale is None else scale) * times, grad


@pytest.mark.parametrize("decorate", [lambda f: f, ag.function])
@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda x, y, z: product(x=x, y=y), [10.0, 20.0, None]),
        (lambda x, y, z: product(y=y, x=x, times=2), [10.0, 20.0, None]),
        (lambda x, y, z: product(x, y=y, scale=z), [10.0, 20.0, 30.0]),
        (lambda x, y, z: ag.recompute_grad(lambda a, b: a * b)(b=y, a=x), [3.0, 2.0, None]),
        (
            lambda x, y, z: ag.custom_gradient(lambda a, *, b: (a * b, lambda dy: dy * 7.0))(
                x, b=y
            ),
            [7.0, None, None],
        ),
    ],
)
def test_arguments_by_keyword_have_gradients_too(decorate, call, expected):
    found = slope(decorate(call), 2.0, 3.0, 4.0)
    assert [None if one is None else float(one) for one in found] == expected


def test_a_number_by_keyword_stays_one():
    @ag.custom_gradient
    def power(x, n):
        y = x
        for _ in range(n - 1):
            y = y * x
        return y, lambda dy: dy * n

    assert float(slope(ag.function(lambda x: power(x, n=3)), 2.0)) == 3.0
