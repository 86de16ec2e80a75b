"""Why a regrouping moved calls: measured while it is planned, stored with each move of the history.

A cause is a message code with figures, likenesses (cosines in the space of the regrouping), and no words.
"""

from collections.abc import Callable, Mapping
from typing import TypedDict

from callscope.messages.message import Message

WAITING = 0  # in place of a reason: calls that had none


class Nearness(TypedDict):
    """Mean likeness of some calls to their reason now, and to the one they had or else the nearest one."""

    here: float
    there: float | None  # None where there was no reason


class Cause(TypedDict):
    """Why some calls moved."""

    code: str
    figures: Mapping[str, float]


def explain_move(nearness: Nearness | None, former: int, *, is_new: bool, is_gone: bool) -> Cause:
    """Return why calls moved; `former` is the reason they had or WAITING.

    `is_new`: their reason was not there before. `is_gone`: the one they had is not there any more. Without
    measures the calls follow others of their topic, or the reason was so young that it was made again.
    """
    if nearness is None:
        return {"code": "regrouped_again" if is_gone else "follows_topic", "figures": {}}
    figures = {name: value for name, value in nearness.items() if isinstance(value, float)}
    if former == WAITING:
        code = "waiting_formed" if is_new else "waiting_joined"
        if "there" not in figures:
            code = "first_of_all" if is_new else "joined_only_one"
    else:
        code = "split_off" if is_new else "merged_into" if is_gone else "moved_nearer"
    return {"code": code, "figures": figures}


def describe_cause(cause: Cause, write: Callable[[float], str] = "{:.2f}".format) -> Message:
    """Return a cause as a message; `write` gives a likeness as the reader's language has it."""
    return Message(cause["code"], **{name: write(value) for name, value in cause["figures"].items()})
