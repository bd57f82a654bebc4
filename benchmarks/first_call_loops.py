"""Loops over single numbers, for `first_calls.py`."""


def collatz(n):
    best = 0
    for start in range(1, n):
        x = start
        steps = 0
        while x != 1:
            if x % 2 == 0:
                x = x // 2
            else:
                x = 3 * x + 1
            steps += 1
        if steps > best:
            best = steps
    return best


def newton(a):
    x = a
    while abs(x * x - a) > 1e-6:
        x = 0.5 * (x + a / x)
    return x
