"""What functions on JAX arrays refuse, at which line, and what stays as it is."""

import collections
import functools
import math
import re
import runpy
import subprocess
import sys
import traceback
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("jax", reason="JAX is not installed")

import jax
import jax.numpy as jnp
from jax.experimental import checkify

import allograph as ag
from allograph.autograph.errors import NotStagedError

ROOT = Path(__file__).parents[3]
on_jax = ag.jax.function


# ---- refusals ------------------------------------------------------------------------------------


def unset(x):
    if x > 0:
        y = x
    return y  # here


def unset_by_a_test(x):
    if x > 3 and (m := x - 1) < 9:
        return m  # here
    return x


def unset_in_a_loop(x):
    for i in range(x):
        last = i
    return last  # here


def raises(x):
    if x > 0:
        raise ValueError("positive")  # here
    return x


def raises_at_the_end(x):
    if x > 0:
        return x
    raise ValueError("not positive")  # here


def asserts(x):
    assert x > 0  # here
    return x


def catches(x):
    try:
        if x > 0:
            raise ValueError("positive")  # here
    except ValueError:
        x = 5
    return x


def returns_nothing_on_one_side(x):
    if x > 0:  # here
        return x


def other_shapes(x):
    y = jnp.zeros(3)
    if x > 0:  # here
        y = jnp.zeros(4)
    return y


def other_shapes_in_a_loop(x):
    y = jnp.zeros(3)
    while x > 0:  # here
        y = jnp.concatenate([y, y])
        x = x - 1
    return y


def other_structures(x):
    y = (x, x)
    if x > 0:  # here
        y = [x]
    return y


def other_strings(x):
    name = "a"
    if x > 0:  # here
        name = "b"
    return len(name)


def grows(x):
    rows = []
    while x > 0:  # here
        rows.append(x)
        x = x - 1
    return rows


def array_as_a_test(x):
    if jnp.zeros(3) < x:  # here
        return 1
    return 2


def key_of_a_dictionary(x):
    return {0: 1}[x]  # here


def sorts(x):
    return sorted([x] * 65)  # here


def filters(x):
    return [y for y in (x, 1) if y > 0]  # here


def takes_a_root(x):
    return math.sqrt(x)  # here


def takes_a_gamma(x):
    return math.lgamma(x)  # here


def raises_in_a_scan(x):
    def step(total, y):
        if y > 0:
            raise ValueError("positive")
        raise KeyError("not positive")  # here

    if x > 0:
        return jax.lax.scan(step, 0.0, jnp.zeros(2))[0]
    return 1.0


def changes_one_of_two_lists(x):
    a, b = [1.0], [2.0]
    c = a if x > 0 else b
    c[0] = 9.0
    return a[0] + b[0]


def asks_a_range(x):
    return 1 if range(x) else 2  # here


def recurs(x):
    if x < 2:
        return x
    return recurs(x - 1) + 1


REFUSED = {
    unset: "cannot access local variable 'y'",
    unset_by_a_test: "cannot access local variable 'm'",
    unset_in_a_loop: "cannot access local variable 'last'",
    raises: "a traced value decides whether this `raise` runs. Trace it by checkify",
    raises_at_the_end: "a traced value decides whether this `raise` runs",
    asserts: "a traced value is the test of an `assert`",
    catches: "whether this ValueError is raised is known only",
    returns_nothing_on_one_side: "the result is .* and None after the two sides",
    other_shapes: r"'y' is float32\[4\] and float32\[3\] after the two sides of a choice",
    other_shapes_in_a_loop: r"'y' is float32\[3\] and float32\[6\] before and after an iteration",
    other_structures: r"'y' is \[int32\[\]\] and \(int32\[\], int32\[\]\)",
    other_strings: "'name' is 'b' and 'a'",
    grows: "the list 'rows' changes in a loop",
    asks_a_range: "what is counted by a traced value decides",
    array_as_a_test: r"an array of shape \(3,\) decides",
    key_of_a_dictionary: "a traced value is the key of a dict",
    sorts: r"Use jnp.sort\(x\)",
    filters: "a traced value decides how many items",
    takes_a_root: r"`math.sqrt` gets a traced value. Use jnp.sqrt",
    takes_a_gamma: "`math.lgamma` gets a traced value. Use jax.scipy.special.gammaln",
    raises_in_a_scan: "JAX traces a function that always raises",
    changes_one_of_two_lists: "the choice is a copy",
    recurs: "'recurs' calls itself",
}


@pytest.mark.parametrize("function", REFUSED)
def test_what_cannot_be_staged_is_refused_at_its_line(function):
    error_class = UnboundLocalError if function.__name__.startswith("unset") else NotStagedError
    with pytest.raises(error_class, match=REFUSED[function]) as caught:
        checked = checkify.checkify if function is raises_in_a_scan else jax.jit
        jax.jit(checked(on_jax(function)))(1)
    if function in (recurs, changes_one_of_two_lists):  # which the end of the trace finds out
        return
    frames = [frame for frame in traceback.extract_tb(caught.tb) if frame.filename == __file__]
    assert "# here" in frames[-1].line


def test_a_refused_raise_has_the_error_that_was_raised_as_its_cause():
    with pytest.raises(NotStagedError) as caught:
        jax.jit(on_jax(raises))(1)
    assert repr(caught.value.__cause__) == "ValueError('positive')"


def test_a_caught_error_of_tracing_is_none_of_the_program():
    def catches_everything(x):
        try:
            y = float(np.asarray(x))
        except Exception:
            y = 5.0
        return y

    with pytest.raises(jax.errors.TracerArrayConversionError):
        jax.jit(on_jax(catches_everything))(1.0)


def test_an_index_of_python_is_checked_where_an_item_is_set():
    def outside(xs):
        xs[3] = 1.0
        return xs

    with pytest.raises(IndexError):
        on_jax(outside)(jnp.zeros(3))


# ---- what stays as it is -------------------------------------------------------------------------


def test_other_names_keep_the_array_whose_item_is_set():
    def sets(xs):
        ys = xs
        xs[0] = 5.0
        return xs, ys

    array = jnp.zeros(2)
    changed, kept = jax.jit(on_jax(sets))(array)
    assert changed.tolist() == [5.0, 0.0] and kept.tolist() == array.tolist() == [0.0, 0.0]


def test_what_is_not_read_later_may_have_other_shapes():
    def separate(x):
        if x > 0:
            part = jnp.ones(4)
            total = part.sum()
        else:
            part = jnp.ones(3)
            total = part.sum()
        return total

    assert jax.jit(on_jax(separate))(1) == 4 and jax.jit(on_jax(separate))(-1) == 3


def test_items_of_dictionaries_that_one_side_sets_are_asked_for():
    def asks(x):
        items = {}
        if x > 0:
            items["k"] = 1.0
        return "k" in items, items.get("k", 7.0)

    assert jax.jit(on_jax(asks))(1) == (True, 1.0)
    assert jax.jit(on_jax(asks))(-1) == (False, 7.0)


def test_python_numbers_keep_the_type_of_arrays():
    def scaled(x, n):
        factor = 1.0 if n > 0 else 2.0
        count = 0
        while count < n:
            count += 1
        return x * factor * count

    assert jax.jit(on_jax(scaled))(jnp.ones(2, jnp.bfloat16), 2).dtype == jnp.bfloat16


def test_numbers_of_loops_are_as_weakly_typed_as_those_of_python():
    def weighted(xs, n):
        total = xs[0]
        for i, (x, j) in enumerate(zip(xs, range(3, 9, 2))):
            total = total + i * x + j
        for i in range(n):
            total = total + i
        for i, x in reversed(list(enumerate(xs))):
            total = total - i
        return total

    xs = np.array([100, 90, 3], np.int8)
    total = jax.jit(on_jax(weighted))(xs, 3)
    with np.errstate(over="ignore"):
        assert total == weighted(xs, 3) and total.dtype == np.int8


def test_ranges_of_unsigned_numbers_go_below_zero():
    def counted(n):
        total = 0
        for i in range(n, -3, -1):
            total += i
        return total

    with jax.enable_x64(True):
        assert jax.jit(on_jax(counted))(np.uint64(2)) == counted(2)


def test_keys_and_records_are_carried():
    pair = collections.namedtuple("pair", "key total")

    def draws(state, n):
        for _ in range(n):
            key, part = jax.random.split(state.key)
            state = pair(key, state.total + jax.random.uniform(part))
        return state.total

    start = pair(jax.random.key(0), 0.0)
    assert jax.jit(on_jax(draws))(start, 3) == pytest.approx(on_jax(draws)(start, 3))


class Scaler:
    def __init__(self, factor):
        self.factor = factor

    @functools.partial(jax.jit, static_argnums=0)
    @on_jax
    def __call__(self, x):
        return self.scaled(x) if x > 0 else -x

    def scaled(self, x):
        if x > 3:
            return x * self.factor
        return x


def test_methods_and_objects_that_can_be_called():
    scaler = Scaler(2)
    assert (scaler(5.0), scaler(2.0), scaler(-1.0)) == (10.0, 2.0, 1.0)
    assert jax.jit(on_jax(scaler.scaled))(5.0) == 10.0
    assert jax.jit(on_jax(functools.partial(lambda k, x: x * k if x > 0 else x, 3)))(2.0) == 6.0


def test_a_function_in_a_function_goes_into_transformations():
    @on_jax
    def summed(xs):
        def step(total, x):
            if x > 1:
                total = total + x
            return total, total

        return jax.lax.scan(step, 0.0, xs)[0] + jax.vmap(lambda x: x if x > 1 else 0.0)(xs).sum()

    assert jax.jit(summed)(jnp.arange(4.0)) == 10.0


def test_it_goes_with_functions_of_tensors_and_of_arrays_in_one_process():
    def halved(x):
        while x > 1:
            x = x / 2
        return x

    assert jax.jit(on_jax(halved))(12.0) == 0.75
    assert ag.function(halved)(ag.constant(12.0)).numpy() == 0.75
    assert ag.jit(halved)(12.0) == 0.75
    assert "while_stmt" in ag.autograph.to_code(on_jax(halved))


# ---- the page, the example, and where JAX is missing ---------------------------------------------


def test_the_programs_of_the_page_run(tmp_path):
    text = (ROOT / "docs" / "from_jax.md").read_text(encoding="utf-8")
    script = tmp_path / "page.py"
    script.write_text("\n".join(re.findall(r"^```py\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)))
    names = runpy.run_path(str(script))
    assert {"huber", "steps", "first_above", "smoothed", "root"} <= set(names)


def test_without_jax_the_decorator_says_what_to_install():
    program = (
        "import sys; sys.modules['jax'] = None\n"
        "import allograph as ag\n"
        "try: ag.jax.function(abs)\n"
        "except ImportError as error: print(error)\n"
    )
    command = [sys.executable, "-P", "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "JAX is not installed: pip install 'allograph[jax]'\n"
