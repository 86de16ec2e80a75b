"""The columns of a fact are written once, and what is stored depends on their order."""

from reports.fact_rows import make_fact

from callscope.reports.models import CallFact
from callscope.reports.store import version
from callscope.reports.store.aggregate import CALL_COLUMNS
from callscope.reports.store.fact_row import COUNTED_FIELDS, FactRow


class TestFactRow:
    def test_has_every_column_of_the_table(self):
        assert set(FactRow._fields) == {field.attname for field in CallFact._meta.concrete_fields}

    def test_counts_alike_whatever_is_only_listed(self):
        fact = make_fact()

        listed = fact._replace(call_id=9, at_us=9, score_bp=9, missing_prompts=9, has_answers=True)

        assert listed.counted == fact.counted

    def test_counts_differently_by_every_other_column(self):
        fact = make_fact()

        for field in COUNTED_FIELDS:
            assert fact._replace(**{field: object()}).counted != fact.counted

    def test_gives_the_matrix_of_calls_a_column_for_each_counted_field_and_a_sign(self):
        assert len(CALL_COLUMNS) == len(COUNTED_FIELDS) + 1
        assert (CALL_COLUMNS[0], CALL_COLUMNS[-1]) == ("sign", "criteria")


class TestLayout:
    def test_is_the_one_that_stores_in_the_field_were_built_with(self):
        assert version.LAYOUT == "571abdf50cd0f46a"
