"""A change that is taken back at once is seen where a tensor has made a copy of the container."""

import dataclasses
import operator

import pytest
from language_kit import assert_staged_alike, staged

import allograph as ag
from allograph.autograph.operators.noted_changes import NOTES
from allograph.runtime.core.errors import SymbolicValueError


@dataclasses.dataclass
class Record:
    k: object
    rows: list


class Box:
    def __init__(self, content):
        self.content = content


def by_an_item(d, chosen):
    d["k"] = 9
    n = chosen["k"]
    d["k"] = 1
    return n


def by_an_item_of_the_copy(d, chosen):
    old = chosen["k"]
    chosen["k"] = 9
    n = d["k"]
    chosen["k"] = old
    return n


def by_an_update(d, chosen):
    d["k"] += 8
    n = chosen["k"]
    d["k"] -= 8
    return n


def by_a_deleted_item(d, chosen):
    del d["k"]
    n = len(chosen)
    d["k"] = 1
    return n


def by_names_that_are_merged(d, chosen):
    d |= {"k": 9}
    n = chosen["k"]
    d |= {"k": 1}
    return n


def by_an_item_of_an_item(d, chosen):
    d["inner"]["k"] = 9
    n = chosen["inner"]["k"]
    d["inner"]["k"] = 1
    return n


def by_a_method_of_an_item(d, chosen):
    d["rows"].append(3)
    n = len(chosen["rows"])
    d["rows"].pop()
    return n


def by_targets_of_several_names(d, chosen):
    old, d["k"] = d["k"], 9
    n = chosen["k"]
    d["k"] = old
    return n


def by_the_target_of_a_loop(d, chosen):
    n = 0
    for d["k"] in (9, 1):
        n = n * 10 + chosen["k"]
    return n


def by_an_attribute_of_another(d, chosen):
    box = Box(d)
    box.content["k"] = 9
    n = chosen["k"]
    box.content["k"] = 1
    return n


def by_an_item_at_a_computed_index(d, chosen):
    both, one = [chosen, d], 1
    both[one]["k"] = 9
    n = chosen["k"]
    both[one]["k"] = 1
    return n


def by_a_function_of_the_library(d, chosen):
    operator.setitem(d, "k", 9)
    n = chosen["k"]
    operator.setitem(d, "k", 1)
    return n


def by_a_method_of_the_class(d, chosen):
    dict.update(d, k=9)
    n = chosen["k"]
    dict.update(d, k=1)
    return n


@ag.autograph.experimental.do_not_convert
def put(d, value):
    d["k"] = value


def by_a_function_that_is_not_converted(d, chosen):
    put(d, 9)
    n = chosen["k"]
    put(d, 1)
    return n


class Putting:
    def __init__(self, d, value):
        d["k"] = value


def by_a_class(d, chosen):
    Putting(d, 9)
    n = chosen["k"]
    Putting(d, 1)
    return n


def by_a_closure(d, chosen):
    def change(value):
        d["k"] = value

    change(9)
    n = chosen["k"]
    change(1)
    return n


TAKEN_BACK = [value for name, value in list(globals().items()) if name.startswith("by_")]


def dictionary(x, k):
    return {"k": k, "inner": {"k": k}, "rows": [k, x]}


@pytest.mark.parametrize("function", TAKEN_BACK, ids=lambda one: one.__name__)
def test_a_change_that_is_taken_back_is_refused_where_a_copy_was_read(function):
    def f(x):
        d, other = dictionary(x, 1), dictionary(x, 2)
        if x > 0:
            chosen = d
        else:
            chosen = other
        return function(d, chosen)

    with pytest.raises(SymbolicValueError, match="'chosen' .* the dict 'd'.* is changed after"):
        staged(f, 3)


def test_an_attribute_of_a_record_that_is_set_back_is_refused():
    def f(x):
        one, other = Record(1, [x]), Record(2, [x])
        chosen = one if x > 0 else other
        one.k = 9
        n = chosen.k
        one.k = 1
        return n

    with pytest.raises(SymbolicValueError, match="the Record 'one', and one of the two is changed"):
        staged(f, 3)


OPTIONS = {"k": 1, "rows": [1, 2]}


class Settings:
    def __init__(self):
        self.options = {"k": 1}


SETTINGS = Settings()


def of_a_global_variable(x):
    chosen = OPTIONS if x > 0 else {"k": 3, "rows": [1, 2]}
    OPTIONS["k"] = 9
    n = chosen["k"]
    OPTIONS["k"] = 1
    return n


def of_an_item_of_a_global_variable(x):
    if x > 0:
        chosen = OPTIONS["rows"]
    else:
        chosen = [3, 4]
    chosen[0] = 9
    n = OPTIONS["rows"][0]
    chosen[0] = 1
    return n


def of_an_attribute_of_a_global_variable(x):
    chosen = SETTINGS.options if x > 0 else {"k": 3}
    SETTINGS.options["k"] = 9
    n = chosen["k"]
    SETTINGS.options["k"] = 1
    return n


@pytest.mark.parametrize(
    "function",
    [of_a_global_variable, of_an_item_of_a_global_variable, of_an_attribute_of_a_global_variable],
)
def test_what_a_global_variable_holds_is_not_changed_after_a_choice(function):
    name = r"'(OPTIONS|OPTIONS\['rows'\]|SETTINGS.options)'"
    with pytest.raises(SymbolicValueError, match=f"{name}, and one of the two is changed"):
        staged(function, 3)


def test_what_a_closure_holds_is_not_changed_after_a_choice():
    options = {"k": 1}

    def f(x):
        if x > 0:
            chosen = options
        else:
            chosen = {"k": 3}
        return by_an_item(options, chosen)

    with pytest.raises(SymbolicValueError, match="the dict 'options', and one of the two is"):
        staged(f, 3)


def test_a_global_variable_that_is_only_chosen_is_right():
    def f(x):
        rows = OPTIONS["rows"]
        for i in range(x):
            rows = [i, x]
        chosen = OPTIONS if x > 0 else {"k": 3, "rows": rows}
        n = rows[0] + chosen["k"]
        rows = [n, 2]
        rows[0] = 7
        return n, rows[0], OPTIONS["rows"][0]

    assert_staged_alike(f, (0,), (3,))


def test_changes_of_others_than_the_chosen_ones_are_right():
    def f(x):
        d, other, third = dictionary(x, 1), dictionary(x, 2), dictionary(x, 3)
        if x > 0:
            chosen = d
        else:
            chosen = other
        n = by_an_item(third, d) + by_an_update(third, chosen)
        third["k"] = chosen["k"]
        return n + third["k"]

    assert_staged_alike(f, (0,), (3,))


def test_changes_that_are_taken_back_before_the_choice_are_right():
    def f(x):
        d, other = dictionary(x, 1), dictionary(x, 2)
        n = by_an_item(d, d)
        if x > 0:
            chosen = d
        else:
            chosen = other
        return n + chosen["k"]

    assert_staged_alike(f, (0,), (3,))


def test_the_owner_of_an_item_is_evaluated_once_and_after_the_value():
    def f(x):
        told = []

        def owner(value):
            told.append(1)
            return value

        def value(number):
            told.append(2)
            return number

        d = dictionary(x, 1)
        owner(d)["k"] = value(5)
        owner(d)["k"] += value(6)
        if x > 0:
            owner(d)["inner"]["k"] = value(x)
        return told, d["k"], d["inner"]["k"]

    converted = ag.autograph.to_graph(f)
    assert converted(3) == f(3)
    assert_staged_alike(f, (0,), (3,))


def test_after_a_trace_nothing_is_noted():
    def f(x):
        rows = [x, 2]
        chosen = rows if x > 0 else [x, 3]
        held = []
        for i in range(x):
            held.append([i, x])
        return chosen[0] + held[0][0]

    staged(f, 3)
    assert not NOTES
    with pytest.raises(SymbolicValueError):
        staged(lambda x: by_an_item(d := {"k": 1}, d if x > 0 else {"k": x}), 3)
    assert not NOTES
