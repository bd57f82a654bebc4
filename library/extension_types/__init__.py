"""Extension types: classes whose fields are tensors, as values of traces, and functions of them."""
