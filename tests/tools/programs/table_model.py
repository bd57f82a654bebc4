"""The model of `table`."""

import csv
import io


def read(text):
    rows = list(csv.DictReader(io.StringIO(text)))
    return [(row["city"], float(row["value"])) for row in rows]


def totals(rows):
    sums = {}
    for city, value in rows:
        sums.setdefault(city, []).append(value)
    return {city: sum(values) / len(values) for city, values in sums.items()}
