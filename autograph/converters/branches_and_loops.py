"""`if`, `while` and `for` become calls with functions for their blocks.

    while x > 0:                    def get_state():
        x = x - 1                       return (x,)
                                    def set_state(vars_):
                                        nonlocal x
                                        (x,) = vars_
                              ->    def loop_body():
                                        nonlocal x
                                        x = ag__.ld(x) - 1
                                    def loop_test():
                                        return ag__.ld(x) > 0
                                    ag__.while_stmt(loop_test, loop_body, get_state, set_state,
                                    ('x',), {})

The state of a statement are the names that its blocks assign and that are live afterwards: in the
next iteration, in the other branch, or after it. Other names that a block assigns are local to its
function.
"""

from __future__ import annotations

import copy
import itertools

import gast

from ..analysis.assignment_targets import root_of
from ..analysis.liveness import (
    bound_in_tries,
    live_after_each,
    live_anywhere,
    live_before,
    live_in_loop,
)
from ..analysis.names import (
    COMPREHENSIONS,
    SCOPES,
    Names,
    assigned_in_operands,
    names_in,
    names_of,
    none_before_loops,
    nonlocals_inside,
    read_as_is,
)
from ..errors import NotConvertibleError
from ..syntax.templates import constant, copy_location, expression, name, names_tuple, quote
from .item_assignment import as_state, put_target
from .operands import Operands, Scope
from .statements import Statements, may_clean_up, noting_effects_of_finally
from .unpacking_patterns import unpacking

MANY_ARMS = 10
SHORT = 6
LOOP_OPTIONS = ("parallel_iterations", "swap_memory", "maximum_iterations", "shape_invariants")
SIMPLE = (gast.Assign, gast.AugAssign, gast.Expr, gast.Pass)


class ControlFlow:
    """Rewrites the body of one function (after jumps became flags)."""

    def __init__(
        self,
        function_body: list,
        parameters: set[str],
        namer,
        statements: Statements,
        declared: dict,
        early: set[str],
    ):
        self.namer = namer
        self.statements = statements
        self.parameters = parameters
        self.global_names = declared["global"]
        self.nonlocal_names = declared["nonlocal"]
        names = names_in(function_body)
        # read by nested functions, or visible outside: always live
        self.always_live = frozenset(names.captured | self.global_names | self.nonlocal_names)
        self.always_live |= set(assigned_in_operands(function_body))
        self.local_names = set(names.bound) | parameters | self.global_names | self.nonlocal_names
        self.read_as_is = read_as_is(function_body)
        # what nested functions assign: any call may
        self.rebound_by_calls = sorted(nonlocals_inside(function_body) & self.local_names)
        elsewhere = self.global_names | self.nonlocal_names
        self.scope = Scope(elsewhere, parameters)
        self.getter = self.setter = ""
        self.before: list = []  # functions that go before the present statement, in `self.scope`
        statements.expressions.operands = Operands(self)
        self.maybe_none = none_before_loops(function_body)
        self.maybe_unbound = bound_in_tries(function_body) & set(names.bound)
        self.helpers: set[str] = set()  # the names of the functions made here
        self.unset = early | self.maybe_none  # the variables that may have no value
        self.scope.needs(sorted(early))  # or a read would find a variable of another function

    def rewrite(self, body: list) -> list:
        statements = self.block(body, self.always_live, self.scope)
        return copy_location(self.scope.header(), body[0]) + statements

    def block(self, statements: list, live_after: frozenset, scope: Scope) -> list:
        rows: list = []
        for statement, live in zip(
            statements, live_after_each(statements, live_after), strict=True
        ):
            rows += self.statement(statement, live, scope)
        return rows

    def statement(self, statement, live: frozenset, scope: Scope) -> list:
        outside = self.scope, self.before
        self.scope, self.before = scope, []
        statements = self.rewritten(statement, live, scope)
        statements = copy_location(self.before, statement) + statements
        self.scope, self.before = outside
        return statements

    def needed_by_functions(self, names: set[str], scope: Scope) -> None:
        """Functions made here read variables of `scope`. Where one has no value, Python would not
        call it a local variable.
        """
        suspects = self.statements.expressions.suspects
        local = names & self.local_names
        scope.needs(sorted(local if suspects is None else local & suspects))
        self.unset.update(scope.unset)

    def rewritten(self, statement, live: frozenset, scope: Scope) -> list:
        handler = {
            gast.If: self.if_statement,
            gast.While: self.while_statement,
            gast.For: self.for_statement,
        }.get(type(statement))
        if handler is not None:
            statements = copy_location(handler(statement, live, scope), statement)
            self.needed_by_functions(_read_in_operands(statements), scope)
            return statements
        inner = [
            field
            for field in ("body", "orelse", "finalbody", "handlers", "cases")
            if isinstance(getattr(statement, field, None), list)
        ]
        if inner and not isinstance(
            statement, (gast.FunctionDef, gast.AsyncFunctionDef, gast.ClassDef)
        ):
            cleans_up = may_clean_up(statement)
            statements = [self.compound(statement, inner, live, scope)]
            if cleans_up:
                statements = noting_effects_of_finally(statement, self.namer("cleanup_"))
            self.needed_by_functions(_read_in_operands(statements), scope)
            return statements
        if _is_loop_options(statement) and not hasattr(statement, "is_taken"):
            raise NotConvertibleError("`set_loop_options` is not the first statement of a loop")
        statements = self.loaded(statement) + self.statements(statement)
        self.needed_by_functions(_read_in_operands(statements), scope)
        scope.definite |= (
            set(names_of(statement).bound) if not isinstance(statement, gast.Delete) else set()
        )
        return statements

    def loaded(self, statement) -> list:
        """`x += y` reads `x`: check it first if it may have no value."""
        target = statement.target if isinstance(statement, gast.AugAssign) else None
        unsure = self.unset | self.nonlocal_names
        suspects = self.statements.expressions.suspects
        unsure = unsure if suspects is None else unsure & suspects
        if not isinstance(target, gast.Name) or target.id not in unsure:
            return []
        return copy_location(quote(f"{target.id} = ag__.ld({target.id})"), statement)

    def compound(self, statement, fields, live: frozenset, scope: Scope):
        """`with`, `try`, `match`: the blocks stay blocks.

        An exception may leave them anywhere, so names that are read afterwards are live throughout.
        """
        outside = self.always_live
        anywhere = live_anywhere(statement, live)
        self.always_live = outside | anywhere
        ends = {"body": live_before(getattr(statement, "orelse", []), anywhere), "finalbody": live}
        for field in fields:
            rows = getattr(statement, field)
            if field in ("handlers", "cases"):
                for row in rows:
                    row.body = self.block(row.body, anywhere, _within(scope))
            else:
                end = ends.get(field, anywhere)
                setattr(statement, field, self.block(rows, end, _within(scope)))
        self.always_live = outside
        return self.statements.head(statement)

    # ---- the three statements ------------------------------------------------------------

    def if_statement(self, node: gast.If, live: frozenset, scope: Scope) -> list:
        arms, orelse = arms_of(node)
        blocks = [arm.body for arm in arms] + [orelse]
        names = names_in(*blocks, *(arm.test for arm in arms[1:]))
        read_inside = live.union(*(live_before(block, live) for block in blocks))
        state = self.state_of(names, live, read_inside)
        visible = live | self.always_live | names.targets.keys() | set(self.rebound_by_calls)
        after = [path for path in state if path in visible]
        state = after + [path for path in state if path not in after]
        fixed = self.state_targets(names, state)
        bodies = [self.namer("if_body") for _ in arms]
        last = self.namer("else_body")
        is_short = self.is_short_choice(arms, orelse, names, state)
        statements = self.state_functions(state, fixed, scope)
        for title, block in zip([*bodies, last], blocks, strict=True):
            statements += self.outlined(title, block or [gast.Pass()], state, live, scope, node)
        tests = [self.statements.expressions(arm.test) for arm in arms]
        call = expression(
            f"ag__.if_stmt(test, {bodies[0]}, {last}, {self.getter}, {self.setter}, names, count)",
            test=tests[0],
            names=names_tuple([*fixed, *state]),
            count=constant(len(fixed) + len(after)),
        )
        if len(arms) > 1:
            call.func = expression("ag__.if_chain")
            rows = [
                copy_location(expression(f"(lambda: test, {body})", test=test), test)
                for test, body in zip(tests, bodies, strict=True)
            ]
            call.args[:2] = [gast.Tuple(rows, gast.Load())]
        if is_short:
            return self.short_choice(call, statements, bool(orelse))
        if len(arms) == 1 and self.statements.expressions.suspects is not None:
            call.func.attr = "branch"
            call = gast.Call(call, [], [])
        return [*statements, gast.Expr(call)]

    def is_short_choice(self, arms, orelse, names: Names, state) -> bool:
        """Whether compiled code also inlines the blocks of an `if`, for a plain test.

        They must hold few simple statements, and assign no names that are local to a block.
        """
        block = [*arms[0].body, *orelse]
        return (
            self.statements.expressions.suspects is not None
            and len(arms) == 1
            and len(block) <= SHORT
            and names.bound.keys() <= set(state)
            and all(isinstance(statement, SIMPLE) for statement in block)
        )

    def short_choice(self, call, functions: list, has_else: bool) -> list:
        """`if test is True: ... elif test is False: ... else:` the call, with its functions."""
        test = self.namer("test_")
        body, orelse = functions[-2], functions[-1]
        choice = quote(
            f"{test} = value\nif {test} is True:\n    body\nelif {test} is False:\n    orelse\n"
            "else:\n    staged",
            value=call.args[0],
            body=_inlined(body),
            orelse=_inlined(orelse) if has_else else [gast.Pass()],
            staged=[*functions, gast.Expr(call)],
        )
        call.args[0] = name(test)
        return choice

    def while_statement(self, node: gast.While, live: frozenset, scope: Scope) -> list:
        inside = live_in_loop(node, live) | self.always_live
        names = names_in(node.body, node.test)
        state = self.state_of(names, live, inside)
        fixed = self.state_targets(names, state)
        body, test = self.namer("loop_body"), self.namer("loop_test")
        options = self.loop_options(node, names, [*fixed, *state])
        statements = self.state_functions(state, fixed, scope)
        getter, setter = self.getter, self.setter
        statements += self.outlined(body, node.body, state, inside, scope, node)
        statements += self.loop_test(
            test, node, [path for path in state if path in names_of(node.test).bound], scope
        )
        call = expression(
            f"ag__.while_stmt({test}, {body}, {getter}, {setter}, names, options)",
            names=names_tuple([*fixed, *state]), options=options,
        )  # fmt: skip
        return [*statements, gast.Expr(call)]

    def loop_test(self, title: str, node: gast.While, state, scope: Scope) -> list:
        """The function for the test; one that assigns is not evaluated after a `break`."""
        if not (_assigns(node.test) and hasattr(node, "not_broken")):
            return self.function(
                title, [], [gast.Return(self.statements.expressions(node.test))], state
            )
        going_on = self.namer("going_on")
        block = quote(
            f"{going_on} = not_broken\nif {going_on}:\n    {going_on} = test",
            not_broken=node.not_broken, test=node.own_test,
        )  # fmt: skip
        live = frozenset([*state, going_on])
        statements = self.outlined(title, copy_location(block, node), state, live, scope, node)
        statements[-1].body.append(gast.Return(expression(f"ag__.ld({going_on})")))
        return statements

    def for_statement(self, node: gast.For, live: frozenset, scope: Scope) -> list:
        inside = live_in_loop(node, live) | self.always_live
        names = names_in(node.body, node.target)
        state = self.state_of(names, live, inside)
        fixed = self.state_targets(names, state)
        body, item = self.namer("loop_body"), self.namer("itr")
        options = self.loop_options(node, names, [*fixed, *state])
        statements = self.state_functions(state, fixed, scope)
        getter, setter = self.getter, self.setter
        take = copy_location(unpacking(gast.Assign([node.target], name(item), None)), node)
        statements += self.outlined(body, node.body, state, inside, scope, node, [item], take)
        extra = constant(None)
        if getattr(node, "extra_test", None) is not None:
            test = self.namer("extra_test")
            statements += self.function(
                test, [], [gast.Return(self.statements.expressions(node.extra_test))], []
            )
            extra = name(test)
        call = expression(
            f"ag__.for_stmt(items, extra, {body}, {getter}, {setter}, names, options)",
            items=self.statements.expressions(node.iter),
            extra=extra,
            names=names_tuple([*fixed, *state]),
            options=options,
        )
        return [*statements, gast.Expr(call)]

    # ---- their blocks --------------------------------------------------------------------

    def state_of(self, names: Names, live: frozenset, read_inside: frozenset) -> list[str]:
        """The assigned names that are live outside the block that assigns them."""
        wanted = live | read_inside | self.always_live
        paths = [path for path in names.bound if path in wanted]
        changed = [path for path in names.targets if path in self.local_names - names.bound.keys()]
        changed += [path for path in self.rebound_by_calls if names.calls and path not in changed]
        return paths + [path for path in changed if path not in paths]

    def is_own(self, node) -> bool:
        """Whether a target starts at a variable of this function, so that it may be replaced."""
        return root_of(node) in self.local_names - self.parameters

    def state_targets(self, names: Names, state) -> dict:
        """Assigned attributes and items such as `self.x`, whose object stays the same.

        A container in a variable of another scope is not state: changing it is a side effect of
        tracing.
        """
        targets: dict = {}
        for path, node in sorted(names.targets.items()):
            if isinstance(node, gast.Name):
                continue
            inside_another = any(path.startswith((outer + ".", outer + "[")) for outer in targets)
            if root_of(node) not in names.bound and path not in state and not inside_another:
                targets[path] = node
        return targets

    def state_functions(self, state, fixed: dict, scope: Scope) -> list:
        scope.needs([path for path in state if path not in self.global_names])
        self.unset.update(scope.unset)
        self.getter, self.setter = self.namer("get_state"), self.namer("set_state")
        reads = [
            expression("ag__.ldu(lambda: it, path)", it=as_state(target), path=constant(path))
            for path, target in fixed.items()
        ]
        reads += [name(path) for path in state]
        get = [gast.Return(gast.Tuple(reads, gast.Load()))]
        values, put = self.namer.once("vars_"), []
        for index, target in enumerate(fixed.values()):
            put.append(gast.Expr(put_target(target, expression(f"{values}[{index}]"))))
        if state:
            targets = gast.Tuple([name(path, gast.Store()) for path in state], gast.Store())
            rest = expression(f"{values}[{len(fixed)}:]" if fixed else values)
            put.append(gast.Assign([targets], rest, None))
        put = put or [gast.Pass()]
        return self.function(self.getter, [], get, []) + self.function(
            self.setter, [values], put, state
        )

    def outlined(
        self, title, body, state, live, scope: Scope, node, parameters=(), head=()
    ) -> list:
        """The function for one block of a statement."""
        own = names_in(body).bound.keys() - self.always_live  # a local, unless it is state
        scope.needs(sorted(names_in(body).read & self.maybe_unbound))
        self.unset.update(scope.unset)
        outer_names = (scope.outer_names - own) | set(state) | self._foreign(scope, body)
        inner = Scope(outer_names, set(parameters))
        getter, setter = self.getter, self.setter
        statements = [row for statement in head for row in self.statement(statement, live, inner)]
        statements += self.block(body, live | self.always_live | frozenset(state), inner)
        self.getter, self.setter = getter, setter
        return self.function(title, list(parameters), inner.header() + statements, state)

    def _foreign(self, scope: Scope, body) -> set[str]:
        """Names that the block only reads, which belong to an enclosing function."""
        names = names_in(body)
        return {path for path in names.read if path not in names.bound}

    def function(self, title, parameters, body, state) -> list:
        self.helpers.add(title)
        (outlined,) = quote(f"def {title}({', '.join(parameters)}): pass")
        local = [path for path in state if path not in self.global_names]
        shared = [path for path in state if path in self.global_names]
        head = ([gast.Global(shared)] if shared else []) + ([gast.Nonlocal(local)] if local else [])
        is_empty = all(isinstance(statement, gast.Pass) for statement in body)
        outlined.body = body if is_empty else head + body
        return [outlined]

    def loop_options(self, node, names: Names, symbols):
        """The options of the operator, including those of `set_loop_options(...)` in the body.

        lists          symbols of lists that may grow
        read_as_is     symbols that unconverted code may read
        maybe_none     symbols that may be None before the loop, each read of which is checked
        test_assigns   present if the test assigns names
        """
        grown = {path for path in names.grown if self.is_own(names.targets[path])}
        groups = {"read_as_is": self.read_as_is, "maybe_none": self.maybe_none, "lists": grown}
        chosen = {key: [path for path in symbols if path in group] for key, group in groups.items()}
        keys = [constant(key) for key, paths in chosen.items() if paths]
        values = [names_tuple(paths) for paths in chosen.values() if paths]
        if isinstance(node, gast.While) and _assigns(node.test):
            keys.append(constant("test_assigns"))
            values.append(constant(True))
        for statement in itertools.takewhile(_is_loop_options, node.body):
            statement.is_taken = True
            for key, value in _options_of(copy.deepcopy(statement.value)):
                keys.append(key)
                values.append(self.statements.expressions(value))
        return gast.Dict(keys, values)


def _read_in_operands(statements: list) -> set[str]:
    """The names that the functions of operands read, in the statements made of one."""
    read: set[str] = set()
    waiting = list(statements)
    while waiting:
        node = waiting.pop()
        if isinstance(node, gast.Lambda):
            if getattr(node, "is_template", False) and not node.args.args:
                read |= names_of(node.body).read
        elif not isinstance(node, SCOPES) and not isinstance(node, COMPREHENSIONS):
            parts = gast.iter_child_nodes(node)
            waiting += [part for part in parts if not isinstance(part, gast.stmt)]
    return read


def _within(scope: Scope) -> Scope:
    """The scope of a block that may not finish: its assignments are not definite after it."""
    inner = Scope(scope.outer_names, scope.definite)
    inner.unset = scope.unset
    return inner


def arms_of(node: gast.If) -> tuple[list, list]:
    """The arms of a long `elif` chain and the final `else`; a short chain stays nested.

    A long chain, if nested, would exceed Python's recursion limit when it runs.
    """
    arms, orelse = [node], node.orelse
    while len(orelse) == 1 and isinstance(orelse[0], gast.If):
        arms.append(orelse[0])
        orelse = orelse[0].orelse
    if len(arms) < MANY_ARMS or any(_assigns(arm.test) for arm in arms):
        return [node], node.orelse
    return arms, orelse


def _inlined(function) -> list:
    """The statements of the function of a block."""
    return [row for row in function.body if not isinstance(row, (gast.Global, gast.Nonlocal))]


def _assigns(test) -> bool:
    names = names_of(test)
    return bool(names.bound or names.targets)


def _options_of(call):
    """The options that a call of `set_loop_options` sets. It stays, and checks their names."""
    for option, value in zip(LOOP_OPTIONS, call.args, strict=False):
        yield constant(option), value
    for keyword in call.keywords:
        yield keyword.arg and constant(keyword.arg), keyword.value


def _is_loop_options(statement) -> bool:
    if not isinstance(statement, gast.Expr) or not isinstance(statement.value, gast.Call):
        return False
    function = statement.value.func
    return getattr(function, "attr", getattr(function, "id", None)) == "set_loop_options"
