"""How many answers of a stored result rest on little, as far as the result itself tells.

In doubt are criteria that were not evaluated; answers that a language model was asked for more than
once, whether its words were found in the end or not; and answers by a likelihood of meaning near one of
the two bars. A result of before the last two were stored says nothing about them: it is not in doubt.
"""

from typing import Any

NEAR = 0.1  # of likelihood, beyond a bar; what lies between the bars is not evaluated


def count_doubts(result: Any) -> int:
    """Return how many criteria of a stored result of the machine are in doubt; 0 without one."""
    rows = (result or {}).get("criterion_scores") or []
    return len((result or {}).get("not_evaluated") or []) + sum(map(is_in_doubt, rows))


def is_in_doubt(row: Any) -> bool:
    """Return whether one stored score rests on little."""
    if row.get("verified") is False or row.get("asked_again") is True:
        return True
    margin = row.get("margin")
    return margin is not None and margin < NEAR
