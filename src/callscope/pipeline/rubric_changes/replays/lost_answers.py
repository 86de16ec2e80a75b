"""Which answers of people no longer count once calls are scored again by a draft.

That needs no replay: a review keeps what its criteria asked, and an answer counts on where the draft asks the
same (reviews.effect). So all calls that are scored again are counted. The draft need not be the reason: a
criterion that an earlier version changed loses its answers, too, where calls were not scored again since.
It gives no answer away, so it is also said to people who have still to review one of the calls.
"""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from django.db.models import BinaryField, ExpressionWrapper, F

from callscope.db.chunks import chunked
from callscope.db.compression import decompress
from callscope.pipeline.models import Replay
from callscope.pipeline.rubric_changes.replays.drafts import compose_draft, find_comparable
from callscope.projects import configuration
from callscope.projects.configuration import Configuration
from callscope.projects.models import Project
from callscope.reports.window import ALL_TIME, Window
from callscope.reviews.criteria import StoredCriterion, describe_criteria, takes_answer
from callscope.reviews.models import Review, ReviewAnswer

REVIEWS_AT_ONCE = 500
# In nothing else do the criteria differ that reviews keep of the results of one version.
MACHINE_ANSWER = re.compile(rb'"machine_answer":(?:null|"[a-z_]+")')


class LosingCriterion(NamedTuple):
    """A criterion that asks something else in the draft than people answered, or is gone."""

    name: str  # in the draft; of one that is gone, in a review
    answers: int


@dataclass(frozen=True, slots=True)
class LostAnswers:
    """Answers of people that count today and will not once their calls are scored again."""

    answers: int
    calls: int  # with such an answer
    criteria: list[LosingCriterion]  # those with the most answers first


class _Unfit(NamedTuple):
    """A criterion of a review that the draft lacks, or asks otherwise."""

    name: str
    kept: frozenset[str]  # answers that the draft takes all the same


class _Draft:
    """What the criteria of a draft make of those that people answered."""

    def __init__(self, config: Configuration) -> None:
        self._criteria = describe_criteria(config)
        self._unfit: dict[bytes, dict[str, _Unfit]] = {}  # of the same criteria, which thousands share

    def find_unfit(self, stored: bytes) -> dict[str, _Unfit]:
        """Return by id those criteria of a review, as they are stored, that can lose an answer."""
        text = decompress(stored)
        asked = hashlib.blake2b(MACHINE_ANSWER.sub(b"", text), digest_size=16).digest()
        if asked not in self._unfit:
            self._unfit[asked] = dict(self._list_unfit(json.loads(text)))
        return self._unfit[asked]

    def _list_unfit(self, reviewed: Iterable[StoredCriterion]) -> Iterator[tuple[str, _Unfit]]:
        for asked in reviewed:
            criterion = self._criteria.get(asked["criterion_id"])
            if criterion is None:
                yield asked["criterion_id"], _Unfit(asked["name"], frozenset())
                continue
            kept = frozenset(each for each in asked["allowed"] if takes_answer(criterion, each, asked))
            if len(kept) < len(asked["allowed"]):
                yield asked["criterion_id"], _Unfit(criterion["name"], kept)


def count_lost_answers(replay: Replay, project: Project, window: Window = ALL_TIME) -> LostAnswers:
    """Return the answers that the calls of a window lose if they are scored again by the draft of a replay.

    None where the machine's answers count, today or by the draft. A call that then cannot be judged keeps its
    results and answers; that is not known beforehand.
    """
    draft = configuration.parse(compose_draft(replay, project), is_stored=True)
    if {project.configuration.reviews.counts, draft.reviews.counts} != {"final"}:
        return LostAnswers(0, 0, [])
    order = {criterion.id: place for place, (_, criterion) in enumerate(draft.rubric.criteria())}
    lost, names, reviews = Counter[str](), dict[str, str](), set[int]()
    for review, criterion_id, name in _read_lost(_Draft(draft), project, window):
        lost[criterion_id] += 1
        names[criterion_id] = name
        reviews.add(review)
    most_first = sorted(lost, key=lambda each: (-lost[each], order.get(each, len(order)), each))
    criteria = [LosingCriterion(names[each], lost[each]) for each in most_first]
    return LostAnswers(lost.total(), len(reviews), criteria)


def _read_lost(draft: _Draft, project: Project, window: Window) -> Iterator[tuple[int, str, str]]:
    """Yield the review, criterion and name of the criterion of each answer in a call of a window."""
    current = Review.objects.filter(
        project=project, is_current=True, call__in=find_comparable(project, window).values("call")
    )
    as_stored = ExpressionWrapper(F("criteria"), output_field=BinaryField())
    rows = current.order_by("pk").values_list("pk", as_stored, "outdated_criteria")
    for portion in chunked(rows.iterator(chunk_size=REVIEWS_AT_ONCE), REVIEWS_AT_ONCE):
        unfit = {
            (review, criterion_id): found
            for review, stored, outdated in portion
            for criterion_id, found in draft.find_unfit(bytes(stored)).items()
            if criterion_id not in outdated
        }
        answers = ReviewAnswer.objects.filter(
            review__in={review for review, _ in unfit}, criterion_id__in={each for _, each in unfit}
        )
        for review, criterion_id, answer in answers.values_list("review", "criterion_id", "answer"):
            found = unfit.get((review, criterion_id))
            if found is not None and answer not in found.kept:
                yield review, criterion_id, found.name
