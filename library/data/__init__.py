"""Datasets: `Dataset`, its iterators, and the files that it reads."""

from .datasets import dataset, experimental_functions, iterators, sequences_of_arrays
from .elements import dataset_specs
from .readers import csv_tables, file_datasets
