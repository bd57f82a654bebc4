"""`config.optimizer`: which passes run, by name."""

from __future__ import annotations

from ...extend.graphs import OPTIMIZATIONS, SKIPPED
from ...extend.registration import public

# Names of the reference for what passes here do.
SAME = {
    "constant_folding": "fold_constants",
    "arithmetic_optimization": "simplify",
    "dependency_optimization": "eliminate_dead_code",
    "loop_optimization": "hoist_loop_invariants",
    "function_optimization": "inline_calls",
    "common_subgraph_elimination": "eliminate_common_subexpressions",
}
WITHOUT_EFFECT = {
    "layout_optimizer", "shape_optimization", "remapping", "debug_stripper",
    "disable_model_pruning", "scoped_allocator_optimization", "pin_to_host_optimization",
    "implementation_selector", "auto_mixed_precision", "min_graph_nodes",
    "auto_parallel", "disable_meta_optimizer",
}  # fmt: skip
_NAMES = [row.name for row in OPTIMIZATIONS]
_OPTIONS: dict[str, bool] = {}
_JIT = [""]


@public("config.optimizer.set_experimental_options")
def set_experimental_options(options: dict) -> None:
    """Switch passes over graphs on or off, by name, for the functions that are traced from now on.

    The names are those of the passes (`fold_constants`, `simplify`, ...), and TensorFlow's for the
    same. `disable_meta_optimizer` switches all of them off. Other options of TensorFlow have no
    effect.

    >>> import allograph as ag
    >>> ag.config.optimizer.set_experimental_options({"constant_folding": False})
    >>> ag.config.optimizer.get_experimental_options()
    {'constant_folding': False}
    >>> ag.config.optimizer.set_experimental_options({"constant_folding": True})

    Raises ValueError for another name.
    """
    for name, value in options.items():
        if name not in _NAMES and name not in SAME and name not in WITHOUT_EFFECT:
            raise ValueError(f"{name!r} is not one of {', '.join([*_NAMES, *SAME])}")
        _OPTIONS[name] = value
        if name == "disable_meta_optimizer":
            (SKIPPED.update if value else SKIPPED.difference_update)(_NAMES)
        elif name not in WITHOUT_EFFECT:
            (SKIPPED.discard if value else SKIPPED.add)(SAME.get(name, name))


@public("config.optimizer.get_experimental_options")
def get_experimental_options() -> dict:
    """The options that `config.optimizer.set_experimental_options` has set."""
    return dict(_OPTIONS)


@public("config.optimizer.set_jit")
def set_jit(enabled) -> None:
    """Note a wish: functions that cost enough become native code anyway.

    `function(jit_compile=True)` compiles a function before its first call.
    """
    _JIT[0] = "autoclustering" if enabled else ""


@public("config.optimizer.get_jit")
def get_jit() -> str:
    """What `config.optimizer.set_jit` said: "autoclustering" or ""."""
    return _JIT[0]
