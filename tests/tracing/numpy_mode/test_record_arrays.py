"""`jit`: structured arrays of the caller, whose fields are arrays of the graph."""

import numpy as np
import pytest
from native_calls import is_native
from test_jit import outcome

import allograph as ag

pytestmark = pytest.mark.slow
PACKED = np.dtype([("x", "f8"), ("y", "f4"), ("id", "i4"), ("ok", "?")])


def records(count):
    random = np.random.default_rng(count)
    made = np.zeros(count, dtype=PACKED)
    made["x"], made["y"] = random.random(count), random.random(count)
    made["id"], made["ok"] = np.arange(count), random.random(count) < 0.5
    return made


def fields_first(points, step):
    for i in range(len(points)):
        points["x"][i] += points["y"][i] * step
        points["id"][i] = i * 2
    return points["x"].sum()


def records_first(points, step):
    for i in range(points.shape[0]):
        points[i]["x"] += points[i]["y"] * step
        one = points[i]
        one["id"] += 1
        if one["ok"]:
            points[i]["y"] = one["x"]
    return points["y"].sum(), points.size


def over_records(points, step):
    total = 0.0
    for one in points:
        if one["ok"]:
            total += one["x"] * one["id"] * step
    return total


def whole_records(points, step):
    for i in range(len(points) - 1):
        points[i] = (i * step, 2.0, i, True)
    points[len(points) - 1] = points[0]
    return points["id"].max()


def whole_fields(points, step):
    points["x"] += points["y"] * step
    points["ok"] = points["x"] > 1
    part = points[1:-1]
    part["x"][0] = 7.0
    return points["x"][points["ok"]].sum(), np.count_nonzero(part["ok"])


def by_a_function(points, step):
    def move(points):
        for i in range(len(points)):
            points["x"][i] -= step

    for _ in range(3):
        move(points)


@pytest.mark.parametrize("count", [30, 1])
@pytest.mark.parametrize(
    "function",
    [fields_first, records_first, over_records, whole_records, whole_fields, by_a_function],
)
def test_structured_arrays_are_native(function, count):
    compiled = ag.jit(function)
    for points in (records(count), records(2 * count)[::2]):
        for _ in range(2):
            own, other = points.copy(), points.copy()
            found, expected = outcome(compiled, (own, 0.5)), outcome(function, (other, 0.5))
            assert found[0] == pytest.approx(expected[0])
            assert found[1][0].tobytes() == expected[1][0].tobytes()
    if count > 2:
        assert is_native(compiled)


def test_a_returned_field_is_a_view_of_the_argument():
    def field(points):
        points["x"][0] = 3.0
        return points["x"]

    points = records(8)
    made = ag.jit(field)(points)
    made[1] = 9.0
    assert points["x"][:2].tolist() == [3.0, 9.0]


def test_parts_of_one_structured_array_are_left_to_numpy():
    def shifted(one, other):
        for i in range(len(one)):
            one["x"][i] = other["x"][i] + 1

    points, expected = records(20), records(20)
    compiled = ag.jit(shifted)
    compiled(points[1:15], points[:14])
    shifted(expected[1:15], expected[:14])
    assert points.tobytes() == expected.tobytes()


def of_matrices(points):
    for i in range(len(points)):
        points["place"][i, 1] = i
        points[i]["place"][2] = 5
        points["mass"][i] += points["place"][i].sum()
    return points["mass"].sum()


def test_fields_may_be_arrays():
    compiled = ag.jit(of_matrices)
    points = np.zeros(5, dtype=[("place", "f8", (3,)), ("mass", "f8")])
    found, expected = (outcome(one, (points,)) for one in (compiled, of_matrices))
    assert found[0] == expected[0]
    assert found[1][0].tobytes() == expected[1][0].tobytes()
    assert is_native(compiled)


def of_another_field(points):
    points["x"][0] = points["z"][0]


def sorted_by_a_field(points):
    points.sort(order="x")
    return points["id"].copy()


@pytest.mark.parametrize("function", [of_another_field, sorted_by_a_field])
def test_what_else_numpy_does_with_structured_arrays_it_does_itself(function):
    found = outcome(ag.jit(function), (records(9),))
    expected = outcome(function, (records(9),))
    assert str(found[0]) == str(expected[0])
    assert found[1][0].tobytes() == expected[1][0].tobytes()
