"""What more than one process costs: starts, calls of blocks, and two workers instead of one.

    python benchmarks/processes.py [start] [blocks] [workers]

start     from the start of a process to its first result: with kernels that are stored, without,
          and without native code
blocks    a call of a decorated function for a block of a Dask array, compared with one of NumPy
workers   the example that denoises an image block by block, on two Dask workers and on one; beside
          it, how much faster two plain Python processes are than one on this machine

Contestants take turns; the least of several times counts. The load of the machine is printed.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

EXAMPLES = Path(__file__).parents[1] / "examples"
FIRST = """
import allograph as ag
f = ag.function(lambda x: ag.reduce_sum(ag.tanh(x) * x), {how})
assert float(f(ag.ones([100_000]))) > 0
"""


def seconds_of(call) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def least(calls: dict, rounds: int) -> dict:
    """The least time of each, which take turns."""
    times = [[seconds_of(call) for call in calls.values()] for _ in range(rounds)]
    return dict(zip(calls, map(min, zip(*times, strict=True)), strict=True))


def starts(rounds: int = 7) -> None:
    with tempfile.TemporaryDirectory() as stored, tempfile.TemporaryDirectory() as scratch:

        def process(native: bool, cache: str):
            script = FIRST.format(how="jit_compile=True" if native else "kernel_compiler='none'")
            environment = {**os.environ, "ALLOGRAPH_CACHE_DIR": cache}
            subprocess.run([sys.executable, "-c", script], env=environment, check=True)

        process(True, stored)
        new = iter(range(rounds))
        found = least(
            {
                "stored": lambda: process(True, stored),
                "numpy": lambda: process(False, stored),
                "compiled": lambda: process(True, f"{scratch}/{next(new)}"),
            },
            rounds,
        )
    print(f"first result of a new process: {found['stored']:.2f} s with stored kernels, ", end="")
    print(
        f"{found['compiled']:.2f} s with an empty cache, {found['numpy']:.2f} s on NumPy; ", end=""
    )
    print(f"stored / NumPy = {found['stored'] / found['numpy']:.2f}")


def blocks(rounds: int = 15, count: int = 400) -> None:
    import dask
    import dask.array as da

    import allograph as ag

    x = da.zeros((count, 8), chunks=(1, 8), dtype="float32")
    f = ag.function(lambda x: x + 1.0, jit_compile=True)
    ours = ag.distribute.map_blocks(f, x)
    numpys = da.map_blocks(lambda x: x + np.float32(1), x, dtype=x.dtype)
    with dask.config.set(scheduler="sync"):
        found = least({"ours": ours.compute, "numpy": numpys.compute}, rounds)
    more = (found["ours"] - found["numpy"]) / count
    print(f"a block call: {1e6 * found['ours'] / count:.0f} us, ", end="")
    print(f"{1e6 * found['numpy'] / count:.0f} us with NumPy; overhead {1e6 * more:.0f} us")


COUNT = "x = 0\nfor i in range(30_000_000): x += i & 7"
ADD = """
import numpy as np
x = np.ones(1 << 15)  # stays in the cache of a core
for _ in range(200_000): np.add(x, 1.0, out=x)
"""


def machine_scaling(script: str, rounds: int = 3) -> float:
    """How much more two processes of plain Python do than one, in the same time."""

    def run(count: int) -> None:
        command = [sys.executable, "-c", script]
        environment = {**os.environ, "OMP_NUM_THREADS": "1"}
        started = [subprocess.Popen(command, env=environment) for _ in range(count)]
        codes = [one.wait() for one in started]
        assert not any(codes)

    found = least({1: lambda: run(1), 2: lambda: run(2)}, rounds)
    return 2 * found[1] / found[2]


def workers(rounds: int = 3, size: int = 8000) -> None:
    from dask.distributed import Client, LocalCluster

    sys.path.append(str(EXAMPLES))
    import denoise_large as example

    import allograph as ag

    with tempfile.TemporaryDirectory() as folder:
        noisy = example.write_noisy(f"{folder}/noisy.npy", size)
        options = {"threads_per_worker": 1, "dashboard_address": None, "local_directory": folder}
        with (
            LocalCluster(n_workers=1, **options) as one,
            LocalCluster(n_workers=2, **options) as two,
            Client(one) as first,
            Client(two) as second,
        ):

            def run(client):
                import dask.array as da

                image = da.from_array(noisy, chunks=(1000, 1000))
                cleaned = ag.distribute.map_overlap(
                    example.denoised, image, depth=example.STEPS, boundary="nearest"
                )
                client.compute(cleaned.sum()).result()

            run(first), run(second)
            found = least({1: lambda: run(first), 2: lambda: run(second)}, rounds)
    print(
        f"{size} by {size} pixels: {found[1]:.1f} s on one worker, {found[2]:.1f} s on two; ",
        end="",
    )
    print(f"ratio {found[1] / found[2]:.2f}")
    print(
        f"two processes against one on this machine: {machine_scaling(COUNT):.2f} counting, "
        f"{machine_scaling(ADD):.2f} adding arrays"
    )


def main(*names: str) -> None:
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    parts = {"start": starts, "blocks": blocks, "workers": workers}
    for name in names or parts:
        parts[name]()
    print(f"load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
