"""A scheduler and workers as processes of their own, of which some are killed."""

import contextlib
import subprocess
import sys
import time

import dask
import pytest
from distributed import Client
from test_strategy import assert_equal_bits, batches, model, weights_after

import allograph as ag

pytestmark = pytest.mark.slow
PATIENCE = 120  # seconds, on a loaded machine


class Cluster:
    """`dask scheduler` and `dask worker`, which end with the context."""

    def __init__(self, folder, workers):
        folder.mkdir()
        self.folder, self.file = folder, folder / "scheduler.json"
        self.scheduler = self.started("scheduler", "--port", "0", "--host", "127.0.0.1")
        self.workers = [
            self.started("worker", "--nthreads", "1", "--no-nanny", "--host", "127.0.0.1")
            for _ in range(workers)
        ]

    def started(self, command, *options):
        words = "-m", "dask", command, "--scheduler-file", self.file, "--no-dashboard", *options
        with (self.folder / "log").open("ab") as log:
            return subprocess.Popen([sys.executable, *words], stdout=log, stderr=log)

    def __enter__(self):
        latest = time.monotonic() + PATIENCE
        while not self.file.exists() and time.monotonic() < latest:
            time.sleep(0.05)
        self.client = Client(scheduler_file=str(self.file), timeout=PATIENCE)
        self.client.wait_for_workers(len(self.workers), timeout=PATIENCE)
        return self

    def __exit__(self, *error):
        for process in [*self.workers, self.scheduler]:
            process.kill()
            process.wait()
        with contextlib.suppress(Exception):  # the scheduler is gone
            self.client.close(timeout=1)


def calling(actions):
    """A function of batches that does something before some of them, counted from 0."""
    numbers = iter(range(1000))

    def check(x, y):
        def act():
            actions.get(next(numbers), lambda: None)()
            return 0.0

        return x + ag.py_function(act, [], ag.float32), y

    return check


def test_killed_workers_and_schedulers_change_no_weight(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    expected = weights_after(2, data=batches().map(calling({})))
    folder = tmp_path / "checkpoints"
    with (
        dask.config.set({"distributed.comm.timeouts.connect": "3s"}),
        Cluster(tmp_path / "cluster", 2) as cluster,
    ):
        actions = {2: cluster.workers[0].kill, 7: cluster.scheduler.kill}
        data = batches().map(calling(actions))
        with pytest.raises(ag.errors.UnavailableError, match="Start a scheduler"):
            weights_after(2, cluster.client, data, folder=folder, every=3)
        assert cluster.workers[0].wait(PATIENCE) != 0
    trained, strategy = model(), ag.distribute.Strategy(2)
    strategy.fit(trained, batches().map(calling({})), 2, folder)  # by another worker: this process
    assert int(strategy.step) == 10
    assert_equal_bits(trained.get_weights(), expected)
