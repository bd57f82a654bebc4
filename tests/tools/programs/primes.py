"""A program of two files: `primes`."""

from primes_model import longest_collatz, sieve

print(len(sieve(200_000)), sieve(100)[-1], longest_collatz(4000))
total = 0
for k in range(30_000):
    total += k * k % 7
print(total, k)
