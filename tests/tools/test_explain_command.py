"""`allograph explain`: where each operation runs, and why."""

import pytest
from click.testing import CliRunner

import allograph as ag
from allograph.library.profiling import step_times
from allograph.library.profiling.roofline import Rates, machine_rates
from allograph.tools.commands import allograph

SOURCE = """
import allograph as ag

def settle(x, n):
    y = x * 2.0 + 1.0
    for i in ag.range(n):
        x = ag.tanh(x) * y
    return x

def arrange(x):
    return ag.linalg.expm(x * x + x)

def greet(x):
    ag.print("hello", x)
    return ag.reduce_sum(ag.tanh(x) * x)

@ag.jit
def smooth(a, weight=0.5):
    for i in range(1, len(a)):
        a[i] = weight * a[i] + (1 - weight) * a[i - 1]

@ag.jit
def described(a):
    return f"{a[0]:.1f}"
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "model.py"
    path.write_text(SOURCE, encoding="utf-8")
    return path


def run(*words) -> str:
    done = CliRunner().invoke(allograph, ["explain", *map(str, words)])
    assert done.exit_code == 0, done.output
    return done.output


def test_a_function_that_is_native_as_a_whole(file):
    text = run(f"{file}:settle", "float32[5]", "int32[]")
    assert text.startswith("settle: 100% of")
    rows = [line.split() for line in text.splitlines() if "model.py:7" in line]
    assert [row[:4] + row[-1:] for row in rows] == [
        ["5", "native", "tanh", "float32[5]", "model.py:7"],
        ["5", "native", "multiply", "float32[5]", "model.py:7"],
    ]


def test_what_runs_on_numpy_says_why(file):
    text = run(f"{file}:arrange", "float32[5,5]")
    assert text.startswith("arrange: 0% of 3 operations are native")
    assert "expm: the operation 'expm' has no native form" in text
    assert "multiply: too little work for a call of its own" in text


def test_numbers_of_operations_and_bytes():
    @ag.function
    def f(a, b):
        return ag.reduce_sum(ag.matmul(a, b) + 1.0)

    spec = ag.TensorSpec([4, 4], ag.float32)
    rows = {row.node.op.name: row for row in f.get_concrete_function(spec, spec).explain().rows}
    assert (rows["matmul"].flops, rows["matmul"].moved) == (2 * 4**3, 3 * 64)
    assert (rows["add"].flops, rows["add"].moved) == (16, 64)
    assert (rows["reduce_sum"].flops, rows["reduce_sum"].moved) == (16, 0)
    assert rows["add"].group == rows["reduce_sum"].group != rows["matmul"].group


def test_memory_is_that_of_the_arrays_of_native_code():
    @ag.function
    def f(a, b):
        return ag.matmul(ag.matmul(a, b), b)

    spec = ag.TensorSpec([4, 4], ag.float32)
    explained = f.get_concrete_function(spec, spec).explain()
    assert explained.memory == 2 * 4 * 4 * 4
    assert "their arrays take 128 bytes" in str(explained)


def test_memory_that_is_free_again_counts_once():
    @ag.function
    def f(a, b):
        for _ in range(5):
            a = ag.matmul(a, b)
        return a

    spec = ag.TensorSpec([4, 4], ag.float32)
    assert f.get_concrete_function(spec, spec).explain().memory == 2 * 4 * 4 * 4


# ---- times -----------------------------------------------------------------------------------


@pytest.fixture
def slow_machine(monkeypatch):
    """A copy of a gigabyte takes a second, and so do a gigaflop of float32, half of float64."""
    rates = Rates({"float32": 1e9, "float64": 0.5e9}, {1e6: 1e9})
    monkeypatch.setattr(step_times, "machine_rates", lambda threads: rates)


def measured(function, *arguments):
    return function.get_concrete_function(*arguments).measure(*arguments)


@pytest.mark.slow
def test_times_stand_beside_what_the_machine_can_do(file):
    text = run("--time", f"{file}:settle", "float32[200,200]", "int32[]=3")
    heads = next(line for line in text.splitlines() if line.startswith("step"))
    assert heads.split("  bytes  ")[1].split() == "at best bound by took ratio share line".split()
    row = next(line for line in text.splitlines() if " while " in line)
    assert any(f" {bound} " in row for bound in ("memory", "arithmetic"))  # as this machine is
    assert "x " in row and "% " in row
    assert "all of it: at best " in text and "This machine copies " in text


@pytest.mark.slow
def test_what_nobody_counts_has_a_time_without_a_limit(file):
    text = run("--time", f"{file}:arrange", "float32[200,200]")
    row = next(line for line in text.splitlines() if " expm " in line)
    assert row.split("]  ")[-1].split()[0] == "?" and "% " in row
    assert "all of it: " in text and "at best " not in text.splitlines()[1]


@pytest.mark.slow
def test_a_step_is_bound_by_memory_or_by_arithmetic(slow_machine):
    @ag.function
    def f(a, b):
        return ag.reduce_max(ag.matmul(a, b), axis=1)

    many, few = ag.ones([100, 100]), ag.ones([100, 1])
    product, largest = measured(f, many, many).times.values()
    assert (product.limit, product.bound) == (pytest.approx(2e-3), "arithmetic")
    assert (largest.limit, largest.bound) == (pytest.approx(40_400e-9), "memory")
    assert product.seconds > 0 and largest.seconds > 0
    product, _ = measured(f, ag.cast(many, ag.float64), ag.cast(few, ag.float64)).times.values()
    assert product.limit == pytest.approx(81_600e-9)


@pytest.mark.slow
def test_the_work_of_a_loop_is_that_of_all_its_turns(slow_machine):
    @ag.function
    def f(x, n):
        for _ in ag.range(n):
            x = ag.tanh(x) * 0.5
        return x

    x = ag.ones([1000])
    (few,), (many,) = (measured(f, x, ag.constant(n)).times.values() for n in (10, 30))
    assert few.limit >= 10 * 8e-6
    assert many.limit == pytest.approx(3 * few.limit, rel=1e-2)


@pytest.mark.slow
def test_the_products_of_a_convolution_are_counted(slow_machine):
    @ag.function
    def f(x, filters):
        return ag.nn.conv2d(x, filters, 1, "VALID")

    explained = measured(f, ag.ones([1, 10, 10, 3]), ag.ones([3, 3, 3, 4]))
    assert sum(row.flops for row in explained.rows) == 2 * 8 * 8 * 4 * 3 * 3 * 3


@pytest.mark.slow
def test_what_has_effects_is_not_run(file, capfd):
    text = run("--time", f"{file}:greet", "float32[2000]")
    assert "has effects, and is not run again" in text and "all of it: not timed" in text
    assert "hello" not in text + capfd.readouterr().err


@pytest.mark.slow
def test_variables_keep_their_values():
    total = ag.Variable(ag.ones([2000]))

    @ag.function
    def f(x):
        total.assign_add(x * 2.0 + 1.0)
        return total * 3.0

    x = ag.ones([2000])
    explained = measured(f, x)
    assert explained.seconds > 0 and total.numpy()[0] == 1.0


def test_a_loop_that_does_not_end_is_given_up(monkeypatch):
    monkeypatch.setattr(step_times, "MOST_SECONDS", 0.05)

    @ag.function
    def f(x):
        while x > 0.0:
            x = ag.abs(x)
        return x + 1.0

    explained = measured(f, ag.constant(1.0))
    whys = [time.why for time in explained.times.values()]
    assert whys == [
        "takes more than 0.05 s on NumPy; try smaller numbers",
        "needs what was not run",
    ]
    assert explained.seconds is None


def test_a_value_can_be_given_to_a_tensor(file):
    assert "all of it: at best" in run("--time", f"{file}:settle", "float32[5]", "int32[]=7")


def test_times_need_every_dimension(file):
    done = CliRunner().invoke(allograph, ["explain", "--time", f"{file}:settle", "float32[?]", "3"])
    assert done.exit_code == 2 and "float32(None,) needs a shape with every" in done.output


def test_the_speed_of_a_copy_is_that_of_its_size():
    rates = Rates({}, {10.0: 3.0, 100.0: 2.0, 1000.0: 1.0})
    assert [rates.copying(size) for size in (0, 10, 11, 1000, 5000)] == [3.0, 3.0, 2.0, 1.0, 1.0]


def test_the_rates_of_the_machine_are_measured_once():
    rates = machine_rates(2)
    assert machine_rates(2) is rates
    assert min(*rates.products.values(), *rates.copies.values()) > 1e7


def test_a_function_of_numpy_arrays_is_called_with_arrays(file):
    words = ("float64[5]", "weight=0.25")
    assert run(f"{file}:smooth", *words) == "(float64[5], float): native code; 1 call\n"
    assert "NumPy: a computed value is formatted" in run(f"{file}:described", "float64[3]")


# ---- passes ----------------------------------------------------------------------------------


def test_what_each_pass_changes(file):
    text = run("--passes", f"{file}:settle", "float32[5]", "int32[]")
    head, _, titles, *rows = text.splitlines()
    changed = [row for row in rows if len(row.split()) > 2]
    assert head.startswith(f"settle: {len(changed)} of {len(rows)} passes change it")
    assert titles.split() == ["pass", "module", "change"]
    assert ["inline_calls", "runtime.passes.inline_calls"] in [row.split() for row in rows]


def test_passes_tell_the_operations_that_they_remove_and_add():
    @ag.function
    def steps(x, w):
        h = ag.zeros_like(x[0])
        for t in ag.range(5):
            h = ag.tanh(x[t] @ w + h)
        return h

    specs = [ag.TensorSpec(shape, ag.float32) for shape in ((5, 4, 4), (4, 4))]
    effects = {row.name: row for row in steps.get_concrete_function(*specs).explain_passes().rows}
    assert effects["batch_loop_matmuls"].change == "+2 const, +2 reshape, +1 strided_slice"
    assert effects["push_slices_up"].removed == {"strided_slice": 1}
    assert not effects["with_flat_stacks"].is_changed


LOOPS = """def total(a):
    s = 0.0
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            s += a[i, j]
    return s
"""


@pytest.mark.parametrize("words", [["explain"], ["explain", "--listing"], ["graph"], ["explore"]])
def test_long_loops_of_a_function_without_decorator_are_told_of_early(tmp_path, words):
    (tmp_path / "model.py").write_text(LOOPS, encoding="utf-8")
    target = [f"{tmp_path / 'model.py'}:total", "float64[100000,100000]"]
    output = ["--output", str(tmp_path / "page.html")] if words == ["explore"] else []
    done = CliRunner().invoke(allograph, [*words, *target, *output])
    assert done.exit_code == 1
    assert "more than 5000 operations" in done.output
    assert 'model.py", line 3, in total' in done.output or "line 4, in total" in done.output
    assert done.output.endswith(
        "A function of NumPy arrays keeps its loops: decorate it with ag.jit.\n"
    )
