"""GradientTape: what is recorded, and what comes back."""

import gc
import weakref

import numpy as np
import pytest

import allograph as ag


def slope_of(f, *values, wrt=0):
    """The gradient of f by one argument, eagerly recorded."""
    tensors = [ag.constant(value) for value in values]
    with ag.GradientTape() as tape:
        tape.watch(tensors)
        y = f(*tensors)
    return tape.gradient(y, tensors[wrt])


class TestRecording:
    def test_only_what_is_watched_has_a_gradient(self):
        x, y = ag.constant(2.0), ag.constant(3.0)
        with ag.GradientTape() as tape:
            tape.watch(x)
            z = x * y
        assert [g if g is None else float(g) for g in tape.gradient(z, [x, y])] == [3.0, None]

    def test_trainable_variables_are_watched_when_read(self):
        w, fixed = ag.Variable(2.0), ag.Variable(3.0, trainable=False)
        with ag.GradientTape() as tape:
            z = w * fixed
        assert [v.name for v in tape.watched_variables()] == [w.name]
        assert [g if g is None else float(g) for g in tape.gradient(z, [w, fixed])] == [3.0, None]

    def test_watching_by_itself_can_be_turned_off(self):
        w = ag.Variable(2.0)
        with ag.GradientTape(watch_accessed_variables=False) as tape:
            z = w * w
        assert tape.gradient(z, w) is None
        with ag.GradientTape(watch_accessed_variables=False) as tape:
            tape.watch(w)
            z = w * w
        assert float(tape.gradient(z, w)) == 4.0

    def test_every_reading_of_a_variable_counts(self):
        w = ag.Variable(2.0)
        with ag.GradientTape() as tape:
            z = w * w + w
        assert float(tape.gradient(z, w)) == 5.0

    def test_what_is_done_after_an_assignment_is_a_derivative_by_the_new_value(self):
        w = ag.Variable(2.0)
        with ag.GradientTape() as tape:
            w.assign(5.0)
            z = w * w
        assert float(tape.gradient(z, w)) == 10.0

    def test_steps_before_and_after_the_tape_are_not_seen(self):
        x = ag.constant(2.0)
        y = x * x
        with ag.GradientTape() as tape:
            tape.watch(x)
            z = y * x
        w = z * z
        assert float(tape.gradient(z, x)) == 4.0
        assert w is not None

    def test_recording_can_pause(self):
        x = ag.constant(2.0)
        with ag.GradientTape() as tape:
            tape.watch(x)
            y = x * x
            with tape.stop_recording():
                unseen = y * x
            z = y * 1.0
        assert float(tape.gradient(z + 0.0 * unseen, x, None, "zero")) == 0.0
        assert unseen is not None

    def test_reset_forgets(self):
        x = ag.constant(2.0)
        with ag.GradientTape() as tape:
            tape.watch(x)
            y = x * x
            tape.reset()
            tape.watch(x)
            z = y * x
        assert float(tape.gradient(z, x)) == 4.0

    def test_a_target_that_is_a_source_has_slope_one(self):
        x = ag.constant([1.0, 2.0])
        with ag.GradientTape() as tape:
            tape.watch(x)
        assert tape.gradient(x, x).numpy().tolist() == [1.0, 1.0]

    def test_an_intermediate_result_may_be_a_source(self):
        x = ag.constant(2.0)
        with ag.GradientTape() as tape:
            tape.watch(x)
            y = x * x
            z = y * y
        assert float(tape.gradient(z, y)) == 8.0

    def test_integers_have_no_gradient(self):
        x = ag.constant(2)
        with pytest.warns(UserWarning, match="int32"), ag.GradientTape() as tape:
            tape.watch(x)
            y = x * x
        with pytest.warns(UserWarning, match="int32"):
            assert tape.gradient(y, x) is None

    @pytest.mark.slow
    def test_a_tape_lets_go_of_what_it_recorded(self):
        x = ag.constant(np.ones(10))
        with ag.GradientTape() as tape:
            tape.watch(x)
            y = ag.exp(x)
        seen = weakref.ref(tape)
        tape.gradient(y, x)
        del tape
        gc.collect()
        assert seen() is None


class TestAsking:
    def test_sources_keep_their_structure(self):
        a, b = ag.Variable(2.0), ag.Variable(3.0)
        with ag.GradientTape() as tape:
            z = a * b
        found = tape.gradient(z, {"a": a, "more": [b]})
        assert {"a": float(found["a"]), "more": [float(found["more"][0])]} == {
            "a": 3.0,
            "more": [2.0],
        }

    def test_weights_of_outputs(self):
        x = ag.constant([1.0, 2.0])
        with ag.GradientTape() as tape:
            tape.watch(x)
            y = x * x
        found = tape.gradient(y, x, output_gradients=ag.constant([1.0, 10.0]))
        assert found.numpy().tolist() == [2.0, 40.0]

    def test_zeros_on_request(self):
        x, other = ag.constant(1.0), ag.constant([1.0, 2.0])
        with ag.GradientTape() as tape:
            tape.watch([x, other])
            y = x * 2.0
        found = tape.gradient(y, other, unconnected_gradients=ag.UnconnectedGradients.ZERO)
        assert found.numpy().tolist() == [0.0, 0.0]

    def test_a_tape_is_asked_once(self):
        x = ag.constant(1.0)
        with ag.GradientTape() as tape:
            tape.watch(x)
            y = x * 2.0
        tape.gradient(y, x)
        with pytest.raises(RuntimeError, match="persistent=True"):
            tape.gradient(y, x)

    def test_a_persistent_tape_is_asked_often(self):
        x = ag.constant(3.0)
        with ag.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = x * x
            z = y * y
        assert (float(tape.gradient(y, x)), float(tape.gradient(z, x))) == (6.0, 108.0)

    def test_an_operation_without_a_rule_is_named(self):
        x = ag.constant([1.0, 2.0])
        with ag.GradientTape() as tape:
            tape.watch(x)
            y = ag.bitcast(ag.bitcast(x, ag.int32), ag.float32)
        assert tape.gradient(y, x) is None
        with ag.GradientTape() as tape:
            tape.watch(x)
            y = ag.unique(x).y
        with pytest.raises(LookupError, match="distinct"):
            tape.gradient(y, x)

    def test_jacobian(self):
        x = ag.constant([1.0, 2.0, 3.0])
        with ag.GradientTape() as tape:
            tape.watch(x)
            y = ag.stack([ag.reduce_sum(x), x[0] * x[1]])
        assert tape.jacobian(y, x).numpy().tolist() == [[1, 1, 1], [2, 1, 0]]

    def test_batch_jacobian(self):
        x = ag.constant([[1.0, 2.0], [3.0, 4.0]])
        with ag.GradientTape() as tape:
            tape.watch(x)
            y = x * x
        assert tape.batch_jacobian(y, x).numpy().tolist() == [
            [[2, 0], [0, 4]],
            [[6, 0], [0, 8]],
        ]

    def test_hessian_by_composition(self):
        x = ag.constant([1.0, 2.0])
        with ag.GradientTape() as outer:
            outer.watch(x)
            with ag.GradientTape() as inner:
                inner.watch(x)
                y = x[0] * x[0] * x[1]
            slope = inner.gradient(y, x)
        assert outer.jacobian(slope, x).numpy().tolist() == [[4, 2], [2, 0]]

    def test_complex_numbers_use_the_conjugate_of_the_derivative(self):
        z = ag.constant(1 + 2j, ag.complex128)
        with ag.GradientTape() as tape:
            tape.watch(z)
            y = z * z
        assert complex(tape.gradient(y, z).numpy()) == 2 - 4j

    def test_broadcasting_is_undone(self):
        row, column = ag.constant([1.0, 2.0]), ag.constant([[1.0], [2.0], [3.0]])
        with ag.GradientTape() as tape:
            tape.watch([row, column])
            y = row * column + 1.0
        by_row, by_column = tape.gradient(y, [row, column])
        assert by_row.numpy().tolist() == [6.0, 6.0]
        assert by_column.numpy().tolist() == [[3.0], [3.0], [3.0]]


class TestVariablesAsTargets:
    """A variable that is differentiated is read when the gradient is asked for."""

    def test_the_gradient_with_respect_to_itself_is_one(self):
        v = ag.Variable(3.0)
        with ag.GradientTape() as tape:
            pass
        assert float(tape.gradient(v, v)) == 1.0

    def test_it_adds_to_the_gradients_of_other_targets(self):
        v = ag.Variable(3.0)
        with ag.GradientTape() as tape:
            y = v * v
        assert float(tape.gradient([y, v], v)) == 7.0

    def test_in_a_graph(self):
        v = ag.Variable([3.0, 4.0])

        @ag.function
        def slope():
            with ag.GradientTape() as tape:
                pass
            return tape.gradient(v, v, output_gradients=ag.constant([2.0, 5.0]))

        assert slope().numpy().tolist() == [2.0, 5.0]

    def test_its_jacobian_is_the_identity(self):
        v = ag.Variable([3.0, 4.0])
        with ag.GradientTape() as tape:
            pass
        assert tape.jacobian(v, v).numpy().tolist() == [[1.0, 0.0], [0.0, 1.0]]

    def test_a_variable_that_is_not_watched_has_none(self):
        v, fixed = ag.Variable(3.0), ag.Variable(3.0, trainable=False)
        with ag.GradientTape(watch_accessed_variables=False) as tape:
            pass
        assert tape.gradient(v, v) is None
        with ag.GradientTape() as tape:
            pass
        assert tape.gradient(fixed, fixed) is None


def sum_of_powers(x, n):
    total = ag.zeros_like(x)
    power = ag.ones_like(x)
    for _ in ag.range(n):
        power = power * x
        total = total + power
    return total


def piecewise(x, n):
    if ag.reduce_sum(x) > 1.0:
        y = x * x
    else:
        y = ag.sin(x)
    return y * ag.cast(n, x.dtype)


def nested(x, n):
    y = x
    for i in ag.range(n):
        if i % 2 == 0:
            for _ in ag.range(i + 1):
                y = y * x
        else:
            y = ag.tanh(y)
    return y


def leaving_early(x, n):
    y = x
    for i in ag.range(n):
        y = y * 1.5
        if ag.reduce_max(y) > 3.0:
            break
    return y


def growing(x, n):
    y = x
    for _ in ag.range(n):
        ag.autograph.experimental.set_loop_options(shape_invariants=[(y, ag.TensorShape([None]))])
        y = ag.concat([y, y * x[:1]], 0)
    return ag.reduce_sum(y * y)


def filling(x, n):
    rows = ag.TensorArray(x.dtype, size=n + 1)
    for i in ag.range(n + 1):
        rows = rows.write(i, x * ag.cast(i + 1, x.dtype))
    return ag.reduce_prod(rows.stack(), axis=0)


def carried_pair(x, n):
    a, b = x, ag.ones_like(x)
    while n > 0:
        a, b = b + a * 0.5, a * b
        n -= 1
    return a + b


def called(x, n):
    @ag.function
    def square(v):
        return v * v

    return square(square(x)) + square(x) * ag.cast(n, x.dtype)


STAGED = [sum_of_powers, piecewise, nested, leaving_early, growing, filling, carried_pair, called]


@pytest.mark.parametrize("f", STAGED, ids=lambda f: f.__name__)
class TestStagedControlFlow:
    """Gradients of staged control flow are those of the same code run eagerly."""

    VALUES = [
        (np.array([0.3, 0.9]), 0),
        (np.array([0.3, 0.9]), 3),
        (np.array([1.2, -0.4, 0.7]), 4),
    ]

    def test_outside_the_function(self, f):
        staged = ag.function(f)
        for x, n in self.VALUES:
            plain = slope_of(lambda v, n=n: f(v, ag.constant(n)), x)
            graph = slope_of(lambda v, n=n: staged(v, ag.constant(n)), x)
            plain = np.zeros_like(x) if plain is None else plain.numpy()
            graph = np.zeros_like(x) if graph is None else graph.numpy()
            np.testing.assert_allclose(graph, plain, rtol=1e-12, atol=1e-15)

    def test_inside_the_function(self, f):
        @ag.function
        def slope(x, n):
            with ag.GradientTape() as tape:
                tape.watch(x)
                y = f(x, n)
            return tape.gradient(y, x, unconnected_gradients="zero")

        for x, n in self.VALUES:
            plain = slope_of(lambda v, n=n: f(v, ag.constant(n)), x)
            plain = np.zeros_like(x) if plain is None else plain.numpy()
            np.testing.assert_allclose(slope(x, ag.constant(n)).numpy(), plain, atol=1e-15)

    @pytest.mark.slow
    def test_second_derivatives(self, f):
        def second(g, x, n):
            x = ag.constant(x)
            with ag.GradientTape() as outer:
                outer.watch(x)
                with ag.GradientTape() as inner:
                    inner.watch(x)
                    y = g(x, ag.constant(n))
                slope = inner.gradient(y, x, unconnected_gradients="zero")
            return outer.gradient(slope, x, unconnected_gradients="zero").numpy()

        @ag.function
        def inside(x, n):
            with ag.GradientTape() as outer:
                outer.watch(x)
                with ag.GradientTape() as inner:
                    inner.watch(x)
                    y = f(x, n)
                slope = inner.gradient(y, x, unconnected_gradients="zero")
            return outer.gradient(slope, x, unconnected_gradients="zero")

        for x, n in self.VALUES:
            plain = second(f, x, n)
            np.testing.assert_allclose(second(ag.function(f), x, n), plain, atol=1e-12)
            np.testing.assert_allclose(inside(x, ag.constant(n)).numpy(), plain, atol=1e-12)


class TestVariablesInGraphs:
    def test_a_variable_read_in_a_loop(self):
        w = ag.Variable(0.5)

        @ag.function
        def f(x, n):
            for _ in ag.range(n):
                x = x * w
            return x

        with ag.GradientTape() as tape:
            y = f(ag.constant(3.0), ag.constant(4))
        assert float(tape.gradient(y, w)) == pytest.approx(3 * 4 * 0.5**3)

    def test_a_variable_that_one_branch_reads(self):
        w, v = ag.Variable(2.0), ag.Variable(5.0)

        @ag.function
        def f(x):
            return x * w if x > 0 else x * v * v

        for x, slopes in ((3.0, [3.0, 0.0]), (-1.0, [0.0, -10.0])):
            with ag.GradientTape() as tape:
                y = f(ag.constant(x))
            assert [float(g) for g in tape.gradient(y, [w, v])] == slopes

    def test_a_training_step_in_one_graph(self):
        w = ag.Variable([0.0, 0.0])

        @ag.function
        def step(x, y):
            with ag.GradientTape() as tape:
                loss = ag.reduce_mean(ag.square(ag.linalg.matvec(x, w) - y))
            w.assign_sub(0.1 * tape.gradient(loss, w))
            return loss

        random = np.random.default_rng(1)
        x = random.normal(size=(64, 2)).astype(np.float32)
        y = x @ np.array([2.0, -3.0], np.float32)
        losses = [float(step(x, y)) for _ in range(100)]
        assert losses[-1] < 1e-4 < losses[0]
        np.testing.assert_allclose(w.numpy(), [2.0, -3.0], atol=0.02)

    def test_a_loop_of_training_steps(self):
        w = ag.Variable(0.0)

        @ag.function
        def train(n):
            for _ in ag.range(n):
                with ag.GradientTape() as tape:
                    loss = (w - 3.0) ** 2
                w.assign_sub(0.25 * tape.gradient(loss, w))
            return loss

        train(ag.constant(20))
        assert float(w) == pytest.approx(3.0, abs=1e-4)

    def test_random_numbers_are_drawn_once(self):
        @ag.function
        def f(x):
            noise = ag.random.uniform([3])
            return ag.reduce_sum(x * noise), noise

        x = ag.constant([1.0, 1.0, 1.0])
        with ag.GradientTape() as tape:
            tape.watch(x)
            y, noise = f(x)
        np.testing.assert_array_equal(tape.gradient(y, x).numpy(), noise.numpy())

    def test_effects_happen_once(self, capsys):
        @ag.function
        def f(x):
            ag.print("once")
            return x * x

        assert float(slope_of(f, 3.0)) == 6.0
        assert capsys.readouterr().err.count("once") == 1


class TestGradientsFunction:
    def test_inside_a_graph(self):
        @ag.function
        def f(x, y):
            return ag.gradients([x * y, x], [x, y])

        assert [float(g) for g in f(ag.constant(2.0), ag.constant(5.0))] == [6.0, 2.0]

    def test_constants_stop_it(self):
        @ag.function
        def f(x):
            y = x * x
            return ag.gradients(y * x, x, stop_gradients=[y])[0]

        assert float(f(ag.constant(3.0))) == 9.0

    def test_outside_a_graph_it_refuses(self):
        with pytest.raises(RuntimeError, match="GradientTape"):
            ag.gradients(ag.constant(1.0), ag.constant(1.0))


@pytest.mark.parametrize("way", [lambda f: f, ag.function], ids=["eager", "graph"])
def test_a_tensor_array_that_grows_has_a_gradient(way):
    @way
    def total(x, n):
        rows = ag.TensorArray(ag.float32, size=0, dynamic_size=True)
        for i in ag.range(n):
            rows = rows.write(i, x * ag.cast(i, ag.float32))
        return ag.reduce_sum(rows.stack())

    x = ag.constant([1.0, 2.0])
    with ag.GradientTape() as tape:
        tape.watch(x)
        y = total(x, ag.constant(4))
    assert tape.gradient(y, x).numpy().tolist() == [6.0, 6.0]


@pytest.mark.parametrize("way", [lambda f: f, ag.function], ids=["eager", "graph"])
def test_a_tape_in_a_loop_goes_through_control_flow_by_values_from_around_it(way):
    outside = ag.constant(3.0)

    def chosen(v):
        return v * v if v > 1 else -v

    def powers(v):
        total = 0.0
        for _ in ag.range(2):
            total += v * v
        return total

    @way
    def slopes(x):
        v, total = x * 1.0, ag.constant(0.0)
        for _ in ag.range(2):
            if x > 0:
                with ag.GradientTape() as tape:
                    tape.watch([v, outside])
                    y = chosen(v) + powers(v) + chosen(outside)
                total += ag.add_n(tape.gradient(y, [v, outside]))
        return total

    assert float(slopes(ag.constant(2.0))) == 2 * (4.0 + 8.0 + 6.0)


@pytest.mark.parametrize("x", [[1.0, 2.0], [0.1, 0.2]])
def test_either_side_of_a_branch_may_ask_a_tape(x):
    def f(x):
        with ag.GradientTape() as tape:
            tape.watch(x)
            y = ag.reduce_sum(x * x)
            if y > 3:
                return tape.gradient(y, x)
            y = y * 2.0
        with ag.GradientTape() as other:
            other.watch(x)
            z = ag.reduce_sum(x**3)
        if z > 1:
            slopes = other.gradient(z, x)
        else:
            slopes = other.gradient(z, x) * 2.0
        return tape.gradient(y, x) + slopes

    x = ag.constant(x)
    assert ag.function(f)(x).numpy().tolist() == pytest.approx(f(x).numpy().tolist())


def test_a_branch_does_not_ask_a_tape_again():
    @ag.function
    def f(x):
        with ag.GradientTape() as tape:
            tape.watch(x)
            y = x * x
        slope = tape.gradient(y, x)
        if x > 0:
            slope += tape.gradient(y, x)
        return slope

    with pytest.raises(RuntimeError, match="asked for a gradient twice"):
        f(ag.constant(1.0))


def test_recording_does_not_stop_in_a_staged_block():
    def f(x):
        with ag.GradientTape() as tape:
            tape.watch(x)
            total = ag.constant(0.0)
            for v in x:
                with tape.stop_recording():
                    square = v * v
                total += square + v
        return tape.gradient(total, x)

    x = ag.constant([1.0, 2.0])
    assert f(x).numpy().tolist() == [1.0, 1.0]
    with pytest.raises(ag.errors.UnimplementedError, match="stop_gradient"):
        ag.function(f)(x)


@pytest.mark.parametrize("way", [lambda f: f, ag.function], ids=["eager", "graph"])
def test_a_tape_is_asked_in_a_block_for_what_the_block_computes(way):
    weight = ag.Variable(2.0)

    @way
    def f(x, n):
        total = 0.0
        with ag.GradientTape(persistent=True) as tape:
            tape.watch(x)
            z = x * x * weight
            for i in ag.range(n):
                y = z * weight
                if i > 0:
                    q = ag.sin(y) * x if x > 0 else y
                    total += ag.add_n(tape.gradient(q, [weight, x, y]))
        return total

    cosine = np.cos(9.0)  # of x = 1.5: y = x² w², q = sin(y) x
    slopes = [cosine * 9.0 * 1.5, cosine * 12.0 * 1.5 + np.sin(9.0), cosine * 1.5]
    assert float(f(ag.constant(1.5), ag.constant(3))) == pytest.approx(2 * sum(slopes), rel=1e-4)


def test_what_iterations_hand_on_is_not_differentiated_in_the_loop():
    def f(x):
        state = x
        with ag.GradientTape(persistent=True) as tape:
            tape.watch(x)
            for _ in ag.range(3):
                y = state * x
                state = state + 0.1 * tape.gradient(y, x)
        return state

    with pytest.raises(ag.errors.UnimplementedError, match=r"depends on 'state'(?s:.*)after the"):
        ag.function(f)(ag.constant(1.5))

    @ag.function
    def asked_after(x):
        with ag.GradientTape() as tape:
            tape.watch(x)
            state = x
            for _ in ag.range(3):
                state = state * x
        return tape.gradient(state, x)

    assert float(asked_after(ag.constant(2.0))) == 32.0


def test_a_forward_derivative_is_asked_in_a_branch():
    def f(x):
        with ag.autodiff.ForwardAccumulator(x, ag.constant(1.0)) as acc:
            y = x * x
            if x > 0:
                return acc.jvp(y * x)
            return acc.jvp(y)

    for x in (ag.constant(2.0), ag.constant(-2.0)):
        assert float(ag.function(f)(x)) == float(f(x))


def test_a_tape_around_a_function_is_not_asked_in_it():
    def f(x):
        with ag.GradientTape(persistent=True) as tape:
            tape.watch(x)

            @ag.function
            def inner(v):
                return tape.gradient(v * v * x, x)

            return inner(x * 2.0)

    with pytest.raises(ag.errors.UnimplementedError, match="opened around a function is asked in"):
        f(ag.constant(3.0))


def test_a_tape_around_a_function_is_neither_given_to_it_nor_watches_in_it():
    ask = ag.function(lambda tape, y, x: tape.gradient(y, x))

    @ag.function
    def watched(tape, x):
        tape.watch(x)
        return x * x

    x = ag.constant(3.0)
    with ag.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    with pytest.raises(ag.errors.UnimplementedError, match="or takes as an argument"):
        ask(tape, y, x)
    with pytest.raises(ag.errors.UnimplementedError, match="watches in the function"):
        with ag.GradientTape() as tape:
            watched(tape, x)


def test_a_tape_does_not_begin_to_watch_what_a_block_has_used():
    weight = ag.Variable(2.0)

    @ag.function
    def in_loop(x, n):
        with ag.GradientTape() as tape:
            y = x * 2.0
            for _ in ag.range(n):
                y += x * x
                tape.watch(x)
        return tape.gradient(y, x)

    @ag.function
    def in_branch(x):
        with ag.GradientTape() as tape:
            y = x * 2.0
            if x > 0:
                y += ag.sin(x) if y > 0 else y
                tape.watch(x)
                y += x * x
        return tape.gradient(y, x)

    @ag.function
    def handed_on(x, n):
        state = x
        with ag.GradientTape() as tape:
            for _ in ag.range(n):
                tape.watch(state)
                state = state * state
        return tape.gradient(state, x)

    @ag.function
    def used_outside(x):
        with ag.GradientTape() as tape:
            y = weight * x
            if x > 0:
                tape.watch(x)
                y += x
        return tape.gradient(y, x)

    x, n = ag.constant(3.0), ag.constant(2)
    with pytest.raises(ag.errors.UnimplementedError, match="depends on whether the block runs"):
        used_outside(x)
    for f, given in ((in_loop, (x, n)), (in_branch, (x,))):
        with pytest.raises(ag.errors.UnimplementedError, match="has used before"):
            f(*given)
    with pytest.raises(ag.errors.UnimplementedError, match="which iterations hand on"):
        handed_on(x, n)


@pytest.mark.parametrize("way", [lambda f: f, ag.function], ids=["eager", "graph"])
def test_a_block_watches_from_where_it_says_so(way):
    @way
    def f(x, n):
        total = 0.0
        with ag.GradientTape(persistent=True) as tape:
            for _ in ag.range(n):
                z = x * 1.0
                before = z + z
                tape.watch(z)
                y = z * z + before
                total += tape.gradient(y, z)
            for _ in ag.range(n):
                tape.watch(x)
                y += x * x
        return total, tape.gradient(y, x)

    slopes = f(ag.constant(3.0), ag.constant(2))
    assert [float(one) for one in slopes] == [12.0, 12.0]


@pytest.mark.parametrize("name", ["gather", "matmul", "reduce_sum", "sort"])
def test_a_gradient_that_needs_a_rank_says_so(name):
    steps = {
        "gather": lambda x: ag.gather(x, [0]),
        "matmul": lambda x: ag.matmul(x, x),
        "reduce_sum": lambda x: ag.reduce_sum(x, 0),
        "sort": ag.sort,
    }

    def slope(x):
        with ag.GradientTape() as tape:
            tape.watch(x)
            y = steps[name](x)
        return tape.gradient(y, x)

    x, unknown = ag.ones([2, 2]), [ag.TensorSpec(None, ag.float32)]
    with pytest.raises(
        (ag.errors.UnimplementedError, ValueError), match=r"ensure_shape\(x, \[None"
    ):
        ag.function(slope, input_signature=unknown)(x)

    def known(x):
        return slope(ag.ensure_shape(x, [None, 2]))

    found = ag.function(known, input_signature=unknown)(x)
    assert found.numpy().tolist() == slope(x).numpy().tolist()
