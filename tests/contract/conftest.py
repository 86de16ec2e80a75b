"""What all tests of the contract share."""

import pytest
from django.core import signals
from django.db import close_old_connections


@pytest.fixture(autouse=True)
def _one_connection():
    """Keep the connection of the test open across requests, as Django's own test client does."""
    signals.request_started.disconnect(close_old_connections)
    signals.request_finished.disconnect(close_old_connections)
    yield
    signals.request_started.connect(close_old_connections)
    signals.request_finished.connect(close_old_connections)
