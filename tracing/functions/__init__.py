"""`function`: tracing, the trace cache, dispatch and guards."""
