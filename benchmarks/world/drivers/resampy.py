"""Sounds at other rates."""

import numpy as np
import resampy

from . import attempt

SOUND = np.sin(np.arange(400) * 0.2)


def use_resampling():
    for new_rate in (80, 160, 110):
        for dtype in (np.float64, np.float32):
            attempt(resampy.resample, SOUND.astype(dtype), 100, new_rate, filter="kaiser_fast")
    attempt(resampy.resample, np.stack([SOUND, -SOUND]), 100, 150, filter="kaiser_fast")
    attempt(resampy.resample_nu, SOUND, 100, np.linspace(0.1, 3.5, 50), filter="kaiser_fast")
    attempt(resampy.resample, SOUND, 100, 80, filter="kaiser_fast", parallel=True)
