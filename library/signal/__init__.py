"""Signals: Fourier and cosine transforms, windows, frames, spectra."""

from . import cosine, fourier, mel, short_time, windows
