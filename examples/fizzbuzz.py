"""FizzBuzz, traced once: the `for`, the `if` chain and the prints are all in the graph.

python examples/fizzbuzz.py [LIMIT]
"""

import sys

import allograph as ag


@ag.function
def fizzbuzz(limit):
    print("traced")  # Python's print runs while the function is traced, and only then
    for n in ag.range(1, limit + 1):
        if n % 15 == 0:
            ag.print("fizzbuzz")
        elif n % 3 == 0:
            ag.print("fizz")
        elif n % 5 == 0:
            ag.print("buzz")
        else:
            ag.print(n)


def main(limit=15):
    fizzbuzz(ag.constant(limit))
    fizzbuzz(ag.constant(3))  # an argument of the same type: the same graph, not traced again


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
