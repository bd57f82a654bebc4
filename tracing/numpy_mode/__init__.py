"""NumPy mode: functions of NumPy arrays, which change in place, become graphs of values."""
