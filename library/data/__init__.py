"""Datasets: `Dataset`, its iterators, and the files that it reads."""

from .datasets import (
    dataset,
    experimental_functions,
    iterators,
    sequences_of_arrays,
    tables_and_groups,
)
from .elements import dataset_specs
from .readers import csv_tables, directories, file_datasets
