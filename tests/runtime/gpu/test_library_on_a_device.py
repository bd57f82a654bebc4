"""What is built on functions works with those on a device: training, derivatives, saved modules."""

import numpy as np
import pytest

import allograph as ag

X = np.random.default_rng(0).random((16, 3), np.float32)


def where(tensor):
    return tensor.device.rpartition("device:")[2]


class Counter(ag.Module):
    """Adds up what it is called with."""

    def __init__(self):
        self.total = ag.Variable([1.0, 2.0])

    @ag.function
    def __call__(self, x):
        self.total.assign_add(x)
        return self.total * 2.0


ONES = ag.constant([1.0, 1.0])


@pytest.mark.slow
def test_a_model_is_trained_on_the_device(gpu):
    model = ag.keras.Sequential(
        [ag.keras.layers.Dense(4, activation="tanh"), ag.keras.layers.Dense(1)]
    )
    optimizer = ag.keras.optimizers.Adam(0.05)
    x = ag.constant(X)
    y = ag.reduce_sum(x, 1, keepdims=True)

    @ag.function(device="GPU:0")
    def step(x, y):
        with ag.GradientTape() as tape:
            loss = ag.reduce_mean((model(x) - y) ** 2)
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        return loss

    losses = [step(x, y) for _ in range(20)]
    assert float(losses[-1]) < 0.2 * float(losses[0])
    assert {where(one) for one in (*losses, *model.trainable_variables)} == {"GPU:0"}


def test_derivatives_run_where_the_function_ran(gpu):
    scale, x = ag.Variable([1.0, 2.0]), ag.constant([0.5, 0.6])
    f = ag.function(lambda x: ag.reduce_sum(ag.sin(x) * scale), device="GPU:0")
    with ag.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    of_x, of_scale = tape.gradient(y, [x, scale])
    assert (where(of_x), where(of_scale)) == ("GPU:0", "GPU:0")
    np.testing.assert_allclose(of_x.numpy(), np.cos(x.numpy()) * [1.0, 2.0], rtol=1e-6)
    np.testing.assert_allclose(of_scale.numpy(), np.sin(x.numpy()), rtol=1e-6)


def test_derivatives_read_what_loops_have_saved(gpu):
    @ag.function(device="GPU:0")
    def squared(x):
        while ag.reduce_sum(x) < 100.0:
            x = x * x
        return x

    x = ag.constant([2.0, 3.0])
    with ag.GradientTape() as tape:
        tape.watch(x)
        y = squared(x)
    gradient = tape.gradient(y, x)
    assert (where(gradient), gradient.numpy().tolist()) == ("GPU:0", [8 * 2.0**7, 8 * 3.0**7])


def test_second_derivatives_too(gpu):
    x = ag.constant([0.5, 0.6])
    f = ag.function(lambda x: ag.reduce_sum(ag.sin(x)), device="GPU:0")
    with ag.GradientTape() as outer:
        outer.watch(x)
        with ag.GradientTape() as inner:
            inner.watch(x)
            y = f(x)
        first = inner.gradient(y, x)
    second = outer.gradient(first, x)
    np.testing.assert_allclose(second.numpy(), -np.sin(x.numpy()), rtol=1e-6)


def test_checkpoints_have_what_is_on_the_device(gpu, tmp_path):
    counter = Counter()
    with ag.device("GPU:0"):
        counter(ONES)
    assert where(counter.total) == "GPU:0"
    path = ag.train.Checkpoint(counter=counter).save(str(tmp_path / "checkpoint"))
    counter.total.assign([0.0, 0.0])
    ag.train.Checkpoint(counter=counter).restore(path)
    with ag.device("GPU:0"):
        assert counter(ONES).numpy().tolist() == [6.0, 8.0]


def test_saved_modules_run_where_they_are_called(gpu, tmp_path):
    counter = Counter()
    with ag.device("GPU:0"):
        counter(ONES)
    ag.saved_model.save(counter, str(tmp_path / "module"))
    loaded = ag.saved_model.load(str(tmp_path / "module"))
    assert where(loaded(ONES)) == "CPU:0"
    with ag.device("GPU:0"):
        y = loaded(ONES)
    assert (where(y), y.numpy().tolist()) == ("GPU:0", [8.0, 10.0])


def test_elements_of_datasets_are_on_the_device_ahead(gpu):
    prefetch = ag.data.experimental.prefetch_to_device("GPU:0")
    dataset = ag.data.Dataset.from_tensor_slices({"x": [0, 1, 2], "name": ["a", "b", "c"]})
    elements = list(dataset.apply(prefetch))
    double = ag.function(lambda x: x * 2, device="GPU:0")
    assert [int(double(each["x"])) for each in elements] == [0, 2, 4]
    assert [each["name"].numpy() for each in elements] == [b"a", b"b", b"c"]
    assert [where(each["x"]) for each in elements] == ["GPU:0"] * 3
    later = dataset.apply(prefetch).map(lambda each: each["x"] + 1)
    assert [int(each) for each in later] == [1, 2, 3]


def test_a_single_element_of_a_dataset_on_a_device_is_there_for_operations(gpu):
    on_device = ag.data.experimental.copy_to_device("GPU:0")
    dataset = ag.data.Dataset.range(4, 5).apply(on_device)
    assert int(dataset.get_single_element()) == 4
    assert int(iter(dataset).get_next_as_optional().get_value()) == 4


def test_devices_of_datasets_exist_where_placement_is_hard(hard):
    with pytest.raises(ag.errors.InvalidArgumentError, match="there is no device 'GPU:7'"):
        ag.data.experimental.copy_to_device("GPU:7")


def test_rows_of_a_vectorized_map_are_shared_among_threads(gpu):
    squares = ag.function(
        lambda x: ag.vectorized_map(lambda row: ag.reduce_sum(row * row), x), device="GPU:0"
    )
    y = squares(ag.constant(X))
    assert where(y) == "GPU:0"
    np.testing.assert_allclose(y.numpy(), (X * X).sum(1), rtol=1e-6)


def test_a_generator_draws_the_numbers_that_it_draws_on_the_cpu(gpu):
    def drawn(device):
        generator = ag.random.Generator.from_seed(1)
        draw = ag.function(lambda: generator.normal([3]), device=device)
        return [draw().numpy().tolist() for _ in range(2)]

    np.testing.assert_allclose(drawn("GPU:0"), drawn("CPU:0"), rtol=1e-6)
