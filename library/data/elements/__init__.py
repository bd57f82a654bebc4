"""Elements of datasets: their structure, types and stored form, and the nodes that produce them."""
