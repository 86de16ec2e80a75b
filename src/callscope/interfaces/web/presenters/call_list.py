"""Prepare the call list: the filters, orders and pages in its address, and links that change them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from django.http import HttpRequest
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext, pgettext_lazy

from callscope.calls.models import Call
from callscope.interfaces.web.page_context import TemplateContext
from callscope.interfaces.web.pagination import Pager, build_pager
from callscope.interfaces.web.presenters.evidence import Quote
from callscope.interfaces.web.presenters.list_choices import name_failed, read_failed
from callscope.interfaces.web.query_string import EVERYTHING, with_query
from callscope.interfaces.web.report_request import ReportRequest
from callscope.interfaces.web.templatetags.formatting import microseconds
from callscope.messages.translation import translate
from callscope.projects.models import Project
from callscope.reports.call_list import call_rows
from callscope.reports.call_list.call_rows import CallItem
from callscope.reports.call_list.criterion_answers import CriterionAnswer, read_answers
from callscope.reports.call_list.drilldown import DrilldownFilter
from callscope.reports.call_list.filters import DEFAULT_ORDERING, CallFilters, InvalidFilter
from callscope.reports.call_list.listing import CallPage
from callscope.reports.details.answered import AnsweredCall, read_answered
from callscope.reports.overview.targets import read_targets
from callscope.reports.search.found_words import Place, find_part
from callscope.reviews.reading import NOTHING_HIDDEN, HiddenCalls

# Filters with a control of their own, and those that only a figure of the report leads to.
CONTROLS = (
    "search",
    "transcript",
    "agent",
    "sentiment",
    "direction",
    "goal",
    "min_score",
    "max_score",
    "min_length",
    "max_length",
    "campaign",
    "tracker",
    "reviewed",
    "mistakes",
    "missed_prompts",
    "critical",
    "failed",
    "half_heard",
    "reason",
    "mistake",
    "prompt",
)
# Controls that are folded away until one of them is used.
RARER = (
    "direction",
    "reviewed",
    "reason",
    "mistake",
    "prompt",
    "tracker",
    "campaign",
    "min_length",
    "max_length",
    "page_size",
    "mistakes",
    "missed_prompts",
    "failed",
    "half_heard",
)
FIGURES = (
    "topic",
    "criterion",
    "found",
    "result",
    "shift",
    "weekday",
    "hour",
    "scored",
    "timed",
)
FILTERS = (*CONTROLS, *FIGURES)
SEARCHED = ("file_name", "topic", "campaign")  # what the search looks into, of what the list shows
SENTIMENTS = (
    ("negative", gettext_lazy("Negative")),
    ("neutral", gettext_lazy("Neutral")),
    ("positive", gettext_lazy("Positive")),
)
DIRECTIONS = (("inbound", gettext_lazy("Inbound")), ("outbound", gettext_lazy("Outbound")))
REVIEWS = (("true", gettext_lazy("Reviewed")), ("false", gettext_lazy("Not reviewed")))
PAGE_SIZES = (25, 50, 100)
RESULTS = {
    "met": gettext_lazy("met"),
    "partly": gettext_lazy("partly met"),
    "not_met": gettext_lazy("not met"),
    "not_applicable": gettext_lazy("not applicable"),
    "not_evaluated": gettext_lazy("not evaluated"),
}
GOALS = (("true", gettext_lazy("Reached")), ("false", pgettext_lazy("goal", "Missed")))
ORDERS = (
    ("-call_datetime", gettext_lazy("Newest first")),
    ("call_datetime", gettext_lazy("Oldest first")),
    ("score_percentage", gettext_lazy("Lowest score first")),
    ("-score_percentage", gettext_lazy("Highest score first")),
    ("-mistake_count", gettext_lazy("Most mistakes first")),
    ("agent__name", gettext_lazy("By agent")),
    ("-talk_share", gettext_lazy("Agent talks most first")),
    ("-longest_monologue", gettext_lazy("Longest monologue first")),
    ("-silence_seconds", gettext_lazy("Most silence first")),
    ("-interruptions", gettext_lazy("Most interruptions first")),
    ("-speech_rate", gettext_lazy("Fastest speech first")),
    ("-hold_seconds", gettext_lazy("Longest hold first")),
)


@dataclass(frozen=True, slots=True)
class CallListQuery:
    """What the address says beyond scope and window."""

    filters: CallFilters
    query: dict[str, str]  # the filters and the order in the address, only the filled ones
    page: str
    problem: str = ""  # a sentence, when a filter is refused
    wrong: str = ""  # the parameter of that filter

    @property
    def hidden(self) -> dict[str, str]:
        """The parameters that the form of filters has no control for."""
        chosen = ("criterion", "result") if name_failed(self.query) else ()
        return {name: value for name, value in self.query.items() if name in FIGURES and name not in chosen}

    @property
    def texts(self) -> dict[str, str]:
        """What each control shows, "" for one that is not in use: templates take long over a missing name."""
        return {**dict.fromkeys(CONTROLS, ""), **self.query}

    @property
    def failed_criterion(self) -> str:
        """The choice of the filter for failed criteria."""
        return name_failed(self.query)

    @property
    def is_filtered(self) -> bool:
        return any(name in self.query for name in FILTERS)

    @property
    def has_rarer(self) -> bool:
        """Whether one of the filters that are folded away is in use, so that they are shown."""
        return self.wrong in RARER or any(name in self.query for name in RARER)

    @property
    def page_size(self) -> int:
        """How many calls a page shows; another number than those to choose from is the first of them."""
        asked = self.query.get("page_size", "")
        return int(asked) if asked in map(str, PAGE_SIZES) else PAGE_SIZES[0]

    choices = {
        "sentiment": SENTIMENTS,
        "direction": DIRECTIONS,
        "goal": GOALS,
        "reviewed": REVIEWS,
        "page_size": PAGE_SIZES,
    }


def parse_query(request: HttpRequest) -> CallListQuery:
    """Return the filters, the order and the page in the address."""
    query = {
        name: value
        for name in (*FILTERS, "ordering", "page_size")
        if (value := request.GET.get(name, "").strip())
    }
    if failed := read_failed(request):  # the form's word for two parameters
        query = {name: value for name, value in query.items() if name != "found"} | failed
    page = request.GET.get("page") or "1"
    try:
        filters = CallFilters.from_query(query)
    except InvalidFilter as error:
        return CallListQuery(
            CallFilters(),
            query,
            page,
            _("This filter cannot be used: %s") % name_refusal(error),
            error.field,
        )
    drilldown = DrilldownFilter.from_query(query).joined_with(filters.drilldown)
    return CallListQuery(replace(filters, drilldown=drilldown), query, page)


def name_refusal(error: InvalidFilter) -> str:
    """Return why a filter is refused, with the names of fields where the API names parameters."""
    reversed_bounds = {
        "scores_reversed": _("“Score up to” (%(highest)s) is below “Score from” (%(lowest)s)."),
        "lengths_reversed": _("“Length up to” (%(longest)s) is below “Length from” (%(shortest)s)."),
    }
    message = error.message
    named = reversed_bounds.get(message.code)
    return named % message.params if named else translate(message)


@dataclass(frozen=True, slots=True)
class ColumnHead:
    """One column: its name, and where a click on it leads ("" for columns that cannot be sorted by)."""

    name: str
    label: str | Promise
    is_number: bool = False
    url: str = ""
    sort: str = ""  # ascending or descending, when the list is in this order


class Column(NamedTuple):
    name: str
    label: str | Promise
    is_number: bool
    order: str  # the field to sort by, "" for none
    first: str  # "-" if the first click sorts descending


COLUMNS = (
    Column("when", gettext_lazy("Time"), False, "call_datetime", "-"),
    Column("file", gettext_lazy("Call"), False, "", ""),
    Column("agent", gettext_lazy("Agent"), False, "agent__name", ""),
    Column("topic", gettext_lazy("Contact reason"), False, "", ""),
    Column("length", gettext_lazy("Length"), True, "", ""),
    Column("sentiment", gettext_lazy("Sentiment"), False, "", ""),
    Column("goal", gettext_lazy("Goal"), False, "", ""),
    Column("score", gettext_lazy("Score"), True, "score_percentage", ""),
    Column("answer", gettext_lazy("Result"), False, "", ""),
    Column("mistakes", gettext_lazy("Mistakes"), True, "mistake_count", "-"),
    Column("missed", gettext_lazy("Missed prompts"), True, "", ""),
)


def build_heads(report_request: ReportRequest, list_query: CallListQuery) -> list[ColumnHead]:
    """Return the columns with their sort links; a second click turns the order round."""
    current = list_query.filters.ordering
    heads = []
    for name, label, is_number, order, first in COLUMNS:
        if name == "answer" and not list_query.filters.drilldown.criterion:
            continue
        if name == "agent" and report_request.own is not None:
            continue
        if not order:
            heads.append(ColumnHead(name, label, is_number))
            continue
        sort = {order: "ascending", f"-{order}": "descending"}.get(current, "")
        on_click = f"{first}{order}" if not sort else order if sort == "descending" else f"-{order}"
        heads.append(
            ColumnHead(name, label, is_number, list_url(report_request, list_query, ordering=on_click), sort)
        )
    return heads


class OrderOption(NamedTuple):
    value: str
    label: str | Promise
    is_current: bool


def build_orders(list_query: CallListQuery, *, of_one_agent: bool) -> list[OrderOption]:
    """Return the orders for the list to choose from, which phones show in place of heads."""
    return [
        OrderOption("" if value == DEFAULT_ORDERING else value, label, value == list_query.filters.ordering)
        for value, label in ORDERS
        if not (of_one_agent and value == "agent__name")
    ]


@dataclass(frozen=True, slots=True)
class CallRow:
    """One call of the list."""

    item: CallItem
    url: str
    answer: CriterionAnswer | None = None  # to the criterion that the list is about
    result: str | Promise = ""  # the answer in a word
    quote: Quote | None = None
    target: float | None = None  # of its project, for the score
    is_doubtful: bool = False  # its transcript is poor
    is_untimed: bool = False  # its time is that of the upload
    answered: AnsweredCall | None = None  # of an unreliable transcript: what a person's answers decide
    found: Mapping[str, list[Place]] = field(default_factory=dict)  # by what is shown, what to mark in it
    number: str = ""  # of the caller, where it holds what was looked for
    raw_topic: str = ""  # what the analysis named it, where that alone holds what was looked for
    project: str = ""  # its name, where the list is of several projects
    length_s: float | None = None
    waits_for: str = ""  # what the visitor has to do before its results are shown: HiddenCalls.find_work()


def find_projects_of(projects: Sequence[Project], items: Sequence[CallItem]) -> dict[int, Project]:
    """Return the project of each of these calls."""
    if len(projects) == 1:
        return dict.fromkeys((item.id for item in items), projects[0])
    known = {project.pk: project for project in projects}
    ids = call_rows.find_project_ids([item.id for item in items])
    return {pk: known[at] for pk, at in ids.items() if at in known}


def find_call_targets(projects_of: Mapping[int, Project]) -> dict[int, float | None]:
    """Return the target of the score for each of these calls: that of its project."""
    found = set(projects_of.values())
    targets = {project: read_targets(project.config).get("average_score") for project in found}
    return {pk: targets[project] for pk, project in projects_of.items()}


def describe_targets(targets: Mapping[int, float | None]) -> TemplateContext:
    """Return the target that the legend of the scores names, and whether the calls share it."""
    return {"one_target": len(set(targets.values())) == 1, "score_target": next(iter(targets.values()), None)}


def build_rows(
    items: Sequence[CallItem],
    place: Mapping[str, object],
    list_query: CallListQuery,
    *,
    hidden: HiddenCalls = NOTHING_HIDDEN,
    targets: Mapping[int, float | None] | None = None,
    projects: Mapping[int, str] | None = None,
) -> list[CallRow]:
    """Return the rows of a page, with what the criterion in question came to; not in `hidden` calls."""
    criterion = list_query.filters.drilldown.criterion
    shown = [item.id for item in items if item.id not in hidden.all]
    answers = read_answers(shown, criterion) if criterion else {}
    ids = [item.id for item in items]
    doubtful, untimed = call_rows.find_doubtful(ids), call_rows.find_untimed(ids)
    answered = read_answered([item.id for item in items if item.is_half_heard and not item.is_blinded])
    lengths = call_rows.find_lengths(ids)
    search = list_query.filters.search
    known = Call.objects.filter(pk__in=ids).values_list("pk", "caller_number")
    # The list shows only the caller numbers that hold what was looked for.
    numbers = {pk: number for pk, number in known if find_part(number, search)} if search else {}
    topics = _find_raw_topics(items, {*numbers, *hidden.all}, search) if search else {}
    rows = []
    for item in items:
        row = CallRow(
            item,
            with_query(reverse("web:call", args=[item.id]), place),
            target=(targets or {}).get(item.id),
            is_doubtful=item.id in doubtful,
            is_untimed=item.id in untimed,
            answered=answered.get(item.id),
            number=numbers.get(item.id, ""),
            raw_topic=topics.get(item.id, ""),
            project=(projects or {}).get(item.id, ""),
            length_s=microseconds(lengths.get(item.id)),
            waits_for=hidden.find_work(item.id),
        )
        if search:
            texts = {
                "number": row.number,
                "raw_topic": row.raw_topic,
                **{name: getattr(item, name) for name in SEARCHED},
            }
            row = replace(row, found={name: find_part(text, search) for name, text in texts.items()})
        if answer := answers.get(item.id):
            waits = pgettext("result of a criterion", "for a person") if answer.for_person else ""
            result, quote = waits or RESULTS[answer.result], Quote.of(answer.quote)
            row = replace(row, answer=answer, result=result, quote=quote)
        rows.append(row)
    return rows


def _find_raw_topics(items: Sequence[CallItem], explained: Collection[int], search: str) -> dict[int, str]:
    """Return, by call, topics that are searched but not shown: a contact reason stands in their place.

    Those of `explained` calls are not looked for.
    """
    unexplained = [
        item.id
        for item in items
        if item.id not in explained and not any(find_part(getattr(item, name), search) for name in SEARCHED)
    ]
    topics = call_rows.read_raw_topics(unexplained)
    return {call_id: topic for call_id, topic in topics.items() if find_part(topic, search)}


def build_call_pager(page: CallPage, report_request: ReportRequest, list_query: CallListQuery) -> Pager:
    return build_pager(
        number=page.number,
        pages=page.pages,
        count=page.count,
        shown=len(page.items),
        page_size=list_query.page_size,
        url_of=lambda n: list_url(report_request, list_query, page=n if n > 1 else None),
    )


def list_url(report_request: ReportRequest, list_query: CallListQuery, **changes: object) -> str:
    query = {**report_request.query, **list_query.query, **changes}
    return with_query(reverse("web:calls"), query, blank=EVERYTHING)
