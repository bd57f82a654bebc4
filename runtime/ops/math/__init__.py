"""Element-wise operations, reductions and scans."""
