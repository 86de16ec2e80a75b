"""The agreement of machine and people in blind reviews, measured once for each set of reviews.

Ten thousand reviews hold some 200,000 answers, which take seconds to read. What was submitted does not
change, so what was measured is kept in the process under all that it follows from: the reviews that
count with the moments of their latest change, and the names of the criteria. Both are asked each time.
"""

import datetime as dt
import hashlib
import threading
from collections import OrderedDict, defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from django.db.models import CharField
from django.db.models.functions import Cast

from callscope.reviews.agreement import AnswerPair, MeasuredAgreement, measure_agreement
from callscope.reviews.blind_pairs import (
    choose_first,
    filter_days,
    list_blind_reviews,
    load_pairs,
    load_rubric_names,
)

MOST_EXAMPLES = 25  # of a criterion
KEPT = 16  # measurements in one process, of some 100 kB each


class Apart(NamedTuple):
    """Where machine and people disagree on one criterion."""

    calls: int
    examples: list[AnswerPair]  # the first of them


class BlindAgreement(NamedTuple):
    """What was measured, and the disagreements by the id and name of their criterion. Not to be changed."""

    measured: MeasuredAgreement
    apart: dict[tuple[str, str], Apart]


_kept: OrderedDict[bytes, BlindAgreement] = OrderedDict()
_lock = threading.Lock()


def measure_blind_reviews(
    project_ids: Sequence[int], *, first: dt.datetime | None, after: dt.datetime | None
) -> BlindAgreement:
    """Measure the blind reviews of calls from `first` to before `after`; None leaves that side open."""
    reviews = filter_days(list_blind_reviews(project_ids), first=first, after=after)
    chosen = choose_first(reviews)
    changes = reviews.annotate(changed=Cast("changed_at", CharField())).order_by("pk")
    rests_on = (
        chosen,
        list(changes.values_list("pk", "changed")),
        sorted(load_rubric_names(project_ids).items()),
    )
    key = hashlib.blake2b(repr(rests_on).encode()).digest()
    with _lock:
        if key in _kept:
            _kept.move_to_end(key)
            return _kept[key]
    pairs = load_pairs(project_ids, chosen)
    found = BlindAgreement(measure_agreement(pairs), find_apart(pairs))
    with _lock:
        _kept[key] = found
        while len(_kept) > KEPT:
            _kept.popitem(last=False)
    return found


def find_apart(pairs: Sequence[AnswerPair]) -> dict[tuple[str, str], Apart]:
    """Return the disagreements among the pairs, by criterion."""
    found: defaultdict[tuple[str, str], list[AnswerPair]] = defaultdict(list)
    for pair in pairs:
        if pair.machine != pair.person:
            found[pair.criterion_id, pair.name].append(pair)
    return {criterion: Apart(len(each), each[:MOST_EXAMPLES]) for criterion, each in found.items()}
