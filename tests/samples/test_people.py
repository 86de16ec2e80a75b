"""What invented people say about the sample calls fits those calls, and nobody signs in as one of them."""

import copy
import dataclasses

import pytest
from django.contrib.auth import authenticate

from callscope.accounts.models import ApiKey, User
from callscope.analysis.conversation.turns import build_conversation
from callscope.analysis.evidence import verify_quote
from callscope.analysis.scoring import allowed_answers
from callscope.contact_reasons.models import CallReason
from callscope.pipeline.workers import stages
from callscope.pipeline.workers.worker import claim_and_start
from callscope.projects.configuration import parse_yaml
from callscope.projects.services import create_project
from callscope.reports.overview.report import build_report, report_json
from callscope.reports.store.verify import find_discrepancies
from callscope.reports.window import ALL_TIME
from callscope.reviews.agreement.blind_agreement import measure_blind_reviews
from callscope.reviews.appeal_records import Appeal
from callscope.reviews.findings import ANSWERS as FINDING_ANSWERS
from callscope.reviews.models import Calibration, Review, SampledCall, SamplingPlan
from callscope.reviews.note_records import CoachingNote
from callscope.samples import people
from callscope.samples.catalog import load_catalog
from callscope.samples.loading import load_sample
from callscope.samples.people import ANSWERS, RATERS, add_people, load_answers, load_people
from callscope.transcription import subtitles
from tests.conftest import copy_recordings
from tests.web.conftest import bring, line

pytestmark = pytest.mark.one_database

CATALOGUE = load_catalog()
each_company = pytest.mark.parametrize("sample", CATALOGUE, ids=lambda p: p.config_path.parent.name)


def read(path):
    """Return what is said in a transcript."""
    cues = subtitles.parse_subtitles(path.read_bytes())
    said = [{"start": c.start_s, "end": c.end_s, "speaker": c.speaker, "text": c.text} for c in cues]
    return build_conversation(said, language="auto", spoken_language="", quality={})


class TestDocuments:
    @each_company
    def test_answer_every_criterion_as_it_may_be_answered(self, sample):
        config = parse_yaml(sample.config_path.read_bytes())
        allowed = {c.id: {*allowed_answers(c), "met", "not_met"} for _, c in config.rubric.criteria()}

        for answers in load_answers(sample).values():
            assert set(answers) == set(allowed)
            assert all(answer in allowed[name] for name, answer in answers.items())

    @each_company
    def test_name_calls_that_can_be_read_and_criteria_that_are_asked_for(self, sample):
        texts = {path.name for path in sample.files if path.suffix in (".srt", ".vtt")}
        table, people = load_answers(sample), load_people(sample)
        rows = [*people["remarks"], *people["appeals"], *people["calibration"]["second_rater"]]

        assert set(table) <= texts
        assert {*people["calibration"]["calls"], *people["acknowledged"]} <= set(table)
        assert {each["call"] for each in [*rows, *people["notes"]]} <= set(table)
        assert all(row["criterion"] in table[row["call"]] for row in rows)
        assert all(each["answer"] in ANSWERS for each in people["calibration"]["second_rater"])

    @each_company
    def test_name_reasons_of_calls_that_are_there_each_once(self, sample):
        named = load_people(sample).get("reasons", [])
        calls = [name for each in named for name in each["calls"]]

        assert set(calls) <= {path.name for path in sample.files}
        assert len(calls) == len(set(calls))
        assert len({each["name"] for each in named}) == len(named)
        is_open = parse_yaml(sample.config_path.read_bytes()).contact_reasons.mode == "open_ended"
        assert bool(named) == is_open

    @each_company
    def test_quote_what_was_said(self, sample):
        paths, people = {path.name: path for path in sample.files}, load_people(sample)
        quoted = [(each["call"], each["quote"]) for each in people["remarks"] if "quote" in each]
        heard = [(each["call"], quote) for each in people["heard"] for quote in each["mistakes"].values()]

        assert quoted
        assert heard
        for call, quote in [*quoted, *heard]:
            assert verify_quote(quote, read(paths[call])), quote

    @each_company
    def test_hear_what_the_settings_ask_for(self, sample):
        asked = parse_yaml(sample.config_path.read_bytes()).no_protocol
        heard, table = load_people(sample)["heard"], load_answers(sample)

        assert {each["call"] for each in heard} <= set(table)
        assert {name for each in heard for name in each["mistakes"]} <= {m.id for m in asked.mistakes}
        assert {name for each in heard for name in each["said"]} <= {p.id for p in asked.prompts}
        assert {each["goal"] for each in heard} <= set(FINDING_ANSWERS["goal"])
        assert {each["sentiment"] for each in heard} <= set(FINDING_ANSWERS["sentiment"])


@pytest.fixture(scope="module")
def made(rows_of_module):
    """The Spanish company with the calls that somebody listened to, judged by the rules."""
    sample = CATALOGUE[1]
    table = load_answers(sample)
    sample = dataclasses.replace(sample, files=[path for path in sample.files if path.name in table])
    with rows_of_module():
        project = load_sample(sample, User.objects.create_user("alice@example.com", "alice-password"))
        while job := claim_and_start():
            stages.run_stage(job)
    return sample, project


@pytest.fixture
def company(made, db, recordings_of_module):
    copy_recordings(recordings_of_module)
    return copy.deepcopy(made)


@pytest.fixture
def alice(company):
    return company[1].owner


@pytest.mark.django_db
class TestNamedReasons:
    def test_are_those_of_the_calls_named_and_fit_whatever_was_grouped(self):
        owner = User.objects.create_user("owner@example.com", "owner-password")
        project = create_project(owner, "Copper")
        reasons = ("Wifi super slow", "Wifi super slow", "Looked at the bank", "Offers", "")
        lines = [line(n, contact_reason=name) for n, name in enumerate(reasons, 1)]
        calls = {call.file_name: call for call in bring(project, *lines)}

        people.name_reasons(
            [
                {"name": "Slow internet", "calls": ["call-1.wav", "call-3.wav"]},
                {"name": "Offers", "calls": ["call-2.wav"]},  # another reason has this name
                {"name": "Nothing", "calls": ["call-5.wav"]},  # waits for a reason
                {"name": "Nothing either", "calls": ["missing.wav"]},
            ],
            calls,
            owner,
        )

        named = CallReason.objects.filter(call__in=calls.values())
        assert dict(named.values_list("call__file_name", "reason__name")) == {
            **dict.fromkeys(("call-1.wav", "call-2.wav", "call-3.wav"), "Slow internet"),
            "call-4.wav": "Offers",
        }
        assert not list(find_discrepancies())


class TestPeople:
    def test_do_their_work_once_and_the_report_follows(self, company, alice):
        sample, project = company

        add_people(sample, project, alice)
        counts = [
            model.objects.filter(project=project).count()
            for model in (Review, SamplingPlan, Calibration, Appeal, CoachingNote)
        ]
        add_people(sample, project, alice)

        assert counts == [
            model.objects.filter(project=project).count()
            for model in (Review, SamplingPlan, Calibration, Appeal, CoachingNote)
        ]
        assert all(counts)
        assert Calibration.objects.get().state == Calibration.State.SETTLED
        assert Appeal.objects.filter(state=Appeal.State.OPEN).exists()
        assert SampledCall.objects.filter(reviewer=alice).exists()
        report = report_json(build_report([project], ALL_TIME))
        assert report["reviews"]["reviewed_calls"] == counts[0]
        assert report["reviews"]["corrected_calls"]
        assert not list(find_discrepancies())
        measured = measure_blind_reviews([project.pk], first=None, after=None).measured
        assert [row.kind for row in measured.findings] == ["mistake", "prompt", "goal", "sentiment"]

    @pytest.mark.parametrize("place", ["calibrate", "file_appeals"])
    def test_leave_nothing_behind_when_they_are_interrupted(self, company, alice, monkeypatch, place):
        sample, project = company

        def count():
            models = (User, Review, SampledCall, SamplingPlan, Calibration, Appeal, CoachingNote)
            return [model.objects.count() for model in models]

        before = count()
        work = getattr(people, place)

        def stop(*given):
            work(*given)
            raise KeyboardInterrupt

        monkeypatch.setattr(people, place, stop)
        with pytest.raises(KeyboardInterrupt):
            add_people(sample, project, alice)
        assert count() == before

        monkeypatch.setattr(people, place, work)
        add_people(sample, project, alice)

        assert all(count())
        assert not list(find_discrepancies())

    def test_cannot_sign_in(self, company, alice):
        sample, project = company

        add_people(sample, project, alice)

        invented = User.objects.exclude(pk=alice.pk)
        assert {user.email for user in invented} == {*RATERS, load_people(sample)["agent"]["email"]}
        for user in invented:
            assert not user.has_usable_password()
            assert not user.is_superuser
            assert authenticate(None, username=user.email, password=user.password) is None
        assert not ApiKey.objects.filter(user__in=invented).exists()
