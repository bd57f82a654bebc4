"""`replaces`: a trace converts the replacement of a function; other calls are the original's."""

import bisect
import calendar
import heapq
import math
import statistics

import numpy as np
import pytest
from native_calls import is_native

import allograph as ag
from allograph.autograph.replacements import REPLACEMENTS, is_of_python_library
from allograph.python_library import bisection, heaps, integers  # noqa: F401 - for good
from allograph.python_library.replacements import check_parameters

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def _only_here():
    before = dict(REPLACEMENTS)
    REPLACEMENTS.pop(id(calendar.isleap), None)  # an example of the documents registers it
    yield
    REPLACEMENTS.clear()
    REPLACEMENTS.update(before)


def by_halves(a, x):
    low, high = 0, len(a)
    while low < high:
        middle = (low + high) // 2
        if a[middle] < x:
            low = middle + 1
        else:
            high = middle
    return low


def leap_years(years):
    count = 0
    for year in years:
        if calendar.isleap(year):
            count += 1
    return count


BORDERS = np.array([1.0, 2.0, 3.0])


def test_a_replacement_makes_a_function_native():
    years = np.arange(1999, 2030)
    before = ag.jit(leap_years)
    assert before(years) == 8
    assert "a call of isleap" in before.inspect()
    ag.replaces(calendar.isleap)(
        lambda year: year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    )
    learned = ag.jit(leap_years)
    assert learned(years) == before(years) == 8
    assert is_native(learned)
    assert is_native(before)  # traced again, since Python has run it
    assert "a call of isleap" not in before.inspect()


def test_native_code_stays_when_a_function_is_registered():
    double = ag.jit(lambda x: x * 2)
    assert double(1.5) == 3.0
    ag.replaces(calendar.isleap)(lambda year: False)
    assert double(2.5) == 5.0
    assert "2 calls" in double.inspect()


def test_a_replacement_may_call_its_original():
    @ag.replaces(math.gcd)
    def gcd(a, b):
        return math.gcd(b, a) + 1000

    for decorator, values in ((ag.jit, (6.0, 4.0)), (ag.function, (6, 4))):
        found = decorator(lambda a, b: math.gcd(int(a), int(b)))
        assert found(*values) == 1002


def test_a_graph_of_tensors_converts_it_too():
    ag.replaces(bisect.bisect_left)(by_halves)
    found = ag.function(lambda borders, x: bisect.bisect_left(borders, x))
    assert found(ag.constant(BORDERS), ag.constant(2.5, ag.float64)).numpy() == 2


def test_calls_outside_of_a_trace_are_those_of_the_original():
    @ag.replaces(math.comb)
    def comb(n, k):
        raise AssertionError

    assert math.comb(4, 2) == ag.autograph.experimental.do_not_convert(math.comb)(4, 2) == 6


def test_what_native_code_leaves_is_run_with_the_original():
    @ag.replaces(math.comb)
    def comb(n, k):
        result = 1
        for i in range(min(k, n - k)):
            result = result * (n - i) // (i + 1)
        return result

    total = ag.jit(lambda n: sum([math.comb(n, k) for k in range(n)]))
    assert total(20) == 2**20 - 1
    assert is_native(total)
    assert total(80) == 2**80 - 1


def test_arguments_without_a_parameter_are_for_the_original():
    ag.replaces(bisect.bisect_left)(by_halves)
    start = ag.jit(lambda borders, x: bisect.bisect_left(borders, x, lo=1))
    assert start(BORDERS, 0.0) == 1
    assert "a call of bisect_left" in start.inspect()


def test_the_later_of_two_registrations_counts():
    ag.replaces(math.gcd)(lambda a, b: a)
    ag.replaces(math.gcd)(lambda a, b: b)
    assert ag.jit(lambda a: math.gcd(int(a[0]), int(a[1])))(np.array([3.0, 5.0])) == 5


def test_a_replacement_may_change_a_list():
    @ag.replaces(bisect.insort, changes=True)
    def insort(a, x):
        a.append(x)
        place = len(a) - 1
        while place > 0 and x < a[place - 1]:
            a[place] = a[place - 1]
            place -= 1
        a[place] = x

    @ag.jit
    def inserted(values):
        items = []
        for value in values:
            bisect.insort(items, value)
        return items

    values = np.arange(20.0)[::-1].copy()
    assert inserted(values) == sorted(values)
    assert is_native(inserted)


def test_a_function_of_the_program_that_cannot_be_converted_is_replaced():
    namespace = {}
    exec("def hidden(x):\n    return x * 2 if x > 0 else x", namespace)
    hidden = namespace["hidden"]
    ag.replaces(hidden)(lambda x: x * 2 if x > 0 else x)

    @ag.jit
    def doubled(values):
        total = 0.0
        for value in values:
            total += hidden(value)
        return total

    assert doubled(np.array([1.0, -3.0, 2.0])) == 3.0
    assert is_native(doubled)


def test_a_replacement_that_raises_leaves_the_call_to_the_original():
    @ag.replaces(statistics.fmean)
    def fmean(data):
        raise KeyError

    mean = ag.jit(lambda a: statistics.fmean(a))
    assert mean(np.array([1.0, 3.0])) == 2.0
    assert "KeyError" in mean.inspect()


@pytest.mark.parametrize("original", [3, list, str.join, "len"])
def test_what_is_no_function_is_refused(original):
    with pytest.raises(TypeError, match=r"replaces\(\) takes a function, not"):
        ag.replaces(original)


def test_a_replacement_is_a_function_of_python():
    with pytest.raises(TypeError, match="decorates a function of Python's, not <built-in"):
        ag.replaces(heapq.heappush)(len)


def test_the_replacements_of_the_package_have_no_parameter_that_the_original_lacks():
    own = [entry for entry in REPLACEMENTS.values() if is_of_python_library(entry[1])]
    assert len(own) > 20
    for original, replacement in own:
        check_parameters(original, replacement)


def test_a_parameter_that_the_original_lacks_is_refused():
    with pytest.raises(TypeError, match=r"replacement of fmean\(\) has a parameter 'scale' more"):
        ag.replaces(statistics.fmean)(lambda data, scale: 0)
    ag.replaces(statistics.fmean)(lambda data, scale=1: 0)
