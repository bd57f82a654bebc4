"""Functions on JAX arrays inside JAX: its transformations, its libraries, its cache of traces."""

import functools
import os
import subprocess
import sys

import pytest

pytest.importorskip("jax", reason="JAX is not installed")

import jax
import jax.numpy as jnp
from jax.experimental import checkify

import allograph as ag

on_jax = ag.jax.function


@on_jax
def huber(x, limit=1.0):
    if abs(x) < limit:
        return 0.5 * x * x
    return limit * (abs(x) - 0.5 * limit)


@on_jax
def halved(x):
    while x > 1:
        ag.autograph.experimental.set_loop_options(maximum_iterations=8)
        x = x / 2
    return x


# ---- transformations -----------------------------------------------------------------------------


def test_forward_and_reverse_derivatives_agree():
    for x in (0.3, 5.0):
        _, forward = jax.jvp(halved, (x,), (1.0,))
        value, backward = jax.vjp(halved, x)
        assert value == jax.jit(halved)(x)
        assert forward == backward(1.0)[0] == jax.grad(jax.jit(halved))(x)
    assert jax.jacfwd(huber)(3.0) == jax.jacrev(huber)(3.0) == 1.0


def test_transformations_go_into_each_other():
    xs = jnp.array([-3.0, 0.5, 8.0])
    slopes = jax.jit(jax.vmap(jax.grad(huber)))(xs)
    assert slopes.tolist() == [-1.0, 0.5, 1.0]
    assert jax.vmap(jax.value_and_grad(huber), in_axes=(0, None))(xs, 4.0)[1].tolist() == [
        -3.0, 0.5, 4.0,
    ]  # fmt: skip
    assert jax.grad(lambda xs: jax.vmap(halved)(xs).sum())(xs).tolist() == [1.0, 1.0, 0.125]


def test_derivatives_of_derivatives():
    @on_jax
    def doubled(x):
        while x < 10:
            ag.autograph.experimental.set_loop_options(maximum_iterations=8)
            x = x * 2 if x > 0 else x + 1
        return x * x

    assert jax.grad(jax.checkpoint(doubled))(1.5) == 192.0
    assert jax.hessian(jax.jit(doubled))(1.5) == 128.0


def test_a_bounded_while_stops_at_its_bound():
    assert jax.jit(halved)(1024.0) == 4.0


def test_a_bounded_range_of_a_traced_count_has_a_derivative():
    @on_jax
    def power(x, n):
        y = 1.0
        for _ in range(n):
            ag.autograph.experimental.set_loop_options(maximum_iterations=6)
            y = y * x
        return y

    assert jax.jit(jax.grad(power))(2.0, 3) == 12.0
    assert jax.jit(power)(2.0, 9) == 64.0  # which stops at the bound


def test_updates_of_arrays_take_traced_indices():
    @on_jax
    def pushed(xs, stack):
        count = 0
        for x in xs:
            if x > 1:
                stack = stack.at[count].set(x)
                count += 1
        return stack, stack.at[count - 1].get()

    stack, last = jax.jit(pushed)(jnp.array([3.0, 1.0, 2.0]), jnp.zeros(3))
    assert stack.tolist() == [3.0, 2.0, 0.0] and last == 2.0


def test_it_is_a_step_of_scan_and_a_body_of_loops():
    rows = jax.lax.scan(lambda total, x: (total + huber(x), huber(x)), 0.0, jnp.arange(3.0))
    assert rows[0] == 2.0 and rows[1].tolist() == [0.0, 0.5, 1.5]
    assert jax.lax.fori_loop(0, 3, lambda i, x: huber(x) + 1.0, 4.0) == 5.5


DEVICES = """
import jax, jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P
import allograph as ag

@ag.jax.function
def total_above(xs):
    total, rows = 0.0, jnp.zeros(3)
    for i, x in enumerate(xs):
        if x > 2:
            total += x
            rows[i] = 1.0
        if total > 11:
            break
    while total > 8:
        total -= 1
    return jnp.reshape(total, (1,)), rows

@ag.jax.function
def total_of_all(xs):
    total = jax.lax.psum(xs.sum(), "d")
    return total if total > 10 else -total

for kind in (AxisType.Auto, AxisType.Explicit):
    mesh = jax.make_mesh((2,), ("d",), axis_types=(kind,))
    xs = jax.device_put(jnp.arange(6.0), jax.NamedSharding(mesh, P("d")))
    for check in (True, False):
        axes = dict(mesh=mesh, in_specs=P("d"), out_specs=P("d"), check_vma=check)
        total, rows = jax.jit(jax.shard_map(total_above, **axes))(xs)
        axes = {**axes, "out_specs": P()}
        total_too = jax.jit(jax.shard_map(total_of_all, **axes))(xs)
        print(total.tolist(), rows.tolist(), float(total_too))

@ag.jax.function
def sharded(xs, n):
    y = jnp.zeros(6)
    for _ in range(n):
        y = y + xs
    return y

jax.set_mesh(mesh)
try:
    jax.jit(sharded)(xs, 3)
except NotImplementedError as error:
    print(str(error).partition(" before")[0])
"""


def test_it_runs_on_several_devices(tmp_path):
    script = tmp_path / "devices.py"
    script.write_text(DEVICES)
    devices = {"XLA_FLAGS": "--xla_force_host_platform_device_count=2"}
    done = subprocess.run(
        [sys.executable, "-P", script], capture_output=True, text=True, env=os.environ | devices
    )
    assert done.stdout == 4 * "[0.0, 8.0] [0.0, 0.0, 0.0, 1.0, 1.0, 1.0] 15.0\n" + (
        "'y' is float32[6] and float32[6@d]\n"
    ), done.stderr


def test_numbers_that_become_arrays_keep_the_types_that_they_have_without_jit():
    half = jnp.bfloat16(3)

    @on_jax
    def mixed(xs, x):
        total, scaled = 0.0, half
        for each in xs:
            total = total + each
            scaled = total * half
        chosen = jnp.ones((), jnp.float32) * x if x > 0 else x * 1.0
        return total, scaled, chosen * half

    xs = jnp.arange(4, dtype=jnp.float32)
    for row in zip(jax.jit(mixed)(xs, 1.0), mixed(xs, jnp.float32(1.0))):
        assert row[0] == row[1] and row[0].dtype == row[1].dtype


# ---- modules of libraries ------------------------------------------------------------------------


def test_a_method_of_a_flax_module():
    linen = pytest.importorskip("flax.linen", reason="flax is not installed")

    class Gated(linen.Module):
        @linen.compact
        @on_jax
        def __call__(self, x, train: bool):
            y = linen.Dense(3)(x)
            if train:
                y = y * 2
            if y.sum() > 0:
                return y
            return -y

    module = Gated()
    weights = module.init(jax.random.key(0), jnp.ones(2), True)

    def loss(weights, x):
        return module.apply(weights, x, True).sum()

    for x in (jnp.array([1.0, 2.0]), jnp.array([-1.0, -2.0])):
        assert jax.jit(loss)(weights, x) == pytest.approx(abs(loss(weights, x)))
        assert jax.tree.leaves(jax.jit(jax.grad(loss))(weights, x))


def test_a_method_of_an_nnx_module():
    nnx = pytest.importorskip("flax.nnx", reason="flax is not installed")

    class Counter(nnx.Module):
        def __init__(self):
            self.calls = nnx.Variable(jnp.zeros(()))

        @on_jax
        def __call__(self, x):
            self.calls.set_value(self.calls.get_value() + 1)
            return x if x > 0 else -2 * x

    counter = Counter()
    call = nnx.jit(lambda module, x: module(x))
    assert [float(call(counter, x)) for x in (3.0, -3.0)] == [3.0, 6.0]
    assert counter.calls.get_value() == 2


def test_a_method_of_an_equinox_module():
    equinox = pytest.importorskip("equinox", reason="equinox is not installed")

    class Scaled(equinox.Module):
        scale: jax.Array
        most: int = equinox.field(static=True)

        @on_jax
        def __call__(self, x):
            for _ in range(self.most):
                if x < 10:
                    x = x * self.scale
            return x

    module = Scaled(jnp.array(3.0), 4)
    assert equinox.filter_jit(module)(1.0) == 27.0
    slopes = equinox.filter_grad(lambda module: module(1.0))(module)
    assert slopes.scale == 27.0


# ---- traces --------------------------------------------------------------------------------------


def test_jit_traces_as_often_as_without_it():
    def counted(wrap):
        traces = []

        def powers(x, count, scale=2.0):
            traces.append(x)
            for _ in range(count):
                x = x * scale
            return x

        compiled = jax.jit(wrap(powers), static_argnames="count")
        for x in (1.0, -2.0, 3, jnp.ones(2), jnp.zeros(2)):
            for count in (1, 2):
                compiled(x, count)
                compiled(x, count=count, scale=3.0)
        return len(traces)

    assert counted(on_jax) == counted(lambda function: function)


def test_jit_traces_once_for_all_calls_of_one_type():
    traces = []

    @jax.jit
    @on_jax
    def absolute(x):
        traces.append(x)
        return x if x > 0 else -x

    assert [absolute(x) for x in (1.0, -2.0, 3.0)] == [1.0, 2.0, 3.0]
    assert len(traces) == 1


def test_static_arguments_stay_values_of_python():
    @functools.partial(jax.jit, static_argnums=1, static_argnames="kind")
    @on_jax
    def repeated(x, times, *, kind):
        rows = []
        while len(rows) < times:
            rows.append(x if kind == "same" else x * len(rows))
        return rows

    assert repeated(2.0, 3, kind="same") == [2.0, 2.0, 2.0]
    assert repeated(2.0, 2, kind="other") == [0.0, 2.0]


def test_without_transformations_loops_are_those_of_python():
    steps = []

    @on_jax
    def counts(xs, n):
        for x in xs:
            steps.append(float(x))
        while n > 0:
            n = n - 1
            steps.append(int(n))
        return n

    counts(jnp.arange(2.0), jnp.asarray(2))
    assert steps == [0.0, 1.0, 1, 0]
    with jax.disable_jit():
        jax.jit(counts)(jnp.arange(1.0), jnp.asarray(1))
    assert steps[4:] == [0.0, 0]


# ---- checks --------------------------------------------------------------------------------------


@on_jax
def root(x):
    assert x < 100, "too large"
    if x < 0:
        raise ValueError("negative {}")
    guess = x
    for _ in range(20):
        if guess > 1e6:
            raise ArithmeticError("diverges")
        guess = 0.5 * (guess + x / guess)
    return guess


@pytest.mark.parametrize("checked", [
    jax.jit(checkify.checkify(root)), checkify.checkify(jax.jit(root)),
])  # fmt: skip
def test_checkify_returns_what_is_asserted_and_raised(checked):
    error, value = checked(9.0)
    assert error.get() is None and value == 3.0
    assert "ValueError: negative {}" in checked(-1.0)[0].get()
    assert "AssertionError: too large" in checked(400.0)[0].get()
    with pytest.raises(checkify.JaxRuntimeError, match="ValueError"):
        checked(-1.0)[0].throw()


def test_what_one_side_sets_has_a_value_beside_a_side_that_raises():
    @on_jax
    def shifted(x, is_first):
        if x < 0 if is_first else x >= 0:
            raise ValueError("negative")
        else:
            count, (low, high) = 2, (x, x + 1)
        return low * count + high

    for is_first, x in ((True, 3.0), (False, -3.0)):
        error, value = checkify.checkify(functools.partial(shifted, is_first=is_first))(x)
        assert error.get() is None and value == 3 * x + 1
    assert "ValueError" in jax.jit(checkify.checkify(lambda x: shifted(x, True)))(-1.0)[0].get()


@on_jax
def raises_on_all_paths(x):
    for value in (x, x - 1):
        if value > 1:
            raise ValueError("large")
        elif value < 0:
            raise KeyError("negative")
        else:
            raise ArithmeticError("small")


@on_jax
def raises_in_each_iteration(x):
    while x > 1:
        x = x + 1
        raise ValueError("large")
    return -x


@on_jax
def raises_after_a_check(x):
    assert x < 2, "large"
    raise KeyError("small")


def test_what_always_raises_has_its_check_and_no_result():
    for x, kind in ((3.0, "ValueError"), (-1.0, "KeyError"), (0.5, "ArithmeticError")):
        error, value = jax.jit(checkify.checkify(raises_on_all_paths))(x)
        assert error.get().startswith(kind) and value is None
    for x, kind in ((3.0, "AssertionError"), (1.0, "KeyError")):
        assert jax.jit(checkify.checkify(raises_after_a_check))(x)[0].get().startswith(kind)


def test_a_loop_whose_iterations_all_raise_is_its_first_one():
    checked = jax.jit(checkify.checkify(raises_in_each_iteration))
    assert checked(3.0)[0].get().startswith("ValueError")
    error, value = checked(0.5)
    assert error.get() is None and value == -0.5


def test_without_checkify_a_known_number_raises_the_error_itself():
    with pytest.raises(ValueError, match="negative"):
        root(-1.0)
    with pytest.raises(AssertionError, match="too large"):
        root(jnp.asarray(400.0))
