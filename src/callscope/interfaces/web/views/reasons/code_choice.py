"""Which reasons a person selects to become codes, while the form shows a portion of them at a time.

The form itself remembers: it has the fields of this portion, and hidden ones for what is selected or typed
in others. So nothing is stored before codes are made, and the form stays small: no project has more than
MAX_CODES codes, and as long as more are selected, those are all that is shown.

Where only selected reasons are shown, those are listed that were selected when the list was asked for: what
is taken out meanwhile stays in its place, so that no portion skips any.
"""

import zlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from django.core.paginator import Page, Paginator
from django.http import HttpRequest, QueryDict

from callscope.contact_reasons.codes.wish import ChosenReason
from callscope.contact_reasons.listing import ReasonRow
from callscope.interfaces.web.request_data import NO_ID, parse_id
from callscope.interfaces.web.settings_parts import forms
from callscope.language.fold import fold_text
from callscope.projects.configuration import MAX_CODES

PORTION = 50  # reasons; the proposed phrases of so many take the embedder a second
MAX_TYPED = 200  # reasons that are not selected, whose phrases the form holds
FILTER = "filter"  # in place of the number of a portion: the first one of a new list


@dataclass(frozen=True, slots=True)
class Choice:
    """What a visitor selected, by the ids of reasons, and what of the reasons is shown."""

    selected: Sequence[int] = ()
    phrases: dict[int, str] = field(default_factory=dict)  # one a line, where the form had them
    filter: str = ""
    only_selected: bool = False
    number: str = "1"  # of the portion
    listing: Sequence[int] = ()  # what is listed where not all are

    @property
    def is_too_large(self) -> bool:
        """Whether no project can have so many codes."""
        return len(self.selected) > MAX_CODES

    @property
    def is_limited(self) -> bool:
        """Whether only what was selected is listed."""
        return self.only_selected or self.is_too_large

    def list_elsewhere(self, shown: Collection[int]) -> list[tuple[int, str | None, bool]]:
        """Return what the form remembers of reasons that it does not show: their phrases, and if selected."""
        selected = set(self.selected)
        typed = [each for each in self.phrases if each not in selected and each not in shown][:MAX_TYPED]
        held = [each for each in self.selected if each not in shown]
        return [(each, self.phrases.get(each), each in selected) for each in [*held, *typed]]

    def list_chosen(self) -> list[ChosenReason]:
        """Return the selected reasons; those whose phrases were never shown get the proposed ones."""
        return [
            ChosenReason(
                each,
                phrases=[forms.read_phrase(line) for line in _read_lines(self.phrases[each])]
                if each in self.phrases
                else None,
            )
            for each in self.selected
        ]

    def show(self, candidates: Sequence[ReasonRow]) -> Page[ReasonRow]:
        """Return the portion of the reasons that is shown."""
        listed, wanted = set(self.listing), fold_text(self.filter)
        found = [
            row
            for row in candidates
            if (not self.is_limited or row.id in listed) and wanted in fold_text(row.name)
        ]
        return Paginator(found, PORTION).get_page(self.number)


def read_choice(request: HttpRequest, candidates: Sequence[ReasonRow]) -> Choice:
    """Return what the form says; at first the pinned reasons are selected, or without any the first portion.

    A link says what is shown, and no more: what it entered elsewhere would stay unseen. Selected reasons
    come in the order of the candidates.
    """
    given = request.POST if request.method == "POST" else request.GET
    rank = {row.id: place for place, row in enumerate(candidates)}
    phrases: dict[int, str] = {}
    listing: Sequence[int] = ()
    if request.method == "POST":
        ids = {parse_id(text) for text in given.getlist("reason")} - {NO_ID}
        selected = sorted(ids, key=lambda each: (rank.get(each, len(rank)), each))
        phrases = _read_phrases(given, ids, rank)
        if given.get("page") != FILTER:
            listing = [parse_id(text) for text in given.get("listing", "").split()]
    else:
        pinned = [row.id for row in candidates if row.is_pinned]
        selected = pinned[:MAX_CODES] or [row.id for row in candidates[:PORTION]]
    return Choice(
        selected,
        phrases,
        " ".join(given.get("q", "").split()),
        given.get("only") == "selected",
        given.get("page") or given.get("shown", "1"),
        listing or selected,
    )


def mark_phrases(phrases: str) -> str:
    """Return a short mark of phrases, by which typed ones differ from those that the form proposed."""
    return f"{zlib.crc32(chr(10).join(_read_lines(phrases)).encode()):x}"


def _read_phrases(given: QueryDict, selected: Collection[int], known: Collection[int]) -> dict[int, str]:
    """Return the phrases of selected reasons, and those that were typed for others."""
    proposed = set(given.get("proposed", "").split())
    fields = {parse_id(name.removeprefix("phrases-")): name for name in given if name.startswith("phrases-")}
    sent = {reason: given.get(name, "") for reason, name in fields.items() if reason != NO_ID}
    return {
        reason: phrases
        for reason, phrases in sent.items()
        if reason in selected or (reason in known and f"{reason}:{mark_phrases(phrases)}" not in proposed)
    }


def _read_lines(text: str) -> list[str]:
    return list(dict.fromkeys(line for each in text.splitlines() if (line := " ".join(each.split()))))
