"""The nodes of kernel IR. All are immutable; each prints as kernel source, a subset of Python.

    >>> x, i = Name("x"), Name("i")
    >>> loop = For(i, Call(Name("range"), (Const(8),)), (Let(Load(x, (i,)), x),))
    >>> print(loop)
    for i in range(8):
        x[i] = x

The types of variables follow from what is assigned to them, when a kernel is translated: the rules
are those of `runtime/jit/kernel_types.py`.
"""

from __future__ import annotations

import functools
import inspect
import operator
from collections.abc import Callable, Iterable, Iterator
from typing import Any, ClassVar, Union

from ..core.classes import record


class Part:
    """A node. `parts` are the fields that hold nodes: one, several, or None."""

    __slots__ = ()
    parts: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls):
        fields = inspect.get_annotations(cls).items()
        cls.parts = tuple(name for name, type_ in fields if "Expr" in type_ or "Stat" in type_)

    def children(self) -> list[Any]:
        """The nodes directly inside."""
        nodes: list[Any] = []
        for name in self.parts:
            part = getattr(self, name)
            if type(part) is tuple:
                nodes += part
            elif part is not None:
                nodes.append(part)
        return nodes

    def with_parts(self, change: Callable[[Any], Any]) -> Any:
        """The node with `change(part)` in place of each node directly inside."""
        values, is_same = [], True
        fields: Iterable[str] = type(self).__slots__
        for name in fields:
            value = changed = getattr(self, name)
            if name in self.parts and type(value) is tuple:
                changed = tuple(map(change, value))
                is_same = is_same and all(map(operator.is_, value, changed))
            elif name in self.parts and value is not None:
                changed = change(value)
                is_same = is_same and value is changed
            values.append(changed)
        return self if is_same else type(self)(*values)


def walk(parts: Iterable[Any]) -> Iterator[Any]:
    """These nodes, each before all that are inside of it."""
    waiting = [*parts][::-1]
    while waiting:
        part = waiting.pop()
        yield part
        if part.parts:
            waiting += part.children()[::-1]


def transformed(part: Any, change: Callable[[Any], Any]) -> Any:
    """The node with `change(node)` in place of each node in it, the innermost first."""
    return change(part.with_parts(lambda inner: transformed(inner, change)))


# ---- expressions -------------------------------------------------------------------------------


Operand = Union["Expression", str, float, tuple, list]


def as_node(operand: Any) -> Any:
    """An operand as a node: names stand for variables, numbers and tuples for themselves. A list is
    a tuple, or its only item.
    """
    if isinstance(operand, Expression):
        return operand
    if type(operand) is str:
        assert operand.isidentifier(), operand
        return Name(operand)
    if type(operand) in (tuple, list):
        items = tuple(map(as_node, operand))
        return items[0] if len(items) == 1 and type(operand) is list else Tuple(items)
    if type(operand) is slice:
        ends = operand.start, operand.stop
        return Slice(*(None if end is None else as_node(end) for end in ends))
    is_plain = type(operand) in (int, float, bool)
    return Const(operand if is_plain else int(operand))


def _binary(sign: str) -> Callable[[Any, Operand], Binary]:
    return lambda left, right: Binary(sign, left, as_node(right))


def _reflected(sign: str) -> Callable[[Any, Operand], Binary]:
    return lambda right, left: Binary(sign, as_node(left), right)


def compared(sign: str) -> Callable[[Any, Operand], Compare]:
    """The function that compares two operands in this way."""
    return lambda left, right: Compare(as_node(left), (sign,), (as_node(right),))


class Expression(Part):
    """A value. Its operators build larger ones.

    >>> x, i = Name("x"), Name("i")
    >>> print(x[i, i + 1] * (2 - i), x[i:], (i < 4), call("np.float32", x))
    x[i, i + 1] * (2 - i) x[i:] i < 4 np.float32(x)
    """

    __slots__ = ()
    __iter__ = None  # else Python would try indices

    __add__, __radd__ = _binary("+"), _reflected("+")
    __sub__, __rsub__ = _binary("-"), _reflected("-")
    __mul__, __rmul__ = _binary("*"), _reflected("*")
    __truediv__, __floordiv__, __mod__ = _binary("/"), _binary("//"), _binary("%")
    __and__, __or__, __rshift__ = _binary("&"), _binary("|"), _binary(">>")
    __lt__, __le__, __gt__, __ge__ = map(compared, ("<", "<=", ">", ">="))
    equals, differs = compared("=="), compared("!=")

    def __getitem__(self, index: Any) -> Load:
        indices = index if type(index) is tuple else (index,)
        return Load(self, tuple(map(as_node, indices)))

    def __call__(self, *arguments: Operand) -> Call:
        return Call(self, tuple(map(as_node, arguments)))

    def dot(self, path: str) -> Expression:
        """An attribute, or one of an attribute."""
        return functools.reduce(Attribute, path.split("."), self)

    def negated(self) -> Unary:
        return Unary("not", self)

    def joined(self, word: str, *others: Operand) -> Any:
        """`self or other`, or with `and`."""
        return Logical(word, (self, *map(as_node, others))) if others else self

    def choice(self, body: Operand, orelse: Operand) -> Select:
        """`body if self else orelse`."""
        return Select(self, as_node(body), as_node(orelse))

    def is_index_of(self, size: Operand) -> Compare:
        """`0 <= self < size`."""
        return Compare(Const(0), ("<=", "<"), (self, as_node(size)))

    def __str__(self) -> str:
        return _source_of(self)[0]


@record()
class Name(Expression):
    """A variable, or a function of the scope of the kernel."""

    id: str

    def with_suffix(self, suffix: str) -> Name:
        """The variable whose name has something behind this one's."""
        return Name(self.id + suffix)


@record()
class Const(Expression):
    """A number, a truth value, a string or None. A number adopts the type of what it meets."""

    value: Any


@record()
class Param(Expression):
    """A number that the caller of a kernel may pass, in a variable: `executors/kernel_numbers.py`.
    It adopts the type of what it meets, as the constant does whose place it takes.
    """

    number: int
    id: str = "?"


@record()
class Tuple(Expression):
    """Several values."""

    items: tuple[Expression, ...]


@record()
class Starred(Expression):
    """The items of a tuple as arguments of a call."""

    value: Expression


@record()
class Attribute(Expression):
    """`value.attr`: an attribute of an array, or a function or type of a module."""

    value: Expression
    attr: str


@record()
class Unary(Expression):
    """One of the operators `-`, `+`, `~` and `not`."""

    op: str
    operand: Expression


@record()
class Binary(Expression):
    """An arithmetic operator, or one on bits."""

    op: str
    left: Expression
    right: Expression


@record()
class Compare(Expression):
    """Comparisons of neighbors, `a <= b < c`: `ops` stand between `left` and each of `rights`."""

    left: Expression
    ops: tuple[str, ...]
    rights: tuple[Expression, ...]


@record()
class Logical(Expression):
    """`and`, or `or`, of truth values: one is computed if those before it do not decide."""

    op: str
    items: tuple[Expression, ...]


@record()
class Select(Expression):
    """`body if test else orelse`: one of the two is computed."""

    test: Expression
    body: Expression
    orelse: Expression


@record()
class Call(Expression):
    """A call of an intrinsic, a routine, a function of NumPy, or a type."""

    function: Expression
    arguments: tuple[Expression, ...]

    @property
    def name(self) -> str:
        """The name of the function, without what it is an attribute of."""
        return getattr(self.function, "id", "") or getattr(self.function, "attr", "")


@record()
class Load(Expression):
    """An element or a part of an array or a tuple. What is assigned to one is stored there."""

    array: Expression
    indices: tuple[Expression, ...]


@record()
class Slice(Expression):
    """`lower:upper` as an index."""

    lower: Expression | None
    upper: Expression | None


@record()
class Unsupported(Expression):
    """Something of Python that kernels do not have: an error where it is translated."""

    what: str


def named(path: str) -> Expression:
    """A function, a type or a number by its name, perhaps in a module: `np.nan`."""
    name, _, inner = path.partition(".")
    return Name(name).dot(inner) if inner else Name(name)


def call(path: str, *arguments: Operand) -> Call:
    """A call of a function by its name, perhaps in a module."""
    return named(path)(*arguments)


def reshape(array: Operand, *shape: Operand) -> Call:
    """A contiguous array in another shape."""
    return as_node(array).dot("reshape")(*shape)


# ---- statements --------------------------------------------------------------------------------


class Statement(Part):
    """A statement. Some assign to a `target`, and some have blocks inside."""

    __slots__ = ()
    target: Any
    body: tuple[Any, ...]
    orelse: tuple[Any, ...]

    def __init_subclass__(cls):
        super().__init_subclass__()
        for name, absent in (("target", None), ("body", ()), ("orelse", ())):
            if name not in cls.parts:
                setattr(cls, name, absent)

    def reads(self) -> list[Any]:
        """The expressions that it computes, those in its blocks left out."""
        fields = (getattr(self, name) for name in self.parts if name != "target")
        own = [self.target] if type(self) is Update else []
        return own + [field for field in fields if isinstance(field, Expression)]

    def targets(self) -> tuple[Any, ...]:
        """The variables, elements and parts of arrays that it assigns to."""
        all_targets = (self.target, *getattr(self, "more", ())) if self.target else ()
        return tuple(target for each in all_targets for target in getattr(each, "items", (each,)))

    def __str__(self) -> str:
        return "\n".join(line for line, _ in lines_of([self], 0))


@record()
class Let(Statement):
    """An assignment: to a variable, to several, or to elements of an array; perhaps to `more`."""

    target: Expression
    value: Expression
    more: tuple[Expression, ...] = ()


@record()
class Update(Statement):
    """`target op= value`, which evaluates the target once."""

    target: Expression
    op: str
    value: Expression


@record()
class Evaluate(Statement):
    """An expression for its effect."""

    value: Expression


@record()
class Leave(Statement):
    """`return value`, `raise value`, `break`, `continue`; or `pass`, which goes on."""

    word: str
    value: Expression | None = None


@record()
class For(Statement):
    """A loop over a range, or an unrolled one over a tuple."""

    target: Expression
    iterable: Expression
    body: tuple[Statement, ...]


@record()
class While(Statement):
    """A loop that goes on while its test holds."""

    test: Expression
    body: tuple[Statement, ...]


@record()
class If(Statement):
    """A choice; `comment` stands behind its test."""

    test: Expression
    body: tuple[Statement, ...]
    orelse: tuple[Statement, ...] = ()
    comment: str = ""


# ---- printing ----------------------------------------------------------------------------------

NOT_FINITE = {"inf": "np.inf", "-inf": "-np.inf", "nan": "np.nan"}
# How strongly operators bind, from the weakest on; what stands alone binds most.
CHOICE, COMPARISON, UNARY, POWER, ATOM = 0, 4, 11, 12, 14
STRENGTH = {
    "or": 1, "and": 2, "not": 3, "|": 5, "^": 6, "&": 7, "<<": 8, ">>": 8, "+": 9, "-": 9,
    "*": 10, "/": 10, "//": 10, "%": 10, "**": POWER,
}  # fmt: skip


def _source_of(node: Any) -> tuple[str, int]:
    """The source of an expression, and how strongly its outermost operator binds."""
    type_ = type(node)
    if type_ is Name or type_ is Param:
        return node.id, ATOM
    if type_ is Const:
        source = NOT_FINITE.get(repr(node.value)) or repr(node.value)
        return source, UNARY if source[0] == "-" else ATOM
    if type_ is Call:
        return f"{_within(node.function, ATOM)}({', '.join(map(str, node.arguments))})", ATOM
    if type_ is Load:
        return f"{_within(node.array, ATOM)}[{', '.join(map(str, node.indices))}]", ATOM
    if type_ is Attribute:
        return f"{_within(node.value, ATOM)}.{node.attr}", ATOM
    if type_ is Tuple:
        comma = "," if len(node.items) == 1 else ""
        return f"({', '.join(map(str, node.items))}{comma})", ATOM
    if type_ is Slice:
        return ":".join("" if end is None else str(end) for end in (node.lower, node.upper)), ATOM
    if type_ is Starred:
        return f"*{_within(node.value, COMPARISON + 1)}", ATOM
    return (f"<{node.what}>", ATOM) if type_ is Unsupported else _operator_source(node, type_)


def _operator_source(node: Any, type_: type) -> tuple[str, int]:
    if type_ is Binary:
        own = STRENGTH[node.op]
        left, right = (own + 1, UNARY) if own == POWER else (own, own + 1)
        return f"{_within(node.left, left)} {node.op} {_within(node.right, right)}", own
    if type_ is Compare:
        source = _within(node.left, COMPARISON + 1)
        for op, right in zip(node.ops, node.rights, strict=True):
            source += f" {op} {_within(right, COMPARISON + 1)}"
        return source, COMPARISON
    if type_ is Select:
        body, test = _within(node.body, CHOICE + 1), _within(node.test, CHOICE + 1)
        return f"{body} if {test} else {node.orelse}", CHOICE
    if type_ is Unary:
        own, space = (STRENGTH["not"], " ") if node.op == "not" else (UNARY, "")
        return f"{node.op}{space}{_within(node.operand, own)}", own
    own = STRENGTH[node.op]
    return f" {node.op} ".join(_within(item, own + 1) for item in node.items), own


def _within(node: Expression, strength: int) -> str:
    """An operand, in parentheses where the operator around it binds more."""
    source, own = _source_of(node)
    return source if own >= strength else f"({source})"


def _bare(value: Expression) -> str:
    """A value, a tuple of several without parentheses."""
    is_pair = type(value) is Tuple and len(value.items) > 1
    return str(value)[1:-1] if is_pair else str(value)


def _first_line(node: Any) -> str:
    type_ = type(node)
    if type_ is Let:
        return " = ".join(map(_bare, (node.target, *node.more, node.value)))
    if type_ is Update:
        return f"{node.target} {node.op}= {node.value}"
    if type_ is For:
        return f"for {_bare(node.target)} in {node.iterable}:"
    if type_ is While:
        return f"while {node.test}:"
    if type_ is If:
        return f"if {node.test}:{f'  # {node.comment}' if node.comment else ''}"
    if type_ is Leave:
        return node.word if node.value is None else f"{node.word} {node.value}"
    return str(node.value)


def lines_of(block: Iterable[Any], depth: int) -> Iterator[tuple[str, Part | None]]:
    """The lines of statements, each with the statement that begins there; None for `else`."""
    margin = "    " * depth
    for statement in block:
        yield margin + _first_line(statement), statement
        yield from lines_of(statement.body, depth + 1)
        if statement.orelse:
            yield f"{margin}else:", None
            yield from lines_of(statement.orelse, depth + 1)
