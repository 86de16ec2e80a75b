"""The editor of a project's settings: what it shows, checks, tries and saves."""

import datetime as dt
import json
import re
from unittest import mock

import pytest
from django.utils import timezone
from django.utils.translation import override

from callscope.calls.models import UploadedFile
from callscope.engines.llm.scripted import ScriptedChatServer, ScriptedReply
from callscope.environment import EngineAddress
from callscope.interfaces.web.presenters import trial
from callscope.interfaces.web.presenters.retention import ask_before
from callscope.interfaces.web.settings_parts.catalog import PARTS
from callscope.interfaces.web.settings_parts.setting_names import say_value
from callscope.interfaces.web.settings_parts.starts import load_starter
from callscope.interfaces.web.templatetags.formatting import moment
from callscope.pipeline.erasure.due_removal import Forecast
from callscope.pipeline.models import Job, UsageEntry
from callscope.projects.configuration import to_yaml
from callscope.projects.services import configure_project, create_project, share_project
from callscope.reports.window import zone_name
from callscope.reviews.notes import create_note
from callscope.reviews.sampling.draw import collect_sample
from tests.web.conftest import CONFIGURATION, bring, give_transcript, line, page, visitor_of
from tests.web.views.reviewing.test_samples import judge


def post(client, address, **document):
    return client.post(address, json.dumps(document), content_type="application/json")


@pytest.fixture
def editor_address(project):
    return f"/projects/{project.pk}/"


@pytest.fixture
def document(project):
    return project.configuration.as_document()


@pytest.fixture
def as_bob(bob, project):
    from callscope.projects.services import share_project

    share_project(project, bob)
    return visitor_of(bob)


@pytest.mark.django_db
class TestEditor:
    def test_carries_the_whole_document(self, as_alice, editor_address, document):
        [settings] = page(as_alice.get(editor_address)).all("div", id="settings")

        assert json.loads(settings["data-document"]) == document

    def test_has_a_field_for_every_setting(self, as_alice, editor_address):
        """Walk the schema; whatever it names has to stand on the page of a part."""
        from callscope.projects.configuration import Configuration

        names = set()
        schema = Configuration.model_json_schema()
        for part in [schema, *schema["$defs"].values()]:
            names |= set(part.get("properties", {}))
        shown = {
            a[key]
            for part in PARTS
            for _, a in page(as_alice.get(f"{editor_address}settings/{part}/")).elements
            for key in ("data-field", "data-object", "data-list", "data-optional")
            if key in a
        }

        # A pattern stands between slashes in the list of the phrases.
        assert names - {"pattern"} <= shown, names - shown

    def test_is_locked_for_viewers(self, as_bob, editor_address):
        found = page(as_bob.get(editor_address))

        [fields] = found.all("fieldset", **{"class": "all-fields"})
        assert "disabled" in fields
        assert not [a for a in found.all("button") if "data-save-button" in a]
        assert "Ask alice@example.com" in found.text

    def test_is_not_there_for_others(self, as_carol, editor_address):
        for part in ("", "files/", "people/"):
            assert as_carol.get(editor_address + part).status_code == 404

    @pytest.mark.parametrize("part", ["rubric", "questions", "goal", "protocol"])
    def test_says_that_no_model_answers(self, as_alice, editor_address, part):
        shown = as_alice.get(f"{editor_address}settings/{part}/").content.decode()

        notice = shown.index('<p class="notice">')
        assert "This server has no language model" in shown[notice : notice + 700]

    def test_offers_only_what_can_be_done_without_calls(self, as_alice, project, editor_address):
        configure_project(project, {})

        shown = as_alice.get(editor_address).content.decode()

        assert "starter rubric" in shown
        assert "data-lint-button" not in shown
        assert "data-replay-form" not in shown


@pytest.mark.django_db
class TestStartingARubric:
    """An empty rubric can be filled with a starter, or with that of another project."""

    @pytest.fixture
    def empty(self, alice):
        return create_project(alice, "Empty", type="call", by=alice)

    @pytest.fixture
    def offered(self, as_alice):
        def offered(project):
            shown = as_alice.get(f"/projects/{project.pk}/settings/rubric/")
            return [value for value, _ in shown.context.get("starts") or []]

        return offered

    def test_offers_a_starter_and_the_call_projects_that_have_criteria(self, offered, empty, project, alice):
        create_project(alice, "Empty, too", type="call", by=alice)

        assert offered(empty) == ["starter", f"copy-{project.pk}"]
        assert offered(project) == []  # has criteria

    def test_offers_nothing_to_who_cannot_change_it(self, empty, bob):
        share_project(empty, bob)
        address = f"/projects/{empty.pk}/settings/rubric/"

        assert "data-start" not in visitor_of(bob).get(address).content.decode()
        assert visitor_of(bob).get(f"{address}start/?start=starter").status_code == 403

    def test_loads_what_was_chosen_and_stores_nothing(self, as_alice, empty, project):
        address, before = f"/projects/{empty.pk}/settings/rubric/start/", empty.config

        starter = as_alice.get(f"{address}?start=starter").json()["document"]
        copy = as_alice.get(f"{address}?start=copy-{project.pk}").json()["document"]

        assert starter == {"rubric": load_starter("en")["rubric"]}
        assert copy == {"rubric": project.config["rubric"]}
        empty.refresh_from_db()
        assert empty.config == before

    def test_loads_the_starter_in_the_language_of_the_calls(self, as_alice, empty):
        configure_project(empty, {"language": "es"})

        found = as_alice.get(f"/projects/{empty.pk}/settings/rubric/start/?start=starter").json()

        assert found["document"] == {"rubric": load_starter("es")["rubric"]}

    def test_loads_no_project_that_is_not_visible(self, as_carol, carol, project):
        own = create_project(carol, "Own", type="call", by=carol)
        address = f"/projects/{own.pk}/settings/rubric/start/"

        for start in (f"copy-{project.pk}", f"copy-{own.pk}", "", "else"):
            assert as_carol.get(address, {"start": start}).status_code == 404


@pytest.mark.django_db
class TestParts:
    """Each part has an address, saves what is on it, and leaves every other setting alone."""

    @pytest.fixture
    def part(self, editor_address):
        return lambda slug: f"{editor_address}settings/{slug}/"

    def save(self, client, address, document, version=1):
        return post(client, address, document=document, version=version)

    @pytest.mark.parametrize(
        ("slug", "words"),
        [
            ("rubric", "Saved. Calls that are analyzed from now on"),
            ("calls", "Saved. Reports use these hours for all calls."),
            ("targets", "Saved. Reports show the new targets."),
            ("reviews", "Saved. It applies to all calls, earlier ones too."),
            ("transcription", "Saved. It applies to files uploaded from now on."),
            ("privacy", "Saved. It applies to files uploaded from now on."),
            ("retention", "Saved. The next sweep, within a day, uses these days for all files."),
        ],
    )
    def test_say_what_becomes_of_what_was_saved(self, as_alice, part, slug, words):
        [settings] = page(as_alice.get(part(slug))).all("div", id="settings")

        assert settings["data-text-saved"].startswith(words)

    def test_say_that_another_project_has_the_name(self, as_alice, as_carol, project):
        warning = "There is another project with this name."
        address = f"/projects/{project.pk}/name/"
        assert warning not in page(as_alice.post(address, {"name": "Sales"}, follow=True)).text
        new = {"name": "sales", "start": "empty", "type": "call", "same_name": "sales"}

        assert warning not in page(as_carol.post("/projects/new/", new, follow=True)).text
        as_alice.post("/projects/new/", new)
        assert warning in page(as_alice.post(address, {"name": "SALES"}, follow=True)).text

    def test_warn_that_security_codes_stay(self, as_alice, part):
        assert "forbid keeping them" in page(as_alice.get(part("privacy"))).text

    def test_hold_every_setting_once(self, document):
        held = [key for part in PARTS.values() for key in part.keys]

        assert sorted(held) == sorted(document)

    def test_mark_the_one_that_is_shown(self, as_alice, part):
        for slug in PARTS:
            [current] = [
                a for a in page(as_alice.get(part(slug))).all("a") if "data-part" in a and "aria-current" in a
            ]
            assert current["data-part"] == slug

    def test_show_the_first_at_the_old_address(self, as_alice, editor_address, part):
        old, new = (page(as_alice.get(address)) for address in (editor_address, part("rubric")))

        assert [a.get("data-field") for _, a in old.elements] == [
            a.get("data-field") for _, a in new.elements
        ]
        assert as_alice.get(part("nowhere")).status_code == 404

    def test_are_fewer_where_calls_are_not_judged(self, as_alice, alice):
        from callscope.projects.services import create_project

        project = create_project(alice, "Dictations", type="general")
        links = page(as_alice.get(f"/projects/{project.pk}/")).all("a")

        assert [a["data-part"] for a in links if "data-part" in a] == [
            "calls", "transcription", "privacy", "retention", "general", "yaml",
        ]  # fmt: skip

    def test_begin_with_the_language_alone_where_there_is_no_report(self, as_alice, alice):
        from callscope.projects.services import create_project

        project = create_project(alice, "Dictations", type="general")
        address = f"/projects/{project.pk}/settings/calls/"

        shown = page(as_alice.get(f"/projects/{project.pk}/"))
        yaml = as_alice.post(
            f"/projects/{project.pk}/yaml/",
            {"document": project.configuration.as_document(), "part": "calls"},
            content_type="application/json",
        ).json()["yaml"]
        saved = as_alice.post(address, {"fields": "shown", "version": 1, "language": "es"}, follow=True)

        assert "Recordings Language" in shown.text and "Calls and report" not in shown.text
        assert [a["name"] for a in shown.all("select")] == ["language"]
        assert "shift" not in shown.text and yaml == "language: en\n"
        assert "It applies to files uploaded from now on." in page(saved).text
        project.refresh_from_db()
        assert project.configuration.language == "es"
        assert project.configuration.shift_hours.day_start == 8

    def test_save_their_own_settings_alone(self, as_alice, project, part, document):
        targets = document["targets"] | {"average_score": 85}

        answer = self.save(as_alice, part("targets"), {"targets": targets}).json()

        project.refresh_from_db()
        assert answer["changed"]
        assert project.configuration.as_document() == document | {"targets": targets}

    def test_keep_what_others_saved_in_other_parts(self, as_alice, project, part):
        self.save(as_alice, part("questions"), {"custom_questions": ["Why?"]})

        answer = self.save(as_alice, part("trackers"), {"trackers": []}, version=1)
        assert answer.status_code == 200
        assert answer.json()["document"]["custom_questions"] == ["Why?"]

        answer = self.save(as_alice, part("questions"), {"custom_questions": ["When?"]}, version=1)
        project.refresh_from_db()
        assert answer.status_code == 409
        assert project.config["custom_questions"] == ["Why?"]

    @pytest.mark.parametrize("version", [None, "1", 99, -1, True, 10**30])
    def test_need_the_version_that_was_edited(self, as_alice, project, part, version):
        answer = self.save(as_alice, part("questions"), {"custom_questions": ["Why?"]}, version)

        project.refresh_from_db()
        assert answer.status_code == (200 if version is True else 409)

    def test_refuse_settings_of_other_parts(self, as_alice, project, part):
        answer = self.save(as_alice, part("questions"), {"language": "es"})

        assert answer.status_code == 400
        [wrong] = answer.json()["errors"]
        assert wrong == {
            "path": "language",
            "reason": "is not a setting of this part. Allowed: custom_questions.",
        }

    def test_name_the_time_zone_of_the_hours(self, as_alice, part):
        text = page(as_alice.get(part("calls"))).text

        assert "Day shift end (0–23 h)" in text
        assert f"Hours of time zone {zone_name()}." in text

    def test_say_how_long_a_day_over_midnight_is(self, as_alice, project, part):
        said = "The day then runs over midnight and has 23 hours."
        assert said not in page(as_alice.get(part("calls"))).text
        form = {"version": "1", "language": "en", "shift_hours.day_start": "22"}

        saved = as_alice.post(part("calls"), form | {"shift_hours.day_end": "21"}, follow=True)
        refused = as_alice.post(part("calls"), form | {"version": "2", "shift_hours.day_end": "22"})

        assert said in page(saved).text
        assert said not in page(refused, 400).text

    def test_say_what_is_wrong_with_its_path(self, as_alice, project, part):
        answer = self.save(as_alice, part("calls"), {"shift_hours": {"day_start": 25, "day_end": 3}})

        project.refresh_from_db()
        assert [each["path"] for each in answer.json()["errors"]] == ["shift_hours.day_start"]
        assert project.config_version == 1

    def test_that_protect_people_are_for_managers(self, bob, project, part):
        from callscope.projects.services import share_project

        share_project(project, bob, "editor")
        as_bob = visitor_of(bob)

        answer = self.save(as_bob, part("privacy"), {"redact": []})

        assert answer.status_code == 403
        for slug, is_locked in (("privacy", True), ("retention", True), ("goal", False)):
            [fields] = page(as_bob.get(part(slug))).all("fieldset", **{"class": "all-fields"})
            assert ("disabled" in fields) == is_locked, slug

    def test_are_refused_to_viewers_and_hidden_from_others(self, as_bob, as_carol, part):
        for slug in PARTS:
            assert as_carol.get(part(slug)).status_code == 404
            assert as_bob.get(part(slug)).status_code == 200
        assert self.save(as_bob, part("targets"), {"targets": {}}).status_code == 403
        assert as_bob.post(part("targets"), {"version": "1"}).status_code == 403


@pytest.mark.django_db
class TestPartsWithoutScripts:
    """The same parts, as forms that a browser sends by itself."""

    @pytest.fixture
    def part(self, editor_address):
        return lambda slug: f"{editor_address}settings/{slug}/"

    def filled(self, found):
        """Return what a browser would send for the fields of the page's editor, as they are shown."""
        sent = {}
        for tag, a in found.elements:
            if "name" not in a or a["name"] in ("csrfmiddlewaretoken", "yaml"):
                continue
            if tag == "input" and a.get("type") == "checkbox":
                if "checked" in a:
                    sent.setdefault(a["name"], []).append(a.get("value", "on"))
            elif tag == "input" and "value" in a:
                sent[a["name"]] = a["value"]
        return sent

    @pytest.mark.parametrize("slug", ["targets", "calls", "reviews", "privacy", "retention"])
    def test_change_nothing_when_nothing_was_changed(self, as_alice, project, part, slug):
        found = page(as_alice.get(part(slug)))
        sent = self.filled(found) | chosen_options(found)

        answer = as_alice.post(part(slug), sent)

        project.refresh_from_db()
        assert answer.status_code == 302
        assert answer.url == part(slug)
        assert project.config_version == 1

    def test_say_at_each_choice_about_reviews_what_it_does(self, as_alice, part):
        found = page(as_alice.get(part("reviews")))
        named = {"reviews.counts", "reviews.weak_criteria", "reviews.appeal_days"}
        inputs = [a for tag, a in found.elements if tag in ("select", "input") and a.get("name") in named]
        hints = {a["id"] for a in found.all("p", **{"class": "hint"}) if "id" in a}

        assert len(inputs) == len(named)
        assert {a["aria-describedby"] for a in inputs} <= hints
        assert "Whose answers decide score, critical errors and findings of a call" in found.text

    def test_save_texts_numbers_and_choices(self, as_alice, project, part):
        version = {"version": "1", "fields": "shown"}
        as_alice.post(
            part("goal"),
            version | {"goal.description": "Solved", "goal.phrases": "thank you\r\n/solve[ds]/\r\n\\/and/"},
        )
        as_alice.post(part("transcription"), version | {
            "channels.agent": "1", "vocabulary": "fibre\r\n\r\n copper ", "transcript_gate.min_words": "5",
            "transcript_gate.min_confidence": "0,5", "transcript_gate.min_known_words": "0.6",
        })  # fmt: skip
        as_alice.post(
            part("privacy"), version | {"redact": ["cards", "emails"], "private_transcription": "on"}
        )
        as_alice.post(
            part("retention"), version | {"retention.results_days": "90", "retention.recordings_days": ""}
        )

        project.refresh_from_db()
        config = project.config
        assert config["goal"] == {
            "description": "Solved", "phrases": ["thank you", {"pattern": "solve[ds]"}, "/and/"],
        }  # fmt: skip
        assert config["channels"] == {"agent": 1}
        assert config["vocabulary"] == ["fibre", "copper"]
        assert config["transcript_gate"] == {
            "min_words": 5, "min_confidence": 0.5, "min_known_words": 0.6, "score_poor": False,
        }  # fmt: skip
        assert (config["redact"], config["private_transcription"]) == (["cards", "emails"], True)
        assert config["retention"]["results_days"] == 90
        assert "/and/" in page(as_alice.get(part("goal"))).text

    def test_show_what_was_sent_with_its_error(self, as_alice, project, part):
        found = page(as_alice.post(part("targets"), {"version": "1", "targets.average_score": "many"}), 400)

        [field] = [a for a in found.all("input") if a.get("name") == "targets.average_score"]
        assert (field["value"], field["aria-invalid"]) == ("many", "true")
        [error] = found.all("p", id=field["aria-describedby"])
        assert error["class"] == "error"
        project.refresh_from_db()
        assert project.config_version == 1

    def test_take_lists_as_yaml(self, as_alice, project, part):
        text = "trackers:\n- id: refund\n  name: Refund\n  rule: {any_of: [refund]}\n"

        assert as_alice.post(part("trackers"), {"version": "1", "yaml": text}).status_code == 302

        project.refresh_from_db()
        assert [each["id"] for each in project.config["trackers"]] == ["refund"]

    @pytest.mark.parametrize("text", ["trackers: [", "language: es", "7", "- 1", "", "trackers: 5"])
    def test_say_what_is_wrong_with_yaml(self, as_alice, project, part, text):
        found = page(as_alice.post(part("trackers"), {"version": "1", "yaml": text}), 400)

        assert [a for a in found.all("div") if a.get("role") == "alert"]
        project.refresh_from_db()
        assert project.config_version == 1

    @pytest.mark.parametrize("value", ["hello", "[1, 2]", "5", "true", ".nan", "[[a]]"])
    @pytest.mark.parametrize(
        ("slug", "name"),
        [
            ("goal", "goal"), ("calls", "shift_hours"), ("targets", "targets"), ("reviews", "reviews"),
            ("retention", "retention"), ("transcription", "channels"), ("transcription", "transcript_gate"),
        ],
    )  # fmt: skip
    def test_say_where_yaml_has_something_else_than_an_object(
        self, as_alice, project, part, slug, name, value
    ):
        found = page(as_alice.post(part(slug), {"version": "1", "yaml": f"{name}: {value}"}), 400)

        assert name in found.text
        project.refresh_from_db()
        assert project.config_version == 1

    @pytest.mark.parametrize("slug", ["privacy", "retention"])
    def test_protect_no_less_where_a_form_was_cut_off(self, as_alice, project, part, slug):
        before = project.config

        assert as_alice.post(part(slug), {"version": "1"}).status_code == 400

        project.refresh_from_db()
        assert project.config == before

    def test_begin_what_is_wrong_with_yaml_as_a_sentence(self, as_alice, project, part):
        found = page(as_alice.post(part("yaml"), {"version": "1", "yaml": "goal: {description: x"}), 400)

        assert "Not readable as YAML: line 1" in found.text
        assert "a bracket, a quotation mark or the indentation is wrong" in found.text
        assert "stream end" not in found.text
        assert [each["class"] for each in found.all("button") if "data-save-button" in each] == [
            "button primary"
        ]

    def test_make_saving_yaml_the_main_action_once_there_is_something_to_save(self, as_alice, part):
        found = page(as_alice.get(part("yaml")))

        assert [each["class"] for each in found.all("button") if "data-save-button" in each] == ["button"]

    def test_say_that_nothing_changed_without_a_check_mark(self, as_alice, project, part):
        yaml = to_yaml(project.configuration)

        answer = as_alice.post(part("yaml"), {"version": "1", "yaml": yaml}, follow=True)

        assert '<div class="toast info"><p>There were no changes to save.' in answer.content.decode()

    def test_lead_from_a_part_that_judges_to_the_calls_to_analyze_again(self, as_alice, project, part):
        give_transcript(bring(project, line())[0])

        leads = {
            slug: f'data-calls="/calls/?project_id={project.pk}"' in as_alice.get(part(slug)).content.decode()
            for slug in ("rubric", "goal", "retention")
        }

        assert leads == {"rubric": True, "goal": True, "retention": False}

    def test_replace_the_whole_document_as_yaml(self, as_alice, project, part):
        answer = as_alice.post(
            part("yaml"), {"version": "1", "yaml": "language: es\ncustom_questions: ['Why?']"}
        )

        project.refresh_from_db()
        assert answer.status_code == 302
        assert project.config["language"] == "es"
        assert project.config["rubric"]["sections"] == []


def chosen_options(found):
    """Return name → value of each select: the option that is marked, otherwise the first."""
    chosen, name = {}, ""
    for tag, a in found.elements:
        if tag == "select":
            name = a.get("name", "")
        elif tag == "option" and name and ("selected" in a or name not in chosen):
            chosen[name] = a["value"]
    return chosen


@pytest.mark.django_db
class TestCheck:
    def test_names_the_path_of_each_error(self, as_alice, editor_address, document):
        document["rubric"]["sections"][0]["criteria"][0]["max_points"] = -1
        document["shift_hours"]["day_start"] = 25

        errors = post(as_alice, editor_address + "check/", document=document).json()["errors"]

        assert {e["path"] for e in errors} == {
            "rubric.sections[0].criteria[0].max_points",
            "shift_hours.day_start",
        }
        assert all(e["reason"] for e in errors)

    @pytest.mark.parametrize(
        ("rule", "path", "said"),
        [
            (
                {"any_of": ["a"], "at_least": 1},
                ".at_least",
                "needs phrases under “All of these must be said”",
            ),
            ({"all_of": [["a"]], "at_most": 1}, ".at_most", "needs phrases to count, and there are none"),
            (
                {"any_of": ["a"], "before": {}},
                ".before.criterion",
                "needs either the id of another criterion or phrases",
            ),
            ({"any_of": ["a"], "before": {"criterion": ""}}, ".before.criterion", "must not be blank"),
            (
                {"any_of": ["a"], "within_seconds": 5, "last_seconds": 5},
                ".within_seconds",
                "the first seconds and the last seconds cannot be combined",
            ),
            ({"any_of": ["a" * 501]}, ".any_of[0]", "must have at most 500 characters, not 501"),
        ],
    )
    def test_says_it_in_the_words_of_the_page(self, as_alice, editor_address, document, rule, path, said):
        document["rubric"]["sections"][0]["criteria"][0]["rule"] = rule

        [wrong] = post(as_alice, editor_address + "check/", document=document).json()["errors"]

        assert wrong["path"].endswith(path)
        assert said in wrong["reason"]

    def test_names_the_field_of_what_all_of_an_object_lacks(self, as_alice, editor_address, document):
        document["trackers"] = [{"id": "t", "name": "Rivals", "rule": {}}]
        document["shift_hours"] = {"day_start": 8, "day_end": 8}

        errors = post(as_alice, editor_address + "check/", document=document).json()["errors"]

        assert {e["path"] for e in errors} == {"trackers[0].rule.any_of", "shift_hours.day_end"}

    def test_finds_nothing_wrong_with_what_is_stored(self, as_alice, editor_address, document):
        found = post(as_alice, editor_address + "check/", document=document).json()

        assert found["errors"] == []
        # Neither has a rule, and the built-in rules are the judge here.
        assert found["unjudged"] == ["rubric.sections[0].criteria[0]", "rubric.sections[1].criteria[0]"]

    @pytest.mark.parametrize("body", ["", "[]", "{", '{"document": []}', '{"document": 7}', "[" * 100_000])
    @pytest.mark.parametrize("part", ["check/", "save/", "yaml/", "try/"])
    def test_answers_nonsense_without_a_crash(self, as_alice, editor_address, part, body):
        answer = as_alice.post(editor_address + part, body, content_type="application/json")

        assert answer.status_code in (200, 400, 409)
        assert answer.json().get("errors") or answer.json().get("detail")


@pytest.mark.django_db
class TestSave:
    def save(self, client, address, document, version=1):
        return post(client, address + "save/", document=document, version=version)

    def test_stores_a_new_version(self, as_alice, alice, project, editor_address, document):
        document["custom_questions"] = ["Was it raining?"]

        answer = self.save(as_alice, editor_address, document).json()

        project.refresh_from_db()
        assert answer["changed"]
        assert answer["version"] == project.config_version == 2
        assert project.config["custom_questions"] == ["Was it raining?"]
        assert project.config_versions.get(number=2).created_by == alice

    def test_says_when_there_was_nothing_to_save(self, as_alice, editor_address, document):
        assert self.save(as_alice, editor_address, document).json()["changed"] is False

    def test_stores_nothing_that_is_wrong(self, as_alice, project, editor_address, document):
        document["language"] = "tlh"

        answer = self.save(as_alice, editor_address, document)

        project.refresh_from_db()
        assert answer.status_code == 400
        assert answer.json()["errors"][0]["path"] == "language"
        assert project.config_version == 1

    def test_never_overwrites_what_somebody_else_saved_meanwhile(
        self, as_alice, project, editor_address, document
    ):
        self.save(as_alice, editor_address, document | {"language": "es"})

        answer = self.save(as_alice, editor_address, document | {"language": "auto"}, version=1)

        project.refresh_from_db()
        assert answer.status_code == 409
        assert project.config["language"] == "es"

    def test_is_refused_to_viewers_and_hidden_from_others(
        self, as_bob, as_carol, project, editor_address, document
    ):
        assert self.save(as_bob, editor_address, document).status_code == 403
        assert self.save(as_carol, editor_address, document).status_code == 404
        assert post(as_bob, editor_address + "try/", document=document, call=1).status_code == 403

    def test_needs_a_token_of_the_page(self, alice, editor_address, document):
        strict = visitor_of(alice, enforce_csrf_checks=True)

        assert self.save(strict, editor_address, document).status_code == 403


@pytest.mark.django_db
class TestYaml:
    def test_goes_out_and_comes_back_the_same(self, as_alice, editor_address, document):
        text = post(as_alice, editor_address + "yaml/", document=document).json()["yaml"]

        assert post(as_alice, editor_address + "yaml/", yaml=text).json()["document"] == document

    def test_can_be_copied_while_something_is_wrong(self, as_alice, editor_address, document):
        document["language"] = "tlh"

        answer = post(as_alice, editor_address + "yaml/", document=document).json()

        assert "language: tlh" in answer["yaml"]
        assert answer["errors"][0]["path"] == "language"

    @pytest.mark.parametrize(
        "text", ["a: [", "language: xx", "!!python/object:os.system {}", "a: &x 1\nb: *x"]
    )
    def test_is_not_taken_with_errors(self, as_alice, editor_address, text):
        answer = post(as_alice, editor_address + "yaml/", yaml=text)

        assert answer.status_code == 400
        assert answer.json()["errors"]

    @pytest.mark.parametrize("depth", [100, 300, 500, 900])
    def test_of_a_deeply_nested_document_says_what_is_wrong(self, as_alice, editor_address, depth):
        deep = '{"document":' + '{"a":' * depth + "1" + "}" * (depth + 1)

        answer = as_alice.post(editor_address + "yaml/", deep, content_type="application/json")

        assert answer.status_code in (200, 400)
        assert answer.json()["errors"]


@pytest.mark.django_db
class TestTrial:
    @pytest.fixture
    def call(self, project):
        """A call whose greeting the current version does not find; its result is imported."""
        config = json.loads(json.dumps(CONFIGURATION))
        config["rubric"]["sections"][0]["criteria"][0]["rule"] = {"any_of": ["never said"]}
        configure_project(project, config)
        [call] = bring(project, line(1, greeting=0))
        give_transcript(call)
        return call

    @pytest.fixture
    def candidate(self):
        config = json.loads(json.dumps(CONFIGURATION))
        config["rubric"]["sections"][0]["criteria"][0]["rule"] = {"any_of": ["good morning"]}
        return config

    @pytest.fixture
    def outside_model(self, settings):
        """The language model of every project that is not private; it answers in no useful way."""
        before = settings.ENVIRONMENT.llm
        with ScriptedChatServer(lambda _request, _number: ScriptedReply("no JSON")) as server:
            object.__setattr__(settings.ENVIRONMENT, "llm", EngineAddress(server.url, "", "scripted"))
            yield server
        object.__setattr__(settings.ENVIRONMENT, "llm", before)

    def test_shows_the_scores_side_by_side(self, as_alice, editor_address, call, candidate):
        found = page(
            post(as_alice, editor_address + "try/", document=candidate, criterion="greeting", call=call.pk)
        )

        # by the current version 0 of 10 for the greeting, tried 10 of 10
        assert "Greets differs" in found.text
        assert "0 of 10 10 of 10" in found.text

    def test_stores_nothing(self, as_alice, project, editor_address, call, candidate):
        from callscope.analysis.models import CallAnalysis
        from callscope.pipeline.models import Job, UsageEntry

        before = list(CallAnalysis.objects.values())
        post(as_alice, editor_address + "try/", document=candidate, criterion="greeting", call=call.pk)

        project.refresh_from_db()
        assert list(CallAnalysis.objects.values()) == before
        assert project.config_version == 2
        assert not UsageEntry.objects.exists()
        assert not Job.objects.exists()

    @pytest.mark.parametrize("stored", [True, False])
    def test_keeps_private_words_from_the_engine_of_all_projects(
        self, as_alice, project, editor_address, call, candidate, outside_model, stored
    ):
        """Private in the stored settings or in the candidate: either is enough."""
        private = {**CONFIGURATION, "private_transcription": stored}
        configure_project(project, private)
        candidate["private_transcription"] = not stored
        post(as_alice, editor_address + "try/", document=candidate, criterion="greeting", call=call.pk)

        assert outside_model.requests == []

    def test_enters_what_the_model_cost(
        self, as_alice, alice, project, editor_address, call, candidate, outside_model
    ):
        post(as_alice, editor_address + "try/", document=candidate, criterion="greeting", call=call.pk)

        entry = UsageEntry.objects.get()
        assert (entry.kind, entry.user_id, entry.project_id) == ("trial", alice.pk, project.pk)
        assert entry.input_tokens == 1000 * len(outside_model.requests) > 0

    def test_ends_when_it_takes_too_long(self, as_alice, editor_address, call, candidate, monkeypatch):
        monkeypatch.setattr(trial, "LIMIT_S", -1.0)

        answer = post(
            as_alice, editor_address + "try/", document=candidate, criterion="greeting", call=call.pk
        )

        assert answer.status_code == 400
        assert "too many phrases for a transcript of this length" in answer.json()["detail"]

    @pytest.mark.parametrize("named", [None, 0, -1, 10**30, True, "nope.srt", "\x00", [], {}])
    def test_asks_for_a_call_that_has_a_transcript(self, as_alice, editor_address, candidate, named):
        answer = post(as_alice, editor_address + "try/", document=candidate, call=named)

        assert answer.status_code == 404
        assert "Choose a call" in answer.json()["detail"]

    def test_keeps_to_calls_of_the_project(self, as_alice, alice, editor_address, call, candidate):
        from callscope.projects.services import create_project

        other = create_project(alice, "Other")
        answer = post(
            as_alice,
            type(editor_address)(f"/projects/{other.pk}/") + "try/",
            document=candidate,
            criterion="greeting",
            call=call.pk,
        )

        assert answer.status_code == 404


@pytest.mark.django_db
class TestCriterionTrial(TestTrial):
    """One criterion of a draft on the newest calls: TestTrial's promises hold for each of them, too."""

    @pytest.fixture
    def editor_address(self, project):
        return TrialAddress(f"/projects/{project.pk}/")

    @pytest.fixture
    def ask(self, as_alice, editor_address, candidate):
        def ask(criterion="greeting", **more):
            return post(as_alice, editor_address + "try/", document=candidate, criterion=criterion, **more)

        return ask

    def test_shows_the_scores_side_by_side(self, ask, call):
        found = page(ask(call=call.pk))

        assert "0 of 10 10 of 10" in found.text
        [row] = found.all("tr")
        assert (row["data-kind"], row["data-before"]) == ("differs", "0.0")
        assert float(row["data-after"]) == 100

    @pytest.mark.parametrize(
        ("changes", "remark"),
        [
            ({"max_points": 30}, "same answer, other points"),
            ({"max_points": 30, "critical": True}, "same answer, a critical error with these settings"),
        ],
    )
    def test_marks_no_call_whose_answer_stays(self, ask, call, candidate, changes, remark):
        candidate["rubric"]["sections"][0]["criteria"][0] |= changes | {"rule": {"any_of": ["never said"]}}

        found = page(ask(call=call.pk))

        [row] = found.all("tr")
        assert row["data-kind"] == "same_answer"
        assert "is-changed" not in row.get("class", "")
        assert "0 of 10 0 of 30" in found.text
        assert remark in found.text
        assert "differs" not in found.text

    def test_offers_the_newest_twenty_calls_without_judging_any(self, ask, project):
        calls = bring(project, *(line(day, greeting=0) for day in range(1, 23)))
        for each in calls:
            give_transcript(each)

        [panel] = [each for each in page(ask()).all("div") if "data-calls" in each]

        assert json.loads(panel["data-calls"]) == [each.pk for each in calls[:1:-1]]
        assert not UsageEntry.objects.exists()

    def test_states_what_a_model_costs_before_it_is_asked(self, ask, call, outside_model):
        found = page(ask())

        assert "Requests to the model, at least 1" in found.text
        assert outside_model.requests == []

    def test_can_be_stopped(self, ask, call):
        answer = ask().content.decode()

        assert re.search(r"data-stop hidden>.*?</svg>([^<]+)</button>", answer)[1] == "Stop"

    def test_leaves_out_calls_that_the_visitor_is_to_review_blind(self, ask, alice, call):
        collect_sample(call.project, [call.pk], alice)

        assert "No call of this project has a result" in page(ask()).text
        assert ask(call=call.pk).status_code == 404

    @pytest.mark.parametrize("criterion", [None, "", "nope", 7, [], "\x00", "x" * 999])
    def test_names_the_criteria_that_there_are(self, ask, call, criterion):
        answer = ask(criterion)

        assert answer.status_code == 400
        assert "is not a criterion of these settings. They have: greeting" in answer.json()["detail"]

    def test_says_what_is_wrong_with_the_draft(self, ask, candidate, call):
        candidate["rubric"]["sections"][0]["criteria"][0]["max_points"] = -1

        answer = ask()

        assert answer.status_code == 400
        assert answer.json()["errors"][0]["path"] == "rubric.sections[0].criteria[0].max_points"

    @pytest.mark.parametrize("named", [None, 0, -1, 10**30, True, "nope.srt", "\x00", [], {}])
    def test_asks_for_a_call_that_has_a_transcript(self, ask, named):
        answer = ask(call=named)

        assert answer.status_code == 404
        assert "Choose a call" in answer.json()["detail"]


@pytest.mark.django_db
class TestWhatATrialSays:
    def test_says_first_what_changes_and_folds_what_does_not(self, as_alice, editor_address, project):
        [call] = bring(project, line(1, greeting=0))
        give_transcript(call)
        candidate = json.loads(json.dumps(CONFIGURATION))
        candidate["rubric"]["sections"][0]["criteria"][0]["rule"] = {"any_of": ["good morning"]}

        def tried(document):
            answer = post(as_alice, editor_address + "try/", document=document, call=call.pk)
            return answer.content.decode().partition("<details")

        shown, _, _ = tried(candidate)
        assert re.search(r"\d+ results? changes? on this call\.", shown)
        assert "Greets" in shown

        configure_project(project, candidate)
        shown, _, folded = tried(candidate)
        assert "Nothing changes on this call." in shown
        assert "Greets" not in shown
        assert "stay as they are" in folded
        assert "Greets" in folded

        candidate["rubric"]["sections"][0]["criteria"][0]["max_points"] = 30
        shown, _, folded = tried(candidate)
        assert "The answers and the score stay as they are on this call; points change." in shown
        assert "same answer, other points" in shown
        assert "is-changed" not in shown
        assert "Greets" not in folded


class TrialAddress(str):
    """The address of the editor; its "try/" is the trial of a criterion."""

    def __add__(self, part):
        return str(self) + part.replace("try/", "try-criterion/")


@pytest.mark.django_db
class TestRetention:
    @pytest.fixture
    def days(self, document):
        return {**document, "retention": {"recordings_days": None, "transcripts_days": 5, "results_days": 5}}

    def forecast(self, client, address, document):
        return post(client, f"{address}retention/", document=document)

    def test_is_forecast_before_it_is_saved(self, as_alice, editor_address, project, days):
        [call] = bring(project, {"file_name": "a.wav", "topic": "bill"})
        call.files.update(created_at=call.uploaded_at - dt.timedelta(days=9))

        answer = self.forecast(as_alice, editor_address, days).json()

        assert (
            "with these settings: transcripts 1, results of calls 1, calls erased completely 1.\n"
            in (answer["sentence"])
        )
        assert answer["question"] == "Erase 1 call within 7 days?"
        assert not project.configuration.retention.is_set

    @pytest.mark.parametrize(
        ("ages", "first", "in_all", "question"),
        [
            ([0, 1, 2], 0, 3, "Erase 3 calls within 7 days?"),
            ([9, 9, 0], 2, 3, "Erase 3 calls within 7 days?"),
            ([9], 1, 0, "Erase 1 call within 7 days?"),
        ],
        ids=["soon alone", "now and soon", "now alone"],
    )
    def test_says_what_falls_due_within_a_week(
        self, as_alice, editor_address, project, days, ages, first, in_all, question
    ):
        for number, age in enumerate(ages):
            [call] = bring(project, {"file_name": f"{number}.wav", "topic": "bill"})
            call.files.update(created_at=call.uploaded_at - dt.timedelta(days=age))

        answer = self.forecast(as_alice, editor_address, days).json()

        def of(calls):
            return f" transcripts {calls}, results of calls {calls}, calls erased completely {calls}."

        said = [
            f"The next sweep, within minutes, will remove with these settings:{of(first)}"
            if first
            else "The next sweep, within minutes, will remove nothing with these settings.",
            *([f"All that falls due within the next 7 days:{of(in_all)}"] if in_all else []),
        ]
        found = answer["sentence"].split("\n")
        assert found[: len(said)] == said
        assert [each.split(":")[0] for each in found[len(said) :]] == [
            "Transcripts",
            "Results",
            "Calls erased completely",
            "This cannot be undone.",
        ]
        assert answer["question"] == question

    def test_counts_what_goes_with_results_and_transcripts(
        self, as_alice, alice, editor_address, project, days, world
    ):
        judge(world[0], alice, "met")
        create_note(world[0], "He called from 555-0100.", 0.0, alice, is_shared=False)
        UploadedFile.objects.update(created_at=timezone.now() - dt.timedelta(days=9))
        days["retention"] |= {"recordings_days": 900, "results_days": None}
        words = self.forecast(as_alice, editor_address, days).json()
        days["retention"] |= {"transcripts_days": 900, "results_days": 5}
        results = self.forecast(as_alice, editor_address, days).json()

        assert "with these settings: transcripts 3, texts of notes 1.\n" in words["sentence"]
        assert "the texts of notes and appeals go, too. Points and answers stay" in words["sentence"]
        assert words["question"] == "Delete 3 transcripts within 7 days?"
        assert (
            "with these settings: results of calls 3, reviews 1, texts of notes 1, calls erased"
            in results["sentence"]
        )
        assert (
            "the reviews by people go, also from replays and probes. The calls leave all"
            in results["sentence"]
        )

    def test_names_the_moment_of_the_next_sweep_and_counts_by_it(
        self, as_alice, editor_address, project, days
    ):
        [call] = bring(project, {"file_name": "a.wav", "topic": "bill"})
        now = timezone.now()
        call.files.update(created_at=now - dt.timedelta(days=4, hours=12))
        job = Job.objects.create(
            kind=Job.Kind.RETENTION,
            project=project,
            subject_id=project.pk,
            state=Job.State.DONE,
            run_after=now,
        )
        Job.objects.filter(pk=job.pk).update(created_at=now - dt.timedelta(hours=4))

        sentence = self.forecast(as_alice, editor_address, days).json()["sentence"]

        assert sentence.startswith(f"The next sweep, on {moment(now + dt.timedelta(hours=20))}, will remove")
        assert "calls erased completely 1." in sentence

    def test_asks_nothing_where_the_saved_days_remove_as_much(self, as_alice, editor_address, project, days):
        [call] = bring(project, {"file_name": "a.wav", "topic": "bill"})
        call.files.update(created_at=call.uploaded_at - dt.timedelta(days=9))
        configure_project(project, days)
        longer = {**days, "retention": {**days["retention"], "transcripts_days": 7, "results_days": 7}}

        answer = self.forecast(as_alice, editor_address, longer).json()

        assert "calls erased completely 1." in answer["sentence"]
        assert "The saved days remove as much or more." in answer["sentence"]
        assert answer["question"] == ""

    def test_compares_saved_days_with_nothing(self, as_alice, editor_address, project, days):
        [call] = bring(project, {"file_name": "a.wav", "topic": "bill"})
        call.files.update(created_at=call.uploaded_at - dt.timedelta(days=9))
        configure_project(project, days)

        answer = self.forecast(as_alice, editor_address, days).json()

        assert "calls erased completely 1." in answer["sentence"]
        assert "saved days" not in answer["sentence"]
        assert answer["question"] == ""

    def test_says_nothing_of_what_falls_due_later(self, as_alice, editor_address, project, days):
        bring(project, {"file_name": "a.wav", "topic": "bill"})
        days["retention"] |= {"transcripts_days": 8, "results_days": 8}

        answer = self.forecast(as_alice, editor_address, days).json()

        assert (
            answer["sentence"] == "The next sweep, within minutes, will remove nothing with these settings."
        )
        assert answer["question"] == ""

    def test_of_nothing_is_no_sentence(self, as_alice, editor_address, document):
        answer = self.forecast(as_alice, editor_address, document).json()
        assert answer.pop("until") > timezone.now().timestamp()
        assert answer == {"errors": [], "sentence": "", "question": "", "counts": []}

    def test_counts_up_to_the_moment_that_was_shown(self, as_alice, editor_address, project, days):
        [call] = bring(project, {"file_name": "a.wav", "topic": "bill"})
        first = self.forecast(as_alice, editor_address, days).json()
        # Falls due a minute after the moment of the first answer, and now before a new one.
        due = dt.datetime.fromtimestamp(first["until"], dt.UTC) - dt.timedelta(days=5)
        call.files.update(created_at=due + dt.timedelta(minutes=1))

        with mock.patch.object(timezone, "now", return_value=timezone.now() + dt.timedelta(minutes=2)):
            again, afresh = (
                post(as_alice, f"{editor_address}retention/", document=days, until=until).json()
                for until in (first["until"], None)
            )
            wrong = [
                post(as_alice, f"{editor_address}retention/", document=days, until=until).json()["counts"]
                for until in ("x", -1, 10**30, True, [])
            ]

        assert first["counts"][:4] == [0, 1, 1, 1]
        assert (again["until"], again["counts"][:4]) == (first["until"], [0, 0, 0, 0])
        assert afresh["counts"][:4] == [0, 1, 1, 1]
        assert {each[2] for each in wrong} == {1}

    @pytest.mark.parametrize(
        ("removed", "question"),
        [
            ((3, 2, 5, 0), "Delete results of 5 calls within 7 days?"),
            ((3, 1, 0, 0), "Delete 1 transcript within 7 days?"),
            ((3, 0, 0, 0), "Delete 3 recordings within 7 days?"),
            ((0, 0, 0, 0), ""),
        ],
    )
    def test_asks_about_the_gravest_of_what_it_removes(self, removed, question):
        assert ask_before(Forecast(*removed), 7) == question

    def test_that_is_wrong_is_refused_with_its_path(self, as_alice, editor_address, days):
        days["retention"]["results_days"] = -1

        answer = self.forecast(as_alice, editor_address, days)

        assert answer.status_code == 400
        assert answer.json()["errors"][0]["path"] == "retention.results_days"

    def test_is_for_managers_to_change(self, bob, project, editor_address, days):
        from callscope.projects.services import share_project

        share_project(project, bob, "editor")

        answer = post(visitor_of(bob), f"{editor_address}save/", document=days, version=1)

        assert answer.status_code == 403
        assert "retention" in answer.json()["detail"]

    def test_refuses_to_try_settings_on_a_call_whose_transcript_it_removed(
        self, as_alice, editor_address, project, document
    ):
        [call] = bring(project, {"file_name": "a.wav", "topic": "bill"})
        call.files.update(transcript_removed_at=call.uploaded_at)

        answer = post(as_alice, f"{editor_address}try/", document=document, call=call.pk)

        assert answer.status_code == 409
        assert "removed by the retention" in answer.json()["detail"]


@pytest.mark.django_db
class TestWhoJudges:
    def test_names_the_criteria_that_nobody_can_judge_without_a_language_model(self, as_alice, project):
        document = {
            **project.config,
            "rubric": {
                "sections": [
                    {
                        "name": "All",
                        "criteria": [
                            {"id": "told", "name": "Told", "max_points": 1, "rule": {"any_of": ["hello"]}},
                            {"id": "none", "name": "None", "max_points": 1},
                            {"id": "empty", "name": "Empty", "max_points": 1, "rule": {}},
                        ],
                    }
                ]
            },
        }

        answer = as_alice.post(
            f"/projects/{project.pk}/check/",
            json.dumps({"document": document}),
            content_type="application/json",
        )

        assert answer.json() == {
            "errors": [],
            "unjudged": [f"rubric.sections[0].criteria[{number}]" for number in (1, 2)],
        }
        assert (
            "This server has no language model" in as_alice.get(f"/projects/{project.pk}/").content.decode()
        )


@pytest.mark.django_db
class TestTheNameOfARubric:
    def test_that_nobody_gave_is_in_the_language_of_the_page_and_stored_as_it_was(
        self, as_alice, editor_address, project
    ):
        address = f"{editor_address}settings/rubric/"

        answer = as_alice.get(address, headers={"Accept-Language": "es"})

        [name] = [
            each for each in page(answer).all("div", **{"data-field": "name"}) if "data-default" in each
        ]
        assert (name["data-default"], name["data-default-shown"]) == ("Rubric", "Rúbrica")
        with override("es"):
            assert say_value("rubric.name", "Rubric") == "Rúbrica"
            assert say_value("rubric.name", "Sales") == "Sales"
            assert say_value("goal.description", "Rubric") == "Rubric"
