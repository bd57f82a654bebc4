"""The call of a kernel with its constants and its new arrays, as functions of C.

`bound_call(self, arguments, count)` takes arrays and returns what the entry of the kernel does.
`self` is a tuple. Its first item is an array of int64, the table below. Its second item is called
with the arguments where the kernel was not compiled for them. Further items keep alive what the
table refers to.

    table = [address of the entry, number of arguments, number of parameters,
             number of constants, *their addresses,
             number of new arrays, *(rank, address of the data type, *sizes) of each]

A new array of rank MADE_BY_PYTHON is what the Python function at the second address returns; it
has no sizes.

`tensor_call(self, arguments, count)` takes tensors and returns one. Behind the two items above, its
`self` has the class of tensors, the class of cells of variables, the name of the attribute of both
that holds the array, and the class of a scalar result, or None for an array. Its second item is
called also where an argument is neither. It returns anything but a tuple.

`otherwise_call(self, arguments, count)` calls the second item of `self`. It takes the place of both
while they are compiled.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

from llvmlite import ir

from ..loader.symbols import (
    BOUND_CALL,
    FAILURE,
    MADE_BY_PYTHON,
    MISMATCH,
    NUMPY_C,
    OTHERWISE_CALL,
    PREFIX,
    TENSOR_CALL,
)
from ..translate import Module
from ..values import I64
from .python_entry import DATA, INT, OBJECT, OBJECT_SIZE, field

ITEMS = 8  # bytes from the length of a tuple to its items
TABLE, OTHERWISE, TENSOR, CELL, ARRAY, SCALAR = range(6)  # indices of the items
WORDS, OBJECTS, NULL = I64.as_pointer(), OBJECT.as_pointer(), OBJECT(None)
ENTRY = ir.FunctionType(OBJECT, [OBJECT, OBJECTS, I64])
EMPTY, OF_EMPTY = f"{NUMPY_C}PyArray_Empty", ir.FunctionType(OBJECT, [INT, WORDS, OBJECT, INT])


def written() -> str:
    """The library of both functions, in LLVM's assembly language."""
    module = Module("calls")
    bound_call = ir.Function(module.ir, ENTRY, BOUND_CALL)
    _BoundCall(module, bound_call).write()
    _TensorCall(module, ir.Function(module.ir, ENTRY, TENSOR_CALL)).write(bound_call)
    return str(module.ir)


def write_otherwise_call(module: Module) -> None:
    """Write the function that takes their place."""
    _Call(module, ir.Function(module.ir, ENTRY, OTHERWISE_CALL)).return_otherwise()


class _Call:
    """A function that puts parameters for another one side by side."""

    def __init__(self, module, function: ir.Function):
        self.module = module
        self.this, self.given, self.given_count = function.args
        self.builder = ir.IRBuilder(function.append_basic_block())
        self.count = self.builder.alloca(I64)  # of the parameters that are known
        self.builder.store(I64(0), self.count)
        self.parameters: ir.Value = NULL  # where they lie

    def call(self, name: str, *arguments):
        return self.builder.call(self.module.external(name), arguments)

    def returned_if_null(self, one, *objects):
        """The same object. If it is NULL, the function drops these objects and returns NULL."""
        is_null = self.builder.icmp_unsigned("==", one, NULL)
        with self.builder.if_then(is_null, likely=False):
            for other in objects:
                self.call("drop", other)
            self.builder.ret(NULL)
        return one

    def item(self, index: int):
        """An item of `self`."""
        return field(self.builder, self.this, ITEMS + OBJECT_SIZE * index, OBJECT)

    def class_of(self, one):
        return field(self.builder, one, -OBJECT_SIZE, OBJECT)

    def return_otherwise(self) -> None:
        """Return what the second item of `self` returns for the arguments."""
        found = self.call("call", self.item(OTHERWISE), self.given, self.given_count, NULL)
        self.builder.ret(found)

    def append(self, count, parameter: Callable) -> None:
        """Append that many parameters. `parameter` writes one from its number."""
        builder = self.builder
        with self._loop(I64(0), count) as index:
            one = parameter(index)
            known = builder.load(self.count)
            builder.store(one, builder.gep(self.parameters, [known]))
            builder.store(builder.add(known, I64(1)), self.count)

    def argument(self, index):
        return self.builder.load(self.builder.gep(self.given, [index]))

    def drop_parameters(self, first) -> None:
        """Drop the references to the parameters that are known, from one on."""
        with self._loop(first, self.builder.load(self.count)) as index:
            self.call("drop", self.builder.load(self.builder.gep(self.parameters, [index])))

    @contextlib.contextmanager
    def _loop(self, start, stop) -> Iterator:
        """A loop over the numbers from `start` to below `stop`."""
        builder = self.builder
        head, body, end = map(builder.append_basic_block, ("head", "body", "end"))
        before = builder.block
        builder.branch(head)
        builder.position_at_end(head)
        index = builder.phi(I64)
        index.add_incoming(start, before)
        builder.cbranch(builder.icmp_unsigned("<", index, stop), body, end)
        builder.position_at_end(body)
        yield index
        index.add_incoming(builder.add(index, I64(1)), builder.block)
        builder.branch(head)
        builder.position_at_end(end)


class _BoundCall(_Call):
    def write(self) -> None:
        builder = self.builder
        self.position = builder.alloca(WORDS)  # in the table
        builder.store(field(builder, self.item(TABLE), DATA, WORDS), self.position)
        entry = builder.inttoptr(self._next(), ENTRY.as_pointer())
        fits = builder.icmp_unsigned("==", self._next(), self.given_count)
        with builder.if_then(builder.not_(fits), likely=False):
            self.return_otherwise()
        total = self._next()
        self.parameters = builder.alloca(OBJECT, total)
        self.append(self.given_count, self.argument)
        self.append(self._next(), lambda _: builder.inttoptr(self._next(), OBJECT))
        given = builder.load(self.count)
        self.append(self._next(), lambda _: self._new_array(given))
        result = builder.call(entry, [NULL, self.parameters, total])
        self.drop_parameters(given)
        with builder.if_then(builder.icmp_unsigned("==", result, NULL), likely=False):
            is_mismatch = self.call(
                "matches", builder.bitcast(self.module.object(MISMATCH), OBJECT)
            )
            with builder.if_then(builder.icmp_signed("!=", is_mismatch, INT(0))):
                self.call("clear")
                self.return_otherwise()
        builder.ret(result)

    def _next(self):
        """The next word of the table."""
        at = self.builder.load(self.position)
        self.builder.store(self.builder.gep(at, [I64(1)]), self.position)
        return self.builder.load(at)

    def _new_array(self, given):
        """A new array. Without memory for it, the call fails as a kernel does, and drops those that
        were made before.
        """
        builder = self.builder
        rank, maker = self._next(), builder.inttoptr(self._next(), OBJECT)
        is_by_python = builder.icmp_signed("==", rank, I64(MADE_BY_PYTHON))
        with builder.if_else(is_by_python) as (by_python, by_numpy):
            with by_python:
                made = self.call("start", maker)
                made_block = builder.block
            with by_numpy:
                fresh = self._empty(rank, maker)
                fresh_block = builder.block
        one = builder.phi(OBJECT)
        one.add_incoming(made, made_block)
        one.add_incoming(fresh, fresh_block)
        with builder.if_then(builder.icmp_unsigned("==", one, NULL), likely=False):
            self.drop_parameters(given)
            builder.ret(NULL)
        return one

    def _empty(self, rank, dtype):
        """A new array of NumPy's, whose sizes are the next words of the table."""
        builder = self.builder
        sizes = builder.load(self.position)
        builder.store(builder.gep(sizes, [rank]), self.position)
        self.call("hold", dtype)  # the function takes this reference
        empty = self.module.declared(EMPTY, OF_EMPTY)
        fresh = builder.call(empty, [builder.trunc(rank, INT), sizes, dtype, INT(0)])
        with builder.if_then(builder.icmp_unsigned("==", fresh, NULL), likely=False):
            self.call("fail", builder.load(self.module.object(PREFIX + FAILURE)))
        return fresh


class _TensorCall(_Call):
    def write(self, bound_call: ir.Function) -> None:
        builder = self.builder
        self.parameters = builder.alloca(OBJECT, self.given_count)
        self.append(self.given_count, self._array)
        results = builder.call(bound_call, [self.this, self.parameters, self.given_count])
        self.drop_parameters(I64(0))
        self.returned_if_null(results)
        is_tuple = self._is_of_class(results, self.module.object(f"{PREFIX}PyTuple_Type"))
        with builder.if_then(builder.not_(is_tuple), likely=False):
            builder.ret(results)
        tensor = self.returned_if_null(self.call("new", self.item(TENSOR), I64(0)), results)
        value = self._value(results, tensor)
        self.call("set", tensor, self.item(ARRAY), value)
        self.call("drop", value)
        self.call("drop", results)
        builder.ret(tensor)

    def _array(self, index):
        """The array of an argument. Where it has none, others are dropped."""
        one = self.argument(index)
        is_known = self.builder.or_(
            self._is_of_class(one, self.item(TENSOR)), self._is_of_class(one, self.item(CELL))
        )
        with self.builder.if_then(self.builder.not_(is_known), likely=False):
            self.drop_parameters(I64(0))
            self.return_otherwise()
        return self.call("get", one, self.item(ARRAY))

    def _value(self, results, tensor):
        """A reference to the array of the result, or to the scalar of its class."""
        builder = self.builder
        only = builder.alloca(OBJECT)
        builder.store(self.call("item", results, I64(0)), only)
        is_array = builder.icmp_unsigned("==", self.item(SCALAR), self._none())
        with builder.if_else(is_array) as (of_array, of_scalar):
            with of_array:
                self.call("hold", builder.load(only))
                array, array_block = builder.load(only), builder.block
            with of_scalar:
                scalar = self.call("call", self.item(SCALAR), only, I64(1), NULL)
                self.returned_if_null(scalar, tensor, results)
                scalar_block = builder.block
        value = builder.phi(OBJECT)
        value.add_incoming(array, array_block)
        value.add_incoming(scalar, scalar_block)
        return value

    def _none(self):
        return self.builder.bitcast(self.module.object(f"{PREFIX}_Py_NoneStruct"), OBJECT)

    def _is_of_class(self, one, class_):
        class_ = self.builder.bitcast(class_, OBJECT)
        return self.builder.icmp_unsigned("==", self.class_of(one), class_)
