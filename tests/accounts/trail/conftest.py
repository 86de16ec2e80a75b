"""A spool of its own for each test: on SQLite the notes are in a file that no rollback empties."""

import pytest


@pytest.fixture(autouse=True)
def _own_data_folder(settings, tmp_path):
    settings.DATA_DIR = tmp_path
