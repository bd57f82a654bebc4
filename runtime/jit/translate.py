"""A kernel as one module of machine code: its functions, and what they call."""

from __future__ import annotations

import ast
import builtins
import functools
import linecache
import types

import numpy as np
from llvmlite import ir

from . import values
from .function_writer import Kinds, RetypedError
from .kernel_types import INT64, UntranslatableError
from .loop_hints import TEXT, UNMARKED
from .python_entry import EXTERNAL, write_entry
from .statements import StatementWriter
from .values import WORD, Array, kind_of, memory_type

KERNEL = "kernel"  # the function of a text that is entered from Python


class Module:
    """Functions by what they are made of; each is written when it is first called."""

    def __init__(self, name: str):
        self.ir = ir.Module(name)
        self.functions: dict[tuple, tuple] = {}
        self.tables: dict[int, tuple] = {}
        self.loop_marks: dict[tuple, ir.MDValue] = {}
        self.count = 0

    def loop_mark(self, vectors: bool, unrolled: bool) -> ir.MDValue:
        """What keeps LLVM from looking for vectors in a loop, and from writing its turns out."""
        wishes = [] if vectors else [["llvm.loop.vectorize.enable", ir.IntType(1)(0)]]
        wishes += [] if unrolled else [["llvm.loop.unroll.disable"]]
        key = vectors, unrolled
        if key not in self.loop_marks:
            made = self.ir.add_metadata([*map(self.ir.add_metadata, wishes)])
            made.operands = (made, *made.operands)  # as LLVM wants it
            self.loop_marks[key] = made
        return self.loop_marks[key]

    # ---- outside -------------------------------------------------------------------------

    def declared(self, name: str, kind: ir.FunctionType) -> ir.Function:
        known = self.ir.globals.get(name)
        return known if known is not None else ir.Function(self.ir, kind, name)

    def external(self, name: str) -> ir.Function:
        return self.declared(*EXTERNAL[name])

    def free_name(self, name: str, scope: dict):
        """What a name that is no variable stands for: known now, but for tables of numbers."""
        found = scope[name] if name in scope else getattr(builtins, name, None)
        if found is None:
            raise UntranslatableError(f"the name {name}")
        return self.table(found) if isinstance(found, np.ndarray) else found

    def table(self, numbers: np.ndarray) -> Array:
        """An array of constants."""
        if id(numbers) not in self.tables:
            kind = memory_type(numbers.dtype)
            flat = [kind(number) for number in numbers.ravel().tolist()]
            whole = ir.ArrayType(kind, len(flat))
            made = ir.GlobalVariable(self.ir, whole, f"table.{len(self.tables)}")
            made.linkage, made.global_constant = "internal", True
            made.initializer = ir.Constant(whole, flat)
            self.tables[id(numbers)] = made.bitcast(kind.as_pointer()), numbers
        return Array(numbers.dtype, self.tables[id(numbers)][0], numbers.shape)

    # ---- functions -----------------------------------------------------------------------

    def call(self, writer, function, arguments: list):
        """Call a function of Python's as one of machine code, for arguments of these kinds."""
        arguments = [writer.typed(one) for one in arguments]
        kinds = tuple(map(kind_of, arguments))
        target, result, may_fail = self.function(function, kinds)
        parts = [
            part
            for value, kind in zip(arguments, kinds, strict=True)
            for part in values.parts_of(value, kind)
        ]
        builder = writer.builder
        made = builder.call(target, parts)
        if may_fail:
            writer.fail_if(builder.extract_value(made, 0))
        count = len(values.types_of(result))
        rest = iter([builder.extract_value(made, 1 + at) for at in range(count)])
        return values.value_of(builder, result, rest)

    def function(self, function, kinds: tuple):
        """The function for these kinds, the kind of its result, and whether it may fail."""
        if not isinstance(function, types.FunctionType):
            raise UntranslatableError(f"a call of {function!r}")
        key = (function, repr(kinds))
        if key not in self.functions:
            tree, cells = _tree_of(function), function.__closure__ or ()
            around = {
                name: cell.cell_contents
                for name, cell in zip(function.__code__.co_freevars, cells, strict=True)
            }
            scope = {**function.__globals__, **around}
            name = f"{function.__name__}.{len(self.functions)}"
            marks = getattr(function, "marks", UNMARKED)
            self.functions[key] = self.write(tree, name, kinds, scope, marks)
        return self.functions[key]

    def write(self, tree, name: str, kinds: tuple, scope, marks=UNMARKED, result=None):
        """Write a function until the kinds of its variables, and that of its result, fit."""
        names = [argument.arg for argument in tree.args.args]
        known = Kinds(dict(zip(names, kinds, strict=True)), result)
        while True:
            self.count += 1
            own = f"{name}.{self.count}"
            try:
                made = self.attempt(tree, own, names, kinds, known, scope, marks)
                break
            except RetypedError:
                del self.ir.globals[own]
        for attribute in ("nounwind", *marks.attributes):
            made.attributes.add(attribute)
        made.linkage = "internal"
        return made, () if known.result is None else known.result, known.may_fail

    def attempt(self, tree, name: str, names, kinds, known: Kinds, scope, marks) -> ir.Function:
        result = [] if known.result is None else values.types_of(known.result)
        returned = ir.LiteralStructType([ir.IntType(1), *result])
        given = [one for kind in kinds for one in values.types_of(kind)]
        function = ir.Function(self.ir, ir.FunctionType(returned, given), name)
        writer = StatementWriter(self, function, known, scope)
        writer.is_kernel, writer.marks = tree.name == KERNEL, marks
        writer.result = [writer.on_stack(kind) for kind in result]
        parts = iter(function.args)
        for argument, kind in zip(names, kinds, strict=True):
            writer.assign(argument, values.value_of(writer.builder, kind, parts))
        writer.body(tree.body)

        def leave(failed: bool) -> None:
            made = ir.Constant(returned, ir.Undefined)
            made = writer.builder.insert_value(made, ir.IntType(1)(failed), 0)
            for at, slot in enumerate(writer.result if not failed else ()):
                made = writer.builder.insert_value(made, writer.builder.load(slot), at + 1)
            writer.builder.ret(made)

        writer.finish(leave)
        return function


@functools.cache
def _trees(text: str) -> dict[int, ast.FunctionDef]:
    """The functions of a file by the line of their name, and of their first decorator."""
    found = {}
    for node in ast.walk(_parsed(text)):
        if isinstance(node, ast.FunctionDef):
            first = node.decorator_list[0].lineno if node.decorator_list else node.lineno
            found[node.lineno] = found[first] = node
    return found


def _parsed(text: str) -> ast.Module:
    """The tree of a text. CPython 3.11 counts the depth of trees for all threads together: where
    two of them parse at once, one may get a SystemError.
    """
    for _ in range(4):
        try:
            return ast.parse(text)
        except SystemError:
            continue
    return ast.parse(text)


def _tree_of(function) -> ast.FunctionDef:
    code = function.__code__
    lines = linecache.getlines(code.co_filename, function.__globals__)
    return _trees("".join(lines))[code.co_firstlineno]


def translate(name: str, text: str, scope: dict, kinds: tuple, results: tuple) -> str:
    """The LLVM assembly of a kernel. Python enters it by the function `name`; its parallel regions
    `region_1` and so on, which take an address, become the functions `name_region_1`.

    `kinds` are the types of the parameters of the function `kernel` in the source, and `results`
    those of its results. Raises UntranslatableError.
    """
    module = Module(name)
    for tree in _parsed(text).body:
        if tree.name.startswith("region_"):
            made, *_ = module.write(tree, tree.name, (INT64,), scope, TEXT)
            _write_region(module, f"{name}_{tree.name}", made)
        else:
            made, kind, _ = module.write(tree, KERNEL, kinds, scope, TEXT, results)
            write_entry(module, name, made, kinds, kind, results)
    return str(module.ir)


def _write_region(module: Module, name: str, made: ir.Function) -> None:
    """A part as a function of C."""
    function = ir.Function(module.ir, ir.FunctionType(ir.VoidType(), [WORD]), name)
    builder = ir.IRBuilder(function.append_basic_block())
    builder.call(made, function.args)
    builder.ret_void()
