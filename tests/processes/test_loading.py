"""The garbage collector while packages are loaded."""

import gc

import pytest

from callscope.processes.loading import rest_collector


class TestCollector:
    def test_rests_meanwhile_and_works_afterwards(self):
        with rest_collector():
            assert not gc.isenabled()

        assert gc.isenabled()

    def test_works_after_a_load_that_failed(self):
        with pytest.raises(ImportError), rest_collector():
            import no_such_package  # noqa: F401

        assert gc.isenabled()

    def test_looks_no_more_at_what_was_loaded(self):
        before = gc.get_freeze_count()

        with rest_collector():
            loaded = [[] for _ in range(1000)]

        assert gc.get_freeze_count() >= before + len(loaded)

    def test_stays_off_where_it_was(self):
        gc.disable()
        try:
            with rest_collector():
                pass

            assert not gc.isenabled()
        finally:
            gc.enable()
