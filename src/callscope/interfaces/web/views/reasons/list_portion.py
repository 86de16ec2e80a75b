"""Which contact reasons the list shows, a portion at a time, and which are selected to be merged.

All of it stands in the address, so that a page can be opened again; the form takes along what is selected in
other portions.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from django.core.paginator import Page, Paginator
from django.http import HttpRequest

from callscope.interfaces.web.presenters.reasons import ReasonLine
from callscope.interfaces.web.request_data import NO_ID, parse_id
from callscope.language.fold import fold_text

PORTION = 50  # reasons
MAX_SELECTED = 500  # an address holds no more


@dataclass(frozen=True, slots=True)
class Portion:
    """What a visitor asked to see of the list, and what is selected, by the ids of reasons."""

    filter: str
    number: str
    selected: frozenset[int]
    into: int  # the reason that others are merged into; NO_ID while none is chosen

    @property
    def query(self) -> dict[str, str]:
        """The parameters of the address that shows this portion again, without what is selected."""
        return {"q": self.filter, "page": self.number if self.number != "1" else ""}

    def show(self, lines: Sequence[ReasonLine]) -> Page[ReasonLine]:
        """Return the lines of the portion: those whose names hold the words of the filter."""
        wanted = fold_text(self.filter)
        return Paginator([line for line in lines if wanted in fold_text(line.row.name)], PORTION).get_page(
            self.number
        )


def read_portion(request: HttpRequest) -> Portion:
    """Return what the address says."""
    given = request.GET
    selected = [parse_id(text) for text in given.getlist("reason")[:MAX_SELECTED]]
    number = parse_id(given.get("page", ""))
    return Portion(
        " ".join(given.get("q", "").split()),
        str(number) if number != NO_ID else "1",
        frozenset(selected) - {NO_ID},
        parse_id(given.get("into", "")),
    )
