"""Loops on tensors whose state starts as None, or as a text that the loop replaces."""

import pytest
from execution_modes import pinned
from language_kit import assert_staged_alike, plain, staged

import allograph as ag


def text_of(function, *inputs):
    return ag.function(function)(*map(ag.constant, inputs)).numpy()


def test_none_before_the_loop():
    def f(x):
        last = None
        for v in x:
            last = (v, v * 2)
        return last

    assert staged(f, [3, 4]) == (4, 8)


def test_none_when_the_loop_does_not_run():
    @ag.function
    def f(x):
        last = None
        for v in x:
            last = v
        return last

    with pytest.raises(ag.errors.InvalidArgumentError, match="'last'.*None before the loop"):
        f(ag.constant([], ag.int32))


def test_none_that_nobody_reads_is_no_matter():
    def f(n):
        last = None
        for i in range(n):
            last = i
        return n

    assert staged(f, 0) == 0


@pytest.mark.slow
def test_the_body_asks_for_none():
    def product(x):
        made = None
        for v in x:
            if made is None:
                made = v
            else:
                made = made * v
        return made

    def largest(x):
        best = None
        for v in x:
            if best is None or v > best:
                best = v
        return best

    def shifted(x):
        y = None
        for v in x:
            y = v + (10 if y is None else 20)
        return y

    assert staged(product, [2, 3, 4]) == 24
    assert [staged(shifted, rows) for rows in ([1], [1, 1])] == [11, 21]
    assert staged(largest, [-3, -2, -4]) == -2


def test_the_test_asks_for_none():
    def f(n):
        y = None
        while y is None or y < n:
            y = 1 if y is None else y * 2
        return y

    assert [staged(f, n) for n in (1, 9)] == [1, 16]


def test_effects_happen_once(capfd):
    @ag.function
    def f(n):
        last = None
        for i in ag.range(n):
            ag.print(i)
            if last is None:
                ag.print("first")
            last = i
        return last

    f(ag.constant(2))
    assert capfd.readouterr().err.split() == ["0", "first", "1"]


def test_none_of_unknown_shape():
    def f(x):
        rest = None
        for v in x:
            rest = ag.boolean_mask(x, x > v)
        return rest

    assert staged(f, [5, 3, 4]) == [5]


def test_a_text_that_grows():
    def f(n):
        text = ""
        for _ in range(n):
            text = text + "ab"
        return text

    assert [text_of(f, n) for n in (0, 2)] == [b"", b"abab"]


def test_a_text_that_the_body_asks_for():
    def f(n):
        mode, k = "up", 0
        for _ in range(n):
            if mode == "up":
                k += 10
                mode = "down"
            else:
                k -= 1
                mode = "up"
        return ag.strings.format("{} ", k) + mode

    assert text_of(f, 3) == b"19 down"


def test_a_text_that_stays_is_python():
    def f(n):
        options, k = {"mode": "up", "k": 0}, 0
        for i in range(n):
            options["k"] += i
        return options

    assert text_of(lambda n: f(n)["mode"], 3) == b"up"
    assert staged(lambda n: f(n)["k"], 3) == 3


def test_texts_that_follow_each_other():
    def f(n):
        a, b = "x", "x"
        for i in range(n):
            a, b = b, ag.strings.as_string(i)
        return a + b

    assert [text_of(f, n) for n in (0, 1, 2)] == [b"xx", b"x0", b"01"]


def test_none_that_stays_for_an_iteration():
    @ag.function
    def f(x):
        before, last = None, None
        for v in x:
            before, last = last, v
        return before

    assert [plain(f(ag.constant(x))) for x in ([1, 2], [1, 2, 3])] == [1, 2]
    with pytest.raises(ag.errors.InvalidArgumentError, match="'before'.*None"):
        f(ag.constant([1]))


@pytest.mark.parametrize("jit", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_native_code_and_gradient(jit):
    @ag.function(**pinned(jit))
    def f(x):
        total = None
        for v in x:
            total = v * v if total is None else total * v
        return total

    x = ag.constant([2.0, 3.0])
    with ag.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    assert plain(y) == 12.0
    assert plain(tape.gradient(y, x)) == [12.0, 4.0]


def none_after(n):
    last = None
    for i in range(n):
        last = i
    return 0 if last is None else last + 1


def none_in_the_loop_and_after(n):
    last = None
    while n > 0:
        n -= 1
        if last is not None and last > 3:
            break
        last = n
    if last is not None:
        n = n + last
    return n


def none_matched(n):
    last = None
    for i in range(n):
        last = i
    match last:
        case None:
            return 7
        case _:
            return last


def none_in_a_structure(n):
    best = None
    for i in range(n):
        if best is None or i % 3 > best[1]:
            best = (i, i % 3)
    if best is None:
        return -1
    return best[0]


def none_in_a_lambda(n):
    last = None
    for i in range(n):
        last = i
    is_missing = lambda: last is None  # noqa: E731
    return 1 if is_missing() else 2


def none_under_another_name(n):
    last = None
    for i in range(n):
        last = i
    other = last
    return 5 if other is None else 6


def none_in_an_item(n):
    found = {"last": None}
    for i in range(n):
        found["last"] = i
    return 5 if found["last"] is None else 6


def none_in_an_inner_function(n):
    last = None
    for i in range(n):
        last = i

    def ask():
        if last is not None:
            return last
        return -1

    return ask()


@pytest.mark.parametrize(
    "program",
    [
        none_under_another_name, none_in_an_item, none_in_an_inner_function,
        none_after, none_in_the_loop_and_after, none_matched, none_in_a_structure,
        none_in_a_lambda,
    ],
)  # fmt: skip
def test_whether_it_is_none_after_the_loop_is_known_when_the_graph_runs(program):
    assert_staged_alike(program, (-1,), (0,), (1,), (3,), (7,))


def test_equality_with_none_asks_whether_the_loop_ran():
    def f(n):
        last = None
        for i in range(n):
            last = i
        if last == None:  # noqa: E711
            return -1
        return last if last != None else -2  # noqa: E711

    assert_staged_alike(f, (0,), (3,))
