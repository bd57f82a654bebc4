"""Runs the workloads: engines, worker processes, hardware limits and reports."""
