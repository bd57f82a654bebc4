"""Random numbers of further distributions, and generators of random numbers."""
