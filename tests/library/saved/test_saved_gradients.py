"""Functions that compute gradients are saved: what their graphs know of shapes, a file tells."""

import numpy as np
import pytest
from saved_gradients import assert_saved_gradients_are_the_same

import allograph as ag


class Model(ag.Module):
    def __init__(self):
        self.weight = ag.Variable([[0.5, 0.1], [0.2, 0.4]])

    def value(self, x, n):
        for _ in ag.range(n):
            x = ag.nn.relu(x @ self.weight)
            if ag.reduce_max(x) > 10.0:
                x = x * 0.5
        return ag.reduce_sum(x)

    @ag.function(input_signature=[ag.TensorSpec([None, 2]), ag.TensorSpec([], ag.int32)])
    def slope(self, x, n):
        with ag.GradientTape() as tape:
            y = self.value(x, n)
        return tape.gradient(y, self.weight)

    @ag.function(input_signature=[ag.TensorSpec([None])])
    def slopes(self, x):
        with ag.GradientTape() as tape:
            tape.watch(x)
            y = ag.constant(1.0)
            for v in x:
                y = y * v if v > 0 else y + v
        return tape.gradient(y, x)


def test_gradients_of_loops_over_arrays_of_unknown_size(tmp_path):
    model = Model()
    ag.saved_model.save(model, tmp_path)
    loaded = ag.saved_model.load(tmp_path)
    for rows in (1, 3):
        x = ag.constant(np.arange(2.0 * rows, dtype=np.float32).reshape(rows, 2))
        np.testing.assert_allclose(loaded.slope(x, 3), model.slope(x, 3), rtol=1e-6)
    x = ag.constant([2.0, -1.0, 3.0])
    np.testing.assert_allclose(loaded.slopes(x), model.slopes(x), rtol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_gradients_of_random_programs_survive(seed):
    assert_saved_gradients_are_the_same(seed)
