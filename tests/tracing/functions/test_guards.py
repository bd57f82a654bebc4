"""`guard_globals` and `guard_objects`: what is noticed, and what needs no new trace."""

import gc
import types
import weakref

import numpy as np
import pytest

import allograph as ag

LEVEL = 1
SIZES = [1, 2]
TABLE = {"rate": 1.0}
STEPS = np.array([1.0, 2.0], np.float32)


class Config:
    rate = 2


CONFIG = Config()


def traced(function, **options):
    """The decorated function, and its count of traces."""
    made = ag.function(function, **options)
    return made, made.experimental_get_tracing_count


ONE = ag.constant(1)


def test_without_guards_the_first_value_stays(monkeypatch):
    f, count = traced(lambda x: x + LEVEL)
    assert int(f(ONE)) == 2
    monkeypatch.setitem(globals(), "LEVEL", 10)
    assert (int(f(ONE)), count()) == (2, 1)


def test_a_global_is_noticed_and_its_earlier_value_served_again(monkeypatch):
    f, count = traced(lambda x: x + LEVEL, guard_globals=True)
    assert int(f(ONE)) == 2
    for value, traces in ((10, 2), (1, 2), (10, 2)):
        monkeypatch.setitem(globals(), "LEVEL", value)
        assert (int(f(ONE)), count()) == (1 + value, traces)
    monkeypatch.setitem(globals(), "LEVEL", 10.0)  # equal, but not the same constant
    with pytest.raises(TypeError):
        f(ONE)


@pytest.mark.slow
def test_only_a_few_variants_are_kept(monkeypatch):
    f, count = traced(lambda x: x + LEVEL, guard_globals=True)
    for value in range(30):
        monkeypatch.setitem(globals(), "LEVEL", value)
        assert int(f(ONE)) == 1 + value
    assert count() <= 8


def test_what_the_trace_does_not_read_is_free_to_change(monkeypatch):
    f, count = traced(lambda x: x + 1, guard_globals=True, guard_objects=True)
    f(ONE)
    monkeypatch.setitem(globals(), "LEVEL", 10)
    CONFIG.rate = 5
    del CONFIG.rate
    f(ONE)
    assert count() == 1


def test_the_content_of_containers_counts(monkeypatch):
    f, count = traced(lambda x: x + sum(SIZES) + int(TABLE["rate"]), guard_globals=True)
    assert int(f(ONE)) == 5
    monkeypatch.setitem(TABLE, "rate", 2.0)
    assert (int(f(ONE)), count()) == (6, 2)
    SIZES.append(7)
    assert (int(f(ONE)), count()) == (13, 3)
    SIZES.pop()
    assert (int(f(ONE)), count()) == (6, 3)


def test_the_order_and_the_types_of_keys_and_members_count():
    keys, members = {1: 0, 2: 0}, {1}
    f, count = traced(lambda: ag.constant(repr((keys, members))), guard_globals=True)
    for other, member in (({2: 0, 1: 0}, 1), ({2: 0, True: 0}, 1), ({2: 0, True: 0}, 1.0)):
        keys.clear(), members.clear()
        keys.update(other), members.add(member)
        assert f().numpy().decode() == f().numpy().decode() == repr((keys, members))
    assert count() == 3


def test_the_content_of_an_array_counts():
    f, count = traced(lambda x: x * STEPS, guard_globals=True)
    one = ag.constant([1.0, 1.0])
    f(one)
    STEPS[0] = 5.0
    assert (f(one).numpy().tolist(), count()) == ([5.0, 2.0], 2)
    STEPS[0] = 1.0


def test_a_list_that_is_only_written_to_is_not_read():
    log = []

    def noting(x):
        log.append(1)
        return x

    f, count = traced(noting, guard_globals=True)
    f(ONE)
    log.append(2)
    f(ONE)
    assert (count(), log) == (1, [1, 2])


def test_a_variable_of_an_outer_function_is_noticed():
    def make():
        scale = 2

        def change(value):
            nonlocal scale
            scale = value

        return ag.function(lambda x: x * scale, guard_globals=True), change

    f, change = make()
    assert int(f(ONE)) == 2
    change(3)
    assert int(f(ONE)) == 3


def helper(x):
    return x * LEVEL


def test_what_helpers_read_is_noticed_converted_or_not(monkeypatch):
    plain = ag.autograph.experimental.do_not_convert(helper)
    for options in ({}, {"autograph": False}):
        for inner in (helper, plain):
            f, count = traced(lambda x: inner(x) + 1, guard_globals=True, **options)
            assert int(f(ONE)) == 2
            with monkeypatch.context() as change:
                change.setitem(globals(), "LEVEL", 10)
                assert (int(f(ONE)), count()) == (11, 2)


def test_a_replaced_helper_is_noticed(monkeypatch):
    f, count = traced(lambda x: helper(x), guard_globals=True)
    assert int(f(ONE)) == 1
    monkeypatch.setitem(globals(), "helper", lambda x: x * 7)
    assert int(f(ONE)) == 7


def test_other_code_of_a_helper_is_noticed(monkeypatch):
    """As that of a function of a module that is loaded again in place."""
    f = ag.function(lambda x: _with_code(x), guard_globals=True)
    assert int(f(ONE)) == 2
    monkeypatch.setattr(_with_code, "__code__", (lambda x: x + 10 if x > 0 else x).__code__)
    assert int(f(ONE)) == int(ag.function(lambda x: _with_code(x))(ONE)) == 11


def _with_code(x):
    return x + 1 if x > 0 else x


def test_an_attribute_of_a_module_is_noticed():
    settings = types.ModuleType("settings_of_a_user")
    settings.rate = 2
    f, count = traced(lambda x: x * settings.rate, guard_globals=True)
    assert int(f(ONE)) == 2
    settings.rate = 3
    assert int(f(ONE)) == 3


def test_attributes_are_noticed_wherever_the_object_comes_from():
    config = types.SimpleNamespace(inner=types.SimpleNamespace(rate=2), parts=[Config()])

    def read(x):
        total = x * config.inner.rate
        for part in config.parts:
            total += part.rate
        return total

    f, count = traced(read, guard_objects=True)
    assert int(f(ONE)) == 4
    config.inner.rate = 3
    assert (int(f(ONE)), count()) == (5, 2)
    config.parts[0].rate = 10  # until now, an attribute of its class
    assert (int(f(ONE)), count()) == (13, 3)
    config.other = 1
    assert (int(f(ONE)), count()) == (13, 3)


def test_attributes_of_classes_slots_and_properties_are_noticed():
    class Point:
        __slots__ = ("x",)
        unit = 1

        @property
        def doubled(self):
            return self.x * 2

    point = Point()
    point.x = 1
    f, count = traced(lambda p, y: p.doubled * y * p.unit, guard_objects=True)
    assert int(f(point, ONE)) == 2
    point.x = 5
    assert int(f(point, ONE)) == 10
    Point.unit = 2
    assert (int(f(point, ONE)), count()) == (20, 3)


def test_a_method_guards_its_instance():
    class Scale:
        def __init__(self):
            self.factor = 2

        def twice(self, x):
            return x * self.factor * 2

        @ag.function(guard_objects=True)
        def __call__(self, x):
            return self.twice(x)

    one, other = Scale(), Scale()
    assert (int(one(ONE)), int(other(ONE))) == (4, 4)
    one.factor = 3
    assert (int(one(ONE)), int(other(ONE))) == (6, 4)
    assert Scale.__call__.experimental_get_tracing_count() == 3


def test_new_values_of_variables_and_tensors_need_no_trace():
    line = types.SimpleNamespace(slope=ag.Variable(2.0), bias=ag.constant([1.0, 1.0]))
    f, count = traced(lambda line, x: line.slope * x + line.bias, guard_objects=True)
    x = ag.constant([1.0, 2.0])
    assert f(line, x).numpy().tolist() == [3.0, 5.0]
    line.slope.assign(3.0)
    line.bias = ag.constant([0.0, 1.0])
    assert (f(line, x).numpy().tolist(), count()) == ([3.0, 7.0], 1)
    line.bias = ag.constant([[0.0, 1.0]])  # another shape
    assert (f(line, x).numpy().tolist(), count()) == ([[3.0, 7.0]], 2)
    line.slope = ag.Variable(1.0)  # another variable
    assert (f(line, x).numpy().tolist(), count()) == ([[1.0, 3.0]], 3)


def test_a_tensor_whose_value_shaped_the_trace_makes_a_new_one():
    thing = types.SimpleNamespace(shape=ag.constant([2, 1]))
    f, count = traced(lambda x: ag.reshape(x, thing.shape), guard_objects=True)
    x = ag.constant([1, 2])
    assert f(x).shape == [2, 1]
    thing.shape = ag.constant([1, 2])
    assert f(x).shape == [1, 2]


def test_a_function_that_calls_a_guarded_one_notices_too(monkeypatch):
    inner = ag.function(lambda x: x * LEVEL, guard_globals=True)
    f, count = traced(lambda x: inner(x) + 1)
    assert int(f(ONE)) == 2
    monkeypatch.setitem(globals(), "LEVEL", 5)
    assert (int(f(ONE)), count()) == (6, 2)


def test_an_earlier_value_that_stays_gets_its_fast_way_back(monkeypatch):
    f, count = traced(lambda x: x + LEVEL, guard_globals=True)
    for value in (1, 10, 1):
        monkeypatch.setitem(globals(), "LEVEL", value)
        for _ in range(80):
            assert int(f(ONE)) == 1 + value
    f.was_fast = False
    f(ONE)
    assert f.was_fast and count() == 2


def test_explain_retraces_names_what_changed(monkeypatch):
    f, _ = traced(lambda c, x: x * LEVEL * c.rate, guard_globals=True, guard_objects=True)
    config = Config()
    f(config, ONE)
    monkeypatch.setitem(globals(), "LEVEL", 10)
    f(config, ONE)
    config.rate = 7
    f(config, ONE)
    text = f.explain_retraces()
    assert "global LEVEL: was 1, is 10" in text
    assert "c.rate: was 2, is 7" in text


@pytest.mark.slow
def test_guards_do_not_keep_an_object_alive():
    class Owner:
        rate = 2
        size = 2

    f = ag.function(lambda owner, x: x * owner.rate * owner.size, guard_objects=True)
    owner = Owner()
    owner.rate = 3
    assert int(f(owner, ONE)) == 6
    gone = weakref.ref(owner)
    del owner
    gc.collect()
    assert gone() is None
