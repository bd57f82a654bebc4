"""The programs without loops that data ends, as functions of PyTorch."""

from __future__ import annotations

from collections.abc import Callable

import torch

from . import Sizes, Work
from .own import GELU

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


def prepare() -> str:
    """Start the device; what it is."""
    torch.zeros(4, device=DEVICE).sum().item()
    return torch.cuda.get_device_name(0) if DEVICE == "cuda" else DEVICE


def wait(result):
    """Wait until a result is there."""
    if DEVICE == "cuda":
        torch.cuda.synchronize()
    return result


def gelu(x):
    return 0.5 * x * (1.0 + torch.tanh(GELU * (x + 0.044715 * x * x * x)))


def small_call(x):
    return x * 2.0 + 1.0


def rows(sizes: Sizes) -> dict[str, Callable[[], Work]]:
    """What makes the work of each program."""

    def compiled():
        function, x = torch.compile(gelu), torch.rand(sizes.gelu, device=DEVICE)
        return Work(lambda: function(x), wait)

    def product():
        a, b = (torch.rand(sizes.product, sizes.product, device=DEVICE) for _ in "ab")
        return Work(lambda: a @ b, wait)

    def called():
        x = torch.rand(sizes.small, device=DEVICE)
        return Work(lambda: small_call(x), wait, sizes.repeated)

    return {"gelu": compiled, "matrix product": product, "small call": called}
