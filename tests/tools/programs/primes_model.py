"""The model of `primes`."""


def sieve(most):
    is_prime = [True] * (most + 1)
    is_prime[0] = is_prime[1] = False
    k = 2
    while k * k <= most:
        if is_prime[k]:
            for multiple in range(k * k, most + 1, k):
                is_prime[multiple] = False
        k += 1
    return [n for n in range(most + 1) if is_prime[n]]


def longest_collatz(most):
    best = at = 0
    for start in range(1, most):
        n, length = start, 1
        while n != 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            length += 1
        if length > best:
            best, at = length, start
    return at, best
