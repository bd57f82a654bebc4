"""Native code for arrays that loops extend by rows: TensorArrays of dynamic size, and lists."""

import numpy as np
import pytest

pytest.importorskip("llvmlite")

import allograph as ag

pytestmark = pytest.mark.slow

LISTS = ag.autograph.experimental.Feature.LISTS


def floats(**options):
    return ag.TensorArray(ag.float32, size=0, dynamic_size=True, **options)


def adaptive_steps(start, end):
    times, states = floats(element_shape=[]), floats(element_shape=[2])
    t, y, h, i = ag.constant(0.0), start, ag.constant(0.1), 0
    while t < end:
        slope = ag.stack([y[1], -y[0]])
        if ag.reduce_sum(ag.abs(h * slope)) < 0.3:
            times, states = times.write(i, t), states.write(i, y)
            i += 1
            t, y, h = t + h, y + h * slope, h * 1.01
        else:
            h = h * 0.5
    return times.stack(), states.stack()


def reads_what_it_wrote(limit):
    rows = ag.TensorArray(ag.int32, size=0, dynamic_size=True, element_shape=[])
    rows = rows.write(0, 1).write(1, 1)
    i = 2
    while rows.read(i - 1) < limit:
        rows = rows.write(i, rows.read(i - 1) + rows.read(i - 2))
        i += 1
    return rows.stack()


def leaves_gaps(n):
    rows = floats(element_shape=[2, 2])
    for i in ag.range(n):
        rows = rows.write(3 * i + 1, ag.cast(i, ag.float32) + ag.ones([2, 2]))
        rows = rows.write(i, -ag.cast(i, ag.float32) + ag.zeros([2, 2]))
    return rows.stack()


def appends_and_pops(n):
    items = []
    for i in ag.range(n):
        if i % 2 == 0:
            items.append(i)
        elif i % 3 == 0:
            items.append(i * 2)
            items.append(i * 3)
        if ag.equal(i % 7, 6):
            items.pop()
    return ag.stack(items)


def has_a_list_for_each_row(x, n):
    total = ag.constant(0.0)
    for k in ag.range(n):
        row = []
        j = x[0]
        while j < ag.cast(k, ag.float32):
            row.append(j * 2.0)
            j = j + 0.5
        if k > 0:
            total += row[-1] + row[0]
    return total


def changes_its_input(rows, n):
    found = floats(element_shape=[2]).unstack(rows)
    for i in ag.range(n):
        found = found.write(i, found.read(i) * 2.0)
    return found.stack(), rows


def writes_before_the_start(n):
    rows = floats(element_shape=[])
    for i in ag.range(n):
        rows = rows.write(i - 2, 1.0)
    return rows.stack()


def changes_places(n):
    one, other = floats(element_shape=[]), floats(element_shape=[])
    for i in ag.range(n):
        one = one.write(i, ag.cast(i, ag.float32))
        one, other = other, one
    return one.stack(), other.stack()


def keeps_the_one_before(n):
    now, before = floats(element_shape=[]), floats(element_shape=[])
    for i in ag.range(n):
        before = now
        now = now.write(i, ag.cast(i, ag.float32))
        now = now.write(0, ag.cast(2 * i, ag.float32))
    return now.stack(), before.stack()


START, ROWS = np.float32([1, 0]), np.ones((4, 2), np.float32)
NATIVE = {
    adaptive_steps: [(START, np.float32(end)) for end in (-1, 0.05, 3, 30)],
    reads_what_it_wrote: [(0,), (5,), (100000,)],
    leaves_gaps: [(0,), (1,), (2,), (41,)],
    appends_and_pops: [(1,), (2,), (4,), (41,)],
    has_a_list_for_each_row: [(START * 0.3, n) for n in (0, 1, 2, 40)],
    changes_its_input: [(ROWS, 0), (ROWS, 2), (ROWS, 4)],
}
ON_NUMPY = {
    changes_places: [(0,), (1,), (2,), (41,)],
    keeps_the_one_before: [(0,), (1,), (2,), (41,)],
}


def of_lists(function, **options):
    return ag.function(function, experimental_autograph_options=LISTS, **options)


def results(function, given):
    found = function(*map(ag.constant, given))
    return [one.numpy() for one in (found if isinstance(found, tuple) else (found,))]


def assert_same(found, expected):
    for one, other in zip(found, expected, strict=True):
        assert (one.dtype, one.shape) == (other.dtype, other.shape)
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("compiler", ["allograph", "numba", "python"])
@pytest.mark.parametrize("program", NATIVE)
def test_rows_are_those_of_the_numpy_program(program, compiler):
    if compiler == "numba":
        pytest.importorskip("numba")
    plain = of_lists(program, kernel_compiler="none")
    native = of_lists(program, kernel_compiler=compiler, jit_compile=True)
    for given in NATIVE[program]:
        assert_same(results(native, given), results(plain, given))


@pytest.mark.parametrize("program", ON_NUMPY)
def test_arrays_that_change_places_stay_on_numpy(program):
    plain, found = of_lists(program, kernel_compiler="none"), of_lists(program)
    for given in ON_NUMPY[program]:
        first = results(found, given)
        found.get_concrete_function(*map(ag.constant, given)).executable.precompile()
        assert_same(first, results(plain, given))
        assert_same(results(found, given), first)


def test_explain_says_why_arrays_that_change_places_stay_on_numpy():
    concrete = of_lists(changes_places).get_concrete_function(ag.constant(3))
    assert "arrays that grow change places" in str(concrete.explain())


def test_an_index_before_the_start_is_an_error_of_the_line():
    native = of_lists(writes_before_the_start, jit_compile=True)
    with pytest.raises(IndexError, match="index -2 is out of range"):
        native(ag.constant(3))


def test_a_row_of_unknown_shape_stays_on_numpy():
    def rows_of(x, n):
        found = ag.TensorArray(ag.float32, size=0, dynamic_size=True, element_shape=[None])
        for i in ag.range(n):
            found = found.write(i, x)
        return found.stack()

    spec = [ag.TensorSpec([None], ag.float32), ag.TensorSpec([], ag.int32)]
    found = ag.function(rows_of, input_signature=spec)
    assert found(ag.ones([3]), 4).numpy().tolist() == [[1.0] * 3] * 4
    why = "a list, in which arrays may differ in shape"
    assert why in str(found.get_concrete_function().explain())


def loss_of_rows(x, end):
    states, times = (
        ag.TensorArray(ag.float64, size=0, dynamic_size=True, element_shape=shape)
        for shape in ([3], [])
    )
    t, i = x[0], 0
    while t < end:
        if ag.equal(i % 3, 2):
            states = states.write(i, x * t)
        else:
            states = states.write(i, ag.sin(x))
        times = times.write(i, t)
        t = t * 1.01 + x[1]
        i += 1
    return ag.reduce_sum(states.stack() ** 2) + ag.reduce_prod(1 + 1e-3 * times.stack())


def loss_of_rows_that_are_read(x, end):
    rows = ag.TensorArray(ag.float64, size=0, dynamic_size=True, element_shape=[])
    rows = rows.write(0, x[0]).write(1, x[1])
    i = 2
    while rows.read(i - 1) < end:
        rows = rows.write(i, rows.read(i - 1) + ag.sin(rows.read(i - 2)))
        i += 1
    return ag.reduce_sum(rows.stack())


@pytest.mark.parametrize("loss", [loss_of_rows, loss_of_rows_that_are_read])
def test_gradients_pass_through_rows(loss):
    def gradient(x, end):
        with ag.GradientTape() as tape:
            tape.watch(x)
            y = loss(x, end)
        return tape.gradient(y, x)

    native, plain = ag.function(gradient), ag.function(gradient, kernel_compiler="none")
    for end in (0.2, 1.0, 3.0):
        given = ag.constant([0.1, 0.3, 2.0], ag.float64), ag.constant(end, ag.float64)
        native.get_concrete_function(*given).executable.precompile()
        for other in (plain(*given), gradient(*given)):
            np.testing.assert_allclose(native(*given), other, rtol=1e-14)


def test_a_loop_and_its_gradient_extend_rows_in_native_code():
    def gradient(x, end):
        with ag.GradientTape() as tape:
            tape.watch(x)
            y = loss_of_rows(x, end)
        return tape.gradient(y, x)

    given = ag.constant([0.1, 0.3, 2.0], ag.float64), ag.constant(3.0, ag.float64)
    rows = ag.function(gradient).get_concrete_function(*given).explain().rows
    assert [row.why for row in rows if row.node.op.name == "while"] == [None, None]


def test_an_operation_without_operands_whose_result_has_any_size_stays_on_numpy():
    @ag.function(jit_compile=True)
    def f(x):
        return x + ag.py_function(lambda: np.arange(3.0), [], ag.float64)

    with pytest.raises(ag.errors.InvalidArgumentError, match="'py_function' of arrays whose size"):
        f(ag.constant(1.0, ag.float64))


def sized_by_a_shape(x):
    count = ag.shape(x)[0]
    rows = ag.TensorArray(ag.int32, count)
    for k in ag.range(count):
        rows = rows.write(k, x[k])
    return ag.transpose(rows.stack())


def of_dynamic_size(x):
    rows = ag.TensorArray(ag.int32, size=0, dynamic_size=True)
    for k in ag.range(len(x)):
        rows = rows.write(k, x[k] + rows.size())
    return ag.transpose(rows.stack()), rows.size()


def starting_with_items(x):
    rows = [x[0], x[0] * 2]
    for row in x:
        rows.append(rows[-1] + row)
        rows.append(row)
    return ag.concat(rows, 0)


def appended_in_branches(x):
    rows = []
    for row in x:
        if row[0] > 2:
            rows.append(row)
            rows.append(-row)
        elif row[1] > 3:
            rows.append(row * 2)
    return ag.reduce_sum(ag.stack(rows), 0), len(rows)


def in_a_loop_of_its_own(x):
    total = ag.zeros([3], ag.int32)
    for k in ag.range(3):
        total += sum([row * k for row in x if row[1] != k])
    return total


COUNTED = [
    sized_by_a_shape, of_dynamic_size, starting_with_items,
    appended_in_branches, in_a_loop_of_its_own,
    lambda x: sum([row for row in x]),
    lambda x: sum(ag.reduce_sum(row) for row in x) / len(x),
    lambda x: (any(row[0] > 5 for row in x), all([row[0] > 5 for row in x])),
    lambda x: max([row[0] for row in x if row[1] < 9]),
    lambda x: ag.stack([a + b for a, b in zip(x, x[::-1], strict=False)], axis=1),
    lambda x: sum([x[i] * i for i in ag.range(4)]),
]  # fmt: skip


@pytest.mark.parametrize("program", COUNTED)
@pytest.mark.parametrize("sizes", [[4, 3], [None, 3]])
def test_arrays_of_loops_of_known_trip_count_are_read_as_any(program, sizes):
    x = ag.constant(np.arange(12, dtype=np.int32).reshape(4, 3))
    spec = [ag.TensorSpec(sizes, ag.int32)]
    plain = of_lists(program, kernel_compiler="none", input_signature=spec)
    native = of_lists(program, kernel_compiler="python", jit_compile=True, input_signature=spec)
    assert_same(results(native, [x]), results(plain, [x]))


def test_a_loop_that_another_array_reads_keeps_its_rows():
    def rows_and_rows(x):
        rows = []
        for row in x:
            rows.append(row)
        more = list(rows)
        for row in x:
            more.append(row * 2)
        return ag.reduce_sum(ag.stack(rows), 0), ag.reduce_sum(ag.stack(more), 0)

    x = ag.constant(np.arange(12, dtype=np.int32).reshape(4, 3))
    assert_same(
        results(of_lists(rows_and_rows), [x]), [np.int32([18, 22, 26]), np.int32([54, 66, 78])]
    )
