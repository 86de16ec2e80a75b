"""Two people's changes of one configuration, brought together."""

from copy import deepcopy

import pytest

from callscope.projects.configuration import parse
from callscope.projects.merging import list_conflicts, merge_changes


def criterion(name, **settings):
    return {"id": name, "name": name.title(), "max_points": 10, **settings}


@pytest.fixture
def base():
    sections = [
        {"name": "Opening", "criteria": [criterion("greeting"), criterion("identity"), criterion("reason")]},
        {"name": "Closing", "criteria": [criterion("farewell")]},
    ]
    prompts = [{"id": "recording", "text": "Says that it is recorded", "any_of": ["is recorded"]}]
    return parse({"rubric": {"sections": sections}, "no_protocol": {"prompts": prompts}}).as_document()


def change(base, edit):
    changed = deepcopy(base)
    edit(
        changed,
        {each["id"]: each for section in changed["rubric"]["sections"] for each in section["criteria"]},
    )
    return parse(changed).as_document()


def merge(base, *edits):
    """Return what two people's edits come to, checked."""
    draft, today = (change(base, edit) for edit in edits)
    return parse(merge_changes(base, draft, today)).as_document()


def ids(document):
    return {
        section["name"]: [each["id"] for each in section["criteria"]]
        for section in document["rubric"]["sections"]
    }


def nothing(document, criteria):
    pass


def section(document, name):
    return next(each["criteria"] for each in document["rubric"]["sections"] if each["name"] == name)


def move_to_closing(document, criteria):
    section(document, "Opening").remove(criteria["greeting"])
    section(document, "Closing").append(criteria["greeting"])


EDITS = {
    "points": lambda document, criteria: criteria["greeting"].update(max_points=3),
    "guideline": lambda document, criteria: criteria["greeting"].update(guideline="Names the company."),
    "another criterion": lambda document, criteria: criteria["farewell"].update(name="Says goodbye"),
    "a new criterion": lambda document, criteria: section(document, "Opening").insert(1, criterion("recap")),
    "a criterion less": lambda document, criteria: section(document, "Opening").remove(criteria["identity"]),
    "another section": move_to_closing,
    "another order": lambda document, criteria: document["rubric"]["sections"].reverse(),
    "a new prompt": lambda document, criteria: document["no_protocol"]["prompts"].append(
        {"id": "name", "text": "Says the name", "any_of": ["my name is"]}
    ),
    "phrases of a prompt": lambda document, criteria: document["no_protocol"]["prompts"][0].update(
        any_of=["we record"]
    ),
    "goal": lambda document, criteria: document["goal"].update(phrases=["sorted"]),
    "description": lambda document, criteria: document["goal"].update(description="It is sold"),
    "rubric": lambda document, criteria: document["rubric"].update(on_critical_error="zero_score"),
}


class TestMergeChanges:
    @pytest.mark.parametrize("name", EDITS)
    def test_is_the_change_of_the_one_who_changed_anything(self, base, name):
        changed = change(base, EDITS[name])

        assert merge(base, EDITS[name], nothing) == merge(base, nothing, EDITS[name]) == changed

    @pytest.mark.parametrize("name", EDITS)
    @pytest.mark.parametrize("other", EDITS)
    def test_has_the_changes_of_both_in_either_order(self, base, name, other):
        def both(document, criteria):
            EDITS[name](document, criteria)
            if other != name:
                EDITS[other](document, criteria)

        expected = change(base, both)

        for merged in (merge(base, EDITS[name], EDITS[other]), merge(base, EDITS[other], EDITS[name])):
            assert {key: set(value) for key, value in ids(merged).items()} == {
                key: set(value) for key, value in ids(expected).items()
            }
            assert by_id(merged) == by_id(expected)
            assert {**merged, "rubric": None} == {**expected, "rubric": None}
            assert merged["rubric"]["on_critical_error"] == expected["rubric"]["on_critical_error"]

    def test_keeps_the_order_that_either_of_them_chose(self, base):
        for edits in ("another order", "points"), ("points", "another order"):
            assert list(ids(merge(base, *(EDITS[edit] for edit in edits)))) == ["Closing", "Opening"]

    def test_puts_new_criteria_of_both_where_they_stood(self, base):
        def add(name):
            return lambda document, _: document["rubric"]["sections"][0]["criteria"].insert(
                1, criterion(name)
            )

        merged = merge(base, add("ours"), add("theirs"))

        assert ids(merged) == {
            "Opening": ["greeting", "ours", "theirs", "identity", "reason"],
            "Closing": ["farewell"],
        }

    def test_takes_the_draft_where_both_changed_the_same_setting(self, base):
        def points(number):
            return lambda document, criteria: criteria["greeting"].update(max_points=number)

        assert merge(base, points(3), points(4)) == change(base, points(3))
        changed = change(base, points(4))
        assert merge(base, EDITS["a criterion less"], lambda d, c: c["identity"].update(name="X")) == change(
            base, EDITS["a criterion less"]
        )
        assert (
            by_id(merge(base, points(4), lambda d, c: d["rubric"]["sections"].pop(0)))["greeting"]
            == (by_id(changed)["greeting"])
        )


class TestListConflicts:
    def conflicts(self, base, *edits):
        draft, today = (change(base, edit) for edit in edits)
        return [(each.path, each.change) for each in list_conflicts(base, draft, today)]

    @pytest.mark.parametrize("name", EDITS)
    @pytest.mark.parametrize("other", [*EDITS, None])
    def test_is_nothing_where_both_changed_other_settings_or_the_same(self, base, name, other):
        moves = {"another section", "another order"}

        found = self.conflicts(base, EDITS[name], EDITS.get(other, nothing))

        assert found == ([("rubric.criteria", "changed")] if {name, other} == moves else [])

    def test_is_nothing_where_both_added_in_the_same_place(self, base):
        def add(name):
            return lambda document, _: document["no_protocol"]["prompts"].append(
                {"id": name, "text": name, "any_of": [name]}
            )

        assert self.conflicts(base, add("ours"), add("theirs")) == []

    def test_names_the_setting_that_both_changed(self, base):
        def points(number, **more):
            return lambda document, criteria: criteria["greeting"].update(max_points=number, **more)

        assert self.conflicts(base, points(3, guideline="Names it."), points(4)) == [
            ("rubric.criteria.greeting.max_points", "changed")
        ]
        assert self.conflicts(base, lambda d, c: d["rubric"]["sections"].pop(0), points(4)) == [
            ("rubric.criteria.greeting", "removed")
        ]


def by_id(document):
    return {each["id"]: each for section in document["rubric"]["sections"] for each in section["criteria"]}
