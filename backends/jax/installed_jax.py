"""JAX, imported when it is first used."""

from __future__ import annotations

import importlib
from typing import Any


class LaterModule:
    """A module that is imported when an attribute of it is first read."""

    def __init__(self, name: str):
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        try:
            value = getattr(importlib.import_module(self._name), attribute)
        except ModuleNotFoundError as error:
            raise ModuleNotFoundError(
                "JAX is not installed: pip install 'allograph[jax]'", name=error.name
            ) from None
        setattr(self, attribute, value)
        return value


jax: Any = LaterModule("jax")
jnp: Any = LaterModule("jax.numpy")
lax: Any = LaterModule("jax.lax")
jex: Any = LaterModule("jax.extend.core")
