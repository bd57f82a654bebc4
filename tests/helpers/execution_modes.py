"""Options of `function` that say whether a graph runs on NumPy or as native code, in all calls."""

PLAN = {"kernel_compiler": "none"}
NATIVE = {"jit_compile": True}


def pinned(native: bool) -> dict:
    return NATIVE if native else PLAN
