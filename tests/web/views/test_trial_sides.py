"""What a trial compares a draft with: the current version, or the stored result where a model judges."""

import copy
import json

import pytest

from callscope.analysis.models import CallAnalysis
from callscope.messages.message import Message
from callscope.pipeline.models import UsageEntry
from callscope.projects.services import configure_project
from tests.pipeline.rubric_changes.conftest import model  # noqa: F401
from tests.web.conftest import bring, give_transcript, line, page

pytestmark = pytest.mark.django_db

GREETING = {"id": "greeting", "name": "Greets", "max_points": 10}


def settings_of(phrase, **others):
    criterion = {**GREETING, "rule": {"any_of": [phrase]}, **others}
    return {"rubric": {"sections": [{"name": "Opening", "criteria": [criterion]}]}}


@pytest.fixture
def call(project):
    """A call with the stored result of version 2, 66.67 %; version 3 finds the greeting, so 100 %."""
    configure_project(project, settings_of("never said"))
    [call] = bring(project, line(1, greeting=0))
    give_transcript(call)
    CallAnalysis.objects.filter(call=call).update(config_version=2)
    configure_project(project, settings_of("good morning"))
    project.refresh_from_db()
    assert project.config_version == 3
    return call


@pytest.fixture
def draft(project, call):
    return copy.deepcopy(project.configuration.as_document())


@pytest.fixture
def ask(as_alice, project, draft):
    def ask(part="try", **more):
        sent = {"document": draft, "criterion": "greeting", **more}
        answer = as_alice.post(
            f"/projects/{project.pk}/{part}/", json.dumps(sent), content_type="application/json"
        )
        assert answer.status_code == 200, answer.content
        return answer

    return ask


def read_row(answer):
    found = page(answer)
    [row] = found.all("tr")
    return found, row


class TestWhereRulesJudge:
    def test_a_draft_that_changes_nothing_changes_nothing(self, ask, call):
        found, row = read_row(ask("try-criterion", call=call.pk))

        assert (row["data-kind"], row["data-before"], row["data-after"]) == ("same", "100.0", "100.0")
        assert "±0.0" in found.text
        shown = page(ask(call=call.pk)).text
        assert "Nothing changes on this call." in shown

    def test_a_change_of_points_is_that_of_the_points_alone(self, ask, call, draft):
        draft["rubric"]["sections"][0]["criteria"][0]["max_points"] = 30

        found, row = read_row(ask("try-criterion", call=call.pk))

        assert (row["data-kind"], row["data-before"], row["data-after"]) == ("same_answer", "100.0", "100.0")
        assert "10 of 10 30 of 30" in found.text

    def test_names_the_version(self, ask, call):
        cells = [each.get("data-label") for each in read_row(ask("try-criterion", call=call.pk))[0].all("td")]
        assert cells[:3] == ["Version 3", "With these settings", "Version 3: score"]
        [panel] = [each for each in page(ask("try-criterion")).all("div") if "data-calls" in each]
        assert panel["data-version"] == "3"
        assert "with version {version}, {after}" in panel["data-text-summary"]

        shown = page(ask(call=call.pk)).text

        assert "call-1.wav: Version 3 and these settings" in shown
        assert "Version 3: what the machine answers with version 3, without corrections by people." in shown
        assert "Version 3: score" in shown
        assert "stored result" not in shown.lower()

    def test_stores_nothing_and_costs_nothing(self, ask, call):
        before = list(CallAnalysis.objects.values())

        ask("try-criterion", call=call.pk)
        ask(call=call.pk)

        assert list(CallAnalysis.objects.values()) == before
        assert not UsageEntry.objects.exists()

    def test_says_that_a_call_without_a_result_has_nothing_to_compare_with(self, ask, call):
        CallAnalysis.objects.all().delete()

        shown = page(ask(call=call.pk)).text

        assert "This call has no stored result to compare with." in shown
        assert "Version 3" not in shown

    def test_that_takes_too_long_by_the_current_version_is_refused(
        self, as_alice, project, call, draft, monkeypatch
    ):
        from callscope.analysis.analyze import AnalysisTooLong
        from callscope.interfaces.web.presenters import trial

        def refuse(*_args, **_options):
            raise AnalysisTooLong(Message("no_settings"))

        monkeypatch.setattr(trial, "analyze_by_current", refuse)
        sent = json.dumps({"document": draft, "criterion": "greeting", "call": call.pk})
        for part in ("try", "try-criterion"):
            answer = as_alice.post(f"/projects/{project.pk}/{part}/", sent, content_type="application/json")
            assert answer.status_code == 400


@pytest.mark.usefixtures("model")
class TestWhereALanguageModelJudges:
    def test_the_stored_result_is_compared_and_its_version_named(self, ask, call, model):  # noqa: F811
        found, row = read_row(ask("try-criterion", call=call.pk))

        assert len(model.prompts) == 1  # the draft alone
        assert row["data-before"] == "66.67"
        assert "data-apart" in row
        assert "stored result of version 2" in found.text
        assert [each.get("data-label") for each in found.all("td")][:1] == ["Stored result"]

    def test_the_whole_call_says_so_too(self, ask, call):
        shown = page(ask(call=call.pk)).text

        assert "call-1.wav: Stored result and these settings" in shown
        assert "Compared with: stored result of version 2" in shown
        assert "Stored result: what the machine answered, without corrections by people." in shown

    @pytest.mark.parametrize(("version", "note"), [(None, "imported result"), (3, ""), (77, "of version 77")])
    def test_only_a_result_of_other_judgments_is_noted(self, ask, call, version, note):
        CallAnalysis.objects.filter(call=call).update(config_version=version)

        found, row = read_row(ask("try-criterion", call=call.pk))

        assert ("data-apart" in row) == bool(note)
        assert note in found.text

    def test_versions_that_judge_alike_are_no_other(self, ask, call, project, draft):
        CallAnalysis.objects.filter(call=call).update(config_version=3)
        configure_project(project, {**draft, "targets": {"average_score": 80}})

        assert "data-apart" not in read_row(ask("try-criterion", call=call.pk))[1]

    def test_the_panel_counts_them(self, ask, call):
        [panel] = [each for each in page(ask("try-criterion")).all("div") if "data-calls" in each]

        assert panel["data-version"] == ""
        assert "in the stored results, {after}" in panel["data-text-summary"]
        assert "{count}" in panel["data-text-apart"]

    def test_the_editor_says_what_a_call_is_shown_next_to(self, as_alice, project, call):
        shown = as_alice.get(f"/projects/{project.pk}/").content.decode()

        assert "shows it next to its stored result." in shown


def test_the_editor_says_that_the_current_version_answers(as_alice, project, call):
    shown = as_alice.get(f"/projects/{project.pk}/").content.decode()

    assert "shows it next to what the current version answers." in shown
