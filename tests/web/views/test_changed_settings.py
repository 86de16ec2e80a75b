"""What a version changed, as the pages show it: every setting has words, in both languages."""

import copy
import re
import typing

import pytest
from django.utils import translation
from pydantic import BaseModel

from callscope.interfaces.web.settings_parts.changes import show_changes
from callscope.projects.configuration import Configuration, Pattern, parse
from callscope.projects.services import configure_project, create_project
from callscope.projects.versions import list_changes, name_criteria
from tests.web.conftest import page

RULE = {
    "speaker": "customer",
    "within_seconds": 30,
    "any_of": ["hello", {"pattern": "hi+"}],
    "none_of": ["go away"],
    "applies_if": ["new customer"],
    "all_of": [["name", "surname"], ["birthday"]],
    "at_least": 1,
    "at_most": 3,
    "before": {"criterion": "closing"},
    "after": {"any_of": ["good morning"]},
    "not_within": {"seconds": 5, "any_of": ["wait"]},
    "no_silence": {"over_seconds": 20, "after": ["one moment"]},
}
OTHER_RULE = {
    **RULE,
    "within_seconds": None,
    "last_seconds": 40,
    "before": {"any_of": ["goodbye"]},
    "after": {"criterion": "closing"},
}
CRITERION = {
    "id": "greeting.first",
    "name": "Greets",
    "guideline": "The agent greets.",
    "max_points": 10,
    "critical": True,
    "critical_class": "customer",
    "partial_credit": True,
    "may_not_apply": True,
    "applies_when": "The customer is new.",
    "target_pct": 90,
    "rule": RULE,
}
CLOSING = {"id": "closing", "name": "Closes", "max_points": 5, "rule": {"any_of": ["goodbye"]}}
FULL = {
    "language": "es",
    "shift_hours": {"day_start": 7, "day_end": 21},
    "private_transcription": True,
    "redact": ["cards", "security_codes", "digit_runs", "emails", "phones"],
    "channels": {"agent": 1},
    "vocabulary": ["Acme"],
    "transcript_gate": {"min_words": 20, "min_confidence": 0.5, "min_known_words": 0.7, "score_poor": True},
    "goal": {"description": "It is resolved", "phrases": ["all set"]},
    "contact_reasons": {
        "mode": "predefined",
        "codes": [{"code": "Billing", "description": "Of invoices", "phrases": ["invoice"]}],
    },
    "rubric": {
        "name": "Inbound",
        "on_critical_error": "flag",
        "on_unverified": "refuse",
        "sections": [{"name": "Opening", "criteria": [CRITERION]}, {"name": "End", "criteria": [CLOSING]}],
    },
    "no_protocol": {
        "prompts": [{"id": "recording", "text": "Says it is recorded", "any_of": ["recorded"]}],
        "mistakes": [{"id": "rude", "text": "Is rude", "speaker": "agent", "any_of": ["shut up"]}],
    },
    "custom_questions": ["Was a refund promised?"],
    "trackers": [
        {"id": "rivals", "name": "Rivals", "rule": RULE},
        {"id": "others", "name": "Others", "rule": OTHER_RULE},
    ],
    "targets": {
        "average_score": 80,
        "critical_error_pct": 5,
        "negative_sentiment_pct": 10,
        "goal_reached_pct": 70,
    },
    "reviews": {"counts": "final", "weak_criteria": "count", "appeal_days": 14},
    "retention": {"recordings_days": 30, "transcripts_days": 60, "results_days": 90},
}
OPTIONAL = {"rule", "before", "after", "not_within", "no_silence"}
KEYS = {"id", "code", "sections", "criteria"}  # of lists: they say which item is which


def walk(value, steps=()):
    """Yield (steps to it, the model that it stands in, its name, its value) for every setting."""
    if isinstance(value, BaseModel):
        for name in type(value).model_fields:
            inside = getattr(value, name)
            yield (*steps, name), type(value), name, inside
            if not isinstance(inside, list) or not inside or isinstance(inside[0], BaseModel):
                yield from walk(inside, (*steps, name))
    elif isinstance(value, list):
        for number, each in enumerate(value):
            yield from walk(each, (*steps, number))


def list_others(model, name, value):
    """Return what else a setting could be."""
    annotation = model.model_fields[name].annotation
    choices = [each for kind in (annotation, *typing.get_args(annotation)) for each in typing.get_args(kind)]
    choices = [each for each in choices if isinstance(each, str)]
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, list):
        return [[], [*value, *value[:1]]]
    if choices:
        return [each for each in choices if each != value]
    if isinstance(value, str):
        return ["greeting.first" if name == "criterion" else "Another text", ""]
    if isinstance(value, BaseModel):
        return [None]
    return [value + 1, None]


def put(document, steps, value):
    changed = copy.deepcopy(document)
    place = changed
    for step in steps[:-1]:
        place = place[step]
    place[steps[-1]] = value
    return changed


def is_of_items(value):
    return isinstance(value, list) and isinstance(value[0], BaseModel) and not isinstance(value[0], Pattern)


LEAVES = [
    (steps, model, name, value)
    for steps, model, name, value in walk(parse(FULL))
    if name not in KEYS
    and value not in (None, "", [])
    and (name in OPTIONAL if isinstance(value, BaseModel) else not is_of_items(value))
    and steps[0::2] != ("trackers", "rule")  # which no tracker is without
]


def say(shown):
    """Return everything that the page says of a change."""
    return " ".join([shown.name, shown.former, shown.new, *shown.gone, *shown.came])


def test_the_settings_of_this_test_are_all_there_are():
    known, filled = set(), set()
    for _steps, model, _name, _value in walk(parse(FULL)):
        known |= {(model, each) for each in model.model_fields}
    for _steps, model, name, value in walk(parse(FULL)):
        if value not in (None, [], ""):
            filled.add((model, name))

    assert Configuration in {model for model, _name in known}
    assert known == filled


@pytest.mark.parametrize("language", ["en", "es"])
@pytest.mark.parametrize("leaf", LEAVES, ids=lambda leaf: ".".join(map(str, leaf[0])))
def test_every_setting_has_words(leaf, language):
    steps, model, name, value = leaf
    document = parse(FULL).as_document()
    for other in list_others(model, name, value):
        changed = put(document, steps, other)
        with translation.override(language):
            shown = show_changes(list_changes(document, changed), name_criteria(document))

            assert shown, (steps, other)
            for each in shown:
                assert each.kind != "unknown"
                assert " " in each.name or each.name in ("Questions", "Preguntas")
                words = say(each)
                assert not re.search(r"[{}\[\]]|\b(null|None|[Tt]rue|[Ff]alse)\b|\w_\w|…", words), words
                if each.kind == "value":
                    assert each.former and each.new and each.former != each.new


def show(former, new, language="en"):
    """Return what changed between two documents."""
    before, after = parse(former).as_document(), parse(new).as_document()
    names = {**name_criteria(before), **name_criteria(after)}
    with translation.override(language):
        return show_changes(list_changes(before, after), names)


def write(shown):
    signs = [*(f"− {each}" for each in shown.gone), *(f"+ {each}" for each in shown.came)]
    value = f"{shown.former} → {shown.new}" if shown.former or shown.new else shown.kind
    return f"{shown.name}: {' '.join(signs) or value}"


class TestWords:
    def test_name_the_setting_as_its_form_does(self):
        new = {
            "retention": {"transcripts_days": 1},
            "redact": ["cards", "emails"],
            "shift_hours": {"day_start": 9},
            "targets": {"average_score": 82.5},
            "private_transcription": True,
        }

        assert sorted(map(write, show({}, new))) == [
            "Language and shifts · Day shift start: 08:00 → 09:00",
            "Privacy · Private transcription: no → yes",
            "Privacy · Redact in transcripts and recordings: − Security codes of cards + E-mail addresses",
            "Retention · Transcripts and quotes: – → 1 day",
            "Targets of the report · Average score, at least: – → 82.5\u00a0%",
        ]
        assert "Conservación" in write(show({}, {"retention": {"results_days": 30}}, "es")[0])
        assert "82,5" in write(show({}, {"targets": {"average_score": 82.5}}, "es")[0])

    def test_say_which_item_of_a_list_came_went_or_changed(self):
        rivals = {"id": "rivals", "name": "Rivals", "rule": {"any_of": ["cheaper"]}}
        more = {**rivals, "rule": {"any_of": ["cheaper", {"pattern": "better.*"}], "speaker": "customer"}}
        other = {"id": "other", "name": "Other", "rule": {"any_of": ["x"]}}

        assert list(map(write, show({}, {"trackers": [rivals]}))) == ["Tracker “Rivals”: added"]
        assert list(map(write, show({"trackers": [rivals]}, {}))) == ["Tracker “Rivals”: removed"]
        assert list(map(write, show({"trackers": [rivals]}, {"trackers": [more]}))) == [
            "Tracker “Rivals” · Said by: the agent → the customer",
            "Tracker “Rivals” · Found by any of these phrases: + /better.*/",
        ]
        turned = show({"trackers": [rivals, other]}, {"trackers": [other, rivals]})
        assert list(map(write, turned)) == ["Trackers · Order of the trackers: order"]

    def test_name_criteria_whatever_their_ids_are(self):
        rubric = {"sections": [{"name": "Opening", "criteria": [{**CRITERION, "rule": None}, CLOSING]}]}
        cheaper = copy.deepcopy(rubric)
        cheaper["sections"][0]["criteria"][0].update(max_points=4.5, rule={"at_most": 0, "any_of": ["hello"]})

        assert list(map(write, show({"rubric": rubric}, {"rubric": cheaper}))) == [
            "Criterion “Greets” · Points: 10 → 4.5",
            "Criterion “Greets” · Decide by phrases, without a language model: no → yes",
            "Criterion “Greets” · Said by: – → the agent",
            "Criterion “Greets” · Met by any of these phrases: + hello",
            "Criterion “Greets” · Said at most this many times: – → 0",
        ]
        cheaper["sections"][0]["criteria"].reverse()
        cheaper["sections"][0]["criteria"][1] = rubric["sections"][0]["criteria"][0]
        assert list(map(write, show({"rubric": rubric}, {"rubric": cheaper}))) == [
            "Rubric · Order of the criteria: order"
        ]

    def test_mark_the_words_of_a_long_text_that_differ(self):
        former = {"goal": {"description": "The caller's issue is resolved in this call"}}
        new = {"goal": {"description": "The caller's issue is resolved within the first call"}}

        [shown] = show(former, new)

        assert [(each.kind, each.text) for each in shown.pieces] == [
            ("same", "The caller's issue is resolved"),
            ("gone", "in this"),
            ("new", "within the first"),
            ("same", "call"),
        ]

    def test_say_so_where_a_version_has_a_setting_that_is_gone(self):
        document = parse({}).as_document()
        old = {**document, "seldom": {"inner": [{"a": 1}]}, "goal": {**document["goal"], "tone": "x"}}
        with translation.override("en"):
            shown = show_changes(list_changes(old, document), {})

        assert {each.name for each in shown} == {"A setting that this version no longer has"}
        assert {say(each).strip() for each in shown} == {"A setting that this version no longer has"}


@pytest.mark.django_db
class TestVersionsPage:
    @pytest.fixture
    def project(self, alice):
        return create_project(alice, "Service line", document={"goal": {"phrases": ["all set"]}})

    def test_folds_what_is_long_and_reads_without_color(self, as_alice, alice, project):
        phrases = [f"phrase {number}" for number in range(20)]
        configure_project(project, {"goal": {"phrases": phrases}}, by=alice)

        shown = page(as_alice.get(f"/projects/{project.pk}/versions/"))

        assert "Goal of the caller · Phrases that show it: − all set + phrase 0 + phrase 1" in shown.text
        assert "+ phrase 7 and 12 more added + phrase 8" in shown.text
        assert "{" not in shown.text.partition("Every saved change")[2]

    def test_keeps_the_differences_in_a_row_of_their_own(self, as_alice, alice, project):
        configure_project(project, {"language": "es"}, by=alice)

        text = page(as_alice.get(f"/projects/{project.pk}/versions/")).text

        row, _fold, rest = text.partition("2 changes")
        assert row.endswith("alice@example.com ")
        assert "Language and shifts · Language of the calls: English → Spanish" in rest

    def test_names_the_first_settings_that_a_version_changes(self, as_alice, alice, project):
        settings = {"language": "es", "goal": {"description": "Sold", "phrases": ["all set"]}}
        configure_project(project, settings | {"targets": {"average_score": 80}}, by=alice)

        text = page(as_alice.get(f"/projects/{project.pk}/versions/")).text

        [said] = re.findall(r"\d changes: (.*?) ?, version 2", text)
        assert said.count(";") == 2 and said.endswith("…")
        assert "Goal of the caller · Reached when" in said or "Language of the calls" in said

    def test_names_a_criterion_that_a_later_version_removed(self, as_alice, alice, project):
        for points in (10, 7):
            criteria = [{"id": "greeting", "name": "Greets", "max_points": points}]
            rubric = {"sections": [{"name": "Opening", "criteria": criteria}]}
            configure_project(project, {"rubric": rubric}, by=alice)
        configure_project(project, {"rubric": {}}, by=alice)

        text = page(as_alice.get(f"/projects/{project.pk}/versions/")).text

        assert "Criterion “Greets” · Points: 10 → 7" in text
        assert "Criterion “Greets”: removed" in text
