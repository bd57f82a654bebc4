"""What to use in place of members that tensors lack, for messages."""

from __future__ import annotations

# Members of arrays, which tensors have under `enable_numpy_behavior` only, and what does the same.
ARRAY_MEMBERS = {
    "T": "ag.transpose(x)",
    "all": "ag.reduce_all(x != 0)",
    "any": "ag.reduce_any(x != 0)",
    "argmax": "ag.argmax(x)",
    "argmin": "ag.argmin(x)",
    "argsort": "ag.argsort(x)",
    "astype": "ag.cast(x, ag.float64)",
    "clip": "ag.clip_by_value(x, 0, 1)",
    "compress": "ag.boolean_mask(x, x > 0)",
    "conj": "ag.math.conj(x)",
    "copy": "ag.identity(x)",
    "cumprod": "ag.math.cumprod(x)",
    "cumsum": "ag.cumsum(x)",
    "diagonal": "ag.linalg.diag_part(x)",
    "dot": "ag.tensordot(x, y, 1)",
    "flatten": "ag.reshape(x, [-1])",
    "imag": "ag.math.imag(ag.cast(x, ag.complex128))",
    "itemsize": "x.dtype.size",
    "max": "ag.reduce_max(x)",
    "mean": "ag.reduce_mean(x)",
    "min": "ag.reduce_min(x)",
    "nbytes": "ag.size(x) * x.dtype.size",
    "nonzero": "ag.where(x)",
    "prod": "ag.reduce_prod(x)",
    "ravel": "ag.reshape(x, [-1])",
    "real": "ag.math.real(x)",
    "repeat": "ag.repeat(x, 2)",
    "reshape": "ag.reshape(x, [-1])",
    "round": "ag.round(x)",
    "searchsorted": "ag.searchsorted(x, y)",
    "size": "ag.size(x)",
    "squeeze": "ag.squeeze(x)",
    "std": "ag.math.reduce_std(x)",
    "sum": "ag.reduce_sum(x)",
    "swapaxes": "ag.experimental.numpy.swapaxes(x, 0, 1)",
    "take": "ag.gather(x, [0])",
    "tolist": "x.numpy().tolist()",
    "trace": "ag.linalg.trace(x)",
    "transpose": "ag.transpose(x)",
    "var": "ag.math.reduce_variance(x)",
}
# Methods of Python's strings and lists.
PYTHON_MEMBERS = {
    "append": "ag.concat([x, [y]], 0)",
    "extend": "ag.concat([x, y], 0)",
    "lower": "ag.strings.lower(x)",
    "replace": 'ag.strings.regex_replace(x, "a", "b")',
    "split": "ag.strings.split(x)",
    "startswith": 'ag.strings.regex_full_match(x, "a.*")',
    "strip": "ag.strings.strip(x)",
    "upper": "ag.strings.upper(x)",
}
# Members of arrays that change them, or through which they are changed.
CHANGING_MEMBERS = {
    "fill": "ag.fill(ag.shape(x), 0.0)",
    "flat": "ag.reshape(x, [-1])",
    "itemset": "ag.tensor_scatter_nd_update(x, [[0]], [y])",
    "partition": "ag.sort(x)",
    "put": "ag.tensor_scatter_nd_update(x, [[0]], [y])",
    "resize": "ag.reshape(x, [-1])",
    "sort": "ag.sort(x)",
}
# Members of the tensors of PyTorch and JAX.
TORCH_MEMBERS = {
    "add_": "x.assign_add(y) on a Variable x",
    "at": "ag.tensor_scatter_nd_update(x, [[0]], [y]), or x[0] = y in a decorated function",
    "backward": "tape.gradient(y, x), where ag.GradientTape() as tape recorded y",
    "bool": "ag.cast(x, ag.bool)",
    "clone": "ag.identity(x)",
    "cpu": "x.numpy()",
    "detach": "ag.stop_gradient(x)",
    "dim": "x.ndim",
    "double": "ag.cast(x, ag.float64)",
    "expand": "ag.broadcast_to(x, [2, 3])",
    "fill_": "x.assign(ag.fill(x.shape, y)) on a Variable x",
    "float": "ag.cast(x, ag.float32)",
    "grad": "tape.gradient(y, x), where ag.GradientTape() as tape recorded y",
    "int": "ag.cast(x, ag.int32)",
    "long": "ag.cast(x, ag.int64)",
    "matmul": "x @ y",
    "mm": "x @ y",
    "mul_": "x.assign(x * y) on a Variable x",
    "numel": "ag.size(x)",
    "permute": "ag.transpose(x, [1, 0])",
    "requires_grad": "ag.Variable(x), or tape.watch(x)",
    "requires_grad_": "ag.Variable(x), or tape.watch(x)",
    "sub_": "x.assign_sub(y) on a Variable x",
    "to": "ag.cast(x, ag.float64) for another dtype; there is one device, the CPU",
    "unsqueeze": "ag.expand_dims(x, 0)",
    "view": "ag.reshape(x, [-1])",
    "zero_": "x.assign(ag.zeros_like(x)) on a Variable x",
}
ASSIGNMENTS = {  # of variables
    "assign": "v.assign(v * 2.0) changes it, where v = v * 2.0",
    "assign_add": "v.assign_add(2.0) changes it, where v += 2.0",
    "assign_sub": "v.assign_sub(2.0) changes it, where v -= 2.0",
}
VALUE_MEMBERS = ("numpy", "item")  # of eager tensors alone


def advice_of(name: str, builder) -> str:
    """What to use in place of a member that tensors lack; `builder` is that of a traced one."""
    if name in VALUE_MEMBERS and builder is not None and builder.closed:
        return (
            f"it is out of scope, as it belongs to the graph of '{builder.name}'. Return it "
            "from the function, or keep it in a variable"
        )
    is_traced = builder is not None
    elsewhere = PYTHON_MEMBERS.get(name) or TORCH_MEMBERS.get(name)
    if elsewhere:
        return f"use {elsewhere}"
    if name in CHANGING_MEMBERS:
        return f"a tensor does not change. Use {CHANGING_MEMBERS[name]}"
    if name in ASSIGNMENTS:
        chosen = ". A variable that a staged `if` chooses is a tensor, too: assign in its blocks"
        return (
            "a tensor does not change. Keep the Variable: "
            f"{ASSIGNMENTS[name]} gives its name to a tensor{chosen if is_traced else ''}"
        )
    if name == "tolist" and is_traced:
        return "it has no values while tracing; ag.unstack(x) is a list of tensors"
    if name in ARRAY_MEMBERS:
        return (
            f"use {ARRAY_MEMBERS[name]}, or let tensors behave as NumPy arrays with "
            "ag.experimental.enable_numpy_behavior()"
        )
    return (
        "a tensor of a traced function has a value only when the graph runs. Leave "
        f".{name}() out, print it with ag.print(x), or call Python with ag.py_function"
    )
