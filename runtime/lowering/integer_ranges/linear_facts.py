"""Linear inequalities between integers, and a search for proofs of others.

Integers that are not known are numbered *unknowns*, in the order in which a program computes them.
Each has an interval. A fact says that a linear form of unknowns is at most 0. A proof adds
multiples of facts to what is to be proven until only intervals are left (Fourier and Motzkin's
elimination, of few unknowns).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

DEPTHS = (1, 2, 4)  # facts of one proof: shorter ones are looked for first
MOST_FORMS = 60  # linear forms that one search may make
FEW_FORMS = 12  # that for what is only shorter if it is proven


class Linear:
    """The sum of integer multiples of unknowns, and an integer.

    >>> i, n = Linear({0: 1}), Linear({1: 1})
    >>> i + i - n + 3
    2*u0 - u1 + 3
    """

    __slots__ = ("constant", "terms")

    def __init__(self, terms: dict[int, int], constant: int = 0):
        self.terms = terms
        self.constant = constant

    def __add__(self, other: Linear | int) -> Linear:
        if isinstance(other, int):
            return Linear(self.terms, self.constant + other)
        return self.plus(other, 1)

    def __sub__(self, other: Linear | int) -> Linear:
        return self + -other if isinstance(other, int) else self.plus(other, -1)

    def plus(self, other: Linear, multiple: int) -> Linear:
        """The sum of the form and a multiple, not 0, of another one."""
        terms = dict(self.terms)
        for unknown, factor in other.terms.items():
            total = terms.get(unknown, 0) + factor * multiple
            if total:
                terms[unknown] = total
            else:
                del terms[unknown]
        return Linear(terms, self.constant + other.constant * multiple)

    def __mul__(self, factor: int) -> Linear:
        if factor == 1:
            return self
        terms = {unknown: c * factor for unknown, c in self.terms.items()} if factor else {}
        return Linear(terms, self.constant * factor)

    def __eq__(self, other):
        is_form = isinstance(other, Linear) and self.constant == other.constant
        return is_form and self.terms == other.terms

    def __hash__(self):
        return hash((self.constant, frozenset(self.terms.items())))

    def __repr__(self):
        terms = [f"{coefficient}*u{unknown}" for unknown, coefficient in self.terms.items()]
        text = " + ".join([*terms, *([str(self.constant)] if self.constant or not terms else [])])
        return text.replace("+ -", "- ").replace(" 1*", " ").removeprefix("1*").replace("-1*", "-")

    @property
    def unknown(self) -> int:
        """The unknown that the form is; -1 where it is anything else."""
        is_one = self.constant == 0 and len(self.terms) == 1
        unknown, factor = next(iter(self.terms.items())) if is_one else (0, 0)
        return unknown if factor == 1 else -1

    def replaced(self, forms: dict[int, Linear]) -> Linear:
        """The form with others in place of some of its unknowns."""
        total = Linear({}, self.constant)
        for unknown, factor in self.terms.items():
            total += forms.get(unknown, Linear({unknown: 1})) * factor
        return total


def integer(value: int) -> Linear:
    return Linear({}, value)


class Facts:
    """Intervals of unknowns, and linear forms that are at most 0. `undo` forgets those that were
    assumed since a `checkpoint`.

    >>> facts = Facts()
    >>> n, i = facts.new(0, 100), facts.new(0, 1 << 40)
    >>> facts.assume(i - n + 1)  # i < n
    >>> facts.interval(i), facts.proves(i + 1 - n), facts.proves(i + 2 - n)
    ((0, 99), True, False)
    """

    def __init__(self, budget: int = 1000) -> None:
        self.budget = budget  # forms that all searches may make; later ones use intervals alone
        self.left = 0  # of the budget, for the present search
        self.intervals: list[tuple[int, int]] = []
        self.of_last: dict[int, list[Linear]] = {}  # forms by their last unknown,
        self.of_others: dict[int, list[Linear]] = {}  # and by each of the other ones
        # unknowns that are one of two forms, or at most, or at least, as large as one of them
        self.largest: dict[int, tuple[Linear, Linear]] = {}
        self.smallest: dict[int, tuple[Linear, Linear]] = {}
        self.trail: list[tuple] = []  # containers, keys, and what was there

    def new(self, low: int, high: int) -> Linear:
        """An unknown of an interval."""
        self.intervals.append((low, high))
        return Linear({len(self.intervals) - 1: 1})

    def interval(self, form: Linear) -> tuple[int, int]:
        """The interval of a form that follows from those of its unknowns."""
        low = high = form.constant
        for unknown, factor in form.terms.items():
            least, most = self.intervals[unknown]
            if factor < 0:
                least, most = most, least
            low, high = low + factor * least, high + factor * most
        return low, high

    def remember(self, table: dict, key, value) -> None:
        """Put something into a table until `undo`."""
        table[key] = value
        self.trail.append((table, key, None))

    def checkpoint(self) -> int:
        return len(self.trail)

    def undo(self, checkpoint: int) -> None:
        while len(self.trail) > checkpoint:
            container, key, former = self.trail.pop()
            if former is None:
                container.pop(key)
            else:
                container[key] = former

    def assume(self, form: Linear) -> None:
        """A form is at most 0."""
        last = max(form.terms, default=-1)
        if len(form.terms) > 1 and form not in self.of_last.get(last, ()):
            for unknown in form.terms:
                table = self.of_last if unknown == last else self.of_others
                known = table.setdefault(unknown, [])
                known.append(form)
                self.trail.append((known, -1, None))
        least = self.interval(form)[0]
        for unknown, factor in form.terms.items():
            low, high = self.intervals[unknown]
            own_least = factor * (low if factor > 0 else high)
            room = own_least - least  # factor * unknown <= room
            narrowed = (low, min(high, room // factor)) if factor > 0 else (
                max(low, -(room // -factor)), high)  # fmt: skip
            if narrowed != (low, high):
                self.trail.append((self.intervals, unknown, (low, high)))
                self.intervals[unknown] = narrowed

    def about(self, unknown: int) -> Iterator[Linear]:
        """The facts about an unknown, first those about none that is computed later."""
        return itertools.chain(self.of_last.get(unknown, ()), self.of_others.get(unknown, ()))

    def proves(self, form: Linear, most: int = MOST_FORMS) -> bool:
        """Whether the search finds that a form is at most 0, with at most so many other forms."""
        if self.interval(form)[1] <= 0:
            return True
        self.left = min(most, self.budget)
        before = self.left
        is_proven = any(self._reduces(form, depth, set()) for depth in DEPTHS)
        self.budget -= before - self.left
        return is_proven

    def _reduces(self, form: Linear, depth: int, visited: set[Linear]) -> bool:
        if self.interval(form)[1] <= 0:
            return True
        if not depth or self.left <= 0 or form in visited:
            return False
        visited.add(form)
        for unknown, factor in form.terms.items():
            cases = (self.largest if factor > 0 else self.smallest).get(unknown)
            if cases is not None:  # it is one of them, which one is not known
                self.left -= 2
                forms = (form.replaced({unknown: case}) for case in cases)
                if all(self._reduces(case, depth, visited) for case in forms):
                    return True
        for combination in self._all_combined(form):
            self.left -= 1
            if self._reduces(combination, depth - 1, visited):
                return True
            if self.left <= 0:
                break
        return False

    def _all_combined(self, form: Linear) -> Iterator[Linear]:
        for unknown in sorted(form.terms, reverse=True):
            yield from self.combined(form, unknown)

    def combined(self, form: Linear, unknown: int) -> Iterator[Linear]:
        """Forms without one of its unknowns, such that the form is at most 0 if they are."""
        factor = form.terms[unknown]
        for fact in self.about(unknown):
            other = fact.terms[unknown]
            if (other > 0) == (factor > 0):
                yield _divided((form * abs(other)).plus(fact, -abs(factor)))
        low, high = self.intervals[unknown]
        end = high if factor > 0 else low
        yield form + Linear({unknown: -factor}, factor * end)


def _divided(form: Linear) -> Linear:
    """A form that is at most 0 where this one is, and of no common divisor."""
    divisor = math.gcd(*form.terms.values())
    if divisor <= 1:
        return form
    terms = {unknown: factor // divisor for unknown, factor in form.terms.items()}
    return Linear(terms, -(-form.constant // divisor))
