"""The acts of clauses, and how far one may stand for another."""

from collections.abc import Mapping
from typing import Literal, get_args

Act = Literal[
    "asks_which",  # for a detail
    "asks_whether",  # yes or no
    "offers",
    "offers_help",  # "How can I help you?"
    "offers_more_help",  # "Is there anything else?"
    "confirms",  # reads back, asks if it is right
    "states_done",
    "states_failed",
    "states_fact",
    "greets",
    "introduces",  # says who is speaking
    "thanks",
    "takes_leave",
    "apologizes",
    "sympathizes",
    "promises",  # tells what the speaker will do
    "requests",  # tells the listener what to do
    "names",  # no clause: a thing is only named
]
Form = Literal["asks", "offers", "states", "names"]  # how the words of a clause are to be read
ACTS: tuple[Act, ...] = get_args(Act)
Acts = Mapping[Act, float]  # what a clause may be doing, each 0 to 1; the likeliest has 1

QUESTIONS: frozenset[Act] = frozenset(("asks_which", "asks_whether"))
COURTESIES: frozenset[Act] = frozenset(
    ("greets", "introduces", "thanks", "takes_leave", "apologizes", "sympathizes")
)
# How far a clause that does the second stands for a phrase that does the first; the same act: 1, others: 0.
_STANDS_FOR: dict[tuple[Act, Act], float] = {
    ("asks_which", "asks_whether"): 0.45,  # "Do you have a day in mind?"
    ("asks_which", "requests"): 0.2,
    ("asks_whether", "asks_which"): 0.3,
    ("asks_whether", "offers"): 0.35,
    ("asks_whether", "confirms"): 0.7,
    ("asks_whether", "requests"): 0.2,
    ("offers", "asks_whether"): 0.25,
    ("offers", "promises"): 0.6,
    ("offers", "states_fact"): 0.5,
    ("offers", "requests"): 0.6,  # "Come along for a first lesson."
    ("confirms", "states_done"): 0.4,
    ("confirms", "asks_whether"): 0.25,
    ("states_done", "states_fact"): 0.35,
    ("states_failed", "states_fact"): 0.3,
    ("states_fact", "states_done"): 0.7,
    ("states_fact", "states_failed"): 0.4,
    ("states_fact", "promises"): 0.7,
    ("states_fact", "requests"): 0.7,
    ("states_fact", "offers"): 0.5,
    ("promises", "states_fact"): 0.5,
    ("promises", "offers"): 0.3,
    ("requests", "states_fact"): 0.5,
    ("requests", "asks_whether"): 0.5,
    ("requests", "offers"): 0.5,
    ("requests", "promises"): 0.4,
    ("apologizes", "sympathizes"): 0.3,
    ("sympathizes", "apologizes"): 0.5,
    ("greets", "thanks"): 0.3,
    ("introduces", "names"): 0.5,  # "Cycle Clinic."
    ("states_fact", "names"): 0.8,  # "Fifty-five a month."
    ("states_done", "names"): 0.5,
    ("states_failed", "names"): 0.4,
    ("confirms", "names"): 0.4,
    ("asks_which", "names"): 0.4,
    # A phrase that only names something ("account number") is mostly asked for.
    ("names", "asks_which"): 1.0,
    ("names", "asks_whether"): 0.8,
    ("names", "confirms"): 0.6,
    ("names", "offers"): 0.35,
    ("names", "states_done"): 0.35,
    ("names", "states_failed"): 0.35,
    ("names", "states_fact"): 0.35,
    ("names", "promises"): 0.35,
    ("names", "requests"): 0.35,
}


def compare_acts(wanted: Acts, done: Acts) -> float:
    """Return 0 to 1: how far what a clause does may be what a phrase wants done."""
    return max(
        (
            wanted[one] * done[other] * (1.0 if one == other else _STANDS_FOR.get((one, other), 0.0))
            for one in wanted
            for other in done
        ),
        default=0.0,
    )


def choose_likeliest(acts: Acts) -> Act:
    """Return the act that a clause most likely does."""
    return max(acts, key=lambda act: acts[act])
