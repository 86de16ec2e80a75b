"""Check that a sentence calls nothing a rise or a fall that may be chance.

A sentence that says that something rose, fell, or is higher by day than by night is kept only where
it names a figure whose difference is outside the noise, in the direction that it says, and none whose
difference is not. overview/comparisons.py decides what is noise.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from callscope.reports.overview.comparisons import is_within_noise
from callscope.reports.overview.intervals import Interval
from callscope.reports.overview.report import Report
from callscope.reports.overview.scorecard import judge_row

UP, DOWN = 1, -1
# Words that claim a direction. "better" and its like depend on the figure.
RISES = {
    "en": r"rose|risen|ris(?:es?|ing)|increas\w*|grew|grow\w*|climb\w*|gain\w*|went up|up by|higher|jump\w*",
    "es": r"sub(?:ió|ieron|en?|ida|iendo|ido)|aument\w*|crec\w*|increment\w*|gan(?:ó|aron)|mayor|superior"
    r"|más alt[oa]s?",
}
FALLS = {
    "en": r"fell|fall(?:s|en|ing)?|dropp?\w*|decreas\w*|declin\w*|shr[aiu]nk\w*|los[te]\w*|went down|down by"
    r"|lower\w*|slipp\w*|reduc\w*",
    "es": r"baj(?:ó|aron|an?|ado|ada|ando)|ca(?:yó|yeron|en?|ído|ída|yendo)|descend\w*|disminu\w*|reduj\w*"
    r"|reduc\w*|perd(?:ió|ieron)|menor|inferior|más baj[oa]s?",
}
BETTER = {"en": r"improv\w*|better|recover\w*", "es": r"mejor\w*|recuper\w*"}
WORSE = {"en": r"worse\w*|deteriorat\w*", "es": r"peor|empeor\w*|deterior\w*"}
FIGURES = {  # by the words that name them; a pattern for each language
    "average_score": {"en": r"scores?|scored", "es": r"puntuaci(?:ón|ones)|nota media|media"},
    "weighted_compliance": {"en": r"compliance|possible points", "es": r"cumplimiento|puntos posibles"},
    "critical_error_pct": {"en": r"critical", "es": r"crític[oa]s?"},
    "negative_sentiment_pct": {"en": r"sentiment|negative", "es": r"sentimiento|negativ[oa]s?"},
    "goal_reached_pct": {"en": r"goals?|outcomes?", "es": r"objetivos?|metas?|resultados?"},
}
LESS_IS_BETTER = {"critical_error_pct", "negative_sentiment_pct"}
DAY = {"en": "days?", "es": r"día|diurn\w+"}
NIGHT = {"en": "nights?", "es": r"noche|nocturn\w+"}
WEEKS = {"en": r"weeks?|weekly", "es": r"semanas?|semanal\w*"}


@dataclass(frozen=True, slots=True)
class Compared:
    """Something that a sentence may name, and the difference that it may speak of."""

    pattern: str
    difference: float | None
    interval: Interval
    is_more_better: bool = True

    def has_moved(self, direction: int) -> bool:
        """Return whether the difference is outside the noise and goes in this direction."""
        if self.difference is None or is_within_noise(self.interval) is not False:
            return False
        return self.difference * direction > 0


class ReportChanges:
    """What changed in one report beyond chance, as a sentence in one language may say it."""

    def __init__(self, report: Report, language: str) -> None:
        self.report = report
        self.language = language if language in RISES else "en"

    def allow(self, sentence: str) -> bool:
        """Return whether the sentence claims no rise, fall or difference that may be chance."""
        text = sentence.casefold()
        is_up, is_down, is_better, is_worse = (
            self._holds(words, text) for words in (RISES, FALLS, BETTER, WORSE)
        )
        if not (is_up or is_down or is_better or is_worse):
            return True
        named = [each for each in self._compared(text) if _finds(each.pattern, text)]
        for each in named:
            gain = UP if each.is_more_better else DOWN
            said = {UP} if is_up else set()
            said |= {DOWN} if is_down else set()
            said |= {gain} if is_better else set()
            said |= {-gain} if is_worse else set()
            if not any(each.has_moved(direction) for direction in said):
                return False
        return bool(named)

    def _holds(self, words: dict[str, str], text: str) -> bool:
        return _finds(words[self.language], text)

    def _compared(self, text: str) -> Iterator[Compared]:
        """Yield what the figures that the sentence may name were compared with."""
        if self._holds(WEEKS, text):
            for bucket in self.report.trend[-1:]:
                pattern = FIGURES["average_score"][self.language]
                yield Compared(pattern, bucket.average_score_change, bucket.average_score_change_interval)
            return
        is_of_shifts = self._holds(DAY, text) and self._holds(NIGHT, text)
        for each in self.report.shift_differences if is_of_shifts else self.report.changes:
            pattern = FIGURES[each.figure][self.language]
            is_more_better = each.figure not in LESS_IS_BETTER
            yield Compared(pattern, each.difference, each.difference_interval, is_more_better)
        for row in self.report.scorecard:
            judged = judge_row(row)
            yield Compared(re.escape(row.name.casefold()), judged.delta_pct, judged.delta_interval)
        for reason in self.report.contact_reasons:
            if reason.topic:
                by = {"growing": 1.0, "shrinking": -1.0}.get(reason.course or "")
                interval = None if by is None else (by, by)  # course.py has judged it
                yield Compared(re.escape(reason.topic.casefold()), by, interval)


def _finds(pattern: str, text: str) -> bool:
    return re.search(rf"(?<!\w)(?:{pattern})(?!\w)", text) is not None
