"""Tables of the ziggurat method for normal and exponential numbers: those of `np.random.Generator`.

Source: Marsaglia and Tsang, "The ziggurat method for generating random variables", 2000. The area
under the density is covered by 256 layers of equal area. Layer 0 has the tail, from `START`, or
`EXPONENTIAL_START`, on.
"""

from __future__ import annotations

import functools
import io
import pkgutil

import numpy as np

LAYERS, SCALE = 256, 2**53
START = 3.6541528853610087963519472518
EXPONENTIAL_START = 7.69711747013104972
MULTIPLIER = 0x2360ED051FC65DA44385DF649FCCF645  # of the steps of PCG64


@functools.cache
def ziggurat() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For each layer: the integers below which a point is under the density, the width of a layer
    for an integer, and the density at its edge.
    """
    content = pkgutil.get_data(__package__, "ziggurat.npy")
    limits, widths, densities = np.load(io.BytesIO(content or b""))
    return limits, widths.view(np.float64), densities.view(np.float64)


@functools.cache
def exponential_ziggurat() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The same for exponential numbers, whose integers have a bit more."""
    widths = _exponential_widths()
    edges = widths * SCALE
    inner = np.array([EXPONENTIAL_START, 0.0, *edges[1:-1]])
    densities = np.exp(-edges)
    densities[0] = 1.0
    return (inner / edges * SCALE).astype(np.uint64), widths, densities


def _exponential_widths() -> np.ndarray:
    """What NumPy gives for an integer of each layer, whose point is under the density, for a unit
    of that integer. The layer and the integer start at bits 3 and 11 of what it draws.
    """
    source = np.random.PCG64(0)
    generator, state = np.random.Generator(source), source.state
    inverse, small = pow(MULTIPLIER, -1, 2**128), 2**40
    widths = []
    for layer in range(LAYERS):
        bits = small << 11 | layer << 3  # what the next step gives
        state["state"]["state"] = (bits - state["state"]["inc"]) * inverse % 2**128
        source.state = state
        widths.append(generator.standard_exponential() / small)
    return np.array(widths)
