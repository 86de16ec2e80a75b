"""The lint in the editor of a project's settings."""

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from callscope.analysis.lint.finding import Finding
from callscope.analysis.lint.lint import count_errors, lint_document
from callscope.calls.models import Call
from callscope.interfaces.web import project_access
from callscope.interfaces.web.decorators import signed_in_page
from callscope.interfaces.web.request_data import read_json
from callscope.interfaces.web.settings_parts import catalog
from callscope.interfaces.web.settings_parts.field_words import list_errors
from callscope.interfaces.web.settings_parts.fields import Part
from callscope.messages.message import Message
from callscope.messages.translation import translate
from callscope.projects.configuration import InvalidConfiguration

_STEP = re.compile(r"([^.\[\]]+)(?!\])|\[(\d+)\]")  # of a path: a key, or a place in a list


SHOWN_CALLS = 3  # of a finding; the others are folded


@dataclass(frozen=True, slots=True)
class ShownFinding:
    """A finding in the language of the page, with its calls by name."""

    severity: str
    path: str
    place: str  # the criterion, its phrase, in words
    text: str
    calls: list[Call] = field(default_factory=list)

    @property
    def first_calls(self) -> list[Call]:
        return self.calls[:SHOWN_CALLS]

    @property
    def other_calls(self) -> list[Call]:
        return self.calls[SHOWN_CALLS:]


@dataclass(frozen=True, slots=True)
class SilentCriterion:
    """A criterion with its phrases that no call said, each with its path in the document."""

    name: str
    phrases: list[tuple[str, str]] = field(default_factory=list)


@signed_in_page
@require_POST
def lint(request: HttpRequest, project_id: int) -> HttpResponse:
    """Show what misleads in {"document": …}; nothing is stored.

    With "part", the name of a part of the settings, only what is found in it, and how much in others.
    """
    project = project_access.get_project_or_404(request, project_id)
    project_access.require_writer(request, project)
    asked = read_json(request)
    document, named = asked.get("document"), asked.get("part")
    part = catalog.PARTS.get(named if isinstance(named, str) else "", catalog.WHOLE)
    try:
        if document is None:
            raise InvalidConfiguration([("", Message("no_settings"))])
        findings = lint_document(document, project)
    except InvalidConfiguration as error:
        errors = list_errors(error)
        return JsonResponse({"errors": errors}, status=400)
    everywhere = findings
    findings = [each for each in everywhere if _root(each.path) in part.settings()]
    never_said = [each for each in findings if each.code == "phrase_never_said"]
    others = [each for each in findings if each.code != "phrase_never_said"]
    others.sort(
        key=lambda each: each.severity != "error"
    )  # errors first, each kind in the order of the rubric
    context = {
        "part": part,
        "project": project,
        "count": len(findings),
        "elsewhere": _count_elsewhere(everywhere, part),
        "errors": count_errors(findings),
        "findings": _show(project.pk, document, others),
        "never_said": len(never_said),
        "searched_calls": max((each.message.params["count"] for each in never_said), default=0),
        "silent_criteria": _group_by_criterion(document, never_said),
    }
    return render(request, "web/settings/lint.html", context)


def _root(path: str) -> str:
    """Return the setting of the document that a path leads to."""
    return re.split(r"[.\[]", path, maxsplit=1)[0]


def _count_elsewhere(findings: list[Finding], part: Part) -> list[tuple[Part, int]]:
    """Return the other parts in which something was found, each with how much."""
    counts = Counter(_root(each.path) for each in findings if _root(each.path) not in part.settings())
    others = [(each, sum(counts[key] for key in each.keys)) for each in catalog.PARTS.values()]
    return [(each, count) for each, count in others if count]


def describe_place(document: Any, path: str) -> str:
    """Return the criterion, or the goal, and the phrase that a path names, in words; the path for others."""
    name, phrase = _find_names(document, path)
    if _root(path) == "goal":
        name = str(catalog.PARTS["goal"].title)
    if not name:
        return path
    words = {"name": name, "phrase": phrase}
    return (_("%(name)s: the phrase “%(phrase)s”") % words) if phrase else name


def _find_names(document: Any, path: str) -> tuple[str, str]:
    """Return the criterion and the phrase that a path leads to; empty where it leads to none."""
    place: Any = document
    name = phrase = ""
    for key, number in _STEP.findall(path):
        place = _go(place, key or int(number))
        if key or not isinstance(place, dict | str):
            continue
        if isinstance(place, dict) and "max_points" in place:
            name = str(place.get("name") or "")
        elif isinstance(place, str):
            phrase = place
    return name, phrase


def _go(place: Any, key: str | int) -> Any:
    try:
        return place[key]
    except (KeyError, IndexError, TypeError):
        return None


def _show(project_id: int, document: Any, findings: list[Finding]) -> list[ShownFinding]:
    ids = {call_id for finding in findings for call_id in finding.calls}
    calls = Call.objects.filter(project=project_id).in_bulk(ids)
    return [
        ShownFinding(
            finding.severity,
            finding.path,
            describe_place(document, finding.path),
            translate(finding.message),
            [calls[pk] for pk in finding.calls if pk in calls],
        )
        for finding in findings
    ]


def _group_by_criterion(document: Any, never_said: list[Finding]) -> list[SilentCriterion]:
    grouped: dict[str, SilentCriterion] = {}
    for finding in never_said:
        criterion = finding.path.rpartition(".rule.")[0]
        name, _phrase = _find_names(document, finding.path)
        shown = grouped.setdefault(criterion, SilentCriterion(name or criterion))
        shown.phrases.append((finding.message.params["phrase"], finding.path))
    return list(grouped.values())
