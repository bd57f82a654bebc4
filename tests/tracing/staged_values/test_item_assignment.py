"""`x[i] = v` in converted code: tensors are replaced, containers change."""

import allograph as ag


def converted(function):
    return ag.autograph.to_graph(function)


def test_an_item_of_an_eager_tensor_is_replaced():
    @converted
    def put(x):
        x[1] = 9
        x[2] += 5
        x[:1] = 7
        return x

    before = ag.constant([1, 2, 3])
    assert put(before).numpy().tolist() == [7, 9, 8]
    assert before.numpy().tolist() == [1, 2, 3]
