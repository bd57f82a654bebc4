"""Optimizers against their formulas in NumPy, eagerly and in functions."""

import numpy as np
import pytest

import allograph as ag

optimizers, schedules = ag.keras.optimizers, ag.keras.optimizers.schedules
START = np.array([1.0, -2.0, 0.5])
RNG = np.random.default_rng(13)
GRADIENTS = RNG.normal(size=(6, 3))


def sgd(rate=0.1):
    v = START.copy()
    for g in GRADIENTS:
        v -= rate * g
    return v


def momentum(rate=0.1, m=0.9, nesterov=False):
    v, a = START.copy(), np.zeros(3)
    for g in GRADIENTS:
        a = m * a - rate * g
        v += m * a - rate * g if nesterov else a
    return v


def adam(rate=0.1, b1=0.9, b2=0.999, eps=1e-7, amsgrad=False, decay=0.0):
    v, m, s, top = START.copy(), np.zeros(3), np.zeros(3), np.zeros(3)
    for t, g in enumerate(GRADIENTS, 1):
        v -= rate * decay * v
        m, s = b1 * m + (1 - b1) * g, b2 * s + (1 - b2) * g * g
        top = np.maximum(top, s)
        scale = rate * np.sqrt(1 - b2**t) / (1 - b1**t)
        v -= scale * m / (np.sqrt(top if amsgrad else s) + eps)
    return v


def adamax(rate=0.1, b1=0.9, b2=0.999, eps=1e-7):
    v, m, u = START.copy(), np.zeros(3), np.zeros(3)
    for t, g in enumerate(GRADIENTS, 1):
        m, u = b1 * m + (1 - b1) * g, np.maximum(b2 * u, abs(g))
        v -= rate / (1 - b1**t) * m / (u + eps)
    return v


def rmsprop(rate=0.1, rho=0.9, m=0.0, eps=1e-7, centered=False):
    v, s, mean, step = START.copy(), np.zeros(3), np.zeros(3), np.zeros(3)
    for g in GRADIENTS:
        s, mean = rho * s + (1 - rho) * g * g, rho * mean + (1 - rho) * g
        step = m * step + rate * g / np.sqrt(s - mean**2 * centered + eps)
        v -= step
    return v


def adagrad(rate=0.1):
    v, s = START.copy(), np.full(3, 0.1)
    for g in GRADIENTS:
        s += g * g
        v -= rate * g / np.sqrt(s + 1e-7)
    return v


def adadelta(rate=0.1, rho=0.95, eps=1e-7):
    v, s, d = START.copy(), np.zeros(3), np.zeros(3)
    for g in GRADIENTS:
        s = rho * s + (1 - rho) * g * g
        change = np.sqrt(d + eps) / np.sqrt(s + eps) * g
        d = rho * d + (1 - rho) * change**2
        v -= rate * change
    return v


def lion(rate=0.1):
    v, m = START.copy(), np.zeros(3)
    for g in GRADIENTS:
        v -= rate * np.sign(0.9 * m + 0.1 * g)
        m = 0.99 * m + 0.01 * g
    return v


def old_momentum(nesterov=False):
    v, a = START.copy(), np.zeros(3)
    for g in GRADIENTS:
        a = 0.9 * a + g
        v -= 0.1 * (g + 0.9 * a if nesterov else a)
    return v


def old_rmsprop():
    v, s = START.copy(), np.ones(3)
    for g in GRADIENTS:
        s = 0.9 * s + 0.1 * g * g
        v -= 0.1 * g / np.sqrt(s + 1e-10)
    return v


CASES = {
    "SGD": (lambda: optimizers.SGD(0.1), sgd()),
    "SGD with momentum": (lambda: optimizers.SGD(0.1, momentum=0.9), momentum()),
    "Nesterov": (
        lambda: optimizers.SGD(0.1, momentum=0.9, nesterov=True), momentum(nesterov=True)
    ),
    "Adam": (lambda: optimizers.Adam(0.1), adam()),
    "AMSGrad": (lambda: optimizers.Adam(0.1, amsgrad=True), adam(amsgrad=True)),
    "AdamW": (lambda: optimizers.AdamW(0.1, weight_decay=0.01), adam(decay=0.01)),
    "Adamax": (lambda: optimizers.Adamax(0.1), adamax()),
    "RMSprop": (lambda: optimizers.RMSprop(0.1), rmsprop()),
    "RMSprop with momentum": (lambda: optimizers.RMSprop(0.1, momentum=0.5), rmsprop(m=0.5)),
    "centered RMSprop": (lambda: optimizers.RMSprop(0.1, centered=True), rmsprop(centered=True)),
    "Adagrad": (lambda: optimizers.Adagrad(0.1), adagrad()),
    "Adadelta": (lambda: optimizers.Adadelta(0.1), adadelta()),
    "Lion": (lambda: optimizers.Lion(0.1), lion()),
    "train.GradientDescent": (lambda: ag.train.GradientDescentOptimizer(0.1), sgd()),
    "train.Momentum": (lambda: ag.train.MomentumOptimizer(0.1, 0.9), old_momentum()),
    "train.Nesterov": (
        lambda: ag.train.MomentumOptimizer(0.1, 0.9, use_nesterov=True), old_momentum(True)
    ),
    "train.Adam": (lambda: ag.train.AdamOptimizer(0.1), adam(eps=1e-8)),
    "train.RMSProp": (lambda: ag.train.RMSPropOptimizer(0.1), old_rmsprop()),
}  # fmt: skip


@pytest.mark.parametrize("staged", [False, True])
@pytest.mark.parametrize("name", CASES)
def test_steps_follow_the_formula(name, staged):
    make, expected = CASES[name]
    v, optimizer = ag.Variable(START), make()

    def step(g):
        optimizer.apply_gradients([(g, v)])

    run = ag.function(step) if staged else step
    for g in GRADIENTS:
        run(ag.constant(g))
    np.testing.assert_allclose(v, expected, rtol=1e-6)
    assert int(optimizer.iterations) == len(GRADIENTS)


# ---- what all have in common -----------------------------------------------------------------


def test_gradients_are_clipped():
    g, other = np.array([3.0, 4.0]), np.array([0.0, 12.0])
    for options, expected in {
        ("clipvalue", 2.0): [[-2.0, -2.0], [0.0, -2.0]],
        ("clipnorm", 1.0): [[-0.6, -0.8], [0.0, -1.0]],
        ("global_clipnorm", 1.3): [[-0.3, -0.4], [0.0, -1.2]],
    }.items():
        v, w = ag.Variable(np.zeros(2)), ag.Variable(np.zeros(2))
        optimizers.SGD(1.0, **dict([options])).apply_gradients([(g, v), (other, w)])
        np.testing.assert_allclose([v.numpy(), w.numpy()], expected, rtol=1e-6)


def test_a_missing_gradient_is_skipped_with_a_warning():
    v, w = ag.Variable(1.0), ag.Variable(1.0, name="lonely")
    with pytest.warns(UserWarning, match="lonely"):
        optimizers.SGD(1.0).apply_gradients([(ag.constant(1.0), v), (None, w)])
    assert (float(v), float(w)) == (0.0, 1.0)
    with pytest.raises(ValueError, match="(?i)no gradients.*lonely"):
        optimizers.SGD(1.0).apply_gradients([(None, w)])


def test_a_new_learning_rate_counts_in_a_traced_function():
    v, optimizer = ag.Variable(0.0), optimizers.SGD(1.0)
    step = ag.function(lambda: optimizer.apply_gradients([(ag.constant(1.0), v)]))
    step()
    optimizer.learning_rate = 10.0
    step()
    optimizer.learning_rate.assign(100.0)
    step()
    assert float(v) == -111.0


@pytest.mark.slow
def test_minimize_goes_downhill():
    v = ag.Variable([3.0, -4.0])
    optimizer = optimizers.Adam(0.1)
    for _ in range(300):
        optimizer.minimize(lambda: ag.reduce_sum((v - 1.0) ** 2), [v])
    np.testing.assert_allclose(v, [1.0, 1.0], atol=1e-2)


def test_minimize_takes_a_tensor_with_its_tape():
    v = ag.Variable(3.0)
    with ag.GradientTape() as tape:
        loss = v * v
    optimizers.SGD(0.5).minimize(loss, [v], tape=tape)
    assert float(v) == 0.0
    with pytest.raises(ValueError, match="tape|Tape"):
        optimizers.SGD(0.5).minimize(loss, [v])


def test_the_old_optimizers_find_their_variables_and_count_steps():
    v, count = ag.Variable(3.0), ag.Variable(0, dtype=ag.int64)
    descent = ag.train.GradientDescentOptimizer(0.5)
    ((g, found),) = descent.compute_gradients(lambda: v * v)
    assert (float(g), found is v) == (6.0, True)
    descent.minimize(lambda: v * v, global_step=count)
    assert (float(v), int(count)) == (0.0, 1)


def test_an_optimizer_is_made_anew_from_its_configuration():
    one = optimizers.SGD(0.5, momentum=0.25)
    other = optimizers.SGD.from_config(one.get_config())
    assert (float(other.learning_rate), other.momentum) == (0.5, 0.25)
    assert isinstance(optimizers.get("adam"), optimizers.Adam)
    with pytest.raises(ValueError, match="nonsense"):
        optimizers.get("nonsense")


def test_parameters_of_any_type_are_trained():
    for dtype in (ag.float16, ag.float32, ag.float64):
        v = ag.Variable(1.0, dtype=dtype)
        optimizers.Adam(0.5).apply_gradients([(ag.constant(2.0, dtype), v)])
        np.testing.assert_allclose(float(v), 0.5, rtol=2e-2)


# ---- learning rates --------------------------------------------------------------------------

STEPS = np.arange(0, 25)
RATES = {
    "exponential": (schedules.ExponentialDecay(0.5, 10, 0.9), 0.5 * 0.9 ** (STEPS / 10)),
    "staircase": (
        schedules.ExponentialDecay(0.5, 10, 0.9, staircase=True), 0.5 * 0.9 ** (STEPS // 10)
    ),
    "inverse": (schedules.InverseTimeDecay(0.5, 10, 0.9), 0.5 / (1 + 0.9 * STEPS / 10)),
    "pieces": (
        schedules.PiecewiseConstantDecay([5, 9], [3.0, 2.0, 1.0]),
        np.where(STEPS <= 5, 3.0, np.where(STEPS <= 9, 2.0, 1.0)),
    ),
    "polynomial": (
        schedules.PolynomialDecay(0.5, 10, 0.1, power=2.0),
        0.4 * (1 - np.minimum(STEPS, 10) / 10) ** 2 + 0.1,
    ),
    "cycles": (
        schedules.PolynomialDecay(0.5, 10, 0.1, cycle=True),
        0.4 * (1 - STEPS / (10 * np.maximum(1, np.ceil(STEPS / 10)))) + 0.1,
    ),
    "cosine": (
        schedules.CosineDecay(0.5, 10, alpha=0.2),
        0.5 * (0.8 * 0.5 * (1 + np.cos(np.pi * np.minimum(STEPS, 10) / 10)) + 0.2),
    ),
    "warm-up": (
        schedules.CosineDecay(0.0, 10, warmup_target=0.5, warmup_steps=5),
        np.where(
            STEPS < 5, STEPS / 10, 0.25 * (1 + np.cos(np.pi * np.clip(STEPS - 5, 0, 10) / 10))
        ),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", RATES)
def test_a_schedule_gives_the_rate_of_each_step(name):
    schedule, expected = RATES[name]
    np.testing.assert_allclose(
        [float(schedule(step)) for step in STEPS], expected, rtol=1e-5, atol=1e-7
    )


def test_a_schedule_goes_on_inside_a_function():
    v, optimizer = ag.Variable(0.0), optimizers.SGD(schedules.ExponentialDecay(1.0, 1, 0.5))
    step = ag.function(lambda: optimizer.apply_gradients([(ag.constant(1.0), v)]))
    for _ in range(3):
        step()
    assert float(v) == -1.75


@pytest.mark.parametrize("named", [False, True])
def test_minimize_takes_a_tensor_of_the_graph_being_built(named):
    v, fixed = ag.Variable(3.0), ag.Variable(2.0, trainable=False)
    descent = ag.train.GradientDescentOptimizer(0.25)

    @ag.function
    def step():
        descent.minimize(v * v * fixed, var_list=[v] if named else None)

    step()
    assert (float(v), float(fixed)) == (0.0, 2.0)


def test_a_session_runs_the_steps_of_an_old_optimizer():
    v, count, graph = ag.Variable(3.0), ag.Variable(0, trainable=False), ag.Graph()
    with graph.as_default():
        x = ag.placeholder(ag.float32, [])
        loss = (v * x - 6.0) ** 2
        descend = ag.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=count)
    with ag.Session(graph=graph) as session:
        for _ in range(50):
            session.run(descend, feed_dict={x: 1.0})
        assert session.run(loss, feed_dict={x: 1.0}) < 1e-6
    assert (round(float(v), 2), int(count)) == (6.0, 50)
