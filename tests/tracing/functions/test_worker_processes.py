"""Functions in the processes of multiprocessing, concurrent.futures and joblib."""

import multiprocessing
import os
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor

import joblib
import pytest
import shipped_functions as shipped

import allograph as ag

pytestmark = pytest.mark.slow
METHODS = multiprocessing.get_all_start_methods()


@pytest.fixture(params=METHODS)
def context(request):
    return multiprocessing.get_context(request.param)


@pytest.fixture
def fresh_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("ALLOGRAPH_CACHE_DIR", str(tmp_path))


def test_a_pool_maps_functions_by_name(context):
    with context.Pool(2) as pool:
        counts = pool.map(shipped.halvings, [ag.constant(n) for n in (1, 10, 1000)])
        sums = pool.map(shipped.total, shipped.ARRAYS)
    assert [int(one) for one in counts] == [0, 3, 9]
    assert sums == [shipped.total(one) for one in shipped.ARRAYS]


def test_a_pool_calls_a_method_with_a_copy_of_its_object(context):
    counter = shipped.Counter(5)
    with context.Pool(1) as pool:
        assert int(pool.apply(counter.add, [ag.constant(2)])) == 7
    assert int(counter.value) == 5


def test_an_error_of_a_worker_shows_the_line_of_the_user(context):
    with context.Pool(1) as pool, pytest.raises(ag.errors.InvalidArgumentError) as caught:
        pool.apply(shipped.checked, [ag.constant(50)])
    assert "too large" in str(caught.value)
    assert "# the line of the error" in str(caught.value)


def test_a_child_compiles_after_its_parent_has_shared_a_loop(context, fresh_cache):
    big = ag.ones([1 << 20])
    expected = float(ag.reduce_sum(shipped.smoothed(big)))
    with context.Pool(2) as pool:
        results = pool.map(shipped.compiled_kernels, [big, big[:1000], big])
    assert [result for result, _, _ in results] == [expected, 1000.0, expected]


def test_an_executor_maps_functions(context):
    with ProcessPoolExecutor(2, mp_context=context) as pool:
        results = pool.map(shipped.nested, [3, 5])
    assert [*results] == [[0, 0, 1], [0, 0, 1, 1, 2]]


def test_workers_have_the_threads_that_their_initializer_sets(context):
    setting = ag.config.threading.set_intra_op_parallelism_threads
    with context.Pool(1, initializer=setting, initargs=(1,)) as pool:
        assert pool.apply(shipped.threads) == 1


def count_compiled(f, barrier, found):
    """How many kernels this process compiles for a function that all call at once."""
    from allograph.runtime.jit.cache.compilation import _kernels

    before = set(_kernels)
    barrier.wait(60)
    result = float(f(ag.ones([1000])))
    new = [kernel for key, kernel in _kernels.items() if key not in before]
    found.put((result, len(new), sum(kernel.is_new for kernel in new)))


@pytest.mark.skipif("fork" not in METHODS, reason="the processes are forked")
def test_processes_that_start_at_once_compile_each_kernel_once(fresh_cache):
    f = ag.function(lambda x: ag.reduce_sum(ag.tanh(x) * 0.12345 + x), jit_compile=True)
    f.get_concrete_function(ag.TensorSpec([1000]))
    fork = multiprocessing.get_context("fork")
    barrier, found = fork.Barrier(8), fork.SimpleQueue()
    processes = [fork.Process(target=count_compiled, args=(f, barrier, found)) for _ in range(8)]
    for process in processes:
        process.start()
    rows = [found.get() for _ in processes]
    for process in processes:
        process.join()
    results, used, compiled = zip(*rows, strict=True)
    assert len(set(results)) == 1
    assert set(used) == {used[0]} and used[0] >= 1
    assert sum(compiled) == used[0]


SCRIPT = """
import multiprocessing
import allograph as ag

@ag.function
def halvings(n):
    count = 0
    while n > 1:
        n, count = n // 2, count + 1
    return count

if __name__ == "__main__":
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        print(*map(int, pool.map(halvings, [ag.constant(8), ag.constant(100)])))
"""


def test_the_functions_of_a_script_are_found_by_spawned_processes(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True)
    assert done.stdout.split() == ["3", "6"], done.stderr


def test_joblib_sends_lambdas():
    scale = 3.0
    f = ag.function(lambda x: ag.reduce_sum(x) * scale)
    results = joblib.Parallel(n_jobs=2)(joblib.delayed(f)(one) for one in shipped.ARRAYS)
    assert [float(one) for one in results] == [9.0, 30.0, 84.0]


def test_joblib_traces_a_function_by_value_once():
    traced = []

    def f(x):
        traced.append(os.getpid())
        return x + 1

    staged = ag.function(f, autograph=False)
    staged(ag.constant(1))
    results = joblib.Parallel(n_jobs=2)(joblib.delayed(counted)(staged, n) for n in range(6))
    assert [int(one) for one, _ in results] == [1, 2, 3, 4, 5, 6]
    assert {count for _, count in results} == {1}


def counted(function, n):
    result = function(ag.constant(n))
    return result, function.experimental_get_tracing_count()


def test_workers_of_joblib_do_not_share_more_threads_than_there_are_cores():
    with joblib.parallel_config(backend="loky", inner_max_num_threads=1):
        found = joblib.Parallel(n_jobs=2)(joblib.delayed(shipped.threads)(n) for n in range(2))
    assert found == [1, 1]


@pytest.mark.parametrize(
    "variable, threads", [("1", 1), ("1,4", 1), ("", None), ("many", None), ("100000", None)]
)
def test_the_variable_of_openmp_limits_the_threads(variable, threads):
    code = "import shipped_functions; print(shipped_functions.threads())"
    environment = {
        **os.environ, "OMP_NUM_THREADS": variable, "ALLOGRAPH_THREADS": "",
        "PYTHONPATH": os.pathsep.join(sys.path),
    }  # fmt: skip
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True)
    assert int(done.stdout) == (threads or len(os.sched_getaffinity(0)))
