"""The notes and appeals of calls in the words of a page, and what the visitor may do about them."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from callscope.accounts.models import User
from callscope.analysis.models import CallAnalysis, results_removed
from callscope.calls.models import Call
from callscope.calls.own_calls import is_own_call, list_users_of_call
from callscope.interfaces.web.presenters.call_page.appeal_form import (
    AppealForm,
    TypedAppeal,
    build_appeal_form,
)
from callscope.interfaces.web.presenters.call_page.call import CriterionResult
from callscope.interfaces.web.presenters.evidence import Quote
from callscope.interfaces.web.presenters.reviewing.review import ANSWER_NAMES
from callscope.messages.message import Message
from callscope.messages.translation import translate
from callscope.projects import permissions
from callscope.reports.call_list.call_detail import CallDetail
from callscope.reviews.appeal_records import Acknowledgement, Appeal
from callscope.reviews.appeals.deciding import OwnJudgement, require_impartial
from callscope.reviews.appeals.listing import AppealRow, describe_appeal, list_appeals
from callscope.reviews.appeals.standing import Standing, read_standing
from callscope.reviews.criteria import KnownCriteria, list_criteria
from callscope.reviews.models import Review
from callscope.reviews.notes import NoteRow, describe_note, find_notes

STATE_NAMES = {
    Appeal.State.OPEN: _("waits for a decision"),
    Appeal.State.ACCEPTED: _("accepted"),
    Appeal.State.REFUSED: _("refused"),
    Appeal.State.WITHDRAWN: pgettext_lazy("an appeal", "withdrawn"),
}
UNDECIDABLE = _("can no longer be decided")  # an open one whose call lost its results to retention


@dataclass(frozen=True, slots=True)
class AppealLine:
    """One appeal as a page shows it."""

    row: AppealRow
    call: Call
    state: str | Promise
    answer: str | Promise  # "" where none stood
    new_answer: str | Promise
    may_decide: bool
    why_not: str  # "" for who may, and for who sees no form
    choices: list[tuple[str, str | Promise]]  # answers that may replace the one that stands
    evidence: "AppealEvidence | None"  # for those who decide
    is_hidden: bool = False  # it says how a call was judged that waits for the visitor's blind review
    since: str = ""  # what became of the answer since it was appealed, while it waits; "": nothing
    is_at_stake: bool = True  # there are points to be gained
    may_withdraw: bool = False  # the visitor filed it, and it waits
    appeals: int = 1  # of the call, where it is hidden and one line stands for all of them
    agent: str = ""  # of the call, as a list shows it
    is_undecidable: bool = False  # it was not decided before the retention removed the results of the call

    @property
    def shows_answer(self) -> bool:
        """Whether the answer that was appealed stands nowhere else: a reviewer's is among the evidence."""
        if self.since:
            return False
        return self.evidence is None or self.evidence.person is None or self.row["state"] != Appeal.State.OPEN

    @property
    def points(self) -> Decimal | None:
        """How many points the criterion is worth."""
        judged = self.evidence and (self.evidence.person or self.evidence.machine)
        return judged.possible if judged else None


class AppealEvidence(NamedTuple):
    """What a decision about an appealed criterion rests on."""

    guideline: str  # "" where the settings know the criterion no more
    machine: CriterionResult | None
    person: CriterionResult | None  # whose answer counts


@dataclass(frozen=True, slots=True)
class CallAppeals:
    """What the page of a call shows about appeals."""

    lines: list[AppealLine]
    form: AppealForm | None  # None for who is not the agent
    waiting: frozenset[str]  # criteria whose appeals by the agent wait, for whom alone
    may_acknowledge: bool
    acknowledged: Acknowledgement | None  # by an agent, of the review that stands
    refused: tuple[
        str, ...
    ] = ()  # what was wrong with an appeal, where there is no form any more to say it in


def describe_call_appeals(
    detail: CallDetail, user: User, typed: TypedAppeal, *, blinded: frozenset[int], is_own: bool
) -> CallAppeals:
    """Return the appeals of a call for its agent and for who may write the project.

    Those of `blinded` calls, whose results are kept from the user, are left out.
    """
    call = detail.call
    is_agent, may_write = is_own_call(user, call), permissions.can_write(user, call.project)
    if not is_agent and not may_write:
        return CallAppeals([], None, frozenset(), may_acknowledge=False, acknowledged=None)
    appeals: list[Appeal] = []
    if detail.records.has_appeals:
        found = (
            list_appeals([call.project], blinded=blinded).filter(call=call).select_related("call", "review")
        )
        if not may_write:  # the call may have had another agent
            found = found.filter(appellant__in=list_users_of_call(call))
        appeals = list(found)
    has_reviews = detail.records.has_reviews
    review = Review.objects.filter(call=call, is_current=True).first() if has_reviews else None
    read = Acknowledgement.objects.filter(review=review).order_by("pk").first() if review else None
    form = None
    waiting = frozenset(each.criterion_id for each in appeals if is_agent and each.state == Appeal.State.OPEN)
    if is_agent and detail.analysis is not None:
        form = build_appeal_form(detail.analysis, call.project, typed, waiting=waiting)
    return CallAppeals(
        lines=describe_appeals(appeals, user, is_own=is_own),
        form=form,
        waiting=waiting,
        may_acknowledge=is_agent and review is not None and read is None,
        acknowledged=read,
        refused=() if form else tuple(typed.problems.values()),
    )


def describe_appeals(
    appeals: Iterable[Appeal], user: User, *, is_own: bool, hidden: Collection[int] = ()
) -> list[AppealLine]:
    """Return the lines of a list of appeals whose calls and reviews were fetched with them.

    Of `hidden` calls, whose results are kept from the user, they say nothing and offer no decision.
    """
    listed = list(appeals)
    if not listed:
        return []
    known: dict[int, KnownCriteria] = {}
    live = CallAnalysis.objects.filter(call__in={each.call_id for each in listed}, is_live=True)
    analyses = {analysis.call_id: analysis for analysis in live}
    unjudged = {each.call_id for each in listed}.difference(analyses)
    emptied = Call.objects.filter(results_removed("pk"), pk__in=unjudged).values_list("pk", flat=True)
    removed = set(emptied) if unjudged else set()
    lines = []
    for appeal in listed:
        is_hidden = appeal.call_id in hidden
        is_open, is_removed = appeal.state == Appeal.State.OPEN, appeal.call_id in removed
        may_decide, why_not = (False, "") if is_own or is_hidden or is_removed else _may_decide(appeal, user)
        if is_undecidable := is_open and is_removed:
            why_not = translate(Message("appeal_without_results"))
        criteria = known.setdefault(appeal.project_id, KnownCriteria(appeal.call.project))
        analysis = analyses.get(appeal.call_id)
        row = describe_appeal(appeal, user, is_own=is_own)
        waits = is_open and not is_hidden
        standing = read_standing(analysis, appeal.criterion_id) if waits else None
        lines.append(
            AppealLine(
                row=row,
                call=appeal.call,
                state=UNDECIDABLE if is_undecidable else STATE_NAMES[Appeal.State(appeal.state)],
                answer=ANSWER_NAMES[appeal.answer] if appeal.answer else "",
                new_answer=ANSWER_NAMES[appeal.new_answer] if appeal.new_answer else "",
                may_decide=may_decide,
                why_not=why_not,
                choices=_list_choices(appeal, analysis, criteria) if may_decide else [],
                evidence=(
                    _find_evidence(appeal, analysis, criteria)
                    if analysis and not is_own and not is_hidden
                    else None
                ),
                is_hidden=is_hidden,
                is_undecidable=is_undecidable,
                may_withdraw=is_open and appeal.appellant_id == user.pk,
                since=_say_what_became(appeal, standing) if standing else "",
                is_at_stake=not (
                    standing
                    and standing.overtakes(appeal)
                    and (standing.answer is None or standing.has_all_points)
                ),
            )
        )
    return lines


def _say_what_became(appeal: Appeal, standing: Standing) -> str:
    """Return what became of the answer that was appealed since; "" where it stands as it did."""
    if not standing.overtakes(appeal):
        is_news = standing.is_persons and appeal.review_id is None
        return gettext("A person has reviewed the call since, with the same answer.") if is_news else ""
    if standing.answer is None:
        return gettext("The call was scored again since, and is not judged by this criterion any more.")
    said = (
        gettext("The answer “%(before)s” no longer counts. A person has reviewed the call since: “%(now)s”.")
        if standing.is_persons
        else gettext("The answer “%(before)s” no longer counts. The call was scored again since: “%(now)s”.")
    )
    return said % {"before": _name_answer(appeal.answer), "now": _name_answer(standing.answer)}


def _name_answer(answer: str) -> str:
    return str(ANSWER_NAMES[answer]) if answer else gettext("not evaluated")


def _list_choices(
    appeal: Appeal, analysis: CallAnalysis | None, known: KnownCriteria
) -> list[tuple[str, str | Promise]]:
    """Return the answers that the criterion allows, without the one that was appealed."""
    found = list_criteria(analysis, known) if analysis else []
    allowed = next((each["allowed"] for each in found if each["criterion_id"] == appeal.criterion_id), None)
    return [(each, ANSWER_NAMES[each]) for each in allowed or ANSWER_NAMES if each != appeal.answer]


def _find_evidence(appeal: Appeal, analysis: CallAnalysis, known: KnownCriteria) -> AppealEvidence:
    """Return what machine and person said of the criterion; a copied reason is the machine's alone."""
    criterion = known.of(analysis.config_version).get(appeal.criterion_id)
    machine = _find_result(analysis.read_machine_copc(), appeal.criterion_id)
    counting = _find_result(analysis.copc, appeal.criterion_id)
    person = counting if counting and counting.source == "person" else None
    if person and machine and person.justification == machine.justification:
        person = replace(person, justification="", quote=None)
    return AppealEvidence(criterion.guideline if criterion else "", machine, person)


def _find_result(copc: Mapping[str, Any] | None, criterion_id: str) -> CriterionResult | None:
    """Return the criterion in a stored result."""
    for part, read in (
        ("criterion_scores", CriterionResult.of_scored),
        ("not_evaluated", CriterionResult.of_left_out),
    ):
        for entry in (copc or {}).get(part) or []:
            if entry.get("criterion_id") == criterion_id:
                return read(entry, "")
    return None


def _may_decide(appeal: Appeal, user: User) -> tuple[bool, str]:
    """Return whether the visitor may decide an open appeal, and why not."""
    if appeal.state != Appeal.State.OPEN or not permissions.can_write(user, appeal.call.project):
        return False, ""
    try:
        require_impartial(appeal, user)
    except OwnJudgement as error:
        return False, translate(error.message)
    return True, ""


class ShownNote(NamedTuple):
    """A note, and its second as the player is sent there."""

    note: NoteRow
    place: Quote


class CallNotes(NamedTuple):
    """The notes that the visitor reads."""

    rows: list[ShownNote]
    may_write: bool


def list_notes(detail: CallDetail, *, may_write: bool, is_own: bool) -> CallNotes:
    """Return all notes for who may write the project, those that are shared for the agent, else none."""
    if not may_write and not is_own:
        return CallNotes([], may_write=False)
    found = find_notes(shared_only=is_own).filter(call=detail.call) if detail.records.has_notes else []
    rows = [describe_note(each, is_own=is_own) for each in found]
    return CallNotes(
        [ShownNote(row, Quote(row["text"], row["at"])) for row in rows], may_write and not is_own
    )
