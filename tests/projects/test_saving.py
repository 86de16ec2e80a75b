"""A part of the settings, saved together with what others changed of it since it was opened."""

import pytest

from callscope.projects import configuration
from callscope.projects.saving import Saved, SettingsChanged, save_settings
from callscope.projects.services import ProtectedSetting, configure_project, create_project, share_project

pytestmark = pytest.mark.django_db
GREETS = {"id": "g", "name": "Greets", "max_points": 5}
HELPS = {"id": "h", "name": "Helps", "max_points": 5}
PROMPT = {"id": "recording", "text": "Says that it is recorded", "any_of": ["is recorded"]}
MISTAKE = {"id": "price", "text": "Names a price", "any_of": ["it costs"]}


def rubric(*criteria):
    return {"rubric": {"sections": [{"name": "Opening", "criteria": list(criteria)}]}}


def greets(**changes):
    return rubric({**GREETS, **changes})


def tracker(name, *phrases):
    return {"id": name, "name": name.title(), "rule": {"any_of": list(phrases)}}


@pytest.fixture
def made(alice):
    return create_project(alice, "P", document=rubric(GREETS), by=alice)


def criteria(project):
    project.refresh_from_db()
    return {each.id: each for _, each in project.configuration.rubric.criteria()}


def refused(*given, **named):
    with pytest.raises(SettingsChanged) as raised:
        save_settings(*given, **named)
    return raised.value


def paths(error):
    return [(each.path, each.former, each.new) for each in error.conflicts]


class TestSavingOnTopOfOthers:
    def test_keeps_what_both_changed_of_one_criterion(self, made, alice, bob):
        save_settings(made, greets(max_points=7), 1, bob)

        saved = save_settings(made, greets(guideline="Names the company."), 1, alice)

        greeting = criteria(made)["g"]
        assert (greeting.max_points, greeting.guideline) == (7, "Names the company.")
        assert (saved.is_changed, saved.is_merged) == (True, True)
        assert [(row.number, row.created_by) for row in saved.came_in] == [(2, bob)]
        assert made.config_version == 3

    def test_keeps_the_new_criterion_of_each(self, made, bob):
        save_settings(made, rubric(GREETS, HELPS), 1, bob)

        saved = save_settings(made, rubric(GREETS, {**HELPS, "id": "t", "name": "Thanks"}), 1)

        assert saved.is_merged and set(criteria(made)) == {"g", "h", "t"}

    def test_takes_defaults_that_were_not_sent_for_no_change(self, made):
        configure_project(made, {**rubric(GREETS), "goal": {"description": "Sold"}})

        save_settings(made, {"goal": {"description": "Sold", "phrases": ["deal"]}}, 2)
        saved = save_settings(made, {"goal": {"description": "Solved"}}, 2)

        made.refresh_from_db()
        assert saved.is_merged
        assert made.config["goal"] == {"description": "Solved", "phrases": ["deal"]}

    def test_says_that_nothing_came_in_where_others_changed_other_settings(self, made, bob):
        save_settings(made, {"custom_questions": ["Why?"]}, 1, bob)

        assert save_settings(made, greets(max_points=7), 1) == Saved(is_changed=True)
        made.refresh_from_db()
        assert made.config["custom_questions"] == ["Why?"]

    def test_says_that_nothing_came_in_where_both_changed_the_same(self, made):
        save_settings(made, greets(max_points=7), 1)

        assert save_settings(made, greets(max_points=7), 1) == Saved(is_changed=False)

    def test_says_what_came_in_where_nothing_was_changed_in_them(self, made, bob):
        save_settings(made, greets(max_points=7), 1, bob)

        saved = save_settings(made, rubric(GREETS), 1)

        assert (saved.is_changed, saved.is_merged, criteria(made)["g"].max_points) == (False, True, 7)

    def test_names_the_versions_of_these_settings_alone(self, made, bob):
        save_settings(made, greets(max_points=7), 1, bob)
        save_settings(made, greets(max_points=8), 2, bob)
        save_settings(made, {"custom_questions": ["Why?"]}, 3)

        saved = save_settings(made, greets(guideline="Names the company."), 1)

        assert [row.number for row in saved.came_in] == [3, 2]

    def test_is_no_conflict_in_different_lists_of_one_setting(self, made):
        save_settings(made, {"no_protocol": {"prompts": [PROMPT]}}, 1)

        assert save_settings(made, {"no_protocol": {"mistakes": [MISTAKE]}}, 1).is_merged
        made.refresh_from_db()
        assert [len(made.config["no_protocol"][name]) for name in ("prompts", "mistakes")] == [1, 1]


class TestConflicts:
    def test_name_what_both_changed_and_who_saved_it(self, made, alice, bob):
        save_settings(made, greets(max_points=7, guideline="Names the company."), 1, bob)
        save_settings(made, {"custom_questions": ["Why?"]}, 2, alice)

        error = refused(made, greets(max_points=4, partial_credit=True), 1, alice)

        assert paths(error) == [("rubric.criteria.g.max_points", 7, 4)]
        assert [(row.number, row.created_by) for row in error.savings] == [(2, bob)]
        assert error.version == 3
        assert criteria(made)["g"].max_points == 7

    def test_are_found_between_a_change_and_a_removal(self, made):
        configure_project(made, rubric(GREETS, HELPS))
        save_settings(made, rubric(GREETS), 2)

        error = refused(made, rubric(GREETS, {**HELPS, "max_points": 9}), 2)

        [change] = error.conflicts
        assert (change.path, change.change) == ("rubric.criteria.h", "added")

    def test_are_found_in_the_items_of_lists(self, made):
        configure_project(made, {"trackers": [tracker("acme", "acme"), tracker("bell", "bell")]})
        save_settings(made, {"trackers": [tracker("acme", "acme inc"), tracker("bell", "bell")]}, 2)

        error = refused(made, {"trackers": [tracker("acme", "acme ltd"), tracker("bell", "bells")]}, 2)

        [change] = error.conflicts
        assert change.path == "trackers"
        former, new = ([each["rule"]["any_of"] for each in side] for side in (change.former, change.new))
        assert (former, new) == ([["acme inc"], ["bells"]], [["acme ltd"], ["bells"]])

    def test_are_found_where_both_chose_another_order(self, made):
        three = [GREETS, HELPS, {**HELPS, "id": "t", "name": "Thanks"}]
        configure_project(made, rubric(*three))
        save_settings(made, rubric(three[1], three[0], three[2]), 2)

        assert paths(refused(made, rubric(*reversed(three)), 2)) == [
            ("rubric.criteria", ["h", "g", "t"], ["t", "h", "g"])
        ]
        assert save_settings(made, rubric(three[1], three[0], three[2]), 2) == Saved(is_changed=False)

    @pytest.mark.parametrize("since", [None, 99, -1, 10**30])
    def test_are_unknown_where_the_project_has_no_such_version(self, made, since):
        error = refused(made, greets(max_points=4), since)

        assert (error.conflicts, error.savings, error.version) == ([], [], 1)
        save_settings(made, greets(max_points=4), since, over=1)
        assert criteria(made)["g"].max_points == 4

    def test_are_of_the_whole_where_both_do_not_fit_together(self, made, bob):
        """One removes what the other refers to: each is right alone."""
        helps = {**HELPS, "rule": {"any_of": ["help"]}}
        configure_project(made, rubric(GREETS, helps))
        save_settings(made, rubric(GREETS), 2, bob)
        sent = rubric({**GREETS, "rule": {"any_of": ["hi"], "before": {"criterion": "h"}}}, helps)

        error = refused(made, sent, 2)

        assert error.conflicts == [] and [row.created_by for row in error.savings] == [bob]
        save_settings(made, sent, 2, over=error.version)
        assert list(criteria(made)) == ["g", "h"]


class TestSavingOver:
    def test_takes_what_was_sent_where_both_changed_it_and_keeps_the_rest(self, made, bob):
        save_settings(made, greets(max_points=7, guideline="Names the company."), 1, bob)
        sent = greets(max_points=4, partial_credit=True)

        saved = save_settings(made, sent, 1, over=2)

        greeting = criteria(made)["g"]
        assert (greeting.max_points, greeting.guideline, greeting.partial_credit) == (
            4, "Names the company.", True,
        )  # fmt: skip
        assert saved.is_merged and [row.number for row in saved.came_in] == [2]

    def test_undoes_nothing_that_nobody_has_seen(self, made, bob):
        save_settings(made, greets(max_points=7), 1, bob)
        assert refused(made, greets(max_points=4), 1).version == 2
        save_settings(made, greets(max_points=8, guideline="Names the company."), 2, bob)

        error = refused(made, greets(max_points=4), 1, over=2)

        assert paths(error) == [("rubric.criteria.g.max_points", 8, 4)]
        save_settings(made, greets(max_points=4), 1, over=error.version)
        greeting = criteria(made)["g"]
        assert (greeting.max_points, greeting.guideline) == (4, "Names the company.")


class TestProtectedSettings:
    @pytest.fixture
    def editor(self, made, bob):
        share_project(made, bob, "editor")
        return bob

    def test_stay_as_managers_saved_them_where_an_editor_sends_them_unchanged(self, made, alice, editor):
        opened = made.configuration.as_document()
        save_settings(made, {"redact": ["cards", "emails"]}, 1, alice)

        assert save_settings(made, {**opened, "language": "es"}, 1, editor).is_merged
        made.refresh_from_db()
        assert (made.config["redact"], made.config["language"]) == (["cards", "emails"], "es")

    def test_are_not_for_editors_to_save_over(self, made, alice, editor):
        save_settings(made, {"retention": {"recordings_days": 9}}, 1, alice)

        assert refused(made, {"retention": {"recordings_days": 90}}, 1, editor).conflicts
        with pytest.raises(ProtectedSetting):
            save_settings(made, {"retention": {"recordings_days": 90}}, 1, editor, over=2)
        made.refresh_from_db()
        assert made.config["retention"]["recordings_days"] == 9

    def test_of_two_managers_are_kept_of_both(self, made, alice):
        save_settings(made, {"retention": {"recordings_days": 9}}, 1, alice)

        save_settings(made, {"retention": {"results_days": 90}}, 1, alice)

        made.refresh_from_db()
        assert [made.config["retention"][name] for name in ("recordings_days", "results_days")] == [9, 90]


def test_what_is_wrong_is_said_before_what_conflicts(made):
    save_settings(made, greets(max_points=7), 1)

    with pytest.raises(configuration.InvalidConfiguration):
        save_settings(made, greets(max_points=-1), 1)
