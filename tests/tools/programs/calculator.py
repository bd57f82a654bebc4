"""A program of two files: `calculator`."""

from calculator_model import evaluated

for expression in ("3 4 + 2 *", "5 1 2 + 4 * + 3 -", "1 0 /"):
    try:
        total = 0.0
        for _ in range(2000):
            total += evaluated(expression)
        print(expression, total)
    except ZeroDivisionError as error:
        print(expression, "fails:", error)
