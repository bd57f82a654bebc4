"""Machine code into memory: object files, executable memory, external symbols."""
