"""What shares the figure that readers see: of things that look alike none is named as the only one."""

from collections.abc import Callable, Hashable, Sequence
from itertools import groupby
from typing import TypeVar

from django.utils.translation import gettext as _

T = TypeVar("T")
MOST_TIED = 3  # that a sentence names where they share a figure


def take_leading(ordered: Sequence[T], shown: Callable[[T], Hashable], wanted: int = 1) -> list[T]:
    """Return so many of the first, and those whose shown figure is that of the last of them.

    Fewer where they would be more than MOST_TIED, but for those that share the first place.
    """
    chosen: list[T] = []
    for _figure, group in groupby(ordered, key=shown):
        tied = list(group)
        if chosen and len(chosen) + len(tied) > MOST_TIED:
            break
        chosen += tied
        if len(chosen) >= wanted:
            break
    return chosen


def join_names(names: Sequence[str], write: Callable[[float, int], str]) -> str:
    """Return “A, B and C” in the active language; of more than MOST_TIED “A, B, C and 2 more”."""
    if len(names) > MOST_TIED:
        named = {
            "names": ", ".join(names[:MOST_TIED]),
            "others": write(len(names) - MOST_TIED, 0),
        }
        return _("%(names)s and %(others)s more") % named
    if len(names) == 1:
        return names[0]
    return _("%(first)s and %(last)s") % {"first": ", ".join(names[:-1]), "last": names[-1]}
