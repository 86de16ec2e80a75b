"""Let invented people review sample calls, so that every page about people has something to show.

Two raters review calls blind, some of them drawn for them; both rate the calls of a calibration, which is
closed and settled. The user of an agent appeals, and coaching notes wait to be talked about. All of it goes
through the same functions as the work of real people. Nobody can sign in as one of them: they have no
password and no key. What they say stands in `people.yaml` and `reviews.csv` of each company.
"""

import csv
import datetime as dt
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NotRequired, TypedDict

import yaml
from django.utils import timezone

from callscope.accounts import services as accounts
from callscope.accounts.models import User
from callscope.analysis.models import AnalysisState, CallAnalysis
from callscope.calls.models import Agent, Call
from callscope.calls.own_calls import link_user
from callscope.contact_reasons.models import CallReason, ContactReason
from callscope.db.transactions import run_in_transaction
from callscope.pipeline.decisions import appeal_edits, calibration_edits, reason_edits, review_edits
from callscope.projects import services as projects
from callscope.projects.models import Project
from callscope.reviews import notes
from callscope.reviews.answers import GivenAnswer
from callscope.reviews.appeals.deciding import Decision
from callscope.reviews.calibration.sessions import CalibrationPlan
from callscope.reviews.criteria import KnownCriteria
from callscope.reviews.findings import GivenFinding, Kind, Question, list_questions
from callscope.reviews.models import Review, SampledCall
from callscope.reviews.revisions import GivenReview
from callscope.reviews.sampling.draw import SamplePlan, draw_sample
from callscope.reviews.sampling.plans import NewPlan, create_plan
from callscope.samples.catalog import SampleProject

RATERS = ("ruth.calder@callscope.example", "omar.haddad@callscope.example")
ANSWERS = {"+": "met", "~": "partly", "-": "not_met", "o": "not_applicable"}  # as reviews.csv writes them
DUE = dt.timedelta(days=7)


class Draw(TypedDict):
    """How calls are drawn for the raters and the owner."""

    per_agent: int
    uncertain_pct: int
    seed: int


class Remark(TypedDict):
    """What a rater says next to an answer."""

    call: str  # file name, here and below
    criterion: str
    comment: str
    quote: NotRequired[str]


class Heard(TypedDict):
    """What a rater heard in a call besides what the criteria ask; any other mistake was not made."""

    call: str
    mistakes: dict[str, str]  # id → the words that show it
    said: list[str]  # ids of prompts; the others were missed
    goal: str
    sentiment: str


class OtherAnswer(TypedDict):
    """Where the second person of the calibration answers otherwise."""

    call: str
    criterion: str
    answer: str  # as reviews.csv writes it


class Session(TypedDict):
    """The calibration of a company."""

    calls: list[str]
    second_rater: list[OtherAnswer]


class KnownAgent(TypedDict):
    """Whose calls the user of an agent sees."""

    name: str
    email: str


class Appealed(TypedDict):
    """What the user of an agent appeals, and how it is decided, if it is."""

    call: str
    criterion: str
    reason: str
    decision: NotRequired[Decision]
    decision_reason: NotRequired[str]


class Note(TypedDict):
    """A coaching note."""

    call: str
    at: float
    text: str
    is_shared: bool
    is_closed: NotRequired[bool]


class NamedReason(TypedDict):
    """What a person calls a contact reason: that of the first call, where the others belong, too."""

    name: str
    calls: list[str]


class People(TypedDict):
    """What the people of a company do besides answering criteria: people.yaml."""

    draw: Draw
    weekly: dict[str, int]
    remarks: list[Remark]
    heard: list[Heard]
    calibration: Session
    agent: KnownAgent
    appeals: list[Appealed]
    acknowledged: list[str]
    notes: list[Note]
    reasons: NotRequired[list[NamedReason]]  # of a company whose reasons are found, not given


Table = dict[str, dict[str, str]]  # file name → criterion → answer


def add_people(sample: SampleProject, project: Project, owner: User) -> None:
    """Let the people of a sample project do their work on its results; nothing where it was done before.

    All of it or nothing, so that a process that ends on the way leaves nothing that would look done.
    """
    run_in_transaction(lambda: do_work(sample, project, owner))


def do_work(sample: SampleProject, project: Project, owner: User) -> None:
    """Do what add_people() does, in the transaction of the caller."""
    if Review.all_objects.filter(project=project).exists():
        return
    raters = [find_rater(email, project, owner) for email in RATERS]
    document, table = load_people(sample), load_answers(sample)
    scored = CallAnalysis.objects.filter(project=project, is_live=True, copc_state=AnalysisState.COMPLETED)
    calls = {call.file_name: call for call in Call.objects.filter(pk__in=scored.values("call"))}
    if not set(document["calibration"]["calls"]) <= set(calls):
        return  # an engine was down: the calls wait for it, and nobody can judge them yet
    review_calls(document, table, calls, owner, raters)
    calibrate(document["calibration"], table, calls, owner, raters)
    file_appeals(document, project, calls, owner)
    name_reasons(document.get("reasons", []), calls, owner)
    for note in document["notes"]:
        if call := calls.get(note["call"]):
            made = notes.create_note(call, note["text"], note["at"], raters[0], is_shared=note["is_shared"])
            if note.get("is_closed"):
                notes.change_note(made, raters[0], is_closed=True)


def load_people(sample: SampleProject) -> People:
    """Return what the people of a company do besides answering criteria."""
    document: People = yaml.safe_load(sample.people_path.read_text(encoding="utf-8"))
    return document


def load_answers(sample: SampleProject) -> Table:
    """Return what the raters answer, for each call that they listened to."""
    with sample.reviews_path.open(encoding="utf-8", newline="") as lines:
        return {
            row.pop("filename"): {name: ANSWERS[sign] for name, sign in row.items()}
            for row in csv.DictReader(lines)
        }


def find_rater(email: str, project: Project, owner: User) -> User:
    user = User.objects.filter(email=email).first() or accounts.create_user(email, by=owner)
    projects.share_project(project, user, role="editor", by=owner)
    return user


def review_calls(
    document: People, table: Table, calls: dict[str, Call], owner: User, raters: list[User]
) -> None:
    """Draw calls, then review those of the raters, and more; what was drawn for the owner is left to do."""
    project = next(iter(calls.values())).project
    names = [*RATERS, owner.email]
    today = timezone.localdate()
    wanted = SamplePlan(reviewers=names, due=today + DUE, **document["draw"])
    sample = draw_sample(project, wanted, owner)
    weekly = document["weekly"]
    plan = NewPlan(
        per_agent=weekly.get("per_agent"),
        share_pct=weekly.get("share_pct"),
        reviewers=names,
        uncertain_pct=weekly["uncertain_pct"],
        seed=weekly["seed"],
    )
    create_plan(project, plan, owner, today=today)
    drawn = SampledCall.objects.filter(sample=sample).select_related("reviewer")
    reviewers = {each.call_id: each.reviewer or owner for each in drawn}
    calibrated = document["calibration"]["calls"]
    heard, known = {each["call"]: each for each in document["heard"]}, KnownCriteria(project)
    for place, name in enumerate(each for each in table if each in calls and each not in calibrated):
        reviewer = reviewers.get(calls[name].pk, raters[place % 2])
        if reviewer != owner:
            given = fill_in(table[name], [each for each in document["remarks"] if each["call"] == name])
            if name in heard:
                analysis = CallAnalysis.objects.get(call=calls[name], is_live=True)
                said = list(answer_questions(heard[name], list_questions(analysis, known)))
                given = replace(given, findings=said)
            review_edits.create_review(calls[name].pk, given, reviewer)


def fill_in(answers: dict[str, str], remarks: list[Remark]) -> GivenReview:
    """Return a blind review with these answers, next to each what is remarked on it."""
    comments = {each["criterion"]: each["comment"] for each in remarks}
    quotes = {each["criterion"]: each.get("quote", "") for each in remarks}
    given = [
        GivenAnswer(name, answer, comments.get(name, ""), quotes.get(name, ""))
        for name, answer in answers.items()
    ]
    return GivenReview(given, blind=True, submits=True)


def answer_questions(heard: Heard, questions: Iterable[Question]) -> Iterator[GivenFinding]:
    """Yield what a rater says about mistakes, prompts, goal and sentiment of a call."""
    for asked in questions:
        match asked.kind:
            case Kind.MISTAKE:
                quote = heard["mistakes"].get(asked.item_id, "")
                yield GivenFinding(*asked.key, "made" if quote else "not_made", quote=quote)
            case Kind.PROMPT:
                yield GivenFinding(*asked.key, "said" if asked.item_id in heard["said"] else "missed")
            case Kind.GOAL:
                yield GivenFinding(*asked.key, heard["goal"])
            case Kind.SENTIMENT:
                yield GivenFinding(*asked.key, heard["sentiment"])


def calibrate(
    session: Session, table: Table, calls: dict[str, Call], owner: User, raters: list[User]
) -> None:
    """Rate the same calls, the second person some criteria otherwise; the first one's answers are settled."""
    rated = session["calls"]
    plan = CalibrationPlan([calls[name].pk for name in rated], RATERS, expert=RATERS[0])
    calibration = calibration_edits.open_calibration(calls[rated[0]].project_id, plan, owner)
    for name in rated:
        other = {
            each["criterion"]: ANSWERS[each["answer"]]
            for each in session["second_rater"]
            if each["call"] == name
        }
        review_edits.create_review(calls[name].pk, fill_in(table[name], []), raters[0])
        review_edits.create_review(calls[name].pk, fill_in(table[name] | other, []), raters[1])
    calibration_edits.close_calibration(calibration.pk, owner)
    calibration_edits.settle_calibration(calibration.pk, {}, owner)


def file_appeals(document: People, project: Project, calls: dict[str, Call], owner: User) -> None:
    """Link a user to an agent, who appeals; the owner decides where the document says how."""
    known, email = document["agent"], document["agent"]["email"]
    user = User.objects.filter(email=email).first() or accounts.create_user(email, by=owner)
    agent = Agent.objects.filter(name=known["name"], calls__project=project).distinct().get()
    run_in_transaction(lambda: link_user(project, email, agent, owner))
    for each in document["appeals"]:
        if each["call"] not in calls:
            continue
        appeal = appeal_edits.file_appeal(calls[each["call"]].pk, each["criterion"], each["reason"], user)
        if decision := each.get("decision"):
            appeal_edits.decide_appeal(appeal.pk, decision, each["decision_reason"], None, owner)
    for name in document["acknowledged"]:
        if name in calls:
            appeal_edits.acknowledge_review(calls[name].pk, user)


def name_reasons(wanted: Iterable[NamedReason], calls: dict[str, Call], owner: User) -> None:
    """Give reasons the names that a quality team would, and put single calls where they belong.

    Another version of the grouping may have found other reasons: what does not fit is left as it is.
    """
    for each in wanted:
        placed = CallReason.objects.filter(call__in=[calls[name] for name in each["calls"] if name in calls])
        reasons = dict(placed.values_list("call__file_name", "reason"))
        first = reasons.get(each["calls"][0])
        if first is None:
            continue
        reason = ContactReason.objects.get(pk=first)
        others = ContactReason.objects.filter(project=reason.project_id, retired_at=None)
        if not others.filter(name=each["name"]).exists():
            reason_edits.edit_reason(reason.pk, {"name": each["name"]}, owner)
        elsewhere = [calls[name].pk for name, place in reasons.items() if place != reason.pk]
        if elsewhere:
            reason_edits.move_calls(reason.pk, elsewhere, owner)
