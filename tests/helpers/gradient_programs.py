"""Random programs over float64, smooth wherever they run: what tapes differentiate.

`program(seed)` gives the source of `def f(x, y, m, w, v, n)`: x and y hold three numbers, m two by
two, w and v are variables, n is a small integer. Values stay near 1, loops are short. `staged` in
the text is `ag.function`, or nothing where the program runs eagerly.
"""

import random

from program_writer import ProgramWriter

VECTORS = ("x", "y", "z")
INNER = """
@staged
def inner(a, b):
    if ag.reduce_sum(a) > 0.2:
        return ag.sin(a) * b
    return a - b * 0.3


@staged
def turn(a, k):
    for _ in ag.range(k):
        a = ag.tanh(a[::-1] * 1.3) + 0.1 * a
    return a

"""
HEAD = f"""{INNER}
@staged
def wave(a, b, k):
    c = ag.complex(a, b)
    for _ in ag.range(k):
        c = c * (0.3 + 0.6j) - ag.math.conj(c) * c * 0.1j
        if ag.math.imag(c[0]) > 0.1:
            c = ag.exp(c * 0.2j) * 0.5
    return ag.math.real(c) + ag.math.imag(c) * 0.4


def halve(a, b):
    while ag.reduce_sum(a * a) > 0.5:
        a = a * 0.6 + b * 0.01
    return a


def f(x, y, m, w, v, n):
    z = ag.tanh(x * y)
    s = ag.reduce_mean(x)
    k = 1
"""

ROWS_HEAD = f"""{INNER}
def halve(a, b):
    while ag.reduce_mean(a * a) > 0.2:
        a = a * 0.6 + b * 0.01
    return a


def f(x, y, m, w, v, n):
    z = ag.tanh(x * y)
    s = ag.reduce_mean(x)
    k = 1
"""


def program(seed: int, variables: bool = True, grows: bool = True) -> str:
    """The source of one program; `variables` may be assigned, and some values change their shape
    or are kept in lists when the program `grows`.
    """
    return Writer(random.Random(seed), variables, grows).program()


def program_of_rows(seed: int) -> str:
    """The source of a program whose x and y are matrices with rows of three numbers, of which the
    graph need not know how many there are; m is three by three.
    """
    return RowsWriter(random.Random(seed), False, False).program()


class Writer(ProgramWriter):
    head = HEAD
    element_shape = ", element_shape=[3]"

    def __init__(self, choose: random.Random, variables: bool, grows: bool):
        super().__init__(choose)
        self.variables = variables
        self.grows = grows

    def program(self) -> str:
        self.block(1, 3)
        self.line(1, f"return {self.vector(1)} + s + ag.reduce_sum(m) * (z + 0.5 * y - x)")
        return self.text()

    def block(self, depth: int, more: int, in_loop: bool = False) -> None:
        for _ in range(self.choose.randint(1, 3)):
            kinds = ["assign", "assign", "assign", "scalar", "matrix", "pair", "update", "integer"]
            kinds += ["put"]
            if self.variables:
                kinds += ["variable"]
            if more:
                kinds += ["branch", "branch", "one_side", "loop", "loop", "counting", "counting"]
                kinds += ["rows", "early", "array", "found", "local", "tape"]
                kinds += ["items", "growing"] if self.grows else []
            if in_loop:
                kinds += ["leave", "leave"]
            getattr(self, "on_" + self.pick(kinds))(depth, more, in_loop)

    # ---- expressions ---------------------------------------------------------------------

    def vector(self, more: int = 2) -> str:
        """An expression of three numbers, none of them large."""
        if not more:
            return self.pick((*VECTORS, *VECTORS, "w"))
        a, b = self.vector(more - 1), self.vector(more - 1)
        s, m, i = self.scalar(more - 1), self.matrix(more - 1), self.index()
        return self.pick(
            (
                f"ag.tanh({a} + {b})",
                f"(ag.sin({a}) * ag.cos({b}))",
                f"({a} * 0.5 - {b} * 0.4)",
                f"ag.tanh({a} * {b})",
                f"({a} / (2.0 + {b} * {b}))",
                f"ag.tanh({a} * {s})",
                f"ag.sigmoid({a})[::-1]",
                f"ag.concat([{a}[1:], {b}[:1]], 0)",
                f"ag.concat([ag.tanh(ag.linalg.matvec({m}, {a}[:2])), {b}[2:]], 0)",
                f"(ag.stop_gradient({a}) * ag.sin({b}))",
                f"ag.where({a} > 0.1, ag.sin({b}), {a} * 0.5)",
                f"(ag.cumsum({a}) * 0.3)",
                f"(ag.stack([{s}, {a}[{i}], {s}]) * 0.7)",
                f"ag.gather({a}, [2, 0, (n + k) % 3])",
                f"ag.nn.softmax({a})",
                f"({a} if {self.test()} else ag.sin({b}))",
                f"inner({a}, {b})",
                f"turn({a}, {self.pick(('n', 'k', '2'))})",
                f"halve({a}, {b})",
                f"wave({a}, {b}, {self.pick(('n', 'k', '2'))})",
                f"(ag.math.real(ag.complex({a}, {b}) / ag.complex(2.0 + {b} * {b}, {a})) * 0.5)",
                f"(ag.math.angle(ag.complex(1.5 + {a} * {a}, {b})) * 0.8)",
                f"(ag.abs(ag.complex({a}, 1.0 + {b} * {b})) * 0.5)",
                f"ag.math.imag(ag.sqrt(ag.complex(1.0 + {a} * {a}, {b})))",
                f"(ag.cast(ag.range(3), ag.float64) * 0.2 * {a})",
                *self.kinks(a, b),
            )
        )

    def kinks(self, a: str, b: str) -> list[str]:
        """Expressions whose derivatives have cases: kinks, ties, zero factors, masked elements."""
        z = f"({a} * 0.5 - {b} * 0.4)"
        return [
            f"ag.nn.relu({a})",
            f"(abs({a}) - ag.nn.relu6({b} * 4.0) * 0.1)",
            f"ag.maximum({a}, {b})",
            f"ag.clip_by_value({z}, -0.5, 0.5)",
            f"ag.where({a} > 0.05, ag.sqrt({a}), 0.0)",
            f"ag.where({a} > 0.05, ag.math.log({a}) * 0.1, {b})",
            f"(ag.math.cumprod({a}) * 0.5)",
            f"ag.math.unsorted_segment_prod({a}, [0, k % 2, 1], 3)",
            f"(ag.nn.elu({z}) - ag.nn.selu({a}) * 0.3)",
            f"(ag.nn.sigmoid_cross_entropy_with_logits(labels={b}, logits={a}) * 0.5)",
            f"(ag.abs({a}) ** 2 * 0.5)",
            f"(ag.sort({a}) * 0.7)",
        ]

    def scalar(self, more: int = 1) -> str:
        if not more:
            return self.pick(("s", "v", f"{self.pick(VECTORS)}[{self.index()}]"))
        a, m, s = self.vector(more - 1), self.matrix(more - 1), self.scalar(more - 1)
        return self.pick(
            (
                f"ag.reduce_mean({a})",
                f"ag.tanh(ag.reduce_sum({a} * {a}))",
                f"ag.reduce_max(ag.sin({a}))",
                f"ag.reduce_logsumexp({a}) * 0.3",
                f"ag.tanh(ag.reduce_sum({m}))",
                f"ag.tanh(ag.reduce_prod({a}))",
                f"ag.norm(ag.concat([{a}, [1.0]], 0)) * 0.3",
                f"ag.reduce_mean(ag.keras.losses.huber({a}, {self.vector(0)}))",
                f"{m}[0, 1] * 0.5",
                f"ag.sin({s}) * 0.8",
                f"ag.tanh({s} * ag.cast(k, ag.float64))",
                f"ag.cos(ag.tensordot({a}, {self.vector(0)}, 1))",
            )
        )

    def matrix(self, more: int = 1) -> str:
        if not more:
            return "m"
        a, s = self.vector(more - 1), self.scalar(more - 1)
        return self.pick(
            (
                "ag.tanh(m @ ag.transpose(m))",
                f"(ag.sin(m) * {s})",
                f"(m * 0.5 + ag.tanh({a}[:2]))",
                f"ag.tanh(m @ ag.reshape(ag.gather({a}, [0, 1, 2, k % 3]), [2, 2]))",
                f"ag.stack([m[1] * 0.9, ag.sin({a}[1:])])",
            )
        )

    def index(self) -> str:
        return self.pick(("0", "1", "2", "-1", "n % 3", "k % 3"))

    def test(self) -> str:
        least = f"{self.pick('<>')} {self.choose.uniform(-0.8, 0.8):.3f}"
        chosen = self.choose.random()
        if chosen < 0.2:
            return f"(n + k) % {self.pick((2, 3))} == 0"
        if chosen < 0.35:
            other = self.pick(("and", "or", "and not"))
            return f"(s {least} {other} {self.vector(0)}[1] > 0.05)"
        return f"{self.scalar(1)} {least}"

    # ---- statements ----------------------------------------------------------------------

    def on_assign(self, depth, more, in_loop):
        self.line(depth, f"{self.pick(VECTORS)} = {self.vector()}")

    def on_scalar(self, depth, more, in_loop):
        self.line(depth, f"s = {self.scalar(2)}")

    def on_matrix(self, depth, more, in_loop):
        self.line(depth, f"m = {self.matrix()}")

    def on_pair(self, depth, more, in_loop):
        one, other = self.choose.sample(VECTORS, 2)
        self.line(depth, f"{one}, {other} = {other}, {self.vector(1)}")

    def on_update(self, depth, more, in_loop):
        self.line(depth, f"{self.pick(VECTORS)} *= ag.cos({self.vector(1)})")

    def on_integer(self, depth, more, in_loop):
        self.line(depth, f"k = (k + {self.pick(('1', 'n', '2'))}) % 4")

    def on_put(self, depth, more, in_loop):
        name, at = self.pick(VECTORS), self.pick(("k % 3", "1", "n % 3"))
        place, value = f"[[{at}]]", f"[{self.scalar()}]"
        self.line(depth, f"{name} = ag.tensor_scatter_nd_update({name}, {place}, {value})")

    def on_variable(self, depth, more, in_loop):
        kinds = (f"w.assign({self.vector(1)})", f"v.assign({self.scalar()})",
                 f"w.assign_add(0.1 * {self.vector(1)})")  # fmt: skip
        self.line(depth, self.pick(kinds))

    def on_branch(self, depth, more, in_loop):
        self.line(depth, f"if {self.test()}:")
        self.block(depth + 1, more - 1, in_loop)
        if self.happens(0.3):
            self.line(depth, f"elif {self.test()}:")
            self.block(depth + 1, more - 1, in_loop)
        if self.happens(0.6):
            self.line(depth, "else:")
            self.block(depth + 1, more - 1, in_loop)

    def on_one_side(self, depth, more, in_loop):
        """A name that only one side sets, and that is read where it is set."""
        name, test = self.fresh("only"), f"n % 2 == {self.choose.randint(0, 1)}"
        self.line(depth, f"{name} = ag.constant([0.1, 0.2, 0.3], ag.float64)")
        self.line(depth, f"if {test}:")
        self.line(depth + 1, f"{name} = {self.vector()}")
        self.block(depth, more - 1, in_loop)
        self.line(depth, f"if {test}:")
        self.line(depth + 1, f"{self.pick(VECTORS)} = ag.tanh({name})")

    def on_loop(self, depth, more, in_loop):
        fuel = self.fresh("fuel")
        self.line(depth, f"{fuel} = {self.pick(('n', '2', 'k'))}")
        self.line(depth, f"while {fuel} > 0 and {self.test()}:")
        self.line(depth + 1, f"{fuel} -= 1")
        self.block(depth + 1, more - 1, True)
        self.orelse(depth)

    def on_counting(self, depth, more, in_loop):
        span = self.pick(("ag.range(n)", "range(n)", "ag.range(k, n)", "range(2)"))
        i = self.fresh("i")
        self.line(depth, f"for {i} in {span}:")
        name = self.pick(VECTORS)
        self.line(depth + 1, f"{name} = {name} * (0.5 + 0.1 * ag.cast({i}, ag.float64))")
        self.block(depth + 1, more - 1, True)
        self.orelse(depth)

    def on_rows(self, depth, more, in_loop):
        row, of = self.fresh("row"), self.pick(("m", self.vector(1)))
        self.line(depth, f"for {row} in {of}:")
        self.line(depth + 1, f"s = ag.tanh(s + ag.reduce_sum({row}) * {self.scalar(0)})")
        self.block(depth + 1, more - 1, True)

    def on_local(self, depth, more, in_loop):
        """A function inside, that reads names of the program."""
        name = self.fresh("local")
        self.line(depth, f"def {name}(a):")
        self.line(depth + 1, f"if {self.test()}:")
        self.line(depth + 2, f"return a * {self.scalar(0)}")
        self.line(depth + 1, f"return ag.sin(a + {self.vector(0)})")
        self.line(depth, f"{self.pick(VECTORS)} = {name}({self.vector(1)})")

    def on_tape(self, depth, more, in_loop):
        """A gradient that the program itself takes, by a value from around this block."""
        source, of = self.pick(VECTORS), self.vector(1)
        # A tensor of its own: after a staged statement no other name is the same tensor.
        self.line(depth, f"{source} = {source} * 1.0")
        if self.happens(0.3):
            self.watched_in_a_block(depth, source, of)
            return
        self.line(depth, "with ag.GradientTape() as tape:")
        self.line(depth + 1, f"tape.watch({source})")
        self.line(depth + 1, f"target = ag.reduce_sum({of} * {source})")
        if self.happens(0.5):
            self.line(depth, f"z = ag.tanh(tape.gradient(target, {source}))")
            return
        self.line(depth + 1, f"if {self.test()}:")  # asked in a block, where it still records
        self.line(depth + 2, f"target = target * ag.reduce_sum({self.vector(1)} + {source})")
        self.line(depth + 2, f"z = ag.tanh(tape.gradient(target, {source}))")

    def watched_in_a_block(self, depth, source, of):
        """A tape that watches in a loop or branch, maybe after the block has used the value."""
        self.line(depth, "with ag.GradientTape() as tape:")
        self.line(depth + 1, f"target = ag.reduce_sum({self.vector(1)} + {source})")
        self.line(depth + 1, self.pick(["for _ in ag.range(2):", f"if {self.test()}:"]))
        if self.happens(0.4):
            self.line(depth + 2, f"target = target * 0.5 + ag.reduce_sum({self.vector(1)})")
        self.line(depth + 2, f"tape.watch({source})")
        self.line(depth + 2, f"target = target * 0.5 + ag.reduce_sum({of} * {source})")
        options = "unconnected_gradients='zero'"
        self.line(depth, f"z = ag.tanh(tape.gradient(target, {source}, {options}))")

    def on_found(self, depth, more, in_loop):
        """A name that only a loop sets."""
        name = self.fresh("found")
        self.line(depth, f"for i_{name} in ag.range(n + 1):")
        self.line(depth + 1, f"{name} = {self.vector(1)}")
        self.block(depth + 1, 0, False)
        self.line(depth, f"{self.pick(VECTORS)} = ag.sin({name})")

    def on_array(self, depth, more, in_loop):
        name, size = self.fresh("array"), "n + 1"
        self.line(depth, f"{name} = ag.TensorArray(ag.float64, size={size}{self.element_shape})")
        self.line(depth, f"for i_{name} in ag.range({size}):")
        self.block(depth + 1, more - 1, False)
        self.line(depth + 1, f"{name} = {name}.write(i_{name}, {self.vector(1)})")
        if self.happens(0.4):
            read = f"ag.tanh({name}.read(i_{name}) * {self.scalar(0)})"
            self.line(depth + 1, f"{self.pick(VECTORS)} = {read}")
        self.line(depth, f"z = ag.reduce_mean({name}.stack(), 0)")

    def on_items(self, depth, more, in_loop):
        name = self.fresh("items")
        self.line(depth, f"{name} = [{self.vector(0)}]")
        self.line(depth, f"for i_{name} in ag.range(n):")
        self.block(depth + 1, more - 1, True)
        self.line(depth + 1, f"{name}.append({self.vector(1)})")
        self.line(depth, f"y = ag.reduce_mean(ag.stack({name}), 0)")

    def on_growing(self, depth, more, in_loop):
        name = self.fresh("grown")
        options = "ag.autograph.experimental.set_loop_options"
        self.line(depth, f"{name} = {self.vector(0)}")
        self.line(depth, f"for i_{name} in ag.range(n):")
        self.line(depth + 1, f"{options}(shape_invariants=[({name}, ag.TensorShape([None]))])")
        self.line(depth + 1, f"{name} = ag.concat([ag.sin({name}), {self.vector(1)}], 0)")
        self.line(depth, f"s = ag.tanh(ag.reduce_sum({name}))")

    def on_early(self, depth, more, in_loop):
        self.line(depth, f"if {self.test()}:")
        self.line(depth + 1, f"return {self.vector(1)}")

    def on_leave(self, depth, more, in_loop):
        self.line(depth, f"if {self.test()}:")
        self.line(depth + 1, self.pick(("break", "continue")))

    def orelse(self, depth) -> None:
        if self.happens(0.2):
            self.line(depth, "else:")
            self.block(depth + 1, 0)


class RowsWriter(Writer):
    head = ROWS_HEAD
    element_shape = ", element_shape=[None, 3]"  # they are in a list

    def program(self) -> str:
        self.block(1, 3)
        self.line(1, f"return {self.vector(1)} + s + ag.reduce_sum(m) * (z + 0.5 * y - x)")
        return self.text()

    def block(self, depth: int, more: int, in_loop: bool = False) -> None:
        for _ in range(self.choose.randint(1, 2)):
            kinds = ["assign", "assign", "scalar", "pair", "update", "integer"]
            kinds += ["branch", "branch", "loop", "counting", "counting", "early"] if more else []
            kinds += ["array"] if more else []
            kinds += ["leave"] if in_loop else []
            getattr(self, "on_" + self.pick(kinds))(depth, more, in_loop)

    def vector(self, more: int = 2) -> str:
        """An expression of as many rows as x and y have."""
        if not more:
            return self.pick(VECTORS)
        a, b = self.vector(more - 1), self.vector(more - 1)
        return self.pick(
            (
                f"ag.tanh({a} + {b})",
                f"(ag.sin({a}) * ag.cos({b}))",
                f"({a} * 0.5 - {b} * 0.4)",
                f"ag.tanh({a} * {self.scalar(more - 1)})",
                f"ag.sigmoid({a})[::-1]",
                f"ag.concat([{a}[1:], {b}[:1]], 0)",
                f"ag.where({a} > 0.1, ag.sin({b}), {a} * 0.5)",
                f"({a} - ag.reduce_mean({b}, 0) * w)",
                f"ag.tanh({a} @ m)",
                f"ag.nn.softmax({a})",
                f"(ag.cumsum({a}) * 0.3)",
                f"ag.maximum({a}, {b})",
                f"({a} if {self.test()} else ag.sin({b}))",
                f"inner({a}, {b})",
                f"turn({a}, {self.pick(('n', 'k', '2'))})",
                f"halve({a}, {b})",
            )
        )

    def scalar(self, more: int = 1) -> str:
        if not more:
            return self.pick(("s", "v"))
        a = self.vector(more - 1)
        return self.pick(
            (
                f"ag.reduce_mean({a})",
                f"ag.tanh(ag.reduce_sum({a} * {a}))",
                f"ag.reduce_max(ag.sin({a}))",
                f"ag.cos({self.scalar(more - 1)} * ag.cast(k, ag.float64))",
            )
        )

    def test(self) -> str:
        if self.happens(0.2):
            return f"(n + k) % {self.pick((2, 3))} == 0"
        return f"{self.scalar(1)} {self.pick('<>')} {self.choose.uniform(-0.8, 0.8):.3f}"
