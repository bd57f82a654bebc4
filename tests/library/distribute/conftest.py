"""What the tests of distributed work share."""

import pytest


@pytest.fixture(scope="module")
def client():
    """A client of two workers of Dask, which are threads of this process."""
    distributed = pytest.importorskip("distributed")
    with distributed.Client(
        processes=False, n_workers=2, threads_per_worker=1, dashboard_address=None
    ) as client:
        yield client
