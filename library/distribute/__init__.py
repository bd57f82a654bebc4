"""Functions on the blocks of Dask arrays, in threads, processes or a cluster."""

from . import blocks, mapping, strategy
