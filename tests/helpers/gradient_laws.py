"""Running a random program of `gradient_programs` in several ways, and the laws that bind them."""

import functools
import itertools
import linecache
import random

import numpy as np
from device_laws import emulated_device
from gradient_programs import program, program_of_rows

import allograph as ag

COUNTS = (0, 1, 3)
EDGES = ([0.0, -0.0, 0.5], [0.0, 0.0, 0.0], [0.5, 0.5, -0.3], [1.0, -1.0, 0.0])
_count = itertools.count()


def assert_gradients_are_eager(seed: int, native: bool = False) -> None:
    """The tape around the decorated program, and inside it, gives what it gives eagerly."""
    assert_ways_agree(seed, Case.slopes, native)


def assert_second_derivatives_are_eager(seed: int) -> None:
    assert_ways_agree(seed, Case.second)


def assert_forward_derivatives_are_eager(seed: int) -> None:
    assert_ways_agree(seed, Case.forward)


def assert_mixed_derivatives_are_eager(seed: int) -> None:
    """Forward over a gradient, and under one."""
    for way in (Case.turned, Case.back_over_forward):
        assert_ways_agree(seed, way)


def assert_forward_is_backward(seed: int) -> None:
    """The derivative along a direction is the product of the gradient with it."""
    case = case_of(seed)
    f = case.staged(case.decorated(False), False)
    for n in COUNTS:
        try:
            (along,) = case.run(case.forward(f), n)
        except ag.errors.UnimplementedError as error:
            if is_refused(error):
                continue
            raise
        slopes = case.run(case.slopes(f), n)[1:4]
        directions = [np.cos(one.numpy() * 7.0) for one in case.tensors]
        products = [np.sum(a * b) for a, b in zip(slopes, directions, strict=True)]
        np.testing.assert_allclose(np.sum(along), sum(products), rtol=1e-9, atol=1e-10)


def assert_gradients_on_a_device_are_eager(seed: int) -> None:
    """Gradients and second derivatives inside a function that an emulated device runs. A count that
    decides shapes has a program of its own, whose compilation takes most of the time: so there are
    two counts for gradients, and one for the others.
    """
    case, choose = case_of(seed), random.Random(seed)
    for way, number in ((Case.slopes, 2), (Case.second, 1)):
        with emulated_device():
            f = case.staged(way(case, case.decorated(False)), False, device="GPU:0")
            for n in choose.sample(COUNTS, number):
                try:
                    results = case.run(f, n)
                except ag.errors.UnimplementedError as error:
                    if is_refused(error):
                        continue
                    raise
                expected = case.run(way(case, case.plain), n)
                for own, other in zip(results, expected, strict=True):
                    np.testing.assert_allclose(own, other, 1e-7, 1e-9, err_msg=case.source)


def assert_derivatives_of_unknown_rows_are_eager(seed: int, native: bool = True) -> None:
    """Derivatives of a graph that does not know how many rows its arguments have."""
    choose = random.Random(seed)
    case = Case(program_of_rows(seed), choose)
    case.m = ag.constant(np.linspace(-0.6, 0.7, 9).reshape(3, 3))
    rows = ag.TensorSpec([None, 3], ag.float64)
    signature = [rows, rows, ag.TensorSpec([3, 3], ag.float64), ag.TensorSpec([], ag.int32)]
    inner = case.decorated(False)
    second = choose.choice([Case.second, Case.turned, Case.back_over_forward])
    options = {"jit_compile": True} if native else {"kernel_compiler": "none"}
    for way, counts in ((Case.slopes, (3, 1)), (second, (choose.choice((1, 3)),))):
        f = ag.function(way(case, inner), input_signature=signature, **options)
        for count, n in itertools.product(counts, COUNTS):
            values = np.resize(case.x, (count, 3)), np.resize(case.y, (3, count)).T
            case.tensors = [*map(ag.constant, values), case.m]
            expected = case.run(way(case, case.plain), n)
            try:
                results = case.run(f, n)
            except ag.errors.InvalidArgumentError as error:
                if native and "jit_compile=True" in str(error):
                    break  # it says what has no native form
                raise
            for own, other in zip(results, expected, strict=True):
                np.testing.assert_allclose(own, other, 1e-9, 1e-10, err_msg=case.source)


def is_refused(error: Exception) -> bool:
    """Whether a program is refused since its state is bound to a variable that a loop assigns, or
    since a block alone watches what is used elsewhere, too.
    """
    return any(cure in str(error) for cure in ("variable.read_value()", "Watch it before the"))


def assert_ways_agree(seed: int, way, native: bool = False) -> None:
    """What `way` computes of the program: eagerly, around a graph, and inside one."""
    case = case_of(seed)
    f = case.decorated(native)
    around, inside = way(case, case.staged(f, native)), case.staged(way(case, f), native)
    for n in COUNTS:
        try:
            expected = case.run(way(case, case.plain), n)
        except ag.errors.FailedPreconditionError:  # `z *= y`, where `z` is a variable
            continue
        for found in (around, inside):
            try:
                made = case.run(found, n)
            except ag.errors.InvalidArgumentError as error:
                if native and "jit_compile=True" in str(error):
                    continue  # it says what has no native form
                raise
            except ag.errors.UnimplementedError as error:
                if is_refused(error):
                    continue
                raise
            for one, other in zip(made, expected, strict=True):
                np.testing.assert_allclose(one, other, 1e-9, 1e-10, err_msg=case.source)


@functools.lru_cache(maxsize=2)
def case_of(seed: int) -> "Case":
    return Case(program(seed), random.Random(seed))


class Case:
    """The arguments of a random program, in half of the cases at edges, and how it is called."""

    def __init__(self, source: str, choose: random.Random):
        self.source = source
        self.start = choose.choice([[0.5, -0.3, 0.8], choose.choice(EDGES)])
        self.w = ag.Variable(self.start, dtype=ag.float64)
        self.v = ag.Variable(0.7, dtype=ag.float64)
        self.x = ag.constant(choose.choice([[0.3, -0.7, 1.1], choose.choice(EDGES)]), ag.float64)
        self.y = ag.constant(choose.choice([[-0.2, 0.9, 0.4], choose.choice(EDGES)]), ag.float64)
        self.m = ag.constant([[0.5, -0.2], [0.8, choose.choice([0.3, 0.0])]], ag.float64)
        self.tensors = [self.x, self.y, self.m]
        self.plain = self.load(lambda function: function)
        self._decorated: dict = {}

    def load(self, staged):
        """The program's `f`, its inner functions decorated with `staged`."""
        file = f"<gradient program {next(_count)}>"
        linecache.cache[file] = (len(self.source), None, self.source.splitlines(True), file)
        scope = {"ag": ag, "staged": staged}
        exec(compile(self.source, file, "exec"), scope)
        f = scope["f"]
        return lambda x, y, m, n: f(x, y, m, self.w, self.v, n)

    def decorated(self, native: bool):
        """The program with its inner functions decorated, the same for every law."""
        if native not in self._decorated:
            staged = functools.partial(ag.function, jit_compile=native)
            self._decorated[native] = self.load(staged)
        return self._decorated[native]

    def staged(self, f, native: bool, device: str | None = None):
        return ag.function(
            f,
            jit_compile=native,
            device=device,
            experimental_autograph_options=ag.autograph.experimental.Feature.LISTS,
        )

    def run(self, f, n: int) -> list:
        """What `f` gives for the tensors and `n`, as arrays: the variables start anew."""
        self.w.assign(self.start)
        self.v.assign(0.7)
        return [None if one is None else one.numpy() for one in f(*self.tensors, ag.constant(n))]

    # ---- ways to differentiate: of tensors and n, lists -------------------------------------

    def slopes(self, f):
        def slopes(x, y, m, n):
            with ag.GradientTape(persistent=True) as tape:
                tape.watch([x, y, m])
                made = f(x, y, m, n)
            sources = [x, y, m, self.w, self.v]
            found = tape.gradient(made, sources, unconnected_gradients="zero")
            again = tape.gradient(made, sources[::-1], unconnected_gradients="zero")
            return [made, *found, *again]

        return slopes

    def second(self, f):
        def second(x, y, m, n):
            with ag.GradientTape() as outer:
                outer.watch([x, y, m])
                with ag.GradientTape() as inner:
                    inner.watch([x, y, m])
                    made = f(x, y, m, n)
                sources = [x, y, m, self.w, self.v]
                first = inner.gradient(made, sources, unconnected_gradients="zero")
                total = sum(ag.reduce_sum(ag.sin(one)) for one in first)
            return outer.gradient(total, sources, unconnected_gradients="zero")

        return second

    def forward(self, f):
        def forward(x, y, m, n):
            tangents = [ag.cos(one * 7.0) for one in (x, y, m)]
            with ag.autodiff.ForwardAccumulator([x, y, m], tangents) as accumulator:
                made = f(x, y, m, n)
            return [accumulator.jvp(made, unconnected_gradients="zero")]

        return forward

    def turned(self, f):
        """The derivative of a gradient along a direction."""

        def turned(x, y, m, n):
            tangents = [ag.cos(one * 7.0) for one in (x, y, m)]
            with ag.autodiff.ForwardAccumulator([x, y, m], tangents) as accumulator:
                with ag.GradientTape() as tape:
                    tape.watch([x, y, m])
                    made = f(x, y, m, n)
                slopes = tape.gradient(made, [x, y, m], unconnected_gradients="zero")
            return accumulator.jvp(slopes, unconnected_gradients="zero")

        return turned

    def back_over_forward(self, f):
        """The gradient of a derivative along a direction."""

        def back(x, y, m, n):
            tangents = [ag.cos(one * 7.0) for one in (x, y, m)]
            with ag.GradientTape() as tape:
                tape.watch([x, y, m])
                with ag.autodiff.ForwardAccumulator([x, y, m], tangents) as accumulator:
                    made = f(x, y, m, n)
                along = ag.reduce_sum(accumulator.jvp(made, unconnected_gradients="zero"))
            return tape.gradient(along, [x, y, m, self.w, self.v], unconnected_gradients="zero")

        return back
