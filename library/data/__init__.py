"""Datasets: `Dataset`, its iterators, and the files that it reads."""

from . import dataset, files, forms, iterators, records, specs, tables
