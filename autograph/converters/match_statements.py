"""`match` becomes a chain of `if`, whose tests may be staged.

    match x:                        subject_ = x
        case 1 | 2:                 if subject_ == 1 or subject_ == 2:
            a()                         a()
        case n if n > y:    ->      else:
            b()                         n = subject_
        case _:                         if n > y:
            c()                             b()
                                        else:
                                            c()

Python itself matches the structure of a pattern (sequences, mappings, attributes). Values inside it
are captured and compared afterwards; structure that follows a comparison is matched where that may
hold. A statement with alternatives of different structure is not
converted.
"""

from __future__ import annotations

import gast

from ..syntax.templates import StatementRewriter, constant, copy_location, expression, name, quote


class UnsupportedPatternError(Exception):
    """A pattern that cannot be converted."""


class Pattern:
    """A pattern split into stages and bindings. A stage is a value, the structure of it for Python
    to match, and the comparisons afterwards.
    """

    def __init__(self, pattern, subject, namer):
        self.namer = namer
        self.stages: list = []
        self.bindings: list = []
        self.add_stage(pattern, subject)

    def add_stage(self, pattern, held):
        self.tests: list = []
        stage = [held, None, self.tests]
        self.stages.append(stage)
        stage[1] = self.strip(pattern, held)

    def strip(self, pattern, held):
        """The structure of a pattern, None when it matches anything; `held` names the value."""
        return getattr(self, "on_" + type(pattern).__name__)(pattern, held)

    def inner(self, pattern):
        """A pattern inside a structure; its value gets a name if it is needed."""
        held = self.namer("part_")
        if any(stage[2] for stage in self.stages) and _has_parts(pattern):
            self.add_stage(pattern, held)
            return gast.MatchAs(None, held)
        before = len(self.tests), len(self.bindings)
        structure = self.strip(pattern, held)
        if (len(self.tests), len(self.bindings)) == before:
            return structure or gast.MatchAs(None, None)
        return gast.MatchAs(structure, held)

    def on_MatchValue(self, pattern, held):
        self.tests.append(_equals(held, pattern))

    on_MatchSingleton = on_MatchValue

    def on_MatchOr(self, pattern, held):
        if not all(isinstance(choice, _VALUES) or _is_class(choice) for choice in pattern.patterns):
            raise UnsupportedPatternError
        tests = [
            _is_instance(held, choice) if _is_class(choice) else _equals(held, choice)
            for choice in pattern.patterns
        ]
        self.tests.append(_all(tests, gast.Or))

    def on_MatchAs(self, pattern, held):
        structure = self.strip(pattern.pattern, held) if pattern.pattern is not None else None
        if pattern.name is not None:
            self.bindings.append((pattern.name, held))
        return structure

    def on_MatchStar(self, pattern, held):
        if pattern.name is None:
            return gast.MatchStar(None)
        self.bindings.append((pattern.name, held))
        return gast.MatchStar(held)

    def on_MatchSequence(self, pattern, held):
        return gast.MatchSequence([self.element(part) for part in pattern.patterns])

    def element(self, pattern):
        if isinstance(pattern, gast.MatchStar):
            return self.on_MatchStar(pattern, self.namer("part_"))
        return self.inner(pattern)

    def on_MatchMapping(self, pattern, held):
        rest = self.namer("part_") if pattern.rest is not None else None
        if rest is not None:
            self.bindings.append((pattern.rest, rest))
        return gast.MatchMapping(pattern.keys, list(map(self.inner, pattern.patterns)), rest)

    def on_MatchClass(self, pattern, held):
        if not pattern.kwd_patterns and len(pattern.patterns) <= _is_itself(pattern.cls):
            self.tests.append(_is_instance(held, pattern))
            return self.strip(pattern.patterns[0], held) if pattern.patterns else None
        return gast.MatchClass(
            pattern.cls,
            [self.inner(part) for part in pattern.patterns],
            pattern.kwd_attrs,
            [self.inner(part) for part in pattern.kwd_patterns],
        )


def _is_class(pattern) -> bool:
    """Whether a pattern asks for the class alone."""
    return isinstance(pattern, gast.MatchClass) and not (pattern.patterns or pattern.kwd_patterns)


def _is_instance(held: str, pattern):
    return expression("isinstance(held, cls)", held=held, cls=pattern.cls)


def _is_itself(cls) -> bool:
    """Whether a class pattern matches its one position with the object itself."""
    return isinstance(cls, gast.Name) and cls.id in ("bool", "float", "int", "str")


def _has_parts(pattern) -> bool:
    return any(isinstance(part, _OF_PARTS) for part in gast.walk(pattern))


_OF_PARTS = (gast.MatchSequence, gast.MatchMapping, gast.MatchClass)
_VALUES = (gast.MatchValue, gast.MatchSingleton)


def _equals(held: str, pattern):
    if isinstance(pattern, gast.MatchSingleton):
        return expression("ag__.is_(held, it)", held=held, it=constant(pattern.value))
    return gast.Compare(name(held), [gast.Eq()], [pattern.value])


def _all(tests, operator=gast.And):
    if len(tests) == 1:
        return tests[0]
    test = gast.BoolOp(operator(), tests)
    test.is_test = True  # only its truth is asked: `note_tests`
    return test


class Matching(StatementRewriter):
    """Rewrites the `match` statements of one function."""

    def __init__(self, namer):
        self.namer = namer

    def visit_Match(self, node):
        node = self.generic_visit(node)
        subject = self.namer("subject_")
        try:
            patterns = [Pattern(case.pattern, subject, self.namer) for case in node.cases]
        except UnsupportedPatternError:
            return node
        rest: list = []
        for case, pattern in zip(reversed(node.cases), reversed(patterns), strict=True):
            place = case.pattern if getattr(case.pattern, "lineno", None) is not None else node
            rest = copy_location(self.case(case, pattern, subject, rest), place)
        return copy_location(quote(f"{subject} = value", value=node.subject), node) + rest

    def case(self, case, pattern: Pattern, subject: str, rest: list) -> list:
        bind = _copies(pattern)
        statements = [row for held, *_ in pattern.stages[1:] for row in quote(f"{held} = None")]
        tests: list = []
        for held, structure, comparisons in pattern.stages:
            if structure is not None:
                took, reached = self.namer("took_"), [*map(name, self.truth(tests, statements))]
                statements += _structure_test(structure, held, took, reached)
                tests = [name(took), *reached]
            tests += comparisons
        if case.guard is None:
            body = bind + case.body
            return statements + ([gast.If(_all(tests), body, rest)] if tests else body)
        if not bind or not tests:
            return statements + bind + [gast.If(_all([*tests, case.guard]), case.body, rest)]
        (hit,) = self.truth(tests, statements)
        statements.append(
            gast.If(name(hit), bind + quote(f"{hit} = ag__.truth(guard)", guard=case.guard), [])
        )
        return [*statements, gast.If(name(hit), [*_copies(pattern), *case.body], rest)]

    def truth(self, tests: list, statements: list) -> list[str]:
        """The name of the truth of tests, if there are any, which a new statement computes."""
        names = [self.namer("hit_")] if tests else []
        for hit in names:
            statements += quote(f"{hit} = ag__.truth(test)", test=_all(tests))
        return names


def _structure_test(structure, held: str, took: str, reached: list) -> list:
    """Statements that match a value with a structure, unless what is `reached` is False."""
    matched = gast.match_case(structure, None, quote(f"{took} = True"))
    is_nested = any(map(_has_parts, gast.iter_child_nodes(structure)))
    asked = expression("ag__.subject(it)", it=name(held))
    asked.args += [constant(is_nested), *reached] if is_nested or reached else []
    return [*quote(f"{took} = False"), gast.Match(asked, [matched])]


def _copies(pattern: Pattern) -> list:
    """The bindings again, since names bound in a staged `if` are unset after it."""
    return [row for pair in pattern.bindings for row in quote("{} = {}".format(*pair))]
