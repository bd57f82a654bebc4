"""Random functions of NumPy arrays, which change their arguments and make views."""

from __future__ import annotations

import enum
import itertools
import linecache
import math
import random
from collections import deque

import numpy as np
from native_calls import is_native

import allograph as ag


class Color(enum.IntEnum):
    RED = 1
    GREEN = 2


TABLE = {0: 5, 1: -2, 3: 7}
CLASSES = ["int", "float", "(int, float)", "bool", "np.generic", "np.floating", "np.integer"]
ATTRIBUTES = ["'shape'", "'real'", "'bit_length'", "'is_integer'", "'item'"]
HEAD = "def program(a, b, m, k, n, x):"
INTEGER_FORMS = [
    "({} & 63) << ({} & 3)", "({} & 1) << ({} & 127)", "{} >> ({} & 127)", "{} & {}", "{} | {}",
    "{} ^ {}", "({} % 9) ** 2 - {}",
    "abs({}) + {}", "-{} + {}", "~{} - {}", "({} if {} > 1 else 3)", "len(a) * {} - {}",
    "(({} * 6364136223846793005 + {}) & 0xFFFFFFFFFFFFFFFF)", "(({} ^ {}) % 2**64 >> 33)",
    "(({} ^ 0xC2B2AE3D27D4EB4F) * 0x9E3779B97F4A7C15 + {} & 0xFFFFFFFFFFFFFFFF) % 1000003",
    "({} > 2) + {}", "divmod({}, 3)[1] + {}", "int(k[{} % 6]) + {}",
    "Color.GREEN * {} - {}", "(Color.RED > {}) + {}", "{} // Color.GREEN + {}",
    "TABLE[({} ^ {}) & 1]",
]  # fmt: skip
FLOAT_FORMS = [
    "{} % 1.5 + {}", "{} // 0.5 - {}", "({} % 4.0) ** 2 + {}", "math.sqrt(abs({})) + {}",
    "math.sin({}) * {}", "float({}) - {}", "abs({}) + {}", "-{} * {}", "np.sqrt(abs({})) - {}",
    "min({}, {}, 1.5)", "max(0, {}) + {}", "(0 if {} > 0.1 else 1.5) + {}", "({} > {}) * 0.5",
    "math.atan2({}, {})", "np.minimum({}, {})", "(1 if {} > 0.5 else {})", "{} / ({} + 3)",
    "(0 if {} > 0.5 else 1.5 if x > 0.25 else {})",
    "math.exp(min({}, 1.0)) + {}", "math.dist(({}, 1.0), (0.5, {}))", "Color.GREEN * {} + {}",
]  # fmt: skip


class Generator:
    """Writes the source of one function from a seed."""

    def __init__(self, seed: int):
        self.random = random.Random(seed)
        self.vectors = ["a", "b"]  # of 6 floats
        self.numbers = ["n"]  # Python's integers
        self.floats = ["x"]  # Python's or NumPy's
        self.indices: list[str] = []  # integers from 0 to 5
        self.lists: dict[str, str] = {}  # what their items are, by name
        self.deques: dict[str, str] = {}  # the same
        self.has_tables = False  # whether there are a dictionary and a set of integers
        self.count = 0

    def source(self) -> str:
        lines = [HEAD]
        while self.random.random() < 0.3:
            name, kind = self.name("s"), self.pick(["integer", "floating", "pair", "vector"])
            self.lists[name] = kind
            size = self.pick(["", "", " * 3", " * len(a)"])
            lines.append(f"    {name} = [{self.pick(['', self.item(kind)])}]{size}")
        if self.random.random() < 0.3:
            name, kind = self.name("q"), self.pick(["integer", "floating", "pair"])
            self.deques[name] = kind
            most = self.pick(["", "", ", maxlen=3", ", abs(n)"])
            lines.append(f"    {name} = deque([{self.pick(['', self.item(kind)])}]{most})")
        self.has_tables = self.random.random() < 0.2
        if self.has_tables:
            lines += ["    table = {}", "    seen = set()", "    for j in range(min(abs(n), 5)):",
                      "        table[k[j]] = j * 0.5", "        seen.add(j)"]  # fmt: skip
        lines += self.block(4, 1)
        results = self.results()
        return "\n".join([*lines, f"    return {', '.join(results)}"]) + "\n"

    def pick(self, rows):
        return self.random.choice(list(rows))

    def name(self, letter: str) -> str:
        self.count += 1
        return f"{letter}{self.count}"

    # ---- expressions -------------------------------------------------------------------------

    def index(self) -> str:
        choices = [str(self.random.randrange(-6, 6)), *self.indices * 3]
        index = self.pick(choices)
        if index in self.indices and self.random.random() < 0.3:
            return self.pick([f"5 - {index}", f"({index} * 2) % 6", f"{index} - 6", f"k[{index}]"])
        return index

    def integer(self, depth: int) -> str:
        choices = [str(self.random.randrange(-3, 5)), *self.numbers, *self.indices, "m.shape[1]"]
        if depth <= 0 or self.random.random() < 0.4:
            return self.pick(choices)
        one, other = self.integer(depth - 1), self.integer(depth - 1)
        form = self.pick(["{} + {}", "{} - {}", "{} * {}", "{} // 3 + {}", "{} % 4 - {}",
                          "max({}, {})", "min({}, {})", *INTEGER_FORMS])  # fmt: skip
        from_float = f"{self.pick(['int', 'round', 'math.floor'])}({self.floating(0)})"
        return "(" + self.pick([form, form, form, from_float]).format(one, other) + ")"

    def floating(self, depth: int) -> str:
        element = self.pick([f"{self.pick(self.vectors)}[{self.index()}]",
                             f"m[{self.index()} % 4, {self.index()} % 5]"])  # fmt: skip
        if depth <= 0 or self.random.random() < 0.3:
            return self.pick([*self.floats, element, "0.5", "-1.25"])
        one, other = self.floating(depth - 1), self.floating(depth - 1)
        forms = ["{} + {}", "{} - {}", "{} * {}", "{} / (abs({}) + 1.0)", "max({}, {})",
                 "({} if {} > 0.25 else 2.0)", "np.tanh({}) + {}", "{} * 0.5 - {}",
                 self.pick(FLOAT_FORMS)]  # fmt: skip
        reduced = [f"np.{self.pick(['sum', 'max', 'min', 'mean'])}({self.vector(depth - 1)})",
                   f"np.float64({self.integer(1)})", self.reduced(), self.reduced()]  # fmt: skip
        return "(" + self.pick([*forms, *reduced]).format(one, other) + ")"

    def bound(self) -> str:
        """A bound of a slice: nothing, a number, or a computed integer, perhaps out of range."""
        choices = ["", str(self.random.randrange(-7, 8)), "n", *self.indices * 3]
        bound = self.pick(choices)
        if bound in self.indices and self.random.random() < 0.4:
            return self.pick([f"{bound} + 1", f"{bound} - 2", f"k[{bound}]", f"-{bound}"])
        return bound

    def part(self) -> str:
        """A slice whose length may depend on computed values."""
        computed = [":" + self.pick([f"{one} + 1", f"{one} - 7", one]) for one in self.indices]
        step = self.pick(["", "", "", ":2", ":-1", *computed[:1]])
        return f"{self.bound()}:{self.bound()}{step}"

    def reduced(self) -> str:
        """A number made of slices of computed length."""
        one, other, key = self.pick(self.vectors), self.pick(self.vectors), self.part()
        element = f"{one}[{key}] * 2.0 - {other}[{key}]"
        rows, inner = f"{self.bound()}:", f"{self.bound()}:"
        return self.pick([
            f"np.sum({one}[{key}])", f"({one}[{key}] @ {other}[{key}])", f"np.sum({element})",
            f"np.sum(np.tanh({one}[{key}])[::-1] * {other}[{key}])",
            f"float({one}[{key}].shape[0])", f"np.dot({one}[{key}], {one}[{key}])",
            f"np.sum(m[{rows}, {inner}])", f"np.sum(m[{rows}, {inner}] @ b[:5][{inner}])",
            f"np.sum(a[:4][{rows}] @ m[{rows}])", f"np.sum(abs({one}[{key}]))",
            f"sum(y for y in {one} if y > {self.floating(0)})", f"max({one}[{key}])",
            f"len([y for y in {one} if y * 2.0 > {self.floating(0)}])",
            f"np.sum(m[:, {inner}].T[{self.part()}, 1])", f"np.sum({one}[{key}][{self.bound()}:])",
            *self.of_computed_size(one),
        ])  # fmt: skip

    def of_computed_size(self, one: str) -> list[str]:
        """Numbers made of new arrays whose size a loop computes, perhaps below 0."""
        size = self.pick([*self.indices, "n"])
        return [
            f"np.sum(np.arange({size} + 1) * 0.5)", f"np.sum(np.arange(6, {size}, -1)) * 0.1",
            f"np.sum(np.ones({size}) * {self.floating(0)})", f"len(np.zeros(4 - {size}))",
            f"np.sum(np.arange({size}, {self.index()} + 6))", f"np.sum(np.arange(1, {size}, 2))",
            f"np.sum({one}[np.arange({size} % 6)])", f"np.sum(np.full(({size} % 3, 2), 1.5))",
        ]  # fmt: skip

    def assigned_part(self) -> str:
        """An assignment to a slice of computed length."""
        one, other, key = self.pick(self.vectors), self.pick(self.vectors), self.part()
        operator, rows, inner = self.pick(["=", "+=", "*="]), f"{self.bound()}:", f"{self.bound()}:"
        return self.pick([
            f"{one}[{key}] {operator} {self.floating(1)}",
            f"{one}[{key}] {operator} {other}[{key}]",
            f"{one}[{key}] = {other}[{key}] * 0.5 + {one}[{key}]",
            f"{one}[{key}] = {one}[::-1][{key}]", f"m[{rows}, 1] {operator} m[{rows}, 0]",
            f"m[{rows}, {inner}] -= np.outer(m[{rows}, 1] * 0.5, m[2, {inner}])",
            f"m[1, {inner}] = m[{self.index()} % 4, {inner}]",
            f"m[{rows}, {inner}] {operator} {self.floating(1)}",
            f"m[{rows}, ::-1] = m[{rows}] * 2.0",
            f"{one}[{key}][1:] {operator} 0.5", f"m[{self.index()} % 4][{key}] {operator} 0.5",
            f"m[{rows}][0][{self.index()} % 4] {operator} {self.floating(1)}",
        ])  # fmt: skip

    def change(self) -> str:
        """An assignment through a mask, indices or a transposed view; a call that changes."""
        one, other, index = self.pick(self.vectors), self.pick(self.vectors), self.index()
        operator = self.pick(["=", "+=", "*="])
        return self.pick([
            f"{one}[{other} > {self.floating(0)}] {operator} {self.floating(1)}",
            f"{one}[k] = {other}", f"{one}[k % 3] = {self.floating(0)}", f"{one}[:] = {other}[k]",
            f"{one}[{index}], {one}[{self.index()}] = {other}[{self.index()}], {one}[{index}]",
            f"m.T[1:4, {index} % 4] {operator} {self.floating(1)}", f"m.T[0] = {other}[:4]",
            f"m[{index} % 4][{self.index()} % 4] {operator} {self.floating(1)}",
            f"m[k % 4][0] {operator} 0.5", f"{one}[{other} > 0.0][:1] = 2.0",
            "m.T[...] = m.T[::-1]", f"m.reshape(20)[::4] {operator} {self.floating(0)}",
            f"{one}.sort()", f"{one}.fill({self.floating(0)})", f"np.copyto({one}, {other})",
            f"np.add({one}, {other}, out={one})", f"np.multiply({one}[1:], 0.5, out={one}[:-1])",
            f"np.{self.pick(['maximum', 'subtract', 'minimum'])}.at({one}, k, {other})",
            f"np.multiply.at({one}, k, {self.floating(0)} % 2.0)",
            f"{one}[:] = [y * 0.5 for y in {other}]",
            f"k[{index}] = {self.integer(1)} % 6", f"k[{self.part()}] = 5 - k[{self.part()}]",
            *[f"{view} {operator} {self.floating(1)}" for view in self.items_of_views(one)],
        ])  # fmt: skip

    def items_of_views(self, one: str) -> list[str]:
        """Items of views of views."""
        index, other = self.index(), self.index()
        return [
            f"{one}[::-1][1:][{index} % 5]", f"m.T[{index} % 5][1:][{other} % 3]",
            f"m[1:][{index} % 3][::2][{other} % 3]", f"m.reshape(2, 10)[{index} % 2, {other}]",
            f"m[::2].T[{index} % 5, {other} % 2]", f"m[:, 1:].reshape(16)[{index}]",
            f"{one}[1:-1][k % 4]", f"m[1:][:, ::-1][{index} % 3][k % 5]",
            f"{one}[{self.part()}][{index} % 3]", f"m[{self.bound()}:, 1:][0][{other} % 4]",
            f"{one}[1:][{self.part()}][0]", f"{one}[::2].reshape(3, 1)[{index} % 3, 0]",
            f"m[1:].reshape(5, 3)[{index} % 5].T[{other} % 3]", f"m[:, None][{index} % 4, 0][1:]",
        ]  # fmt: skip

    def vector(self, depth: int) -> str:
        views = [*self.vectors, "m[:, 2].repeat(2)[:6]", "np.zeros(6)", "m[1:3, :3].reshape(6)",
                 f"{self.pick(self.vectors)}[::-1]", "m.T[1:4, ::2].ravel()"]  # fmt: skip
        if depth <= 0 or self.random.random() < 0.3:
            return self.pick([*self.vectors * 2, *views])
        one, other = self.vector(depth - 1), self.vector(depth - 1)
        forms = ["{} + {}", "{} - {}", "{} * {}", "np.maximum({}, {})", "{} * 0.5 + {}",
                 "np.where({} > 0.2, {}, 0.0)", "np.tanh({}) - {}"]  # fmt: skip
        scaled = f"{one} * {self.floating(depth - 1)}"
        return "(" + self.pick([*forms, scaled]).format(one, other) + ")"

    def number(self) -> str:
        return self.pick([self.integer(0), self.floating(0)])

    def condition(self) -> str:
        one = self.pick([
            f"{self.integer(1)} > {self.integer(1)}", f"{self.floating(1)} < {self.floating(1)}",
            f"{self.integer(1)} % 2 == 0", f"not {self.floating(0)} > 0.3",
            f"isinstance({self.number()}, {self.pick(CLASSES)})",
            f"hasattr({self.number()}, {self.pick(ATTRIBUTES)})",
        ])  # fmt: skip
        if self.random.random() >= 0.3:
            return one
        other = self.pick([f"{self.floating(0)} > -0.5", self.floating(0), self.integer(1),
                           f"k[{self.index()}]", f"not ({self.integer(0)} or k[{self.index()}])",
                           f"(k[{self.index()}] and {self.floating(0)} < 0.4)"])  # fmt: skip
        parts = [one, other] if self.random.random() < 0.5 else [other, one]
        return self.pick([" and ", " or "]).join(parts)

    # ---- statements --------------------------------------------------------------------------

    # ---- lists -------------------------------------------------------------------------------

    def item(self, kind: str) -> str:
        if kind == "pair":
            return f"({self.integer(0)}, {self.floating(0)})"
        if kind == "vector":
            return self.pick(
                [self.vector(1), f"({self.vector(1)} + 0.5)", f"{self.vector(0)}.copy()"]
            )
        return self.integer(1) if kind == "integer" else self.floating(1)

    def change_of_list(self, pad: str) -> list[str]:
        """A statement that appends to a list, or reads, replaces or removes an item."""
        name = self.pick(self.lists)
        kind = self.lists[name]
        item, one = self.item(kind), self.pick(self.vectors)
        part = {"pair": "[0]", "vector": f"[{self.index()}]"}.get(kind, "")
        number = f"{name}[-1]{'[1]' if kind == 'pair' else part}"
        if kind == "vector" and self.random.random() < 0.3:
            return [f"{pad}if {name}:", self.pick([
                f"{pad}    {one}[:] = np.array({name})[-1]", f"{pad}    {one}[:] = {name}[-1]",
                f"{pad}    {one}[:] += np.stack({name}).sum(axis=0) % 2.0",
                f"{pad}    {one}[{self.index()}] = np.concatenate({name})[{self.index()}]",
                f"{pad}    {name}[-1] = {name}[0] * 0.5", f"{pad}    {name}[0][1] += 0.5",
            ])]  # fmt: skip
        return self.pick([            [f"{pad}{name}.append({item})"],
            [f"{pad}{name}.append({item})"],
            [f"{pad}if {name}:", f"{pad}    {name}.pop({self.pick(['', '', '0', '-1'])})"],
            [f"{pad}if len({name}) > 2:", f"{pad}    {name}[{self.index()} % 3] = {item}"],
            [f"{pad}if {name}:", f"{pad}    {one}[{self.index()}] += {number} % 2.5"],
            [f"{pad}for y in {name}:",
             f"{pad}    {one}[{self.index()}] += y{part} % 3.0"],
            [f"{pad}if len({name}) > 9:", f"{pad}    {name}.clear()"],
        ])  # fmt: skip

    def results(self) -> list[str]:
        """What the function returns."""
        deques = [f"list({one})" for one in self.deques]
        numbers = [self.floating(0), self.pick(self.numbers)]
        tables = ["list(table)", "list(table.values())", "len(seen)"] if self.has_tables else []
        return [self.vector(0), *numbers, *self.lists, *deques, *tables]

    def change_of_table(self, pad: str) -> list[str]:
        """A statement that changes or reads the dictionary or the set."""
        key = self.pick([self.integer(1), f"k[{self.index()}]", f"{self.integer(0)} % 3"])
        value, one = self.floating(1), f"{self.pick(self.vectors)}[{self.index()}]"
        return self.pick([
            [f"{pad}table[{key}] = {value}"], [f"{pad}seen.add({key})"],
            [f"{pad}table[{key}] = table.get({self.integer(0)}, 0.5) + {value}"],
            [f"{pad}if {key} in table:", f"{pad}    {one} += 0.5"],
            [f"{pad}if {key} not in seen:", f"{pad}    seen.add({key})", f"{pad}    {one} *= 0.5"],
            [f"{pad}for y in table:", f"{pad}    {one} += table[y] % 2.0"],
            [f"{pad}if len(table) > 2:", f"{pad}    {one} += max(table.values()) % 2.0"],
        ])  # fmt: skip

    def change_of_deque(self, pad: str) -> list[str]:
        """A statement that changes or reads a deque."""
        name = self.pick(self.deques)
        kind = self.deques[name]
        item, one = self.item(kind), self.pick(self.vectors)
        part = "[1]" if kind == "pair" else ""
        added = f"{pad}{name}.{self.pick(['append', 'append', 'appendleft'])}({item})"
        end, take = self.pick(["0", "-1"]), self.pick(["pop", "popleft"])
        return self.pick([
            [added], [added], [f"{pad}if {name}:", f"{pad}    {name}.{take}()"],
            [f"{pad}if len({name}) > 1:",
             f"{pad}    {one}[{self.index()}] += {name}[{end}]{part} % 2.5"],
            [f"{pad}while len({name}) > 2:",
             f"{pad}    {one}[{self.index()}] += {name}.{take}(){part} % 2.5"],
            [f"{pad}for y in {name}:", f"{pad}    {one}[{self.index()}] += y{part} % 3.0"],
            [f"{pad}if {name}:", f"{pad}    {name}[{end}] = {item}"],
            [f"{pad}if len({name}) > 9:", f"{pad}    {name}.clear()"],
        ])  # fmt: skip

    def list_of_another_name(self, pad: str) -> list[str]:
        """A loop in which a name gets a list that each iteration makes."""
        name = self.pick(self.lists)
        new, kind = self.name("s"), self.lists[name]
        lines = [f"{new} = []", f"for y in {name}:", f"    {new}.append(y)",
                 f"{new}.append({self.item(kind)})", f"{name} = {new}"]  # fmt: skip
        return [f"{pad}for _ in range(min(abs(n), 5)):", *[f"{pad}    {one}" for one in lines]]

    def block(self, depth: int, indent: int, loop: bool = False) -> list[str]:
        saved = [list(names) for names in self.scopes()]
        lines = []
        for _ in range(self.random.randrange(1, 4)):
            lines += self.statement(depth, indent, loop)
        if indent > 1:
            for names, before in zip(self.scopes(), saved, strict=True):
                names[:] = before
        return lines

    def scopes(self):
        return self.vectors, self.numbers, self.floats, self.indices

    def statement(self, depth: int, indent: int, loop: bool) -> list[str]:
        pad = "    " * indent
        if self.has_tables and self.random.random() < 0.3:
            return self.change_of_table(pad)
        if self.deques and self.random.random() < 0.3:
            return self.change_of_deque(pad)
        if self.lists and self.random.random() < 0.05:
            return self.list_of_another_name(pad)
        if self.lists and self.random.random() < 0.35:
            return self.change_of_list(pad)
        if depth > 0 and self.random.random() < 0.35:
            return self.compound(depth, indent, loop)
        if self.random.random() < 0.06:
            return [f"{pad}{self.unread()}"]
        if self.random.random() < 0.2:
            return [f"{pad}{self.assigned_part()}"]
        if self.random.random() < 0.2:
            return [f"{pad}{self.change()}"]
        kind = self.random.randrange(11)
        if kind < 3:
            return [f"{pad}{self.pick(self.vectors)}[{self.index()}] "
                    f"{self.pick(['=', '+=', '*='])} {self.floating(2)}"]  # fmt: skip
        if kind == 3:
            return [f"{pad}m[{self.index()} % 4, 1:4] = {self.pick(self.vectors)}[2:5]"]
        if kind == 4:
            return [f"{pad}{self.pick(self.vectors)}[{self.pick(['1:-1', ':4', '::2', '::-1'])}] "
                    f"{self.pick(['+=', '*='])} {self.floating(1)}"]  # fmt: skip
        if kind == 5:
            return [f"{pad}{self.pick(self.vectors)}[:] = {self.vector(2)}"]
        if kind == 6:
            if self.random.random() < 0.4:  # names of one array part, others meet
                return [f"{pad}{self.pick(self.vectors)} = {self.vector(1)}"]
            name = self.name("v")
            line = f"{pad}{name} = {self.vector(2)}"
            self.vectors.append(name)
            return [line]
        if kind == 7:
            if self.numbers[1:] and self.random.random() < 0.6:
                return [
                    f"{pad}{self.pick(self.numbers[1:])} {self.pick(['+=', '='])} {self.integer(2)}"
                ]
            name = self.name("i")
            line = f"{pad}{name} = {self.integer(2)}"
            self.numbers.append(name)
            return [line]
        if kind == 8:
            if self.floats[1:] and self.random.random() < 0.6:
                return [
                    f"{pad}{self.pick(self.floats[1:])} {self.pick(['+=', '='])} {self.floating(2)}"
                ]
            name = self.name("f")
            line = f"{pad}{name} = {self.floating(2)}"
            self.floats.append(name)
            return [line]
        if kind == 9:
            name = self.name("w")
            view = self.pick(["[::-1]", "[:]", "[::-1][::-1]", ".reshape(3, 2).reshape(-1)"])
            line = f"{pad}{name} = {self.pick(self.vectors)}{view}"
            self.vectors.append(name)
            return [line]
        if loop and self.random.random() < 0.5:
            return [f"{pad}if {self.condition()}:", f"{pad}    {self.pick(['break', 'continue'])}"]
        if self.random.random() < 0.1:
            early = ", ".join(self.results())
            return [f"{pad}if {self.condition()}:", f"{pad}    return {early}"]
        return (
            [f"{pad}a, b = b, a"] if self.random.random() < 0.1 else [f"{pad}b += {self.vector(1)}"]
        )

    def unread(self) -> str:
        """A statement whose result nobody reads. It may raise."""
        index = self.index() if self.random.random() < 0.7 else f"{self.index()} + n % 4"
        rows = f"m[{index} % 4:]" if self.random.random() < 0.3 else "m"
        value = self.pick([
            f"{rows}[{index}]", f"{rows}[{index}, {self.index()} - 1]", f"a[{index}]",
            f"b[:n][{index}]", f"k[{index}] * 0", f"7 // ({index})",
        ])  # fmt: skip
        return self.pick([f"{self.name('u')} = {value}", value, f"u = {value}"])

    def compound(self, depth: int, indent: int, loop: bool) -> list[str]:
        pad = "    " * indent
        if self.random.random() < 0.5:
            lines = [f"{pad}if {self.condition()}:", *self.block(depth - 1, indent + 1, loop)]
            if self.random.random() < 0.6:
                lines += [f"{pad}else:", *self.block(depth - 1, indent + 1, loop)]
            return lines
        if self.random.random() < 0.4:
            return self.other_loop(depth, indent)
        name = self.name("j")
        self.indices.append(name)
        some = "min(abs(n), 5)"
        bounds = self.pick(["6", f"{some}, -1, -1", f"1, {some}", "0, 6, 2", f"{some} + 1"])
        head = f"for {name} in range({bounds}):"
        lines = [f"{pad}{head}", *self.block(depth - 1, indent + 1, True)]
        self.indices.remove(name)
        return lines

    def other_loop(self, depth: int, indent: int) -> list[str]:
        """A `while`, or a `for` over something else than a range."""
        pad, one, other = "    " * indent, self.pick(self.vectors), self.pick(self.vectors)
        form = self.random.randrange(11)
        if form > 8:
            return self.value_or_none(pad)
        if form == 5:
            return self.loop_of_sizes(pad)
        if form == 7:
            return self.number_of_two_types(pad)
        if form == 8:
            return self.array_of_counted_size(pad)
        if form == 6:
            return self.fixed_point(pad)
        if form == 0:
            name = self.name("t")
            body = self.block(depth - 1, indent + 1)
            return [f"{pad}{name} = 0", f"{pad}while {name} < 5 and ({self.condition()}):",
                    f"{pad}    {name} += 1", *body]  # fmt: skip
        if form == 1:
            return [f"{pad}for _ in range(min(abs(n), 5)):",
                    f"{pad}    b[1:-1] = a[:-2] * 0.5 + a[2:]",
                    f"{pad}    a, b = b, a"]  # fmt: skip
        index, item, more = self.name("j"), self.name("f"), self.name("f")
        size = self.random.choice((1, 2, 3))  # of what is combined in place of a range
        combined = [item, more, self.name("f")][:size], f"combinations({one}, {size})"
        names, source = [
            ((index, item), f"enumerate({one})"), ((item, more), f"zip({one}, {other})"),
            self.random.choice([((index,), "reversed(range(6))"), combined]),
        ][form - 2]  # fmt: skip
        saved = [list(each) for each in self.scopes()]
        self.indices += [each for each in names if each == index]
        self.floats[1:1] = [each for each in names if each != index]
        rows = self.name("e") if self.random.random() < 0.2 else source
        head = f"{pad}for {', '.join(names)}{',' * (source[0] == 'c')} in {rows}:"
        lines = [head, *self.block(depth - 1, indent + 1, True)]
        if rows != source:  # an iterator, of which the second loop takes what is left
            lines = [f"{pad}{rows} = {source}", *lines, head, f"{pad}    b[1] += 0.5"]
        for each, before in zip(self.scopes(), saved, strict=True):
            each[:] = before
        return lines

    def value_or_none(self, pad: str) -> list[str]:
        """A name that holds a tuple or an array at one time, and None at another."""
        name, new = self.name("z"), self.name("f")
        if self.random.random() < 0.5:
            value, use = f"({self.floating(1)}, {self.integer(1)})", f"{name}[0] * 0.5 + {name}[1]"
        else:
            value, use = f"{self.vector(1)} * 0.5", f"{name}[{self.index()}] + {name}.sum()"
        test = self.pick([f"{name} is not None", f"not {name} is None", f"{name} is not None"])
        lines = [f"{pad}{name} = {self.pick(['None', 'None', value])}"]
        if self.random.random() < 0.3:
            lines += [f"{pad}for j in range(min(abs(n), 5)):", f"{pad}    if a[j] > b[0]:",
                      f"{pad}        {name} = {value}",
                      *self.pick([[], [f"{pad}        break"]])]  # fmt: skip
        else:
            lines += [f"{pad}if {self.condition()}:", f"{pad}    {name} = {value}"]
        other = self.pick([[], [f"{pad}else:", f"{pad}    {name} = None"]])
        lines += other if lines[-1].endswith(value) and len(lines) == 3 else []
        lines += [f"{pad}{new} = 0.25", f"{pad}if {test}:", f"{pad}    {new} = {use}"]
        self.floats.append(new)
        if self.random.random() < 0.2:
            lines += [f"{pad}if {self.condition()}:", f"{pad}    return {name}, n"]
        return lines

    def fixed_point(self, pad: str) -> list[str]:
        """A loop that gives a name the array of another one, and may return either."""
        name, new, limit = self.name("z"), self.name("z"), self.floating(0)
        early = self.pick([f"{new}, {name}[1]", new, f"{name}, {new}[2]", f"{new}, {name}"])
        late = self.pick([f"{name}, n", name, f"{name}[1:], 0"])
        return [f"{pad}{name} = {self.vector(1)}",
                f"{pad}for _ in range(min(abs(n), 5)):",
                f"{pad}    {new} = {name} * 0.5 + {self.vector(1)}",
                f"{pad}    if {new}[{self.index()}] < {limit}:", f"{pad}        return {early}",
                f"{pad}    {name} = {new}",
                f"{pad}if {self.condition()}:", f"{pad}    return {late}"]  # fmt: skip

    def number_of_two_types(self, pad: str) -> list[str]:
        """A loop that gives a name a number of another type, which may be read afterwards."""
        name, item = self.name("y"), self.name("y")
        start = self.pick(
            ["0", "float('inf')", "-np.inf", "np.int64(0)", "np.float32(0.5)", "False"]
        )
        new = self.pick(
            [item, f"np.float32({item})", f"int({item})", f"{name} + 0.5", f"{name} * -1"]
        )
        lines = [f"{pad}{name} = {start}",
                 f"{pad}for {item} in {self.pick(['k', 'k.astype(np.int32)', *self.vectors])}:",
                 f"{pad}    if {item} {self.pick('<>')} {self.pick([name, self.floating(0)])}:",
                 f"{pad}        {name} = {new}"]  # fmt: skip
        if self.random.random() < 0.6:
            self.floats.append(name)
        return lines

    def array_of_counted_size(self, pad: str) -> list[str]:
        """An array whose size a loop or a sum computes, which is filled and read."""
        name, count, one = self.name("z"), self.name("y"), self.pick(self.vectors)
        value = self.floating(1)
        made = self.pick([
            f"np.zeros({count})", f"np.full({count}, {value})", f"np.zeros(({count}, 2))[:, 1]",
            f"np.ones({count}, dtype=np.float32)", f"np.arange({count}) * 0.5",
            f"np.zeros(({count}, {count}))[:, 0]", f"np.zeros_like(np.zeros({count}))",
            f"{one}[{one} > {value}]", f"np.sort({one}[{one} > {value}])",
            f"np.concatenate(({one}[{one} < {value}], {self.pick(self.vectors)}))",
        ])  # fmt: skip
        lines = self.pick([
            [f"{pad}{count} = k.sum()"],
            [f"{pad}{count} = ({one} > {value}).sum()"],
            [f"{pad}{count} = 0", f"{pad}for j in range(6):", f"{pad}    {count} += {one}[j] > 0"],
            [f"{pad}{count} = k[{self.index()}] - {self.pick('013')}"],
        ])  # fmt: skip
        last = self.pick([count, f"len({name})"])
        lines += [f"{pad}{name} = {made}", f"{pad}for j in range({last}):"]
        change = f"{name}[j] {self.pick(['=', '+='])} {value}"
        lines += self.pick([
            [f"{pad}    {change}"], [f"{pad}    if {self.condition()}:", f"{pad}        {change}"],
            [f"{pad}    {name}[:{count}] += {name}[j]"],
        ])  # fmt: skip
        lines += self.pick([[], [f"{pad}{name}[1:3] *= 0.5"], [f"{pad}{name} = {name}[1:]"],
                            [f"{pad}{name} = {name} + {name}"]])  # fmt: skip
        other = self.pick(
            ["np.zeros(2)", f"{one} * 2", f"np.ones({count} + 1)", "np.empty(0)", one]
        )
        lines += self.pick([
            [], [f"{pad}if {count} > 2:", f"{pad}    {name} = {other}"],
            [f"{pad}if {self.condition()}:", f"{pad}    return {self.pick([name, other])}"],
        ])  # fmt: skip
        return [*lines, f"{pad}{one}[{self.index()}] += len({name}) + np.sum({name}) % 2.0"]

    def loop_of_sizes(self, pad: str) -> list[str]:
        """A loop that gives a name an array of another size, which is read, changed or shared."""
        name, one, limit = self.name("z"), self.pick(self.vectors), self.floating(0)
        smaller = self.pick([
            f"{name}[1:]", f"{name}[{name} > {limit}]", f"{name}[::2] * 2.0", f"{name}[:-1] + 0.5",
            f"np.concatenate(({name}[1:], {name}[:1]))", f"np.sort({name})[:-1]",
            f"{name}[np.flatnonzero({name} < {limit})]", f"{name}[:len({name}) // 2 + 1]",
            f"np.append({name}, {limit})[2:]", f"{name}[1:] - {name}[:-1]",
        ])  # fmt: skip
        other = self.name("z")
        lines = [f"{pad}{name} = {self.vector(1)}", f"{pad}{other} = {name}",
                 f"{pad}for _ in range(min(abs(n), 5)):"]  # fmt: skip
        inner = pad + "    "
        lines += self.pick([[], [f"{inner}if len({name}) < 3:", f"{inner}    break"]])
        condition = f"{inner}if {self.condition()}:"
        lines += self.pick([[f"{inner}{name} = {smaller}"],
                            [condition, f"{inner}    {name} = {smaller}"]])  # fmt: skip
        lines += self.pick([[], [f"{inner}{other} = {name}"], [f"{inner}{other} = {name}[1:]"]])
        lines.append(f"{inner}{one}[{self.index()}] += np.sum({name}) % 2.0")
        after = [f"{name}[:1] = {limit}", f"{other}[:1] *= 0.5", f"{one}[:1] = {other}[:1].sum()"]
        if self.random.random() < 0.4:
            lines.append(pad + self.pick(after))
        return [*lines, f"{pad}{one}[{self.index()}] += len({name}) + np.sum({other}) % 2.0"]


def function_of(source: str, name: str):
    """The function of a source, which the converter can read back."""
    file = f"<numpy program {name}>"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    scope: dict = {
        "np": np,
        "math": math,
        "deque": deque,
        "combinations": itertools.combinations,
        "Color": Color,
        "TABLE": TABLE,
    }
    scope["__name__"] = "numpy_programs_of_a_user"
    exec(compile(source, file, "exec"), scope)
    return scope["program"]


def arguments(seed: int) -> tuple:
    """Arguments for a program: contiguous, strided, in the order of Fortran, or overlapping."""
    numbers = np.random.default_rng(seed)
    base, matrix = numbers.normal(size=24), numbers.normal(size=20)
    places = [(slice(6), slice(6, 12))] * 3 + [(slice(0, 12, 2), slice(17, 11, -1)),
              (slice(6), slice(3, 9)), (slice(1, 13, 2), slice(6))]  # fmt: skip
    a, b = (base[place] for place in places[seed % len(places)])
    m = matrix.reshape(5, 4).T if seed % 7 == 0 else matrix.reshape(4, 5)
    classes = [(int, float), (int, float), (np.int64, np.float64), (np.int32, np.float32)]
    whole, real = classes[seed % 4]  # 1000 seeds later, the same
    number, fraction = whole(numbers.integers(-4, 7)), real(numbers.normal())
    return a, b, m, numbers.integers(0, 6, 6), number, fraction


def copied(args: tuple) -> tuple:
    """The arguments with arrays of their own, which have the same strides and overlap alike."""
    bases: dict[int, np.ndarray] = {}

    def copy(one):
        if not isinstance(one, np.ndarray):
            return one
        if one.size == 0:  # NumPy lets it start past the end of its base
            return one.copy(order="K")
        base = one.base if isinstance(one.base, np.ndarray) else one
        new = bases.setdefault(id(base), base.copy(order="K"))
        first = one.__array_interface__["data"][0] - base.__array_interface__["data"][0]
        return np.ndarray(one.shape, one.dtype, new.ravel(order="K"), first, one.strides)

    return tuple(map(copy, args))


def outcome(function, args) -> tuple:
    """The result or the class of the exception, and the arguments afterwards."""
    args = copied(args)
    with np.errstate(all="ignore"):
        try:
            result = function(*args)
        except Exception as error:
            result = type(error)
    return result, args


def assert_same_outcome(function, other, args) -> None:
    """Two functions give the same results and change their arguments alike, or raise alike."""
    outcomes = [outcome(one, args) for one in (function, other)]
    as_tuples = [((one if isinstance(one, (type, tuple)) else () if one is None else (one,)), after)
                 for one, after in outcomes]  # fmt: skip
    found = difference(*as_tuples)
    assert found is None, found


def difference(one: tuple, other: tuple, rounding: float = 1e-9) -> str | None:
    """How two outcomes differ, to rounding; None if they do not."""
    if isinstance(one[0], type) or isinstance(other[0], type):
        if one[0] is not other[0]:
            return f"{one[0]!r} and {other[0]!r}"
    elif [type(row) for row in one[0]] != [type(row) for row in other[0]]:
        return f"types {one[0]!r} and {other[0]!r}"
    pairs = [] if isinstance(one[0], type) else list(zip(one[0], other[0], strict=True))
    pairs += list(zip(one[1], other[1], strict=True))
    for first, second in pairs:
        if isinstance(first, list) and list(map(type, first)) != list(map(type, second)):
            return f"items of other types: {first!r} and {second!r}"
        first, second = np.asarray(first), np.asarray(second)
        if first.dtype != second.dtype or first.shape != second.shape:
            return f"{first!r} and {second!r}"
        if first.dtype.kind in "OUV":
            if (first != second).any():
                return f"{first!r} and {second!r}"
        elif not np.allclose(first, second, rtol=rounding, atol=rounding, equal_nan=True):
            return f"{first!r} and {second!r}"
    return None


def is_narrow(operand) -> bool:
    """Whether NumPy computes functions of an operand in less than 64 bits."""
    if not isinstance(operand, (np.ndarray, np.generic)):
        return False
    return bool(np.finfo(np.result_type(operand.dtype, np.float16)).bits < 64)


def is_chaotic(function, args) -> bool:
    """Whether the last digit of the arguments decides about the result, as in a loop with `%`."""
    expected = outcome(function, args)
    for nudge in (1 + 1e-15, 1 - 1e-15):
        rows = [row * nudge if np.asarray(row).dtype.kind == "f" else row for row in args]
        if difference(expected, outcome(function, tuple(rows))) is not None:
            return True
    return False


def assert_jit_is_numpy(seed: int) -> None:
    """A random function decorated by `jit` does what it does undecorated, in two calls."""
    source = Generator(seed).source()
    function = function_of(source, str(seed))
    compiled = ag.jit(function)
    for more in (0, 1000):
        args = arguments(seed + more)
        rounding = 1e-5 if any(map(is_narrow, args)) else 1e-9
        found = difference(outcome(function, args), outcome(compiled, args), rounding)
        if found is not None and not is_chaotic(function, args):
            raise AssertionError(f"{source}\n{compiled.inspect()}\n{found}")


def assert_native(function, *calls):
    """`function` decorated does what it does undecorated, and the native code itself does it."""
    compiled = ag.jit(function)
    for args in calls:
        assert_same_outcome(function, compiled, args)
    assert is_native(compiled), compiled.inspect()
    compiled.python_function = None  # which runs where the native code leaves a call to it
    for args in calls:
        assert_same_outcome(function, compiled, args)
