"""The agreement of machine and people in blind reviews, measured once for each set of reviews.

Ten thousand reviews hold some 200,000 answers, which take seconds to read. What was submitted does not
change, so what was measured is kept in the process under all that it follows from: the reviews that
count, the moments of their calls, and the versions of the settings, which name the criteria. All of
these are asked each time.
"""

import datetime as dt
import threading
from collections import OrderedDict, defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from django.db.models import Count, F, Max, QuerySet, Sum, TextField
from django.db.models.functions import Cast

from callscope.db.snapshot import snapshot
from callscope.projects.models import Project
from callscope.reviews.agreement.blind_pairs import (
    choose_first,
    filter_days,
    list_blind_reviews,
    load_finding_pairs,
    load_pairs,
)
from callscope.reviews.agreement.measures import (
    PARTS,
    AnswerPair,
    FindingPair,
    MeasuredAgreement,
    measure_agreement,
)
from callscope.reviews.models import Review

MOST_EXAMPLES = 25  # of a criterion
MODULUS = 1_000_003  # a prime; the squares of its remainders stay far below 64 bits
KEPT = 16  # measurements in one process, of some 100 kB each


class Apart(NamedTuple):
    """Where machine and people disagree on one criterion or finding."""

    calls: int
    examples: Sequence[AnswerPair | FindingPair]  # the first of them


class BlindAgreement(NamedTuple):
    """What was measured, and the disagreements by the key of their pairs. Not to be changed."""

    measured: MeasuredAgreement
    apart: dict[tuple[str, ...], Apart]
    reviews: int  # that hold the pairs


_kept: OrderedDict[object, BlindAgreement] = OrderedDict()
_lock = threading.Lock()


def measure_blind_reviews(
    project_ids: Sequence[int], *, first: dt.datetime | None, after: dt.datetime | None
) -> BlindAgreement:
    """Measure the blind reviews of calls from `first` to before `after`; None leaves that side open."""
    named = Project.objects.filter(pk__in=project_ids).order_by("pk")
    reviews = filter_days(list_blind_reviews(project_ids), first=first, after=after)
    with snapshot():  # what is kept under a key is what was there when it was asked
        key = (
            describe_reviews(reviews),
            list_moments(reviews),
            tuple(named.values_list("pk", "config_version")),
        )
        with _lock:
            if key in _kept:
                _kept.move_to_end(key)
                return _kept[key]
        chosen = choose_first(reviews)
        pairs, findings = load_pairs(project_ids, chosen), load_finding_pairs(project_ids, chosen)
    measured = measure_agreement(pairs, findings, parts=PARTS)
    found = BlindAgreement(measured, find_apart([*pairs, *findings]), len(chosen))
    with _lock:
        _kept[key] = found
        while len(_kept) > KEPT:
            _kept.popitem(last=False)
    return found


def describe_reviews(reviews: QuerySet[Review]) -> tuple[object, ...]:
    """Return what another set of reviews, or another state of one, has otherwise. An index alone answers it.

    Sums of ids and of the squares of their remainders tell sets of the same size apart.
    """
    rest = F("pk") % MODULUS
    found = reviews.aggregate(
        reviews=Count("pk"),
        ids=Sum("pk"),
        squares=Sum(rest * rest),
        reviewers=Count("reviewer"),
        revisions=Sum("revision"),
        changed=Max("changed_at"),
    )
    return tuple(found.values())


def list_moments(reviews: QuerySet[Review]) -> tuple[str, ...]:
    """Return when their calls were, as the database writes it: to parse 10,000 moments takes much longer."""
    moments = reviews.annotate(at=Cast("call__call_datetime", TextField()))
    return tuple(moments.order_by("pk").values_list("at", flat=True))


def find_apart(pairs: Sequence[AnswerPair | FindingPair]) -> dict[tuple[str, ...], Apart]:
    """Return the disagreements among the pairs, by what they are about."""
    found: defaultdict[tuple[str, ...], list[AnswerPair | FindingPair]] = defaultdict(list)
    for pair in pairs:
        if pair.machine != pair.person:
            found[pair.key].append(pair)
    return {key: Apart(len(each), each[:MOST_EXAMPLES]) for key, each in found.items()}
