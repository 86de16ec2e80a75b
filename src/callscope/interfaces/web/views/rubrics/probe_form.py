"""What the form of a probe asks for."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.http import Http404, QueryDict
from django.utils.translation import gettext as _

from callscope.interfaces.web.request_data import parse_id
from callscope.interfaces.web.views.rubrics.probe_names import KIND_NAMES
from callscope.messages.translation import translate
from callscope.pipeline.models import Probe, Replay
from callscope.pipeline.rubric_changes.probes import requests
from callscope.projects.models import Project

FIELDS = ("sample", "repetitions", "groups")  # next to which the page says what is wrong
MAX_SHOWN = 40  # characters of what was typed
FREE = "free"  # what the form confirms where the rules judge


@dataclass(frozen=True, slots=True)
class Asked:
    """What the form on the page says."""

    kind: str
    sample: int | None
    repetitions: int | None
    groups: list[str]
    replay: Replay | None  # whose draft is probed
    seed: int | None  # of the calls that the stated cost is of

    def plan(self, project: Project) -> requests.Plan:
        """Raises InvalidProbe."""
        document = self.replay.config if self.replay else None
        if self.kind == Probe.Kind.STEADINESS:
            return requests.plan_steadiness(
                project, document, sample=self.sample, repetitions=self.repetitions, seed=self.seed
            )
        return requests.plan_fairness(
            project, document, sample=self.sample, groups=self.groups, seed=self.seed
        )


def read_form(project: Project, posted: Mapping[str, Any]) -> Asked:
    """Return what is asked for. Raises InvalidProbe."""
    kind = posted.get("kind", "")
    if kind not in KIND_NAMES:
        raise requests.InvalidProbe("kind", "unknown_group", value=kind[:40], allowed=", ".join(KIND_NAMES))
    replay = None
    if posted.get("replay"):
        replay = Replay.objects.filter(project=project, pk=parse_id(posted["replay"])).first()
        if replay is None:
            raise Http404
    return Asked(
        kind,
        _read_number(posted, "sample", 1, requests.MOST_CALLS),
        _read_number(posted, "repetitions", 2, requests.MOST_REPETITIONS),
        posted.getlist("groups"),  # type: ignore[attr-defined]  # of a QueryDict
        replay,
        _read_number(posted, "seed", 0, requests.MAX_SEED),
    )


def keep_typed(posted: QueryDict, error: requests.InvalidProbe) -> dict[str, object]:
    """Return what was typed into the form of this kind of probe, and what is wrong with it by input."""
    typed = {name: posted.get(name, "")[:MAX_SHOWN] for name in ("sample", "repetitions")}
    wrong = {error.field: translate(error.message)}
    return {posted.get("kind", ""): {**typed, "groups": posted.getlist("groups"), "wrong": wrong}}


def is_confirmed(confirmed: str | None, plan: requests.Plan) -> bool:
    """Return True if the probe starts without a question; one that was announced as free has to be."""
    return bool(confirmed) and (confirmed != FREE or not plan.estimate["requests"])


def _read_number(posted: Mapping[str, Any], name: str, least: int, most: int) -> int | None:
    text = posted.get(name, "").strip()
    if not text:
        return None
    number = parse_id(text)
    if not least <= number <= most:
        raise requests.InvalidProbe(
            name,
            "unknown_group",
            value=text[:40],
            allowed=_("%(least)s to %(most)s") % {"least": least, "most": most},
        )
    return number
