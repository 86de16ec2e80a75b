"""What is typed to open a calibration: how its calls are chosen, then who rates them."""

from dataclasses import dataclass, field

from django.db.models import F
from django.http import Http404, QueryDict
from django.utils import timezone
from django.utils.translation import gettext as _

from callscope.accounts.models import User
from callscope.calls.models import Call
from callscope.calls.names import clean_file_name
from callscope.calls.namesakes import label_agents
from callscope.db.limits import is_storable
from callscope.interfaces.web.request_data import parse_id
from callscope.interfaces.web.views.reviewing.samples import read_filters, read_number, refuse_past
from callscope.messages.translation import translate
from callscope.pipeline.decisions import calibration_edits
from callscope.pipeline.decisions.calibration_choice import ChosenByChance, choose_for_calibration
from callscope.projects.models import Project
from callscope.reports.window import InvalidWindow, parse_window
from callscope.reviews.calibration.sessions import MAX_CALLS, MAX_RATERS, CalibrationPlan, InvalidCalibration
from callscope.reviews.models import Calibration
from callscope.reviews.sampling.draw import InvalidSample

MAX_TYPED = 100_000  # characters of file names
SHOWN_NAME = 80  # characters of a wrong name that a message repeats
SPREAD, CHANCE = "spread", "chance"


@dataclass(slots=True)
class ChoiceForm:
    """What was typed to have calls chosen, what was found, and what is wrong with it by input."""

    count: str = "10"
    how: str = SPREAD
    filters: dict[str, str] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)
    found: ChosenByChance | None = None

    @classmethod
    def of(cls, sent: QueryDict) -> "ChoiceForm":
        how = CHANCE if sent.get("how") == CHANCE else SPREAD
        return cls(sent.get("count", "").strip()[:40], how, read_filters(sent))

    def choose(self, project: Project) -> list[int]:
        """Return the chosen calls; none where something is wrong, noted by its input."""
        count = read_number(self.errors, "count", self.count, 1, MAX_CALLS)
        if self.errors:
            return []
        try:
            self.found = choose_for_calibration(
                project, count, spreads=self.how == SPREAD, filters=self.filters
            )
        except InvalidSample as error:
            self.errors["filters"] = translate(error.message)
            return []
        return self.found.call_ids


@dataclass(slots=True)
class NamesForm:
    """File names that were typed, one in each line, and what is wrong with them."""

    calls: str = ""
    errors: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, sent: QueryDict) -> "NamesForm":
        return cls(sent.get("calls", "").replace("\r\n", "\n")[:MAX_TYPED])

    def find_calls(self, project: Project) -> list[int]:
        """Return the calls with these names; none where one is wrong, noted by its input."""
        names = [clean_file_name(line.strip()) for line in self.calls.split("\n") if line.strip()]
        known = Call.objects.filter(project=project, file_name__in=[n for n in names if is_storable(n)])
        found = dict(known.values_list("file_name", "pk"))
        unknown = [name for name in names if name not in found]
        if not names:
            self.errors["calls"] = _("List at least one call by its file name.")
        elif unknown:
            self.errors["calls"] = _("No call of this project has the file name “%(name)s”.") % {
                "name": unknown[0][:SHOWN_NAME]
            }
        elif len(found) > MAX_CALLS:
            too_many = InvalidCalibration("calls", "calibration_calls", value=len(found), most=MAX_CALLS)
            self.errors["calls"] = translate(too_many.message)
        return [] if self.errors else list(dict.fromkeys(found[name] for name in names))


@dataclass(slots=True)
class CalibrationForm:
    """The calls that are offered, those that are kept, who rates them, and what is wrong by input."""

    offered: list[int] = field(default_factory=list)
    kept: list[int] = field(default_factory=list)
    raters: list[str] = field(default_factory=list)
    expert: str = ""
    due: str = ""
    errors: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of_calls(cls, call_ids: list[int]) -> "CalibrationForm":
        return cls(offered=call_ids, kept=call_ids)

    @classmethod
    def of(cls, sent: QueryDict) -> "CalibrationForm":
        kept = [parse_id(each) for each in sent.getlist("call")[: MAX_CALLS + 1]]
        return cls(
            [parse_id(each) for each in sent.getlist("offered")[: MAX_CALLS + 1]] or kept,
            kept,
            sent.getlist("rater")[: MAX_RATERS + 1],
            sent.get("expert", ""),
            sent.get("due", ""),
        )


def list_offered(project: Project, form: CalibrationForm) -> list[tuple[Call, str]]:
    """Return the calls that a form offers, in order, with newest file and `half_heard`, and the agent."""
    calls = Call.objects.filter(project=project).select_related("agent", "newest_file")
    found = calls.annotate(half_heard=F("fact__half_heard")).in_bulk(form.offered)
    agents = label_agents(call.agent for call in found.values())
    shown = (found[pk] for pk in dict.fromkeys(form.offered) if pk in found)
    return [(call, agents.get(call.agent_id or 0, "")) for call in shown]


def open_from_form(project: Project, form: CalibrationForm, by: User) -> Calibration | None:
    """Open the calibration; None where something is wrong, noted by its input."""
    if not form.kept:
        form.errors["call_ids"] = _("Keep at least one call.")
    if not form.raters:
        form.errors["raters"] = _("Choose at least one rater.")
    try:
        due = parse_window({"end_date": form.due}, now=timezone.now()).end
    except InvalidWindow as error:
        form.errors["due"] = translate(error.message)
    else:
        refuse_past(form.errors, due)
    if form.errors:
        return None
    plan = CalibrationPlan(form.kept, form.raters, form.expert, due)
    try:
        return calibration_edits.open_calibration(project.pk, plan, by)
    except InvalidCalibration as error:
        form.errors[error.field] = translate(error.message)
    except Project.DoesNotExist:  # gone since it was looked up
        raise Http404 from None
    return None
