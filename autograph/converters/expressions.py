"""Expressions: reads, calls, logic and choices go through the operators; `R(x)` is `ag__.ld(x)`.

    f(x, key=y)           ->   ag__.converted_call(R(f), (R(x),), {'key': R(y)}, fscope)
    f(x, key=y, **more)   ->   ag__.call_merging(R(f), (R(x),), ({'key': R(y)}, R(more)), fscope)
    a and not b           ->   ag__.and_(lambda: R(a), lambda: ag__.not_(R(b)))
    if a and b < c        ->   ag__.and_(lambda: ag__.truth(R(a)), lambda: R(b) < R(c)) in the test
    a < b < c             ->   ag__.compare(R(a), ('<', lambda: R(b)), ('<', lambda: R(c)))
    (a, b) < (c, d)       ->   ag__.compare((R(a), R(b)), ('<', lambda: (R(c), R(d))))
    x is y                ->   ag__.is_(R(x), R(y))
    x == None             ->   ag__.equals_none(R(x), '==')
    x.__class__           ->   ag__.attribute_of(R(x), '__class__'), and other names of `ASKED`
    x[i]                  ->   ag__.get_item(R(x), R(i)), unless the index is written out
    '...' % x             ->   ag__.percent('...', R(x)), a string formatted when `x` is known
    f'...{x}'             ->   ag__.string(f'...{ag__.shown(R(x))}'), likewise
    y if test else z      ->   ag__.if_exp(R(test), lambda: R(y), lambda: R(z), 'test')
    [x, y]                ->   ag__.display([R(x), R(y)])
    [*x, y]               ->   ag__.display([*ag__.starred(R(x)), R(y)])
    [x] * n               ->   ag__.fresh(ag__.display([R(x)]) * R(n))
    f(*x)                 ->   ag__.converted_call(R(f), (*ag__.starred_arguments(R(x)),), ...)
    lambda x: f(x)        ->   lambda x: ag__.with_function_scope(lambda lscope: ..., 'lscope', ...)

An operand that assigns is evaluated in place if it always is: `(n := f()) > 0 and b` ->
`ag__.and_(ag__.held(...), lambda: R(b))`. Otherwise it becomes a function before the statement,
since `:=` in a lambda would mean something else, and what it assigns is state (`Operands`). In a
lambda or a comprehension, which have no statements, the operator stays Python's own.
"""

from __future__ import annotations

import copy
import itertools
from typing import Any

import gast

from ..analysis.assignment_targets import path_of
from ..analysis.names import SUSPENDING, Names, contains, operands_of_choice
from ..syntax.templates import Rewriter, children_of, constant, copy_location, expression, name
from .inner_items import as_list, free_name, guard, shares_variables
from .unpacking_patterns import as_tree, pattern_of

# These inspect or change the frame of their caller, so they stay plain calls.
DIRECT = {"super", "locals", "globals", "eval", "exec", "vars", "dir", "__import__"}
# So do these, which report the line of their caller.
DIRECT_PATHS = {"warnings.warn", "sys._getframe", "inspect.currentframe", "inspect.stack"}
BREAKPOINTS = {"breakpoint", "pdb.set_trace", "ipdb.set_trace"}  # which stop in their caller
DECIDED = {"any", "all"}  # which stop at the first item that decides
COMPARISONS = {
    gast.Lt: "<", gast.LtE: "<=", gast.Gt: ">", gast.GtE: ">=", gast.Eq: "==", gast.NotEq: "!=",
    gast.Is: "is", gast.IsNot: "is not", gast.In: "in", gast.NotIn: "not in",
}  # fmt: skip
QUESTIONS = {
    gast.In: "ag__.in_(left, right)", gast.NotIn: "ag__.not_(ag__.in_(left, right))",
    gast.Is: "ag__.is_(left, right)", gast.IsNot: "ag__.not_(ag__.is_(left, right))",
}  # fmt: skip
# The class, and names that objects which stand for Python's have of their own.
ASKED = {
    "__class__", "adopt", "allocate", "arguments", "arrays", "as_int64", "as_uint64", "at", "bound",
    "called", "certain", "changes", "cls", "columns", "computed", "computed_from", "conditions",
    "contains", "counters", "dims", "fields", "filled", "first", "guess_types", "has_arrays",
    "held", "hold", "home", "initial", "initial_count", "is_graph_value", "is_guess", "is_known",
    "is_large", "is_other", "is_tuple", "is_unsigned", "is_view_of", "item_at", "item_count",
    "item_limits", "key", "keys_of", "length", "levels", "loop", "made", "made_by", "may_be_one_of",
    "may_take", "missing", "most", "none", "note_names", "numpy_dtype", "or_none", "or_zero",
    "other", "others", "path", "python", "read", "refuse_change", "require_types",
    "restore_columns", "row", "row_layout", "row_number", "rows", "scope", "set_at", "slots",
    "stacked", "storage", "table", "template", "tensor", "to_array", "truth", "types",
    "unaliased_in", "unchecked", "values_of", "view_in_shape", "walk", "with_conditions", "write",
}  # fmt: skip
DISPLAYS = {gast.Tuple, gast.List, gast.Dict}  # of items that may be tensors, or missing
BOUND_TO_FRAME = (gast.NamedExpr, gast.Await, gast.Yield, gast.YieldFrom)
OPTIONS = (
    "ag__.ConversionOptions(recursive=True, user_requested=True, optional_features=(), "
    "internal_convert_user_code=True)"
)


def _may_be_staged(key) -> bool:
    """Whether a subscript is neither a slice nor a literal."""
    written = key.operand if isinstance(key, gast.UnaryOp) else key
    return not isinstance(written, (gast.Constant, gast.Slice, gast.Tuple))


def note_tests(statements) -> None:
    """Note in each `and` and `or` where only its truth is asked."""
    for node in (nodes := list(statements)):  # a worklist
        nodes += children_of(node)
        if isinstance(node, (gast.If, gast.While, gast.IfExp, gast.Assert)):
            _note_test(node.test)
        elif isinstance(node, gast.match_case) and node.guard is not None:
            _note_test(node.guard)
        elif isinstance(node, gast.comprehension):
            for test in node.ifs:
                _note_test(test)
        elif isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.Not):
            _note_test(node.operand)


def _note_test(node) -> None:
    if isinstance(node, gast.BoolOp):
        node.is_test = True
        for value in node.values:
            _note_test(value)


def _as_test(value):
    """The truth of an operand of a test. That of a comparison is asked by whoever gets it."""
    is_not = isinstance(value, gast.UnaryOp) and isinstance(value.op, gast.Not)
    if is_not or isinstance(value, (gast.BoolOp, gast.Compare, gast.Constant)):
        return value
    return copy_location(expression("ag__.truth(it)", it=value), value)


class Expressions(Rewriter):
    """Rewrites the expressions of one statement; `convert_function` handles nested definitions.

    `suspects` are the names that may have no value, and the paths of items and attributes that may
    be missing, whose reads are checked; None is all names.
    """

    def __init__(self, scope: str, convert_function, suspects: set[str] | None = None):
        self.scope = scope
        self.convert_function = convert_function
        self.suspects = suspects
        self.operands: Any = None  # makes functions for operands that assign, before the statement

    def __call__(self, node):
        return self.visit(node)

    def visit(self, node):
        tree = super().visit(node)
        return tree if tree is node or tree is None else copy_location(tree, node)

    def visit_Name(self, node):
        if node.id == "ag__" or hasattr(node, "is_plain") or not isinstance(node.ctx, gast.Load):
            return node
        if self.suspects is not None and node.id not in self.suspects:
            return node
        return expression("ag__.ld(it)", it=node)

    def visit_Call(self, node):
        function = node.func
        for argument in node.args:
            argument.decided_by = getattr(function, "id", "") in DECIDED and function.id
        path = path_of(function)
        if path in BREAKPOINTS:
            return expression("(ag__.before_breakpoint(), it)[1]", it=self._direct(node))
        if isinstance(function, gast.Name) and (
            function.id in DIRECT or hasattr(function, "is_plain")
        ):
            return self._direct(node)
        if isinstance(function, gast.Attribute) and path in DIRECT_PATHS:
            node = self._direct(node)
            if path == "warnings.warn" and node.args:
                node.args[0] = expression("ag__.as_traced(it)", it=node.args[0])
            return node
        if (
            isinstance(function, gast.Attribute)
            and isinstance(function.value, gast.Name)
            and function.value.id == "ag__"
        ):
            return self._direct(node)
        converted = self.visit(function)
        merges = any(keyword.arg is None for keyword in node.keywords)
        if self.suspects is not None and not merges:  # to be run: saves a frame per call
            form = expression(f"ag__.callee(it, {self.scope})", it=converted)
            node.func = copy_location(form, function)
            return self._direct(node)
        args = gast.Tuple(self._arguments(node), gast.Load())
        return expression(
            f"ag__.{'call_merging' if merges else 'converted_call'}"
            f"(function, args, kwargs, {self.scope})",
            function=converted,
            args=args,
            kwargs=self._mappings(node.keywords) if merges else self._keywords(node.keywords),
        )

    def _direct(self, node):
        node.args = self._arguments(node)
        for keyword in node.keywords:
            keyword.value = self.visit(keyword.value)
        return node

    def _arguments(self, node) -> list:
        return [self._starred(arg, "starred_arguments") for arg in node.args]

    def _starred(self, item, operator: str):
        """An item of a display, or an argument, visited: how many `*x` is may be staged."""
        item = self.visit(item)
        if isinstance(item, gast.Starred):
            part = expression(f"ag__.{operator}(it)", it=item.value)
            item.value = copy_location(part, item.value)
        return item

    def visit_List(self, node):
        """A list or tuple."""
        has_starred = any(isinstance(element, gast.Starred) for element in node.elts)
        is_new = isinstance(node.ctx, gast.Load) and (has_starred or isinstance(node, gast.List))
        if not is_new:
            return self.generic_visit(node)
        node.elts = [self._starred(element, "starred") for element in node.elts]
        return expression("ag__.display(it)", it=node)

    visit_Tuple = visit_List

    def _keywords(self, keywords):
        if not keywords:
            return constant(None)
        values = [self.visit(keyword.value) for keyword in keywords]
        return gast.Dict([constant(keyword.arg) for keyword in keywords], values)

    def _mappings(self, keywords):
        """The keywords of a call as mappings, in order; adjacent named ones form one mapping."""
        rows = []
        for is_named, group in itertools.groupby(keywords, lambda keyword: keyword.arg is not None):
            together = list(group)
            rows += (
                [self._keywords(together)]
                if is_named
                else [self.visit(keyword.value) for keyword in together]
            )
        return gast.Tuple(rows, gast.Load())

    def visit_Subscript(self, node):
        path = path_of(node)
        node = self.generic_visit(node)
        if not isinstance(node.ctx, gast.Load):
            return self._changing(node)
        if not _may_be_staged(node.slice):
            return self._read(node, path)
        return expression("ag__.get_item(target, key)", target=node.value, key=node.slice)

    def _read(self, node, path: str | None):
        """A read of an item or attribute, which must be there also where nothing uses it."""
        if self.suspects is None or path not in self.suspects:
            return node
        return expression("ag__.item_read(it)", it=node)

    def visit_Attribute(self, node):
        path = path_of(node)
        node = self.generic_visit(node)
        if not isinstance(node.ctx, gast.Load):
            return self._changing(node)
        if self.suspects is None or node.attr not in ASKED:
            return self._read(node, path)
        return expression("ag__.attribute_of(it, name)", it=node.value, name=constant(node.attr))

    def _changing(self, target):
        """A target that is an item or an attribute. Where changes are noted, this one is."""
        if self.suspects is None:
            return target
        owner = target.value
        noted = expression("ag__.changed(it)", it=owner)
        if path_of(owner) is not None:
            template = "noted if ag__.NOTES else it"
            noted = expression(template, noted=noted, it=copy.deepcopy(owner))
        target.value = copy_location(noted, owner)
        return target

    def visit_BinOp(self, node):
        makes_list = any(isinstance(side, gast.List) for side in (node.left, node.right))
        node = self.generic_visit(node)
        left, is_remainder = node.left, isinstance(node.op, gast.Mod)
        if is_remainder and isinstance(left, gast.Constant) and isinstance(left.value, str):
            return expression("ag__.percent(template, values)", template=left, values=node.right)
        return expression("ag__.fresh(it)", it=node) if makes_list else node

    def visit_BoolOp(self, node):
        is_test = getattr(node, "is_test", False)
        node.values = [_as_test(value) for value in node.values] if is_test else node.values
        if self._stays_python(node):
            for index, value in enumerate(node.values[:-1]):
                node.values[index] = self._unassigned(self.visit(value), node)
            node.values[-1] = self.visit(node.values[-1])
            return node
        operator = "and_" if isinstance(node.op, gast.And) else "or_"
        assigned = self._assigned(node)
        first = self._deferred(node.values[0])
        rest = list(map(self._operand, node.values[1:]))
        right = rest.pop()
        for value in reversed(rest):
            call = expression(f"ag__.{operator}(left, right)", left=value, right=right)
            call.args += assigned
            right = expression("lambda: it", it=call)
        choice = expression(f"ag__.{operator}(left, right)", left=first, right=right)
        choice.args += assigned
        return choice

    def _stays_python(self, node) -> bool:
        """Whether an operand that may be skipped cannot be a function of its own."""
        operands = operands_of_choice(node)
        if not contains(operands, BOUND_TO_FRAME):
            return False
        return self.operands is None or contains(operands, SUSPENDING)

    def _assigned(self, node) -> list:
        """The argument with the functions that get and set what the operands assign, if they do."""
        names = self.operands.names(operands_of_choice(node)) if self.operands is not None else []
        return [self.operands.state(names)] if names else []

    def _operand(self, node):
        """A function that returns an operand that may be skipped."""
        converted = self.visit(node)
        if not contains([node], BOUND_TO_FRAME):
            return expression("lambda: it", it=converted)
        return name(self.operands.function(converted, list(Names(node).bound)))

    def _unassigned(self, value, node):
        """A test that Python's own operator makes, which no tensor may decide."""
        source = constant(gast.unparse(node).strip())
        return expression("ag__.unassigned(it, source)", it=value, source=source)

    def _deferred(self, node):
        """A function that returns an operand; one that assigns is evaluated in place."""
        template = "ag__.held(it)" if contains([node], BOUND_TO_FRAME) else "lambda: it"
        return expression(template, it=self.visit(node))

    def visit_UnaryOp(self, node):
        node = self.generic_visit(node)
        if isinstance(node.op, gast.Not):
            return expression("ag__.not_(operand)", operand=node.operand)
        return node

    def visit_Compare(self, node):
        question = QUESTIONS.get(type(node.ops[0])) if len(node.ops) == 1 else None
        if question is not None:
            left, right = self.visit(node.left), self.visit(node.comparators[0])
            return expression(question, left=left, right=right)
        asked = _asked_for_none(node)
        if asked is not None:
            sign = constant(COMPARISONS[type(node.ops[0])])
            return expression("ag__.equals_none(it, sign)", it=self.visit(asked), sign=sign)
        operands = {type(each) for each in (node.left, *node.comparators)}
        of_names = operands == {gast.Name} and isinstance(node.ops[0], (gast.Eq, gast.NotEq))
        is_plain = len(node.ops) == 1 and not of_names and operands.isdisjoint(DISPLAYS)
        if is_plain or self._stays_python(node):
            return self.generic_visit(node)
        assigned = self._assigned(node)
        call = expression("ag__.compare(left)", left=self.visit(node.left))
        call.keywords = [gast.keyword("assigned", assignment) for assignment in assigned]
        values = [self._deferred(node.comparators[0]), *map(self._operand, node.comparators[1:])]
        for sign, value in zip(map(type, node.ops), values, strict=True):
            call.args.append(gast.Tuple([constant(COMPARISONS[sign]), value], gast.Load()))
        return call

    def visit_IfExp(self, node):
        if self._stays_python(node):
            source = copy.deepcopy(node)
            node = self.generic_visit(node)
            node.test = self._unassigned(node.test, source)
            return node
        source = constant(gast.unparse(node.test).strip())
        to_read = self.suspects is None
        assigned = self._assigned(node)
        call = expression(
            f"ag__.{'if_exp' if to_read else 'chosen'}(test, body, orelse, source)",
            test=self.visit(node.test),
            body=self._operand(node.body),
            orelse=self._operand(node.orelse),
            source=source,
        )
        call.args += assigned
        return call if to_read else gast.Call(call, [], [])

    def visit_Lambda(self, node):
        if contains([node.body], (gast.Await, gast.Yield, gast.YieldFrom)):
            return node
        if getattr(node, "is_template", False):  # one that hands an operand to an operator
            return self.generic_visit(node)
        scope = free_name("lscope", node.body)
        inner = Expressions(scope, self.convert_function, self.suspects)
        self._defaults(node.args)
        body = expression(
            f"ag__.with_function_scope(lambda {scope}: body, {scope!r}, {OPTIONS})",
            body=inner(node.body),
        )
        node.body = copy_location(body, node.body)
        return node

    def visit_ListComp(self, node):
        """The iterables may be staged, and the tests; Python's own scoping stays."""
        if any(loop.is_async for loop in node.generators) or contains([node], BOUND_TO_FRAME):
            return self._plain_comprehension(node)
        if isinstance(node, (gast.SetComp, gast.DictComp)):
            node = as_list(node)
        first = node.generators[0]
        source = getattr(node, "source", None) or constant(gast.unparse(node).strip())
        items = free_name("items_", node)
        adds = getattr(node, "adds", "")
        is_inside = hasattr(node, "is_inside")  # of one with several `for`
        iterable = None if is_inside else self.visit(first.iter)
        operands, self.operands = self.operands, None  # inside, there is no statement
        first.iter = name(items)
        is_shared = shares_variables(node)
        tested = not is_shared and (len(node.generators) > 1 or bool(first.ifs))
        if tested:
            guard(node, first, items, source)
        first.iter.is_plain = True
        node = self.generic_visit(node)
        self.operands = operands
        for loop in node.generators if is_shared else [first]:
            known = "ag__.known(it, source)"
            loop.ifs = [expression(known, it=test, source=source) for test in loop.ifs]
            pattern = pattern_of(loop.target)
            if type(pattern) is tuple:
                template = "ag__.unpack_each(items, pattern)"
                loop.iter = expression(template, items=loop.iter, pattern=as_tree(pattern))
        build = expression(f"lambda {items}{adds and ', ' + adds}: part", part=node)
        if is_inside:
            return build
        operator, options = "comprehension", ", tested=True" if tested else ""
        if isinstance(node, gast.GeneratorExp):
            operator = "generator" if hasattr(node, "decided_by") else "named_generator"
            use = getattr(node, "decided_by", False)
            options = f", {tested}, {use!r}" if use else options
        elif adds:
            operator, options = "gathered", f", {node.is_dictionary}"
        return expression(f"ag__.{operator}(build, items{options})", build=build, items=iterable)

    def _plain_comprehension(self, node):
        """A comprehension that Python runs: no tensor may decide its tests."""
        source = copy.deepcopy(node)
        operands, self.operands = self.operands, None
        node = self.generic_visit(node)
        self.operands = operands
        for generator in node.generators:
            generator.ifs = [self._unassigned(test, source) for test in generator.ifs]
        if getattr(node, "decided_by", False):
            node.elt = self._unassigned(node.elt, source)
        return node

    visit_GeneratorExp = visit_SetComp = visit_DictComp = visit_ListComp

    def visit_FunctionDef(self, node):
        self._defaults(node.args)
        return self.convert_function(node)

    def _defaults(self, args) -> None:
        args.defaults = [self.visit(default) for default in args.defaults]
        args.kw_defaults = [default and self.visit(default) for default in args.kw_defaults]

    def visit_AsyncFunctionDef(self, node):
        return node

    def visit_ClassDef(self, node):
        return node

    def visit_JoinedStr(self, node):
        """An f-string; the specification of a format is one too, of its own."""
        node = self._with_shown(node)
        shows = any(isinstance(part, gast.FormattedValue) for part in node.values)
        return expression("ag__.string(it)", it=node) if shows else node

    def _with_shown(self, node):
        for part in node.values:
            if isinstance(part, gast.FormattedValue):
                value = self.visit(part.value)
                is_ascii = part.conversion == ord("a")
                part.value = value if is_ascii else expression("ag__.shown(it)", it=value)
                part.format_spec = part.format_spec and self._plain(part.format_spec)
        return node

    def _plain(self, spec):
        """The specification of a format, which is Python's own."""
        for part in spec.values:
            if isinstance(part, gast.FormattedValue):
                part.value = self.visit(part.value)
                part.format_spec = part.format_spec and self._plain(part.format_spec)
        return spec


def _asked_for_none(node):
    """The x of `x == None`, `None != x` and the like: a tensor may decide whether it is None."""
    if len(node.ops) != 1 or not isinstance(node.ops[0], (gast.Eq, gast.NotEq)):
        return None
    for operand, other in ((node.left, node.comparators[0]), (node.comparators[0], node.left)):
        if isinstance(other, gast.Constant) and other.value is None:
            return operand
    return None
