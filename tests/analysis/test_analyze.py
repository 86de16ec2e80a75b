"""From a stored transcript and a configuration to findings: who judges, and what is asked."""

import dataclasses
import json
from decimal import Decimal

import pytest
from django.utils import timezone

from callscope.analysis import analyze as entry
from callscope.analysis.analyze import enabled_types
from callscope.calls.models import Agent, Call, UploadedFile
from callscope.engines.llm.scripted import ScriptedChatServer, ScriptedReply
from callscope.environment import EngineAddress
from callscope.projects.configuration import parse
from callscope.projects.engines import project_engines
from callscope.transcription.models import Transcript

RUBRIC = {
    "sections": [
        {
            "name": "All",
            "criteria": [{"id": "hi", "name": "Greets", "max_points": 5, "rule": {"any_of": ["hello"]}}],
        }
    ]
}


def analyze(transcript, config, **options):
    return entry.analyze(transcript, config, project_engines(config), **options)


@pytest.fixture
def transcript(project):
    now = timezone.now()
    agent = Agent.objects.create(owner=project.owner, name="Zoe Quist", name_key="zoe quist")
    call = Call.objects.create(
        project=project, file_name="c.srt", name_stem="c", call_datetime=now, uploaded_at=now, agent=agent,
        agent_source="api",
    )  # fmt: skip
    file = UploadedFile.objects.create(
        project=project, call=call, original_filename="c.srt", file_type="srt", storage_key="", created_at=now
    )
    segments = [
        {"start": 0, "end": 2, "speaker": "agent", "text": "Hello, Zoe is listening.", "confidence": None},
        {
            "start": 3,
            "end": 5,
            "speaker": "customer",
            "text": "I want to change my address.",
            "confidence": None,
        },
    ]
    return Transcript.objects.create(
        file=file, project=project, segments=segments, language="en", engine="subtitles"
    )


class TestEnabledTypes:
    @pytest.mark.parametrize(
        ("document", "expected"),
        [
            ({}, ["insights"]),
            ({"rubric": RUBRIC}, ["copc", "insights"]),
            (
                {"no_protocol": {"mistakes": [{"id": "m", "text": "M", "any_of": ["x"]}]}},
                ["no_protocol", "insights"],
            ),
            ({"custom_questions": ["Why?"]}, ["custom_questions", "insights"]),
        ],
    )
    def test_follow_from_what_the_project_asks(self, document, expected):
        assert enabled_types(parse(document)) == [f"calls_analysis_{name}" for name in expected]


class TestAnalyze:
    def test_goes_by_rules_where_no_model_is_configured(self, transcript):
        found = analyze(transcript, parse({"rubric": RUBRIC}))

        assert (found.copc["score_percentage"], found.copc["rubric_version"]) == (100, 1)
        assert found.provenance["engine"] == "rules"
        assert found.usage == []
        assert found.no_protocol is found.custom_questions is None

    def test_asks_the_model_where_one_is_and_never_names_the_agent(self, transcript, settings):
        def script(request, number):
            user = request["messages"][1]["content"]
            row = {
                "criterion_id": "hi",
                "applies": True,
                "answer": "met",
                "justification": "Yes.",
                "quote": "Hello",
            }
            about = {"sentiment": "neutral", "topic": "address change", "goal": "unknown", "goal_quote": "",
                     "agent_name": ""}  # fmt: skip
            call = user.split("Call reference: ")[1].split("\n")[0]
            return ScriptedReply(json.dumps({"call": call, "criteria": [row], "insights": about}))

        with ScriptedChatServer(script) as server:
            llm = EngineAddress(server.url, "", "m", price_input=Decimal("0.15"), price_output=Decimal("0.6"))
            settings.ENVIRONMENT = dataclasses.replace(settings.ENVIRONMENT, llm=llm)
            found = analyze(transcript, parse({"rubric": RUBRIC}), config_version=9)

        assert found.errors == {}
        assert found.copc["criterion_scores"][0]["quote"] == "[00:00] Hello, Zoe is listening."
        assert (found.copc["rubric_version"], found.insights["topic"]) == (9, "address change")
        assert "Zoe" not in json.dumps(server.requests)
        assert (found.usage[0].input_tokens, found.usage[0].cost_micros) == (1000, 210)
        assert found.provenance["cost_micros"] == 210

    def test_leaves_a_poor_transcript_unscored_where_the_project_says_so(self, transcript):
        transcript.quality = {"ok": False, "reasons": ["Only 9 words were heard."]}
        config = parse({"rubric": RUBRIC, "transcript_gate": {"score_poor": False}})

        found = analyze(transcript, config)

        assert found.copc["total_points"] is None
        assert found.copc["not_evaluated"][0]["reason"] == (
            "The transcript is too poor to score: Only 9 words were heard."
        )
        assert found.copc["transcript_quality"]["ok"] is False

    def test_scores_a_poor_transcript_and_says_so_else(self, transcript):
        transcript.quality = {"ok": False, "reasons": ["Only 9 words were heard."]}

        found = analyze(transcript, parse({"rubric": RUBRIC}))

        assert found.copc["score_percentage"] == 100
        assert found.insights["transcript_quality"]["reasons"] == ["Only 9 words were heard."]

    def test_asks_no_language_model_about_a_half_heard_call(self, transcript, settings):
        transcript.quality = {"ok": False, "reasons": ["The mean confidence is 0.20."], "half_heard": True}
        config = parse(
            {
                "rubric": RUBRIC,
                "no_protocol": {
                    "prompts": [{"id": "rec", "text": "Says it is recorded", "any_of": ["is recorded"]}],
                    "mistakes": [{"id": "m", "text": "Keeps listening", "any_of": ["is listening"]}],
                },
                "custom_questions": ["Why?"],
                "goal": {"phrases": ["change my address"]},
            }
        )
        with ScriptedChatServer(lambda request, number: ScriptedReply("{}")) as server:
            llm = EngineAddress(server.url, "", "m")
            settings.ENVIRONMENT = dataclasses.replace(settings.ENVIRONMENT, llm=llm)
            found = analyze(transcript, config)

        assert server.requests == []
        assert [s["answer"] for s in found.copc["criterion_scores"]] == ["met"]
        assert [m["id"] for m in found.no_protocol["mistakes"]] == ["m"]
        assert found.no_protocol["missing_prompts"] == []
        assert found.custom_questions["answers"]["Why?"] == {"answer": "not determined", "quotes": []}
        kept = {k: v for k, v in found.insights.items() if k not in ("transcript_quality", "talk")}
        assert set(kept.values()) == {None, ""}
        assert found.insights["transcript_quality"]["half_heard"]
        assert (found.provenance["engine"], found.provenance["hosts"], found.usage) == ("rules", [], [])

    def test_of_an_empty_transcript_evaluates_nothing(self, transcript):
        transcript.segments = []

        found = analyze(transcript, parse({"rubric": RUBRIC, "custom_questions": ["Why?"]}))

        assert found.copc["criterion_scores"] == []
        assert found.insights["sentiment"] is None
        assert found.custom_questions["answers"]["Why?"]["quotes"] == []


class TestPrivateProject:
    """Its words go to the private model and to no server for embeddings, whatever else is configured."""

    PRIVATE = {"rubric": RUBRIC, "private_transcription": True}

    def test_is_judged_by_rules_where_only_the_common_model_is_configured(self, transcript, settings):
        with ScriptedChatServer(lambda request, number: ScriptedReply("{}")) as server:
            settings.ENVIRONMENT = dataclasses.replace(
                settings.ENVIRONMENT,
                llm=EngineAddress(server.url, "", "m"),
                embed_url=EngineAddress(server.url, "", "m"),
            )
            found = analyze(transcript, parse(self.PRIVATE))

        assert server.requests == []
        assert (found.provenance["engine"], found.provenance["hosts"]) == ("rules", [])
        assert found.copc["score_percentage"] == 100

    def test_goes_to_the_private_model_alone(self, transcript, settings):
        with (
            ScriptedChatServer(lambda request, number: ScriptedReply("{}")) as common,
            ScriptedChatServer(lambda request, number: ScriptedReply("{}")) as private,
        ):
            settings.ENVIRONMENT = dataclasses.replace(
                settings.ENVIRONMENT,
                llm=EngineAddress(common.url, "", "m"),
                private_llm=EngineAddress(private.url, "", "own"),
            )
            found = analyze(transcript, parse(self.PRIVATE))

        assert common.requests == []
        assert len(private.requests) == 3
        assert {r["model"] for r in private.requests} == {"own"}
        assert found.provenance["model"] == "own"

    def test_needs_no_proxy_of_the_environment(self, transcript, settings, monkeypatch):
        with (
            ScriptedChatServer(lambda request, number: ScriptedReply("{}")) as proxy,
            ScriptedChatServer(lambda request, number: ScriptedReply("{}")) as private,
        ):
            monkeypatch.setenv("http_proxy", proxy.url)
            monkeypatch.delenv("no_proxy", raising=False)
            monkeypatch.delenv("NO_PROXY", raising=False)
            settings.ENVIRONMENT = dataclasses.replace(
                settings.ENVIRONMENT, private_llm=EngineAddress(private.url, "", "proxied")
            )
            analyze(transcript, parse(self.PRIVATE))

        assert (len(proxy.requests), len(private.requests)) == (0, 3)


class TestUsage:
    def test_counts_an_answer_that_was_cut_off(self, transcript, settings):
        with ScriptedChatServer(lambda request, number: ScriptedReply("{", finish_reason="length")) as server:
            settings.ENVIRONMENT = dataclasses.replace(
                settings.ENVIRONMENT, llm=EngineAddress(server.url, "", "m")
            )
            found = analyze(transcript, parse({"rubric": RUBRIC}))

        assert "cut off" in found.errors["calls_analysis_copc"]
        assert (found.usage[0].input_tokens, found.usage[0].output_tokens) == (1000, 100)


class TestTrackers:
    CONFIG = {
        "rubric": RUBRIC,
        "trackers": [
            {"id": "address", "name": "Address", "rule": {"speaker": "customer", "any_of": ["my address"]}}
        ],
    }

    def test_are_kept_with_what_else_was_found(self, transcript):
        found = analyze(transcript, parse(self.CONFIG))

        (tracked,) = found.insights["trackers"]
        assert (tracked["id"], tracked["quotes"][0]["start"]) == ("address", 3.0)

    def test_are_absent_where_the_project_has_none(self, transcript):
        assert "trackers" not in analyze(transcript, parse({"rubric": RUBRIC})).insights
