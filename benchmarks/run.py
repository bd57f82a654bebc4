"""Measure, print a table, and store it: `python benchmarks/run.py [GROUP ...]`.

Groups: loops, recursions, arrays, overheads, training.
"""

import argparse
import importlib
from pathlib import Path

from harness import measure, table, write

GROUPS = ("loops", "recursions", "arrays", "overheads", "training")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("groups", nargs="*", default=GROUPS, help="all, if none")
    parser.add_argument("--rounds", type=int, help="samples of each contestant")
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results")
    options = parser.parse_args()
    results = []
    for group in options.groups:
        for workload in importlib.import_module(group).workloads():
            workload.rounds = options.rounds or workload.rounds
            results.append(measure(workload))
            print(table(results[-1:]).splitlines()[-1], flush=True)
    print("\n" + write(results, options.output))


if __name__ == "__main__":
    main()
