"""Arrays and containers of globals, closures and defaults in functions that `jit` decorates."""

import builtins
import functools
import threading
import traceback
import types

import numpy as np
import pytest
from native_calls import is_native

import allograph as ag

WEIGHTS = np.array([1.0, 2.0, 3.0])
COUNTS = np.zeros(3)
PAIR = (np.ones(2), [np.zeros(2), np.zeros(2)])
TABLE = {"scale": np.array([2.0, 2.0]), "calls": 0}
CALLS = [0]


@pytest.fixture(autouse=True)
def _fresh():
    WEIGHTS[:] = 1, 2, 3
    COUNTS[:] = 0
    for one in PAIR[1]:
        one[:] = 0
    TABLE.update(calls=0)
    CALLS[:] = [0]


def test_a_global_array_is_read_in_each_call():
    weighted = ag.jit(lambda x: x @ WEIGHTS)
    assert weighted(np.ones(3)) == 6
    WEIGHTS[0] = 11
    assert weighted(np.ones(3)) == 16
    assert is_native(weighted)


def test_a_name_that_holds_another_array_is_noticed(monkeypatch):
    weighted = ag.jit(lambda x: x @ WEIGHTS)
    assert weighted(np.ones(3)) == 6
    monkeypatch.setitem(globals(), "WEIGHTS", np.array([5.0, 5.0, 5.0]))
    assert weighted(np.ones(3)) == 15


def test_each_call_changes_a_global_array():
    @ag.jit
    def count(i):
        COUNTS[0] += 1
        COUNTS[i] += 10

    for _ in range(3):
        count(1)
    np.testing.assert_array_equal(COUNTS, [3, 30, 0])
    assert is_native(count)


def test_each_call_changes_a_default_array():
    def count(i, counts=COUNTS):
        counts[i] += 1
        return counts.sum()

    counted = ag.jit(count)
    assert [counted(1) for _ in range(4)] == [1, 2, 3, 4]
    assert is_native(counted)


def test_a_loop_reads_what_it_has_written_to_a_global_array():
    @ag.jit
    def running(n):
        total = 0.0
        for i in range(n):
            COUNTS[i % 3] += i
            total += COUNTS[(i + 1) % 3]
        return total

    expected = running.python_function(8)
    state = COUNTS.copy()
    COUNTS[:] = 0
    assert running(8) == expected
    np.testing.assert_array_equal(COUNTS, state)
    assert is_native(running)


def test_an_argument_that_is_the_global_array_is_one_with_it():
    @ag.jit
    def written(x):
        x[0] = 100
        return WEIGHTS.sum()

    assert written(np.zeros(3)) == 6
    assert written(WEIGHTS) == 105


def test_a_closure_shares_its_array_with_other_functions():
    state = np.ones(3)

    @ag.jit
    def doubled():
        state[:] = state * 2

    @ag.jit
    def added(x):
        return x + state

    doubled()
    np.testing.assert_array_equal(added(np.zeros(3)), [2, 2, 2])
    doubled()
    np.testing.assert_array_equal(added(np.zeros(3)), [4, 4, 4])
    assert is_native(doubled)
    assert is_native(added)


def test_arrays_in_tuples_lists_and_dictionaries():
    @ag.jit
    def step(x):
        PAIR[1][0][:] += x
        PAIR[1][1][0] = PAIR[0][1]
        return PAIR[0] * x * TABLE["scale"]

    for _ in range(3):
        np.testing.assert_array_equal(step(np.array([1.0, 2.0])), [2, 4])
    np.testing.assert_array_equal(PAIR[1], [[3, 6], [1, 0]])
    assert is_native(step)


def test_an_array_of_a_global_is_returned_itself():
    returned = ag.jit(lambda: WEIGHTS)
    assert returned() is WEIGHTS
    part = ag.jit(lambda: WEIGHTS[1:])()
    assert part.base is WEIGHTS


def test_a_default_array_is_the_same_in_each_call():
    def accumulated(x, state=np.zeros(2)):
        state += x
        return state.sum()

    assert [ag.jit(accumulated)(np.ones(2)) for _ in range(3)] == [2, 4, 6]


def test_a_default_array_of_a_called_function():
    def accumulated(x, state=np.zeros(2)):
        state += x
        return state.sum()

    called = ag.jit(lambda x: accumulated(x) * 1)
    assert [called(np.ones(2)) for _ in range(3)] == [2, 4, 6]


def item_of_list(x):
    CALLS[0] += 1
    return x


def item_of_dictionary(x):
    TABLE["calls"] += 1
    return x


def refused_after_a_change(x):
    TABLE["calls"] += 1
    return np.array2string(x)


@pytest.mark.parametrize("f", [item_of_list, item_of_dictionary, refused_after_a_change])
def test_a_container_changes_once_in_each_call(f):
    changing = ag.jit(f)
    for _ in range(3):
        changing(np.ones(2))
    assert CALLS[0] + TABLE["calls"] == 3


def test_a_global_array_decides_a_shape():
    shape = np.array([2, 3])
    made = ag.jit(lambda x: np.zeros(tuple(shape)) + x)
    assert made(1.0).shape == (2, 3)
    shape[0] = 4
    assert made(1.0).shape == (4, 3)


def test_an_array_that_may_not_change_does_not():
    fixed = np.arange(3.0)
    fixed.flags.writeable = False

    def write():
        fixed[0] = 1

    with pytest.raises(ValueError, match="read-only"):
        ag.jit(write)()
    np.testing.assert_array_equal(ag.jit(lambda x: x * fixed)(2.0), [0, 2, 4])


def test_arrays_of_other_layouts():
    columns = np.asfortranarray(np.arange(6.0).reshape(2, 3))
    part = np.arange(10.0)[::2]
    computed = ag.jit(lambda x: (columns @ x, part + 1))
    product, more = computed(np.ones(3))
    np.testing.assert_array_equal(product, [3, 12])
    np.testing.assert_array_equal(more, part + 1)


def test_an_array_of_a_module_is_that_of_each_call():
    module = types.ModuleType("parameters")
    module.scale = np.ones(2)
    scaled = ag.jit(lambda x: x * module.scale)
    np.testing.assert_array_equal(scaled(np.ones(2)), [1, 1])
    module.scale[:] = 3
    np.testing.assert_array_equal(scaled(np.ones(2)), [3, 3])


def test_threads_that_share_a_global_array():
    counted = np.zeros(4)

    @ag.jit
    def count(i):
        counted[i] += 1

    count(0)
    counted[:] = 0
    threads = [threading.Thread(target=lambda i=i: [count(i) for _ in range(100)]) for i in (0, 1)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    np.testing.assert_array_equal(counted, [100, 100, 0, 0])


def test_as_cfunc_asks_for_an_array_as_a_parameter():
    with pytest.raises(ag.errors.InvalidArgumentError, match="Make the array a parameter"):
        ag.jit(lambda x: x * WEIGHTS[0]).as_cfunc("float64(float64)")


def test_an_outer_array_that_is_only_sorted_may_become_another():
    rows = np.array([3, 1, 2])

    @ag.jit
    def order():
        rows.sort()

    order()
    rows = np.array([9, 7, 8])
    order()
    np.testing.assert_array_equal(rows, [7, 8, 9])


def test_the_code_and_the_defaults_of_a_helper_may_change(monkeypatch):
    """As those of functions of a module that is loaded again in place."""
    scaled = ag.jit(lambda a: _helper(a) + 1)
    assert scaled(np.ones(2)).tolist() == [3, 3]
    monkeypatch.setattr(_helper, "__defaults__", (5,))
    assert scaled(np.ones(2)).tolist() == [6, 6]
    monkeypatch.setattr(_helper, "__code__", (lambda a, by=2: a - by).__code__)
    assert scaled(np.ones(2)).tolist() == [-3, -3]
    assert is_native(scaled)


def test_the_defaults_of_a_helper_inside_a_function_may_change():
    def helper(a, by=2, *, more=0):
        return a * by + more

    scaled = ag.jit(lambda a: helper(a))
    for name, value in (("__defaults__", (5,)), ("__kwdefaults__", {"more": 1})):
        scaled(np.ones(2))
        setattr(helper, name, value)
        assert scaled(np.ones(2)).tolist() == helper(np.ones(2)).tolist()
    helper.__kwdefaults__["more"] = 7
    assert scaled(np.ones(2)).tolist() == [12, 12]


CODE = (lambda a, by, *, more: a - by + more).__code__
STATES = [("__defaults__", (5,)), ("__kwdefaults__", {"more": 1}), ("__code__", CODE)]


def _scaled(a, by=2, *, more=0):
    return a * by + more


def _scaled_in_python(a, by=2, *, more=0):
    return a * by + more * len(str(a))


@pytest.mark.parametrize("function", [_scaled, _scaled_in_python])
@pytest.mark.parametrize("decorated", [True, False])
def test_the_code_and_the_defaults_of_the_decorated_function_may_change(function, decorated):
    copy = types.FunctionType(function.__code__, globals(), "scaled", (2,))
    copy.__kwdefaults__ = {"more": 0}
    scaled = ag.jit(copy)
    for name, value in STATES:
        scaled(np.ones(2)), scaled(np.ones(2))
        setattr(scaled if decorated else copy, name, value)
        assert scaled(np.ones(2)).tolist() == copy(np.ones(2)).tolist()
        assert getattr(scaled, name) is value
    copy.__kwdefaults__["more"] = 7
    assert scaled(np.ones(2)).tolist() == [3, 3]


def test_a_global_may_come_to_hide_a_builtin(monkeypatch):
    counted = ag.jit(lambda a: len(a) + max(1, 2))
    assert [counted(WEIGHTS), counted(WEIGHTS)] == [5, 5]
    monkeypatch.setitem(globals(), "max", min)
    assert [counted(WEIGHTS), counted(WEIGHTS)] == [4, 4]
    monkeypatch.undo()
    assert counted(WEIGHTS) == 5
    assert is_native(counted)


@pytest.mark.parametrize("module, name", [(builtins, "abs"), (np, "sin"), (np.linalg, "det")])
def test_another_function_in_a_module_of_python_or_numpy_is_noticed(module, name, monkeypatch):
    called = ag.jit(lambda m: abs(m[0, 0]) + np.sin(m[0, 1]) + np.linalg.det(m))
    before = [called(np.eye(2)), called(np.eye(2))]
    monkeypatch.setattr(module, name, lambda value: 7.0)
    assert [called(np.eye(2)), called(np.eye(2))] == [called.python_function(np.eye(2))] * 2
    monkeypatch.undo()
    assert [called(np.eye(2))] * 2 == before
    assert is_native(called)


def test_another_method_of_an_object_is_noticed():
    class Scale:
        def of(self, x):
            return 2 * x

        @staticmethod
        def least():
            return 0

    class Own(Scale):
        pass

    scale = Own()
    scaled = ag.jit(lambda x: scale.of(x) + scale.least())
    assert [scaled(2.0), scaled(2.0)] == [4, 4]
    Scale.of = lambda self, x: 3 * x
    assert scaled(2.0) == 6
    Own.of = lambda self, x: 4 * x
    assert scaled(2.0) == 8
    Own.least = staticmethod(lambda: 1)
    assert scaled(2.0) == 9
    scale.of = abs
    assert scaled(2.0) == 3
    del scale.of, Own.of
    assert scaled(2.0) == 7
    assert is_native(scaled)


def test_attributes_of_the_decorated_function_are_those_of_each_call():
    @ag.jit
    def scaled(x):
        return scaled.table[0] * x + scaled.static + len(scaled.signature)

    scaled.table, scaled.static, scaled.signature = np.ones(2), 1, "a"  # no names of its own
    assert [scaled(2.0), scaled(2.0)] == [4, 4]
    scaled.table[0] = 3
    assert scaled(2.0) == 8
    scaled.table, scaled.static = [4.0], 2
    assert scaled(2.0) == 11
    assert is_native(scaled)


def test_attributes_that_are_asked_for_may_come_and_go():
    class Settings:
        pass

    settings = Settings()

    @ag.jit
    def asked(x):
        if hasattr(asked, "by"):
            x *= asked.by
        return x + getattr(settings, "more", 0) + getattr(Settings, "most", 0)

    found = [asked(1.0)]
    for owner, name in ((asked, "by"), (settings, "more"), (Settings, "most")):
        setattr(owner, name, 5.0)
        found += [asked(1.0), asked(1.0)]
        delattr(owner, name)
        found.append(asked(1.0))
    assert found == [1, 5, 5, 1, 6, 6, 1, 6, 6, 1]
    assert is_native(asked)


def test_attributes_whose_name_is_computed_are_those_of_each_call():
    settings, names = types.SimpleNamespace(by=2.0), ["by"]

    @ag.jit
    def asked(x):
        for name in names:
            x *= getattr(settings, name)
        return x + hasattr(settings, "".join(["m", *names]))

    found = [asked(1.0)]
    settings.by = 5.0
    found.append(asked(1.0))
    settings.mby = 1
    assert [*found, asked(1.0)] == [2, 5, 6]
    assert is_native(asked)


class Counting:
    """Counts what is asked of it."""

    count = 0

    @property
    def next(self):
        self.count += 1
        return self.count

    __len__ = __getitem__ = lambda self, *at: self.next
    __add__ = lambda self, other: self.next + other


counting = Counting()


@pytest.mark.parametrize(
    "asked",
    [
        lambda x: x + counting.next,
        lambda x: x + len(counting),
        lambda x: x + counting[0],
        lambda x: counting + x,
    ],
)
def test_special_methods_that_set_attributes_are_called_once_in_each_call(asked):
    counting.count = 0
    compiled = ag.jit(asked)
    assert [compiled(1.0), compiled(1.0)] == [2, 3]


class Remembering:
    """Keeps what it has computed: in a slot, or in a dictionary."""

    __slots__ = ("__dict__", "count", "kept")

    @property
    def in_slots(self):
        if not hasattr(self, "kept"):
            self.kept = self.count = 0
        self.kept += 2
        return self.kept

    @property
    def in_attributes(self):
        if not hasattr(self, "other"):
            self.other = 3
            self.count += 1
        return self.other


def test_what_a_trace_sets_for_the_first_time_is_not_set_before_the_call():
    remembering = Remembering()
    compiled = ag.jit(lambda x: x + remembering.in_slots)
    assert [compiled(1.0), compiled(1.0)] == [3, 5]
    compiled = ag.jit(lambda x: x + remembering.in_attributes)
    assert [compiled(1.0), compiled(1.0), remembering.count] == [4, 4, 1]


def test_a_warning_of_a_module_that_the_function_imports_is_given_in_each_call():
    @ag.jit
    def warned(x):
        import warnings

        if x > 0:
            warnings.warn("positive", stacklevel=2)
        return x

    for _ in range(2):
        with pytest.warns(UserWarning, match="positive"):
            warned(1.0)


HELD = types.SimpleNamespace()


def _added_to(array, x):
    np.add(array, 1, out=array)
    return x + array[0]


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.add.accumulate(HELD.array, out=HELD.array)[0] + x,
        lambda x: [row.__iadd__(x) for row in (HELD.array,)][0][0],
        lambda x: _added_to(HELD.array, x),
        lambda x: np.random.shuffle(HELD.array) or x,
        functools.partial(lambda held, x: _added_to(held.array, x), HELD),
        lambda x: functools.partial(_added_to, HELD.array)(x),
        functools.partial(_added_to, HELD),
    ],
)
def test_arrays_that_attributes_and_partial_functions_have_change_once_in_each_call(function):
    outcomes = []
    for is_compiled in (False, True):
        np.random.seed(0)
        HELD.array = np.arange(1.0, 4.0)
        called = function
        if getattr(function, "args", None) == (HELD,) and function.func is _added_to:
            called = functools.partial(_added_to, HELD.array)
        called = ag.jit(called) if is_compiled else called
        outcomes.append(([called(2.0), called(2.0)], HELD.array.tolist(), np.random.rand()))
    assert outcomes[0] == outcomes[1]


def test_new_defaults_and_new_code_may_take_other_arguments():
    def scaled(a, by):
        return a * by

    f = ag.jit(scaled)
    assert f(2.0, 3.0) == 6
    f.__defaults__ = (5.0,)
    assert f(2.0) == 10
    f.__code__ = (lambda a, by, more: a * by + more).__code__
    assert f(2.0, 3.0, 4.0) == f(2.0, 3.0, more=4.0) == 10


def test_a_default_may_be_added_and_taken_away_in_place():
    def scaled(a, *, by):
        return a * by

    f = ag.jit(scaled, kernel_compiler="python")
    scaled.__kwdefaults__ = {}
    for default in (None, 3.0, None, 4.0):
        if default is None:
            scaled.__kwdefaults__.clear()
            with pytest.raises(TypeError, match=r"scaled\(\) missing 1 .* argument: 'by'"):
                f(2.0)
        else:
            scaled.__kwdefaults__["by"] = default
            assert f(2.0) == 2.0 * default


class Picks:
    factor = 2

    def __call__(self, a, place=1):
        return a[place] * self.factor


def test_partial_functions_and_objects_that_are_called_have_names(monkeypatch):
    picks = Picks()
    partial, of_object = ag.jit(functools.partial(picks.__call__, WEIGHTS)), ag.jit(picks)
    assert (partial(0), of_object(WEIGHTS)) == (2 * WEIGHTS[0], 2 * WEIGHTS[1])
    names = "<JitFunction partial(place=1)>", "<JitFunction Picks(a, place=1)>"
    assert (repr(partial), repr(of_object)) == names
    with pytest.raises(TypeError, match=r"Picks.__call__\(\) missing 1 required"):
        of_object()
    with pytest.raises(IndexError):
        partial(9)
    monkeypatch.setattr(Picks.__call__, "__defaults__", (0,))
    assert partial() == of_object(WEIGHTS) == 2 * WEIGHTS[0]


def test_errors_show_the_frames_of_the_program_alone(monkeypatch):
    monkeypatch.setenv("ALLOGRAPH_FULL_TRACEBACK", "0")

    def positive(a):
        if a < 0:
            raise ValueError(a)
        return a

    def positive_in_python(a):
        print(end="")
        return positive(a)

    for function in (positive, positive_in_python):
        compiled = ag.jit(function)
        for _ in range(2):
            with pytest.raises(ValueError) as caught:
                compiled(-1)
            names = [row.name for row in traceback.extract_tb(caught.value.__traceback__)]
            assert names[1:] == list(dict.fromkeys([function.__name__, "positive"]))


def test_arguments_reach_a_wrapper_as_they_are_given():
    """Whatever `functools.wraps` says of the parameters of the wrapper."""

    def counted(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            return 10 * len(args) + 100 * len(kwargs) + function(1.0, *args, **kwargs)

        return wrapper

    @ag.jit
    @counted
    def shifted(shift, a, by=2.0):
        return a.sum() * by + shift

    class Tripled:
        def __init__(self, function):
            functools.update_wrapper(self, function)

        def __call__(self, a):
            return self.__wrapped__(a, 3.0)

    w = WEIGHTS
    assert ag.jit(Tripled(lambda a, b: a.sum() * b))(w) == 18
    assert (shifted(w), shifted(w, 2.0), shifted(w, by=2.0)) == (23, 33, 123)


def _helper(a, by=2):
    return a * by


MADE_OF_CONSTANTS = [
    lambda x: np.diag([1.0, 2.0, 3.0]) @ x, lambda x: x + np.outer([1, 2, 3], [1, 2, 3]),
    lambda x: x + np.concatenate([[1.0], [2.0, 3.0]]), lambda x: x + np.stack([1.0, 2.0, 3.0]),
    lambda x: x + np.sin([1, 2, 3]), lambda x: x + np.repeat(2.0, 3), lambda x: x + np.hypot(3, 4),
    lambda x: x + np.where([True, False, True], 1.0, 2.0), lambda x: x + np.cumsum([1, 2, 3]),
]  # fmt: skip


@pytest.mark.parametrize("function", MADE_OF_CONSTANTS)
def test_arrays_that_functions_of_numpy_make_of_constants_are_native(function):
    def changed(x):
        made = function(x)
        for i in range(len(x)):
            x[i] = x[i] * 2 + i
        return made

    x, expected, made = np.ones(3), np.ones(3), ag.jit(changed)
    result = made(x)
    np.testing.assert_array_equal(result, changed(expected))
    np.testing.assert_array_equal(x, expected)
    assert is_native(made)


def test_modules_of_the_standard_library_are_imported_in_a_native_function():
    @ag.jit
    def roots(a):
        import math

        from numpy import sin

        for i in range(len(a)):
            a[i] = math.sqrt(a[i]) + sin(a[i])

    a = np.ones(3)
    roots(a)
    np.testing.assert_allclose(a, 1 + np.sin(1.0))
    assert is_native(roots)


def test_what_a_trace_sets_is_put_back_while_other_threads_wait():
    compiled, counting = ag.jit(lambda x, owner: x + owner.next), Counting()
    has_ended = threading.Event()
    waiting = threading.Thread(target=has_ended.wait)
    waiting.start()
    try:
        assert [compiled(1.0, counting) for _ in range(3)] == [2.0, 3.0, 4.0]
    finally:
        has_ended.set()
        waiting.join()
