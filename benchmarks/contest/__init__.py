"""What runs the workloads: engines, one process each, turns, limits of the machine, reports."""
