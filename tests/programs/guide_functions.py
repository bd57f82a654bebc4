"""Programs about tensors, functions and gradients, in the style of guides."""

from programs.registry import grid, program

import allograph as tf

# ---- tensors and functions -----------------------------------------------------------------------


@program
def tensors_and_shapes():
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    return [
        x[:, tf.newaxis, 1],
        tf.transpose(x) @ x,
        tf.reshape(x, [-1]),
        tf.cast(x, tf.int32),
        tf.concat([x, x], 1),
        tf.stack([x, x]).shape.as_list(),
        tf.rank(x),
        tf.size(x),
    ]


@program
def slices_of_tensors():
    x = tf.reshape(tf.range(24), [2, 3, 4])
    return [
        x[0, 1:, ::2],
        x[..., -1],
        tf.gather(x, [2, 0], axis=1),
        tf.boolean_mask(x, x > 18),
        tf.gather_nd(x, [[0, 1], [1, 2]]),
        tf.where(x % 5 == 0),
    ]


@program
def scattered_updates():
    x = tf.zeros([4, 2], tf.int32)
    y = tf.tensor_scatter_nd_update(x, [[1], [3]], [[1, 2], [3, 4]])
    return [y, tf.tensor_scatter_nd_add(y, [[1]], [[5, 5]]), tf.scatter_nd([[0], [2]], [7, 8], [3])]


@program
def traces_by_type():
    traces = []

    @tf.function
    def double(x):
        traces.append(1)
        return x + x

    results = [double(tf.constant(1)), double(tf.constant(2)), double(tf.constant(1.5))]
    return [*results, double(tf.constant("a")), len(traces)]


@program
def an_input_signature():
    @tf.function(input_signature=[tf.TensorSpec([None], tf.int32)])
    def collatz(x):
        return tf.where(x % 2 == 0, x // 2, 3 * x + 1)

    concrete = collatz.get_concrete_function()
    return [collatz(tf.constant([1, 2])), concrete(tf.constant([7, 8, 9]))]


@program
def branches_on_tensors():
    @tf.function
    def describe(x):
        if tf.reduce_sum(x) > 0:
            y = x * 2
        elif tf.reduce_max(x) < -1:
            y = x - 1
        else:
            y = tf.zeros_like(x)
        return y

    return [describe(tf.constant(one)) for one in ([1.0, 2.0], [-3.0, -2.0], [-0.5, 0.0])]


@program
def loops_with_break_and_continue():
    @tf.function
    def count(n):
        total, steps = 0, 0
        for i in tf.range(n):
            if i % 3 == 0:
                continue
            if total > 20:
                break
            total += i
            steps += 1
        return total, steps

    return [*count(tf.constant(5)), *count(tf.constant(50))]


@program
def fizz_buzz():
    @tf.function
    def fizz(n):
        words = tf.TensorArray(tf.string, 0, dynamic_size=True)
        for i in tf.range(1, n + 1):
            if i % 15 == 0:
                words = words.write(i - 1, "fizzbuzz")
            elif i % 3 == 0:
                words = words.write(i - 1, "fizz")
            else:
                words = words.write(i - 1, tf.strings.as_string(i))
        return words.stack()

    return fizz(tf.constant(16))


@program
def while_loops_keep_state():
    @tf.function
    def root(x):
        guess, previous = x / 2.0, x
        while tf.abs(guess - previous) > 1e-5:
            previous = guess
            guess = (guess + x / guess) / 2.0
        return guess

    return [root(tf.constant(2.0)), root(tf.constant(144.0))]


@program
def a_dynamic_rnn():
    weights = tf.constant(grid(3, 3))

    @tf.function
    def run(inputs):
        state = tf.zeros([inputs.shape[0], 3])
        states = tf.TensorArray(tf.float32, size=inputs.shape[1])
        for t in tf.range(inputs.shape[1]):
            state = tf.tanh(inputs[:, t] + state @ weights)
            states = states.write(t, state)
        return tf.transpose(states.stack(), [1, 0, 2])

    return run(tf.constant(grid(2, 4, 3)))


@program
def python_side_effects_happen_once():
    log = []

    @tf.function
    def f(x):
        log.append("traced")
        return x**2

    return [f(tf.constant(3.0)), f(tf.constant(4.0)), log]


@program
def variables_in_functions():
    v = tf.Variable([1.0, 2.0])

    @tf.function
    def step(x):
        v.assign_add(x)
        v[0].assign(9.0)
        return v * 2

    return [step(tf.constant([1.0, 1.0])), v, v.assign_sub([1.0, 1.0])]


@program
def recursion_in_python():
    @tf.function
    def power(x, n):
        return x if n == 1 else x * power(x, n - 1)

    return power(tf.constant(3), 4)


@program
def functional_control_flow():
    return [
        tf.cond(tf.constant(True), lambda: 1, lambda: 2),
        tf.while_loop(lambda i, s: i < 5, lambda i, s: (i + 1, s + i), (0, 0)),
        tf.switch_case(tf.constant(1), [lambda: 10, lambda: 20]),
        tf.case([(tf.constant(False), lambda: 1), (tf.constant(True), lambda: 2)], lambda: 3),
        tf.map_fn(lambda x: x * x, tf.constant([1, 2, 3])),
        tf.scan(lambda a, x: a + x, tf.constant([1, 2, 3])),
        tf.vectorized_map(lambda x: tf.reduce_sum(x), tf.constant(grid(3, 2))),
    ]


@program
def nested_structures():
    @tf.function
    def swap(pair):
        return {"a": pair["b"], "b": [pair["a"], pair["a"] + 1]}

    found = swap({"a": tf.constant(1), "b": tf.constant([2.0])})
    return [found["a"], *found["b"], len(tf.nest.flatten(found))]


# ---- gradients -----------------------------------------------------------------------------------


@program
def a_gradient_tape():
    x = tf.Variable(3.0)
    with tf.GradientTape(persistent=True) as tape:
        y = x**2
        z = tf.sin(y) * x
    return [tape.gradient(y, x), tape.gradient(z, x), tape.gradient({"a": y, "b": z}, [x])[0]]


@program
def second_derivatives():
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = tf.reduce_sum(x**3)
        first = inner.gradient(y, x)
    return [first, outer.gradient(first, x)]


@program
def jacobians():
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x**2
    return [tape.jacobian(y, x), tape.batch_jacobian(y, x)]


@program
def gradients_that_are_none():
    x, y = tf.Variable(1.0), tf.Variable(2.0)
    with tf.GradientTape() as tape:
        z = y * y
    missing, there = tape.gradient(z, [x, y])
    return [missing is None, there]


@program
def custom_gradients():
    @tf.custom_gradient
    def clipped(x):
        return tf.identity(x), lambda dy: tf.clip_by_norm(dy, 0.5)

    v = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        out = clipped(v * v)
    return tape.gradient(out, v)


@program
def forward_derivatives():
    x = tf.constant([1.0, 2.0])
    with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 0.5])) as accumulator:
        y = tf.exp(x) * x
    return accumulator.jvp(y)


@program
def gradients_through_control_flow():
    @tf.function
    def f(x, n):
        y = x
        for _ in tf.range(n):
            y = tf.sin(y) if tf.reduce_sum(y) > 0.5 else y * 1.5
        return y

    x = tf.constant([0.3, 0.4])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x, tf.constant(4))
    return [y, tape.gradient(y, x)]


@program
def gradients_of_complex_matrices():
    x = tf.constant(grid(3, 3) + 1j * grid(3, 3)[::-1])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.math.real(tf.linalg.trace(tf.linalg.inv(x + 3.0 * tf.eye(3, dtype=x.dtype))))
    return tape.gradient(y, x)
