"""The tables of the ziggurat method for normal numbers, as `np.random.Generator` has them.

Source: Marsaglia and Tsang, "The ziggurat method for generating random variables", 2000. The area
under the normal density is covered by 256 layers of equal area. Layer 0 has the tail, from `START`
on.
"""

from __future__ import annotations

import functools

import numpy as np

LAYERS, SCALE = 256, 2**52
START = 3.6541528853610087963519472518
MULTIPLIER = 0x2360ED051FC65DA44385DF649FCCF645  # of the steps of PCG64


@functools.cache
def ziggurat() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For each layer: the integers below which a point is under the density, the width of a layer
    for an integer, and the density at its edge.
    """
    widths = _widths()
    edges = widths * SCALE
    inner = np.array([START, 0.0, *edges[1:-1]])
    densities = np.exp(-0.5 * edges * edges)
    densities[0] = 1.0
    return (inner / edges * SCALE).astype(np.uint64), widths, densities


def _widths() -> np.ndarray:
    """What NumPy gives for an integer of each layer, whose point is under the density."""
    source = np.random.PCG64(0)
    generator, state = np.random.Generator(source), source.state
    inverse, small = pow(MULTIPLIER, -1, 2**128), 2**40
    widths = []
    for layer in range(LAYERS):
        bits = small << 9 | layer  # what the next step gives
        state["state"]["state"] = (bits - state["state"]["inc"]) * inverse % 2**128
        source.state = state
        widths.append(generator.standard_normal() / small)
    return np.array(widths)
