"""The model of `quantiles`."""

import statistics


def summary(values):
    ordered = sorted(values)
    middle = ordered[len(ordered) // 2]
    deviation = statistics.pstdev(ordered)
    runs = 1
    for k in range(1, len(values)):
        if (values[k] > middle) != (values[k - 1] > middle):
            runs += 1
    return middle, deviation, runs
