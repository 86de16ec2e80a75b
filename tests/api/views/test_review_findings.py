"""What people say about mistakes, prompts, goal and sentiment: what is taken, and what counts."""

import copy
import io
import json

import pytest

from callscope.accounts.models import User
from callscope.analysis.models import CallAnalysis
from callscope.calls.models import Call, UploadedFile
from callscope.pipeline.erasure import retention
from callscope.pipeline.transfer.export import export_lines
from callscope.pipeline.transfer.importer import import_calls
from callscope.projects.models import Project
from callscope.projects.services import configure_project, create_project
from callscope.reports.models import CallMark
from callscope.reports.store.marks import MISSED_PROMPT, MISTAKE
from callscope.reports.store.verify import find_discrepancies
from callscope.reviews.models import Review
from callscope.transcription.models import Transcript
from tests.api.conftest import client_of
from tests.api.review_samples import RUBRIC, TALK, review, upload_judged
from tests.conftest import copy_recordings

pytestmark = pytest.mark.django_db

PROTOCOL = {
    "prompts": [
        {"id": "recording", "text": "Says that the call is recorded", "any_of": ["call is recorded"]},
        {"id": "name", "text": "Says the own name", "any_of": ["this is Ana"]},
    ],
    "mistakes": [
        {"id": "done", "text": "Says it is done", "any_of": ["all set"]},
        {"id": "rude", "text": "Is rude", "any_of": ["not my problem"]},
    ],
}
SETTINGS = {**RUBRIC, "no_protocol": PROTOCOL, "goal": {"description": "Solved", "phrases": ["all set"]}}
# The machine: done made, rude not made; recording missed, name said; goal reached.
FINDINGS = [
    {"kind": "mistake", "id": "done", "answer": "not_made", "comment": "It was done."},
    {"kind": "mistake", "id": "rude", "answer": "made", "quote": "corrected the invoice"},
    {"kind": "prompt", "id": "recording", "answer": "said"},
    {"kind": "prompt", "id": "name", "answer": "missed"},
    {"kind": "goal", "answer": "not_reached", "quote": "my invoice is wrong"},
    {"kind": "sentiment", "answer": "negative"},
]
OTHER_TALK = TALK.replace(b"Good morning", b"Well hello")


@pytest.fixture(scope="module")
def made(rows_of_module):
    """A judged call in a project of Alice's."""
    with rows_of_module():
        alice = User.objects.create_user("alice@example.com", "alice-password")
        project = Project.objects.create(name="Service line", owner=alice)
        configure_project(project, {**project.config, **SETTINGS}, alice)
        return project, upload_judged(client_of(alice), project)


@pytest.fixture
def project(made, db, recordings_of_module):
    copy_recordings(recordings_of_module)
    return copy.deepcopy(made[0])


@pytest.fixture
def alice(project):
    return project.owner


@pytest.fixture
def call_id(made, project):
    return made[1]


def send(client, call_id, findings=FINDINGS, **fields):
    answer = review(client, call_id, findings=findings, **fields)
    assert answer.status_code == 201, answer.content
    return answer.json()


def detail(client, call_id):
    return client.get(f"/calls/api/calls/{call_id}/").json()


def counted(client, call_id):
    """Return what counts, which list, detail, filters and report agree on."""
    (item,) = client.get("/calls/api/calls/").json()["results"]
    shown, report = detail(client, call_id), client.get("/calls/api/report/").json()
    fields = ("mistake_count", "missing_prompt_count", "goal_reached", "sentiment")
    assert [shown["record"][name] for name in fields] == [item[name] for name in fields]
    mistakes = sorted(each["id"] for each in shown["no_protocol"]["mistakes"])
    missed = sorted(each["id"] for each in shown["no_protocol"]["missing_prompts"])
    marks = set(CallMark.objects.filter(call=call_id).values_list("kind", "key"))
    assert {mark for mark in marks if mark[0] in (MISTAKE, MISSED_PROMPT)} == (
        {(MISTAKE, each) for each in mistakes} | {(MISSED_PROMPT, each) for each in missed}
    )
    for name, ids in (("mistakes", mistakes), ("missed_prompts", missed)):
        assert client.get("/calls/api/calls/", {name: "true"}).json()["count"] == bool(ids)
    goal = {True: 100, False: 0, None: None}[item["goal_reached"]]
    negative = None if item["sentiment"] is None else 100 * (item["sentiment"] == "negative")
    head = report["headline"]
    assert (head["goal_reached_pct"], head["negative_sentiment_pct"]) == (goal, negative)
    assert (item["mistake_count"], item["missing_prompt_count"]) == (len(mistakes), len(missed))
    assert find_discrepancies() == []
    return mistakes, missed, item["goal_reached"], item["sentiment"]


def refusal(client, call_id, *findings, **fields):
    answer = review(client, call_id, findings=list(findings), **fields)
    assert answer.status_code == 400, answer.content
    (sentence,) = answer.json()["findings"]
    return sentence


class TestOfAHalfHeardCall:
    @pytest.fixture(autouse=True)
    def half_heard(self, call_id):
        analysis = CallAnalysis.objects.get(call=call_id, is_live=True)
        analysis.no_protocol["transcript_quality"] = {"ok": False, "reasons": [], "half_heard": True}
        del analysis.no_protocol["prompts"]  # it lists only what was missed
        analysis.save()

    def test_what_the_machine_did_not_find_is_undecided(self, as_alice, call_id):
        made = send(as_alice, call_id)

        said = {each["id"]: each["machine_answer"] for each in made["findings"] if each["id"]}
        assert said == {"done": "made", "rude": None, "recording": "missed", "name": None}

    def test_a_comment_takes_the_place_of_words_that_the_transcript_lacks(self, as_alice, call_id):
        rude = {"kind": "mistake", "id": "rude", "answer": "made", "comment": "0:21 You are too slow."}
        assert "Send the words from the transcript" in refusal(as_alice, call_id, rude)
        transcripts = Transcript.objects.filter(file__call=call_id)
        transcripts.update(quality={"ok": False, "reasons": [], "half_heard": True})
        said = refusal(as_alice, call_id, {**rude, "comment": " "})
        assert "a comment that says what is heard and when" in said

        send(as_alice, call_id, [rude])

        assert counted(as_alice, call_id)[0] == ["done", "rude"]

    def test_only_what_it_found_counts_in_the_agreement(self, as_alice, project, call_id):
        send(as_alice, call_id, blind=True)

        document = as_alice.get("/calls/api/agreement/", {"project_id": project.pk}).json()
        counted = {each["kind"]: each["n"] for each in document["findings"]}
        assert (counted["mistake"], counted["prompt"]) == (1, 1)


class TestASubmittedReview:
    def test_is_the_result_of_the_call_everywhere(self, as_alice, call_id):
        machine = counted(as_alice, call_id)
        assert machine[:3] == (["done"], ["recording"], True)

        made = send(as_alice, call_id)

        assert counted(as_alice, call_id) == (["rude"], ["name"], False, "negative")
        shown = detail(as_alice, call_id)
        [mistake] = shown["no_protocol"]["mistakes"]
        assert mistake == {
            "id": "rude",
            "description": "Is rude",
            "quote": "[00:12] I have corrected the invoice for you, all set.",
            "quote_start": 12.5,
            "source": "person",
        }
        assert shown["insights"]["goal_quote"] == "[00:04] My invoice is wrong and I want it corrected."
        assert [shown["insights"][f"{name}_source"] for name in ("goal", "sentiment")] == ["person"] * 2
        assert [each["id"] for each in shown["machine_no_protocol"]["mistakes"]] == ["done"]
        assert shown["machine_insights"]["goal_reached"] is True
        assert shown["review"]["id"] == made["id"]
        said = [(each["kind"], each["id"], each["machine_answer"]) for each in made["findings"]]
        assert said[:5] == [
            ("mistake", "done", "made"),
            ("mistake", "rude", "not_made"),
            ("prompt", "recording", "missed"),
            ("prompt", "name", "said"),
            ("goal", "", "reached"),
        ]
        assert made["findings"][1]["speaker"] == "agent"
        assert as_alice.get("/calls/api/report/").json()["reviews"]["corrected_calls"] == 1

    def test_that_confirms_keeps_the_evidence_of_the_machine(self, as_alice, call_id):
        before = detail(as_alice, call_id)["no_protocol"]
        findings = [
            {"kind": "mistake", "id": "done", "answer": "made", "comment": "Too early."},
            {"kind": "prompt", "id": "recording", "answer": "missed"},
            {"kind": "goal", "answer": "reached"},
        ]

        send(as_alice, call_id, findings)

        shown = detail(as_alice, call_id)
        [mistake] = shown["no_protocol"]["mistakes"]
        assert mistake == {**before["mistakes"][0], "source": "person", "justification": "Too early."}
        assert shown["insights"]["goal_quote"] == shown["machine_insights"]["goal_quote"] != ""

    def test_can_leave_open_what_the_machine_knows(self, as_alice, call_id):
        unknown = [{"kind": kind, "answer": "unknown"} for kind in ("goal", "sentiment")]
        send(as_alice, call_id, unknown)

        assert counted(as_alice, call_id)[2:] == (None, None)

    def test_without_findings_leaves_them_to_the_machine(self, as_alice, call_id):
        machine = counted(as_alice, call_id)

        assert review(as_alice, call_id).status_code == 201

        assert counted(as_alice, call_id) == machine
        shown = detail(as_alice, call_id)
        assert (shown["machine_no_protocol"], shown["machine_insights"]) == (None, None)

    def test_that_is_withdrawn_lets_the_machine_count(self, as_alice, call_id):
        machine, before = counted(as_alice, call_id), detail(as_alice, call_id)

        made = send(as_alice, call_id)
        as_alice.delete(f"/calls/api/reviews/{made['id']}/")

        assert counted(as_alice, call_id) == machine
        assert detail(as_alice, call_id) == before

    def test_that_an_appeal_changes_keeps_its_findings(self, as_alice, project, call_id, carol):
        from callscope.pipeline.decisions.appeal_edits import decide_appeal, file_appeal

        send(as_alice, call_id)
        appeal = file_appeal(call_id, "offer", "I did.", carol)
        from callscope.accounts.models import User

        other = User.objects.create_user("judge@example.com", "secret words")
        decide_appeal(appeal.pk, "accepted", "So.", "not_applicable", other)

        assert Review.objects.get(is_current=True).revision == 2
        assert counted(as_alice, call_id) == (["rude"], ["name"], False, "negative")


class TestDrafts:
    def test_count_nowhere_and_keep_their_findings(self, as_alice, call_id):
        machine = counted(as_alice, call_id)
        made = send(as_alice, call_id, state="draft")
        assert counted(as_alice, call_id) == machine

        patch = as_alice.patch(f"/calls/api/reviews/{made['id']}/", {"state": "submitted"}, format="json")

        assert patch.status_code == 200, patch.content
        assert counted(as_alice, call_id) == (["rude"], ["name"], False, "negative")
        assert len(patch.json()["findings"]) == len(FINDINGS)

    def test_that_are_blind_hide_the_machine(self, as_alice, call_id):
        made = send(as_alice, call_id, state="draft", blind=True)
        assert {each["machine_answer"] for each in made["findings"]} == {None}


class TestRefusals:
    def test_name_what_is_wrong(self, as_alice, call_id):
        rude = {"kind": "mistake", "id": "rude", "answer": "made"}
        allowed = "mistake done, mistake rude, prompt recording, prompt name, goal, sentiment"
        assert refusal(as_alice, call_id, {**rude, "id": "late"}) == (
            f'The call has no finding "mistake late". Allowed: {allowed}.'
        )
        assert refusal(as_alice, call_id, {**rude, "kind": "x"}).startswith("The call has no finding")
        assert "is listed twice" in refusal(as_alice, call_id, rude | {"quote": "all set"}, rude)
        assert refusal(as_alice, call_id, {"kind": "goal", "answer": "met"}) == (
            '"met" is not an answer to finding "goal". Allowed: reached, not_reached, unknown.'
        )
        assert "is not in the transcript" in refusal(as_alice, call_id, {**rude, "quote": "go away now"})

    def test_ask_for_the_evidence_of_a_mistake(self, as_alice, call_id):
        rude = {"kind": "mistake", "id": "rude", "answer": "made"}
        done = {**rude, "id": "done"}
        assert "needs evidence" in refusal(as_alice, call_id, rude)
        assert "needs evidence" in refusal(as_alice, call_id, done, blind=True)
        send(as_alice, call_id, [rude], state="draft")
        send(as_alice, call_id, [done])  # the machine shows the words


class TestTheSetting:
    def test_lets_the_machine_count_and_people_again(self, as_alice, project, call_id):
        machine = counted(as_alice, call_id)
        send(as_alice, call_id)
        for counts, expected in (("machine", machine), ("final", (["rude"], ["name"], False, "negative"))):
            config = as_alice.get(f"/api/projects/{project.pk}/").json()["config"]
            body = {"config": {**config, "reviews": {"counts": counts}}}
            assert as_alice.patch(f"/api/projects/{project.pk}/", body, format="json").status_code == 200
            assert counted(as_alice, call_id) == expected


class TestAnotherAnalysis:
    @pytest.fixture
    def reviewed(self, as_alice, call_id):
        send(as_alice, call_id)
        return call_id

    def test_of_the_same_words_carries_them_over(self, as_alice, project, reviewed):
        upload_judged(as_alice, project)

        assert UploadedFile.objects.count() == 2
        assert counted(as_alice, reviewed) == (["rude"], ["name"], False, "negative")
        assert CallAnalysis.objects.filter(machine_insights__isnull=False).count() == 1

    def test_of_other_words_counts_itself(self, as_alice, project, reviewed):
        upload_judged(as_alice, project, OTHER_TALK)

        assert counted(as_alice, reviewed)[:3] == (["done"], ["recording"], True)
        assert detail(as_alice, reviewed)["review_outdated"]

    def test_by_other_settings_leaves_what_asks_the_same(self, as_alice, project, reviewed):
        mistakes = [
            {**PROTOCOL["mistakes"][0], "any_of": ["set"]},
            {**PROTOCOL["mistakes"][1], "text": "Is cold"},
        ]
        settings = {**SETTINGS, "no_protocol": {**PROTOCOL, "mistakes": mistakes}}
        settings["goal"] = {"description": "No call back", "phrases": ["all set"]}
        configure_project(project, {**project.config, **settings}, project.owner)
        upload_judged(as_alice, project)

        assert counted(as_alice, reviewed) == ([], ["name"], True, "negative")
        (row,) = as_alice.get(f"/calls/api/{reviewed}/reviews/").json()["results"]
        outdated = [f"{each['kind']} {each['id']}" for each in row["findings"] if each["is_outdated"]]
        assert (outdated, row["is_outdated"]) == (["mistake rude", "goal "], False)


class TestAMove:
    def test_brings_findings_and_the_results_of_the_machine(self, as_alice, alice, project, call_id):
        machine = counted(as_alice, call_id)
        send(as_alice, call_id)
        content = b"".join(export_lines(project))
        line = json.loads(content)
        assert [each["id"] for each in line["machine_no_protocol"]["mistakes"]] == ["done"]
        project.delete()
        target = create_project(alice, "Target", document=SETTINGS)

        for changed in (1, 0):
            result = import_calls(target, io.BytesIO(content), by=alice)
            assert (result.errors, result.reviews) == ([], changed)

        assert result.unchanged == 1
        moved = Call.objects.get().pk
        assert counted(as_alice, moved) == (["rude"], ["name"], False, "negative")
        assert json.loads(b"".join(export_lines(target)))["reviews"] == line["reviews"]
        as_alice.delete(f"/calls/api/reviews/{Review.objects.get().pk}/")
        assert counted(as_alice, moved) == machine


class TestRemoval:
    def test_of_the_transcript_leaves_findings_without_words(self, as_alice, call_id):
        findings = [each | {"comment": "canary"} for each in FINDINGS]
        send(as_alice, call_id, findings)
        file = UploadedFile.objects.get()

        retention._remove_transcripts([file.pk], file.created_at)

        said = (
            str(detail(as_alice, call_id)) + as_alice.get(f"/calls/api/{call_id}/reviews/").content.decode()
        )
        assert not [word for word in ("canary", "have corrected", "invoice is wrong") if word in said]
        assert counted(as_alice, call_id) == (["rude"], ["name"], False, "negative")
