"""How data-parallel training scales: measured step, gradients and link; computed efficiency.

    python benchmarks/distributed_scaling.py [--batch N] [--width N] [--latency SECONDS]

The time of a step on one core, the bytes of its gradients and the rate of a TCP connection on this
machine are measured. From them follows the efficiency at 2 to 1,024 workers, each with a core and a
batch of the same size: the time of the step, divided by that time and the time to add up gradients.

star   one process gets the gradients of all workers and sends the new weights, as Strategy does
ring   each worker sends parts of the sum to the next one: 2 (n - 1) / n of the bytes, whatever n
"""

import argparse
import socket
import threading
import time
from typing import NamedTuple

import numpy as np

WORKERS = [2**power for power in range(1, 11)]
LATENCY = 50e-6  # seconds of a message in a data center
GIGABIT = 1e9 / 8


class Step(NamedTuple):
    """A training step of one worker: the seconds it computes, and the bytes of its gradients."""

    seconds: float
    gradient_bytes: int


def star_seconds(workers: int, step: Step, rate: float, latency: float) -> float:
    """The time to collect gradients in one process, and to send as many weights back."""
    return 2 * (workers * step.gradient_bytes / rate + latency)


def ring_seconds(workers: int, step: Step, rate: float, latency: float) -> float:
    """The time of an all-reduce around a ring."""
    share = step.gradient_bytes / workers
    return 2 * (workers - 1) * (share / rate + latency)


def efficiency(seconds: float, step: Step) -> float:
    """The part of the time in which workers compute."""
    return step.seconds / (step.seconds + seconds)


def limit(seconds_of, step: Step, rate: float, latency: float) -> int | None:
    """The first number of workers that spend more time on sums than on computing."""
    counts = (n for n in WORKERS if seconds_of(n, step, rate, latency) > step.seconds)
    return next(counts, None)


# ---- measurements ----------------------------------------------------------------------------


def measured_step(batch: int, width: int) -> Step:
    """The gradients of a network with three layers, on one thread."""
    import allograph as ag

    ag.config.threading.set_intra_op_parallelism_threads(1)
    layers = ag.keras.layers
    model = ag.keras.Sequential(
        [layers.Dense(width, "relu"), layers.Dense(width, "relu"), layers.Dense(10)]
    )
    model.build([None, 784])
    loss_of = ag.keras.losses.SparseCategoricalCrossentropy(from_logits=True)

    @ag.function(jit_compile=True)
    def gradients(x, y):
        with ag.GradientTape() as tape:
            loss = loss_of(y, model(x, training=True))
        return tape.gradient(loss, list(model.trainable_variables))

    generator = np.random.default_rng(0)
    x = ag.constant(generator.normal(size=(batch, 784)).astype(np.float32))
    y = ag.constant(generator.integers(0, 10, batch))
    size = sum(one.numpy().nbytes for one in gradients(x, y))
    return Step(min(_timed(gradients, x, y) for _ in range(20)), size)


def _timed(call, *arguments) -> float:
    start = time.perf_counter()
    call(*arguments)
    return time.perf_counter() - start


def measured_rate(size: int = 1 << 26) -> float:
    """Bytes per second of a TCP connection on this machine: the best of three."""
    content = bytes(size)

    def once() -> float:
        with socket.create_server(("127.0.0.1", 0)) as server:
            sender = socket.create_connection(server.getsockname())
            receiver, _ = server.accept()
            thread = threading.Thread(target=sender.sendall, args=(content,))
            buffer, left = bytearray(1 << 20), size
            start = time.perf_counter()
            thread.start()
            while left:
                left -= receiver.recv_into(buffer, min(len(buffer), left))
            seconds = time.perf_counter() - start
            thread.join()
            sender.close()
            receiver.close()
        return size / seconds

    return max(once() for _ in range(3))


def table(step: Step, rates: dict[str, float], latency: float) -> str:
    """The efficiencies as a table of Markdown, and from where the sums take more than half."""
    ways = {"star": star_seconds, "ring": ring_seconds}
    columns = [(way, name) for name in rates for way in ways]
    heads = [f"{name}, {way}" for way, name in columns]
    lines = [f"| workers | {' | '.join(heads)} |", f"|---{'|---' * len(columns)}|"]
    for workers in WORKERS:
        cells = [
            f"{100 * efficiency(ways[way](workers, step, rates[name], latency), step):.0f} %"
            for way, name in columns
        ]
        lines.append(f"| {workers:,} | {' | '.join(cells)} |")
    limits = [limit(ways[way], step, rates[name], latency) for way, name in columns]
    shown = ["none" if one is None else f"{one:,}" for one in limits]
    lines.append(f"| sums take longer from | {' | '.join(shown)} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--batch", type=int, default=256, help="rows of each worker")
    parser.add_argument("--width", type=int, default=512, help="units of a layer")
    parser.add_argument("--latency", type=float, default=LATENCY, help="seconds of a message")
    given = parser.parse_args()
    step, here = measured_step(given.batch, given.width), measured_rate()
    print(
        f"step {1e3 * step.seconds:.1f} ms, gradients {step.gradient_bytes / 1e6:.2f} MB, ", end=""
    )
    print(f"TCP here {here / GIGABIT:.0f} Gbit/s, latency {1e6 * given.latency:.0f} us")
    rates = {f"{number} Gbit/s": number * GIGABIT for number in (1, 10, 100)}
    print(table(step, {**rates, "here": here}, given.latency))


if __name__ == "__main__":
    main()
