"""Sums counted from the facts, call by call: what the rollups have to equal."""

from collections.abc import Iterator
from itertools import islice

from callscope.reports.counting import FACT_FIELDS, days_of, entries_of, heads_of
from callscope.reports.models import CallFact
from callscope.reports.sums import Sums

CHUNK = 20_000  # facts in memory at once: about 20 MB


def days(project_id: int) -> Iterator[tuple[int, Sums]]:
    """Yield (day, sums) over the facts of a project in ascending order; a day may come in several parts."""
    facts = CallFact.objects.filter(project=project_id).order_by("day")
    rows = iter(facts.values_list(*FACT_FIELDS).iterator(chunk_size=2000))
    while chunk := list(islice(rows, CHUNK)):
        for _, day, sums in days_of(heads_of(chunk), entries_of(chunk)):
            yield day, sums
