"""How many answers of a stored result rest on little, as far as the result itself tells.

In doubt are criteria that were not evaluated; quotes of a language model that did not stand in the
transcript, though it was asked for them again; and matches by meaning whose likelihood is near one of
the two bars. An answer that was asked again and then stood is stored like any other.
"""

import re
from typing import Any, NamedTuple

from callscope.analysis.matching.likelihood import SAID_FROM, UNSURE_FROM
from callscope.analysis.results.messages import sentence

NEAR_PCT = 10  # of likelihood, on the far side of a bar; what lies between the bars is not evaluated
LANGUAGES = ("en", "es")
NUMBER = "0123456789"  # stands for the percentage while a pattern is built


class _NearBar(NamedTuple):
    answer: str
    pattern: "re.Pattern[str]"  # of a justification; its group is the likelihood in percent
    from_pct: float
    below_pct: float


def count_doubts(result: Any) -> int:
    """Return how many criteria of a stored result of the machine are in doubt; 0 without one."""
    rows = (result or {}).get("criterion_scores") or []
    return len((result or {}).get("not_evaluated") or []) + sum(map(is_in_doubt, rows))


def is_in_doubt(row: Any) -> bool:
    """Return whether one stored score rests on little."""
    if row.get("verified") is False:
        return True
    for answer, pattern, from_pct, below_pct in _NEAR_BARS:
        found = pattern.search(row.get("justification") or "") if row.get("answer") == answer else None
        if found and from_pct <= int(found[1]) < below_pct:
            return True
    return False


def _find_likelihood(name: str, language: str, words: int) -> "re.Pattern[str]":
    """Return what finds the percentage in a sentence of results, by so many words before it."""
    text = sentence(name, language, speaker="agent", phrase="", percent=NUMBER)
    before, _, after = text.rpartition(NUMBER)
    beginning = " ".join(before.split(" ")[-words - 1 :])
    return re.compile(rf"{re.escape(beginning)}(\d{{1,2}}){re.escape(after)}$")


_NEAR_BARS = [
    _NearBar(answer, _find_likelihood(name, language, words), from_pct, from_pct + NEAR_PCT)
    for language in LANGUAGES
    for name, words, answer, from_pct in (
        ("met_meaning", 1, "met", 100 * SAID_FROM),
        ("nearest", 4, "not_met", 100 * UNSURE_FROM - NEAR_PCT),
    )
]
