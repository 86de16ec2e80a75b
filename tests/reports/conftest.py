"""Worlds of analysed calls, brought in through the product's own import."""

import io
import json

import pytest


@pytest.fixture
def bring_in():
    """Return a function that imports lines into a project and fails on a line that is wrong."""
    from callscope.pipeline.transfer.importer import import_calls

    def bring(project, *lines):
        text = "\n".join(json.dumps(line) for line in lines)
        result = import_calls(project, io.BytesIO(text.encode()))
        assert not result.errors

    return bring
