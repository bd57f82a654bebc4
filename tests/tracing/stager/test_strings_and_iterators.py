"""Strings that a tensor chooses and iterators over what it counts answer as Python's, or refuse."""

import contextlib
import copy

import pytest
from law_kit import load

import allograph as ag

GROWN_BYTES = """
def grown_bytes(n):
    y = b"ab"
    for i in range(n - 2):
        y += b"b"
    return y
"""
FEATURES = ag.autograph.experimental.Feature.ALL
REFUSALS = (ag.errors.SymbolicValueError, ag.errors.UnimplementedError)


def on_tensors(function, *values):
    decorated = ag.function(function, experimental_autograph_options=FEATURES)
    result = decorated(*map(ag.constant, values))
    return ag.nest.map_structure(lambda one: one.numpy(), result)


def chosen(n):
    y = "ab" if n > 1 else "c"
    asked = isinstance(y, str), type(y) is str, hasattr(y, "upper"), isinstance(y, ag.Tensor)
    return (*asked, len(y), y.__class__ is str)


def built(n):
    y = "a"
    for _ in range(n):
        y += "b"
    return isinstance(y, str), len(y)


def maybe_none(n):
    y = None
    if n > 1:
        y = "ab"
    return isinstance(y, str)


@pytest.mark.parametrize("function", [chosen, built, maybe_none])
@pytest.mark.parametrize("n", [0, 2])
def test_a_string_that_a_tensor_chooses_is_one_of_python(function, n):
    assert on_tensors(function, n) == function(n)


def test_it_is_shown_as_python_shows_it():
    def shown(n):
        y = "ab" if n > 1 else "c"
        return str(y), f"{y}!", "%s|" % y, repr(y), f"{y:>3}"  # noqa: UP031

    found = on_tensors(shown, 2)
    assert tuple(one.decode() for one in found) == shown(2)


CHARACTERS = {
    "method": lambda y: y.upper() == "AB",
    "any method": lambda y: y.translate({}) == "ab",
    "index": lambda y: y[0] == "a",
    "items": lambda y: [one for one in y] == ["a", "b"],
    "item": lambda y: "b" in y,
    "order": lambda y: y < "b",
    "largest": lambda y: max(y, "b") == "b",
    "repeated": lambda y: y * 2 == "abab",
    "in another": lambda y: y in "abc",
    "of a function of C": lambda y: "abc".find(y) == 0,
    "key": lambda y: {"ab": 1, "c": 2}[y] == 1,
    "hash": lambda y: hash(y) == 1,
    "bytes": lambda y: bytes(y, "utf8") == b"ab",
}


@pytest.mark.parametrize("asked", CHARACTERS.values(), ids=CHARACTERS)
def test_no_handler_takes_what_asks_for_its_characters(asked):
    def program(n):
        y = "ab" if n > 1 else "c"
        try:
            return 1 if asked(y) else 2
        except Exception:
            return 3

    with pytest.raises((*REFUSALS, TypeError, AttributeError)):
        on_tensors(program, 2)


def twice(n):
    pairs = zip(range(n), range(n))
    return sum(a * b for a, b in pairs) + sum(1 for _ in pairs)


def in_a_loop(n):
    pairs, count = enumerate(range(n)), 0
    for _ in range(n):
        for _, _ in pairs:
            count += 1
    return count


def with_itself(n):
    items = map(abs, range(n))
    return len(list(zip(items, items)))


@pytest.mark.parametrize("function", [twice, in_a_loop, with_itself])
def test_an_iterator_whose_items_are_taken_twice_is_refused(function):
    with pytest.raises(ag.errors.UnimplementedError, match="taken more than once"):
        on_tensors(function, 3)


def test_an_iterator_is_used_in_a_statement_that_is_traced_again():
    def program(n):
        pairs, total = zip(range(n), range(n)), 0
        if n > 1:
            for a, b in pairs:
                total = total + a * b * 0.5
        return total * 1.0

    assert on_tensors(program, 3) == program(3)


def test_an_iterator_is_asked_what_it_is():
    def program(n):
        items = filter(None, range(n))
        return isinstance(items, filter), type(items) is filter, hasattr(items, "__next__")

    assert on_tensors(program, 3) == program(3)


WITHOUT = {
    "length": lambda n: len(enumerate(range(n))),
    "hash": lambda n: hash([i for i in range(n)]),
    "set": lambda n: len({1, tuple, [i for i in range(n)]} - {1}),
    "key": lambda n: len({[i for i in range(n)]: 1}),
    "index": lambda n: zip(range(n))[0],
}


@pytest.mark.parametrize("function", WITHOUT.values(), ids=WITHOUT)
def test_what_python_refuses_has_the_error_of_python(function):
    with pytest.raises(TypeError) as expected:
        function(2)
    with pytest.raises(TypeError) as found:
        on_tensors(function, 2)
    assert str(expected.value) in str(found.value)


@pytest.mark.parametrize("function", [min, max])
def test_an_empty_list_has_no_smallest_item(function):
    def program(n):
        items = []
        for i in range(n):
            items.append(i)
        return function(items)

    assert on_tensors(program, 3) == program(3)
    with pytest.raises(ValueError, match="empty"):
        on_tensors(program, 0)


def test_dictionaries_whose_keys_a_tensor_decides_are_not_compared_by_length():
    def program(n):
        rows = {"b": 2}
        if n > 1:
            rows["a"] = n
        other = {"b": 2}
        return rows != other

    with pytest.raises(NameError, match="may be missing"):
        on_tensors(program, 0)


def test_a_name_that_may_be_none_has_the_truth_of_python():
    import operator

    def program(n):
        y = None if n > 1 else (1, 2)
        return operator.not_(y)

    assert on_tensors(program, 2) and not on_tensors(program, 1)


def test_the_id_of_a_number_that_a_tensor_decides_is_refused():
    def program(n):
        y = 3 if n > 1 else 4
        return id(y) == id(y)

    with pytest.raises(ag.errors.SymbolicValueError, match="id"):
        on_tensors(program, 2)


PAIRS = {
    "of an enumerate": lambda n: 1 in enumerate(range(n)),
    "of a list of lists": lambda n: 3 in [[i, 3] for i in range(n)],
}


@pytest.mark.parametrize("function", PAIRS.values(), ids=PAIRS)
def test_a_number_is_not_looked_for_in_the_parts_of_items(function):
    with pytest.raises(ag.errors.UnimplementedError, match="in"):
        on_tensors(function, 3)


def test_an_iterator_is_equal_to_itself_alone():
    def program(n):
        pairs, items = (3, n), enumerate(range(n))
        try:
            return 1 if (pairs, 1) == (items, 1) else 2
        except Exception:
            return 3

    assert on_tensors(program, 2) == program(2)


HANDLED = {
    "round of a range": lambda n: round(range(n)),
    "absolute value of a range": lambda n: abs(range(n)),
    "lists of two types": lambda n: [i for i in range(n)] == [0.5 for _ in range(n)],
    "numbers and strings": lambda n: [i for i in range(n)] == ["k"],
    "copy of an iterator": lambda n: copy.deepcopy([map(abs, range(n))]) == [1],
}


@pytest.mark.parametrize("asked", HANDLED.values(), ids=HANDLED)
def test_a_handler_runs_where_that_of_python_runs(asked):
    def program(n):
        try:
            return 1 if asked(n) else 2
        except Exception:
            return 3

    with contextlib.suppress(*REFUSALS):
        assert on_tensors(program, 2) == program(2)


@pytest.mark.parametrize("question", [
    "isinstance(y, bytes)", "not isinstance(y, str)", "type(y) is bytes", "hasattr(y, 'decode')",
    "not hasattr(y, 'encode')", "y == b'ab'", "y != 'ab'", "not y == 'ab'", "y + b'c' == b'abc'",
])  # fmt: skip
@pytest.mark.parametrize("source", ["b'ab' if n > 1 else b'c'", "grown_bytes(n)"])
def test_chosen_bytes_are_bytes(source, question):
    program = load(f"{GROWN_BYTES}\ndef program(n):\n    y = {source}\n    return {question}\n")
    assert bool(on_tensors(program, 2)) is program(2) is True


@pytest.mark.parametrize("first, second", [("'a'", "b'a'"), ("1", "2.5")])
@pytest.mark.parametrize("question", ["type(y) is type(z)", "isinstance(y, (str, int))"])
def test_what_shows_which_type_a_tensor_chooses_is_refused(first, second, question):
    of_branch = f"    y, z = {first}, {first}\n    if n > 1:\n        y = {second}\n"
    of_loop = f"    y, z = {first}, {first}\n    for i in range(n):\n        y = {second}\n"
    for made in (of_branch, of_loop):
        with pytest.raises(REFUSALS, match="whether a value is of type"):
            on_tensors(load(f"def program(n):\n{made}    return {question}\n"), 2)


def test_an_equality_of_what_may_be_bytes_or_a_string_is_refused():
    with pytest.raises(REFUSALS, match="of type bytes or str"):
        on_tensors(lambda n: ("a" if n > 1 else b"a") == "a", 2)


def test_a_sum_of_chosen_bytes_and_a_string_is_pythons_error():
    with pytest.raises(TypeError, match="can't concat str to bytes"):
        on_tensors(lambda n: (b"a" if n > 1 else b"b") + "a", 2)


@pytest.mark.parametrize("question", ["f'{y}'", "str(y)", "bytes(y)", "len(y)", "y[0]"])
def test_the_content_of_chosen_bytes_is_refused(question):
    program = load(f"def program(n):\n    y = b'ab' if n > 1 else b'c'\n    return {question}\n")
    with pytest.raises(REFUSALS):
        on_tensors(program, 2)


def test_the_bytes_of_a_name_that_may_be_none_are_refused_under_a_handler():
    def program(n):
        y = None
        if n > 1:
            y = "ab"
        try:
            length = len(bytes(y, "utf8"))
        except Exception:
            length = -1
        return length

    with pytest.raises(REFUSALS):
        on_tensors(program, 2)


def test_a_tensor_of_strings_is_no_string_of_python():
    classes = str, bytes
    assert not on_tensors(lambda text: isinstance(text, classes), "ab")


def test_a_quotient_is_a_float_whatever_the_loop_made_of_its_operands():
    def program(n):
        total = 0
        for _ in ag.range(n):
            total += 0.5
        return f"{total / 2}", isinstance(total / 2, float)

    for n in (0, 3):
        text, is_float = ag.function(program)(ag.constant(n))
        assert text.numpy() == f"{0.5 * n / 2}".encode()
        assert is_float


def test_no_handler_catches_what_types_of_numbers_of_python_do_not_raise_in_python():
    def picked(n):
        try:
            return [1 if n > 1 else 2, 2**40][n]
        except TypeError:
            return 3

    def of_tensors(n):
        try:
            return ag.constant([1, 2]) + ag.cast(n, ag.float32)
        except TypeError:
            return ag.constant([3])

    with pytest.raises(ag.errors.DTypeError):
        ag.function(picked)(ag.constant(0))
    assert ag.function(of_tensors)(ag.constant(0)).numpy().tolist() == [3]
