"""Random functions of NumPy arrays, some of which are globals, defaults or attributes of the
decorated function, and not arguments.
"""

from __future__ import annotations

import ast
import functools
from unittest import mock

import numpy as np
from array_programs import ArrayProgram
from numpy_programs import copied, difference, function_of

import allograph as ag

HIDING = {
    "range": lambda *ends: range(*ends)[::-1], "len": lambda array: len(array) - 1,
    "abs": lambda number: -number, "min": max, "max": min, "int": float, "float": int,
}  # fmt: skip

OF_NUMPY = {  # none that other functions of NumPy are made of
    "argmin": np.argmax, "nanmax": np.nanmin, "cumsum": np.cumprod, "partition": np.roll,
    "squeeze": np.transpose,
}  # fmt: skip


class Methods:
    """What an object gives of an array, which a program reads through it."""

    def given(self, array):
        return array

    @staticmethod
    def also_given(array):
        return array


OTHER_METHODS = {
    "given": lambda self, array: array[::-1], "also_given": staticmethod(lambda array: array.T),
}  # fmt: skip


class AsAttributes(ast.NodeTransformer):
    """Reads some names as attributes of a function of the program, others through methods."""

    def __init__(self, names: list[str], through: dict[str, str]):
        self.names, self.through = names, through

    def visit_Name(self, node):
        source = f"owner.{node.id}" if node.id in self.names else node.id
        if node.id in self.through:
            source = f"methods.{self.through[node.id]}({source})"
        return ast.parse(source, mode="eval").body if isinstance(node.ctx, ast.Load) else node


class OuterProgram:
    """A function, its arguments, and the arrays that are globals of it, from a seed."""

    def __init__(self, seed: int):
        program = ArrayProgram(seed)
        source = program.source()
        nodes = (one for one in ast.walk(ast.parse(source)) if isinstance(one, ast.Name))
        assigned = {one.id for one in nodes if isinstance(one.ctx, ast.Store)}
        named = dict(zip(program.arguments, copied(tuple(program.arguments.values())), strict=True))
        self.outer = {
            name: value for name, value in named.items()
            if isinstance(value, np.ndarray) and name not in assigned and program.chance(0.6)
        }  # fmt: skip
        self.arguments = {name: one for name, one in named.items() if name not in self.outer}
        head, _, body = source.partition("\ndef program(")
        _, _, body = body.partition("\n")
        self.held = [*self.outer.values()] if program.chance(0.2) else None
        if self.held is not None:
            body = body.rstrip("\n") + " held,\n"
        defaults = [name for name in self.outer if program.chance(0.4)]
        parameters = ", ".join([*self.arguments, *defaults])
        self.named = [name for name in self.outer if name not in defaults]
        of_owner = [name for name in self.named if program.chance(0.3)]
        called = [name for name in self.named if program.chance(0.2)]
        through = {name: program.pick([*OTHER_METHODS]) for name in called}
        attributes = AsAttributes(of_owner, through)
        tree = ast.parse(f"{head}\ndef program({parameters}):\n{body}")
        self.source = ast.unparse(attributes.visit(tree))
        self.function = function_of(self.source, f"of outer arrays {seed}")
        self.function.__defaults__ = tuple(map(self.outer.get, defaults))
        self.hiding = {name: one for name, one in HIDING.items() if program.chance(0.2)}
        self.sets_decorated = program.chance(0.5)  # and not the function that is decorated
        self.is_partial = not self.sets_decorated and program.chance(0.2)
        self.attributes = attributes.names
        self.replaced = {name: one for name, one in OF_NUMPY.items() if program.chance(0.5)}
        self.methods = type("Own", (Methods,), {})
        self.function.__globals__.update(self.outer, held=self.held, methods=self.methods())
        self.arrays = [one for one in named.values() if isinstance(one, np.ndarray)]
        self.at_first = [one.copy() for one in self.arrays]

    def outcome(self, function) -> tuple:
        """The result or the class of the exception, the arrays afterwards, and what is shared."""
        for one, content in zip(self.arrays, self.at_first, strict=True):
            one[...] = content
        np.random.seed(0)
        with np.errstate(all="ignore"):
            try:
                result = function(*self.arguments.values())
            except Exception as error:
                return type(error), copied(tuple(self.arrays)), None
        arrays = [one for one in result if isinstance(one, np.ndarray)]
        shared = [] if self.held is None else [result[-1] is self.held]
        result = result if self.held is None else result[:-1]
        shared += [np.shares_memory(one, other) for one in arrays for other in self.arrays]
        return copied(tuple(result)), copied(tuple(self.arrays)), shared


def another(array: np.ndarray) -> np.ndarray:
    """An array of the same shape and data type, with other elements."""
    return ~array if array.dtype == bool else array + array


def assert_jit_is_numpy_of_outer_arrays(seed: int, kernel_compiler: str | None = None) -> None:
    """A random function decorated by `jit` does what it does undecorated, in each of three calls:
    the second one finds other methods, the last one another array by a name, others as defaults,
    globals that hide builtins, and other functions in NumPy.
    """
    program = OuterProgram(seed)
    decorated = functools.partial(program.function) if program.is_partial else program.function
    compiled = ag.jit(decorated, kernel_compiler=kernel_compiler)
    program.function.__globals__["owner"] = compiled
    for name in program.attributes:
        setattr(compiled, name, program.outer[name])
    is_single = any(one.dtype.itemsize == 4 or one.dtype == np.complex64 for one in program.arrays)
    is_single = is_single or "float32" in program.source or "complex64" in program.source
    small = any(one.dtype.kind in "iu" and one.dtype.itemsize < 4 for one in program.arrays)
    is_single = is_single or (small and "out=" in program.source)  # computed in float32
    for call in range(3):
        if call == 1:
            for name, method in OTHER_METHODS.items():
                setattr(program.methods, name, method)
        if call == 2:
            defaults = program.function.__defaults__
            others = {id(one): another(one) for one in defaults}
            for name in program.named[:1]:
                value = program.outer[name]
                program.function.__globals__[name] = others[id(value)] = another(value)
                if name in program.attributes:
                    setattr(compiled, name, others[id(value)])
            program.function.__globals__.update(program.hiding)
            changed = compiled if program.sets_decorated else program.function
            changed.__defaults__ = tuple(others[id(one)] for one in defaults)
            program.arrays = [others.get(id(one), one) for one in program.arrays]
            program.at_first = [one.copy() for one in program.arrays]
        with mock.patch.dict(vars(np), program.replaced if call == 2 else {}):
            expected, found = program.outcome(program.function), program.outcome(compiled)
        fault = difference(expected[:2], found[:2], 1e-4 if is_single else 1e-9)
        if fault is None and expected[2] != found[2]:
            fault = f"shared memory: {expected[2]} and {found[2]}"
        told = f"globals: {[*program.outer]}, call {call}\n{compiled.inspect()}\n{fault}"
        assert fault is None, f"{program.source}\n{told}"
