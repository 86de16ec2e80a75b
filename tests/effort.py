"""How much the tests try: a small part in `make test`, everything in `make test-all` and `make fuzz`.

CALLSCOPE_TEST_EFFORT is 1 in `make test`. A test that tries every caller with every route, or every
odd text in every field, then tries a share of these pairs in which each caller, route, text and
field still has its turn; with a larger effort it tries all of them.
"""

import os
from collections.abc import Sequence
from typing import TypeVar

EFFORT = int(os.environ.get("CALLSCOPE_TEST_EFFORT", "1"))
IS_SECOND_RUN = os.environ.get("CALLSCOPE_TEST_DATABASE_URL", "").startswith("postgres")
FEWEST_EXAMPLES = 5  # the first is the simplest one there is
Case = TypeVar("Case")


def take_share(cases: Sequence[Case], place: int, *, one_in: int) -> Sequence[Case]:
    """Return one case in so many, starting with another one at each place; all with a larger effort."""
    return cases if EFFORT > 1 else cases[place % one_in :: one_in]


def count_examples(most: int) -> int:
    """Return how many random cases to try: half in `make test`, and a quarter where SQLite tries others."""
    if EFFORT > 1:
        return most
    return max(min(most, FEWEST_EXAMPLES), most // (4 if IS_SECOND_RUN else 2))
