"""A program of two files: `gravity`."""

from gravity_model import Body, step

bodies = [
    Body(1.0, 0.0, 0.0, 0.0, 0.0),
    Body(1e-3, 1.0, 0.0, 0.0, 1.0),
    Body(1e-6, 0.0, 2.0, -0.7, 0.0),
]
for _ in range(3000):
    step(bodies, 1e-3)
for one in bodies:
    print(repr(one.x), repr(one.y))
