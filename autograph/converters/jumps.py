"""`return`, `break` and `continue` become flags; what follows them is guarded by the flags.

    for i in x:                         break_ = False
        if i > 3:                       for i in x:            # while not break_
            break             ->            if i > 3:
        total += i                              break_ = True
                                            else:
                                                total += i

A branch that always jumps needs no guard: what follows goes into the other branch. Flags that are
never read are omitted. A `return` inside loops also breaks all of them. The `else` of a loop
runs when the loop was not broken.
"""

from __future__ import annotations

import gast

from ..analysis.names import contains, in_scope
from ..syntax.templates import (
    DEFINITIONS,
    StatementRewriter,
    copy_location,
    expression,
    nested_statements,
    quote,
)

JUMPS = (gast.Return, gast.Break, gast.Continue)
LOOPS = (gast.For, gast.While)


def leaves_loop(statements: list, node_type) -> bool:
    """Whether a jump of the innermost loop around the statements occurs.

    Jumps in an inner loop belong to that loop, except those in its `else`.
    """

    def below(node):
        return node.orelse if isinstance(node, LOOPS) else nested_statements(node)

    return any(isinstance(node, node_type) for node in in_scope(statements, below))


def leaves_block(statements: list) -> bool:
    """Whether a jump out of the statements occurs: a `return`, or a jump of a loop around them."""
    return contains(statements, gast.Return) or leaves_loop(statements, (gast.Break, gast.Continue))


def acts_after_jumps(statements: list) -> bool:
    """Whether a `finally` or the end of a `with` runs after a jump, and so may raise."""
    return any(
        leaves_block([node])
        for node in in_scope(statements)
        if isinstance(node, gast.With) or (isinstance(node, gast.Try) and node.finalbody)
    )


class Loop:
    """The flags of one loop, created when a jump needs them."""

    def __init__(self, namer, outer: Loop | None):
        self.namer = namer
        self.outer = outer
        self.break_flag: str | None = None
        self.continue_flag: str | None = None

    def needs_break(self) -> str:
        self.break_flag = self.break_flag or self.namer("break_")
        return self.break_flag

    def needs_continue(self) -> str:
        self.continue_flag = self.continue_flag or self.namer("continue_")
        return self.continue_flag


class Jumps:
    """Rewrites a function body; `flagged` tells whether `do_return` and `retval_` are used."""

    def __init__(self, namer):
        self.namer = namer
        self.do_return = "do_return"
        self.retval = "retval_"
        self.guards_read: set[str] = set()
        self.flagged = False

    def rewrite(self, body: list) -> list:
        """The body without jumps; a single `return` at its end stays."""
        returns = contains(body, gast.Return)
        single = isinstance(body[-1], gast.Return) and not contains(body[:-1], gast.Return)
        if not returns or single:
            head = self.block(body[:-1] if single else body, None)
            return head + (body[-1:] if single else [])
        start = quote(f"{self.do_return} = False\n{self.retval} = ag__.UndefinedReturnValue()")
        end = quote(f"return {self.retval}, {self.do_return}")
        self.flagged = True
        return copy_location(start, body[0]) + self.block(body, None) + copy_location(end, body[-1])

    # ---- blocks --------------------------------------------------------------------------

    def block(self, statements: list, loop: Loop | None) -> list:
        rows: list = []
        for index, statement in enumerate(statements):
            rest = statements[index + 1 :]
            if isinstance(statement, JUMPS):
                return rows + copy_location(self.jump(statement, loop), statement)
            if isinstance(statement, gast.Try) and leaves_block(statement.finalbody):
                if always_jumps(statement.finalbody):
                    return rows + self.discarding(statement, loop)
                flags = self.flags_set_by([statement], loop)
                rows += self.discarding_sometimes(statement, loop)
                return rows + (self.guarded(flags, rest, loop, statement) if rest else [])
            flags = self.flags_set_by([statement], loop)
            if isinstance(statement, LOOPS):
                before, after = self.loop(statement, loop)
                rows, rest = rows + before, after + rest
                if after and not flags:
                    return rows + self.block(rest, loop)
            elif not flags:
                rows.append(statement if _is_simple(statement) else self.inside(statement, loop))
            elif isinstance(statement, gast.If):
                absorbed = self.absorbs(statement, rest)
                rows.append(self.inside(statement, loop))
                if absorbed:
                    return rows
            elif isinstance(statement, gast.With):
                rows += self.suppressing(statement, loop)
            else:
                rows.append(self.inside(statement, loop))
            if flags and rest:
                return rows + self.guarded(flags, rest, loop, statement)
        return rows

    def absorbs(self, statement: gast.If, rest: list) -> bool:
        """Move what follows into the branch that does not always jump."""
        if always_jumps(statement.body):
            statement.orelse = statement.orelse + rest
            return True
        if statement.orelse and always_jumps(statement.orelse):
            statement.body = statement.body + rest
            return True
        return False

    def flags_set_by(self, statements: list, loop: Loop | None) -> list[str]:
        """The flags that the statements may set."""
        flags: dict[str, None] = {}
        if contains(statements, gast.Return):
            flags[self.do_return if loop is None else loop.needs_break()] = None
        if loop is not None and leaves_loop(statements, gast.Break):
            flags[loop.needs_break()] = None
        if loop is not None and leaves_loop(statements, gast.Continue):
            flags[loop.needs_continue()] = None
        return list(flags)

    def guarded(self, flags: list[str], rest: list, loop, like) -> list:
        self.guards_read |= set(flags)
        test = expression(f"not ({' or '.join(flags)})")
        body = self.block(rest, loop)
        # Where both sides set the flag, it is known to be set, also if a tensor was asked.
        returned = quote(f"{self.do_return} = True") if flags == [self.do_return] else []
        return copy_location([gast.If(test, body, returned)], like) if body else []

    # ---- statements ----------------------------------------------------------------------

    def discarding(self, statement: gast.Try, loop: Loop | None) -> list:
        """A `try` whose `finally` always jumps: the rest of it in a `with` that suppresses it."""
        final, statement.finalbody = statement.finalbody, []
        inner = [statement] if statement.handlers else statement.body
        flags = self.all_flags_set_by(inner, loop)
        manager = gast.withitem(expression("ag__.FinallyThatMayJump(True)"), None)
        block = copy_location([gast.With([manager], inner, None)], statement)
        statements = [self.inside(block[0], loop), *_resets(flags, statement)]
        return statements + self.block(final, loop)

    def discarding_sometimes(self, statement: gast.Try, loop: Loop | None) -> list:
        """A `try` whose `finally` may jump: only then are its exceptions and jumps discarded."""
        final, statement.finalbody = statement.finalbody, []
        flags = self.all_flags_set_by([statement], loop)
        jumps = self.flags_set_by(final, loop)
        self.guards_read |= {*flags, *jumps}
        manager, ends = self.namer("finally_"), expression(" or ".join(jumps))
        kept = [(flag, self.namer("pending_")) for flag in flags]
        before = "".join(f"{pending} = {flag}\n{flag} = False\n" for flag, pending in kept)
        after = "".join(f"    {flag} = {pending}\n" for flag, pending in kept)
        going_on = f"if not ({' or '.join(jumps)}):\n{after}" if kept else ""
        ends = quote(f"{manager}.ends(value)", value=ends)
        statement = self.inside(statement, loop)
        statement.finalbody = [
            *copy_location(quote(before), statement),
            *self.block(final, loop),
            *copy_location(ends + quote(going_on), statement),
        ]
        statements = quote(f"{manager} = ag__.FinallyThatMayJump()")
        block = gast.With([gast.withitem(expression(manager), None)], [statement], None)
        return copy_location([*statements, block], statement)

    def suppressing(self, statement: gast.With, loop: Loop | None) -> list:
        """A `with`. An exception that it suppresses cancels the jump after which it was raised."""
        first, *others = statement.items
        if others:
            inner = copy_location([gast.With(others, statement.body, None)], statement)
            statement = copy_location([gast.With([first], inner, None)], statement)[0]
        flags = self.canceled_in(statement.body, loop)
        block = self.inside(statement, loop)
        if not flags:
            return [block]
        completed = self.namer("completed_")
        before, end = quote(f"{completed} = False"), quote(f"{completed} = True")
        block.body = block.body + copy_location(end, statement)
        test, resets = expression(f"not {completed}"), _resets(flags, statement)
        after = copy_location([gast.If(test, resets, [])], statement)
        return [*copy_location(before, statement), block, *after]

    def canceled_in(self, body: list, loop: Loop | None) -> list[str]:
        """The flags of jumps in a block that are canceled where an exception of it is caught."""
        return self.all_flags_set_by(body, loop) if acts_after_jumps(body) else []

    def all_flags_set_by(self, statements: list, loop: Loop | None) -> list[str]:
        """The flags that the statements may set, those of outer loops among them."""
        flags = self.flags_set_by(statements, loop)
        if contains(statements, gast.Return):
            flags.append(self.do_return)
            while loop is not None:
                flags.append(loop.needs_break())
                loop = loop.outer
        return list(dict.fromkeys(flags))

    def jump(self, statement, loop: Loop | None) -> list:
        if loop is not None and isinstance(statement, gast.Break):
            return quote(f"{loop.needs_break()} = True")
        if loop is not None and isinstance(statement, gast.Continue):
            return quote(f"{loop.needs_continue()} = True")
        value = statement.value if statement.value is not None else gast.Constant(None, None)
        statements = quote(f"{self.retval} = value", value=value)
        statements += quote(f"{self.do_return} = True")
        while loop is not None:
            statements += quote(f"{loop.needs_break()} = True")
            loop = loop.outer
        return statements

    def loop(self, statement, outer: Loop | None) -> tuple[list, list]:
        """The loop with its flags, and the statements that its `else` becomes."""
        loop = Loop(self.namer, outer)
        orelse, statement.orelse = statement.orelse, []
        source = list(statement.body)
        has_break = leaves_loop(source, gast.Break)
        body = self.block(source, loop)
        if loop.continue_flag in self.guards_read:
            body = quote(f"{loop.continue_flag} = False") + body
        elif loop.continue_flag is not None:
            body = list(map(_Without(loop.continue_flag).visit, body))
        statement.body = copy_location(body or [gast.Pass()], statement)
        statement.extra_test = None
        statements = [statement]
        if loop.break_flag is not None:
            statements = copy_location(quote(f"{loop.break_flag} = False"), statement) + statements
            going_on = expression(f"not {loop.break_flag}")
            if isinstance(statement, gast.While):
                statement.not_broken, statement.own_test = going_on, statement.test
                if not _is_true(statement.test):
                    going_on = gast.BoolOp(gast.And(), [going_on, statement.test])
                    going_on.is_test = True  # only its truth is asked: `note_tests`
                statement.test = copy_location(going_on, statement)
            else:
                statement.extra_test = copy_location(going_on, statement)
            if orelse and has_break:  # nothing follows a `return`
                test = expression(f"not {loop.break_flag}")
                orelse = copy_location([gast.If(test, orelse, [])], statement)
        return statements, orelse

    def inside(self, statement, loop: Loop | None):
        """`if`, `with`, `try` and `match`: their blocks are rewritten in place."""
        tries = isinstance(statement, gast.Try)  # its `else` runs only when the body did not jump
        flags = self.flags_set_by(statement.body, loop) if tries else []
        canceled = self.canceled_in(statement.body, loop) if tries else []
        for field in ("body", "orelse", "finalbody"):
            block = getattr(statement, field, None)
            if isinstance(block, list) and block:
                if field == "orelse" and flags:
                    block = self.guarded(flags, block, loop, statement)
                else:
                    block = self.block(block, loop)
                setattr(statement, field, block or copy_location([gast.Pass()], statement))
        for part in (*getattr(statement, "handlers", []), *getattr(statement, "cases", [])):
            statements = _resets(canceled, statement) + self.block(part.body, loop)
            part.body = statements or copy_location([gast.Pass()], statement)
        return statement


def _resets(flags: list[str], like) -> list:
    return [row for flag in flags for row in copy_location(quote(f"{flag} = False"), like)]


def _is_simple(statement) -> bool:
    """A statement without blocks of its own control flow."""
    return isinstance(statement, DEFINITIONS) or not (
        hasattr(statement, "body") or hasattr(statement, "cases")
    )


class _Without(StatementRewriter):
    """`pass` for assignments to a flag that is never read: the line has run."""

    def __init__(self, flag: str):
        self.flag = flag

    def visit_Assign(self, node):
        is_flag = isinstance(node.targets[0], gast.Name) and node.targets[0].id == self.flag
        return gast.copy_location(gast.Pass(), node) if is_flag else node


def _is_true(test) -> bool:
    return isinstance(test, gast.Constant) and bool(test.value)


def _is_endless(loop: gast.While) -> bool:
    """Whether only a `return` or an exception ends a loop."""
    return _is_true(loop.test) and not leaves_loop(loop.body, gast.Break)


def always_jumps(block: list) -> bool:
    """Whether control never falls out of the end of a block."""
    for statement in block:
        if isinstance(statement, (*JUMPS, gast.Raise)):
            return True
        if (
            isinstance(statement, gast.If)
            and always_jumps(statement.body)
            and always_jumps(statement.orelse)
        ):
            return True
        if isinstance(statement, gast.While) and _is_endless(statement):
            return True
    return False
