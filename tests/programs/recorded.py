"""What the programs of `guides.py` give, as JSON.

python tests/programs/recorded.py     # with TensorFlow: writes expected.json
"""

import json
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
EXPECTED = HERE / "expected.json"


def as_plain(value):
    """A result as JSON: arrays with their type and shape."""
    if isinstance(value, dict):
        return {str(key): as_plain(one) for key, one in sorted(value.items())}
    if isinstance(value, (list, tuple)):
        return [as_plain(one) for one in value]
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    array = np.asarray(value.numpy() if hasattr(value, "numpy") else value)
    flat = array.reshape(-1)
    if array.dtype.kind == "c":
        flat = flat.view(flat.real.dtype)
    if array.dtype.kind in "OS":
        flat = [one.decode() for one in flat.tolist()]
    elif flat.dtype.kind == "f":
        flat = [float(f"{one:.9g}") for one in flat.tolist()]
    else:
        flat = flat.tolist()
    name = "string" if array.dtype.kind in "OS" else array.dtype.name
    return {"dtype": name, "shape": list(array.shape), "values": flat}


if __name__ == "__main__":
    import tensorflow

    sys.modules["allograph"] = tensorflow
    sys.path.insert(0, str(HERE.parent))
    from programs.guides import PROGRAMS

    found = {name: as_plain(run()) for name, run in PROGRAMS.items()}
    rows = ",\n".join(f"{json.dumps(name)}: {json.dumps(one)}" for name, one in found.items())
    EXPECTED.write_text("{\n" + rows + "\n}\n", encoding="utf-8")
