"""The world's own programs under `ag.jit`, beside plain Python: see `run.py`."""
