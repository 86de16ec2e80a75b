"""The call page: recording, transcript and findings of one call."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from callscope.analysis.models import CallAnalysis
from callscope.calls.models import AgentUser, Call
from callscope.contact_reasons.models import CallReason, ContactReason
from callscope.projects import configuration
from callscope.reviews.notes import create_note
from tests.web.conftest import bring, give_transcript, line, page, remove_results

SPEECH = {
    "speech_seconds": 30.0, "silence_seconds": 12.5, "longest_silence_seconds": 4.0, "overlap_seconds": 1.0,
    "talk_share": {"agent": 0.6, "customer": 0.4},
}  # fmt: skip


@pytest.mark.django_db
class TestCallPage:
    def shown(self, client, call, query=""):
        return page(client.get(f"/calls/{call.pk}/{query}"))

    def test_shows_the_score_and_what_was_given_about_the_call(self, as_alice, world):
        text = self.shown(as_alice, world[1]).text

        assert "33.3 % 10 of 30 points" in text
        assert "critical error" in text
        assert "Mar 2, 2026 10:00" in text
        assert "Ben Okafor" in text

    def test_reads_its_results_and_its_settings_once(self, as_alice, world):
        with CaptureQueriesContext(connection) as asked:
            self.shown(as_alice, world[1])

        statements = [each["sql"] for each in asked]
        assert len([sql for sql in statements if '"analysis_callanalysis"."copc"' in sql]) == 1
        # The list that the call stands in may span any number of projects.
        assert len([sql for sql in statements if '"projects_project"."config"' in sql]) == 1

    def test_leads_to_the_pages_of_its_agent_contact_reason_and_project(self, as_alice, world, project):
        reason = ContactReason.objects.create(project=project, name="Late fees")
        CallReason.objects.update_or_create(call=world[1], defaults={"project": project, "reason": reason})

        links = {a["href"] for a in self.shown(as_alice, world[1]).all("a")}

        assert links >= {
            f"/agents/{world[1].agent_id}/?project_id={project.pk}",
            f"/projects/{project.pk}/reasons/{reason.pk}/",
            f"/report/?project_id={project.pk}",
        }
        for address in sorted(links):
            if address.startswith(("/agents/", "/projects/", "/report/")):
                assert as_alice.get(address).status_code == 200

    def test_shows_each_criterion_with_result_reason_and_quote(self, as_alice, world):
        found = self.shown(as_alice, world[2])

        assert "partly 5 / 10" in found.text
        assert "not applicable (20)" in found.text
        assert "0:03 good morning" in found.text

    @pytest.mark.parametrize(("language", "words"), [("es", "no determinado"), ("en", "not determined")])
    def test_says_in_the_language_of_the_page_that_nothing_decides_a_question(
        self, as_alice, project, language, words
    ):
        answers = {
            "Paid?": {"answer": "not determined", "quotes": []},
            "¿Sí?": {"answer": "Sí", "quotes": []},
        }
        bring(project, line(1, custom_questions={"answers": answers}))

        as_alice.post("/preferences/language/", {"language": language})
        shown = self.shown(as_alice, Call.objects.get(project=project))

        assert f"Paid? {words}" in shown.text

    def test_says_once_that_rules_answer_no_question(self, as_alice, project):
        open_one = {"Paid?": {"answer": "not determined", "quotes": []}}
        both = {**open_one, "Why?": {"answer": "A refund", "quotes": []}}
        for number, answers in enumerate((open_one, both), 1):
            bring(project, line(number, custom_questions={"answers": answers}))
        CallAnalysis.objects.update(provenance={"engine": "rules"})
        says = [
            "Answers need a language model" in self.shown(as_alice, call).text
            for call in Call.objects.order_by("pk")
        ]

        assert says == [True, False]

    def test_lists_apart_the_questions_of_which_rules_found_nothing(self, as_alice, project):
        answers = {
            "Paid?": {"answer": "not determined", "quotes": []},
            "Why?": {"answer": "not determined", "quotes": ["[00:03] good morning"]},
        }
        (call,) = bring(project, line(1, custom_questions={"answers": answers}))
        CallAnalysis.objects.update(provenance={"engine": "rules"})

        text = self.shown(as_alice, call).text

        assert "not determined" not in text
        assert "Why? 0:03 good morning Show the 1 question about which nothing was found Paid?" in text

    def test_has_the_transcript_with_what_was_found_next_to_what_people_judge(self, as_alice, world):
        html = as_alice.get(f"/calls/{world[2].pk}/").content.decode()
        places = [
            html.index(f'id="{name}-title"') for name in ("card", "said", "protocol", "review", "notes")
        ]

        assert places == sorted(places)  # as they are read, and as the Tab key goes

    def test_leaves_out_what_is_not_known_about_the_call(self, as_alice, project):
        bring(project, line(1, direction="", campaign="", caller_number=""), line(2, campaign="Spring"))
        plain, known = (self.shown(as_alice, call).text for call in Call.objects.order_by("pk"))

        assert "Campaign Spring" in known
        assert "Direction Inbound" in known
        for label in ("Direction", "Campaign", "Caller number"):
            assert label not in plain

    def test_has_the_transcript_next_to_the_scorecard_also_in_one_column(self, as_alice, world):
        text = self.shown(as_alice, world[2]).text

        assert text.index("Scorecard") < text.index("Transcript") < text.index("Review by a person")

    def test_has_a_dash_for_the_points_of_a_section_without_an_evaluated_criterion(self, as_alice, world):
        live = CallAnalysis.objects.get(call=world[0], is_live=True)
        left = live.copc["criterion_scores"].pop()
        live.copc["not_evaluated"] = [{**left, "reason": ""}]
        live.save()

        text = self.shown(as_alice, world[0]).text

        assert "Security – No criterion of this section was evaluated." in text
        assert "0 / 0" not in text

    def test_leads_from_a_quote_to_where_it_was_said(self, as_alice, world):
        give_transcript(world[2], audio=False)

        assert self.shown(as_alice, world[2]).all("button", **{"class": "quote", "data-at": "3"})

    def test_shows_criteria_that_could_not_be_decided_apart_from_the_points(self, as_alice, world):
        from callscope.analysis.models import CallAnalysis

        analysis = CallAnalysis.objects.get(call=world[0])
        analysis.copc["not_evaluated"] = [
            {
                "criterion_id": "hold",
                "name": "Asks before holding",
                "section": "Opening",
                "reason": "No sound.",
            }
        ]
        analysis.save()

        text = self.shown(as_alice, world[0]).text

        assert "Asks before holding No sound. Correct it : Asks before holding not evaluated" in text
        assert "Opening 10 / 10" in text
        assert "30 of 30 points · 2 of 3 criteria judged on target" in text

    def test_draws_no_large_score_of_the_smaller_part_of_the_criteria(self, as_alice, world):
        analysis = CallAnalysis.objects.get(call=world[0])
        analysis.copc["not_evaluated"] = [
            {"criterion_id": f"c{n}", "name": f"Criterion {n}", "section": "Opening", "reason": "Unclear."}
            for n in range(3)
        ]
        analysis.save()

        found = self.shown(as_alice, world[0])

        assert found.all("p", **{"class": "call-score says-little"})
        assert "30 of 30 points · 2 of 5 criteria judged" in found.text
        assert found.all("span", **{"class": "whole"})  # the score with its unit
        assert "judged on target" not in found.text

    def test_leads_to_its_review_from_the_head(self, as_alice, world):
        shown = self.shown(as_alice, world[0])

        assert len(shown.all("a", href=f"/calls/{world[0].pk}/review/")) == 2  # there, and below the criteria
        assert shown.text.index("Review") < shown.text.index("Scorecard")

    def test_asks_before_a_note_is_removed(self, as_alice, alice, world):
        create_note(world[0], "Well done", 3, alice, is_shared=True)
        create_note(world[0], "Ask again", 5, alice, is_shared=False)

        shown = self.shown(as_alice, world[0])

        asked = [button["data-confirm"] for button in shown.all("button", value="remove")]
        assert asked == [
            "Remove this note? The agent will no longer see it.",
            "Remove this note? It cannot be restored.",
        ]
        assert shown.all("dialog", id="confirm")
        assert [each for each in shown.all("script") if "confirm.js" in each.get("src", "")]
        assert shown.text.count("Mark as done") == 2

    def test_plays_the_recording_and_its_transcript(self, as_alice, world):
        give_transcript(world[0], speech=SPEECH)

        found = self.shown(as_alice, world[0])

        assert found.all("audio", src=f"/api/files/{world[0].newest_file_id}/content/")
        assert found.all("li", **{"data-start": "3", "data-end": "6", "class": "agent"})
        assert "Good morning, Ana here." in found.text
        assert "Agent talks" not in found.text  # the talk share says so
        assert "Longest silence 4.0 s" in found.text

    def test_names_the_keys_of_the_calls_around_it_where_there_are_some(self, as_alice, world):
        give_transcript(world[1])
        keys = "j k next and previous call"

        assert keys in self.shown(as_alice, world[1], "?project_id=").text
        alone = self.shown(as_alice, world[1], "?search=call-2").text
        assert "← → 5 seconds" in alone
        assert keys not in alone

    def test_says_of_a_half_heard_call_what_that_means(self, as_alice, world):
        quality = {"ok": False, "reasons": ["The mean confidence is 0.20, below 0.40."], "half_heard": True}
        give_transcript(world[0], quality=quality)
        give_transcript(
            world[1], quality={"ok": False, "reasons": ["Only one side can be heard: the agent."]}
        )

        half, poor = (self.shown(as_alice, call).text for call in world[:2])

        assert "The transcript of this call is unreliable. Only phrases found in it word for word" in half
        assert "The mean confidence is 0.20, below 0.40." in half
        assert "is unreliable" not in poor

    @pytest.mark.parametrize(
        ("language", "sentence"),
        [("en", "Transcribed by the demo recognizer, which only shows"),
         ("es", "Transcrita por el reconocedor de demostración, que solo muestra")],
    )  # fmt: skip
    def test_says_of_the_demo_recognizer_what_it_can_do(self, as_alice, world, language, sentence):
        as_alice.defaults["HTTP_ACCEPT_LANGUAGE"] = language
        give_transcript(world[0], engine="pocketsphinx (demo)")
        give_transcript(world[1])

        assert sentence in self.shown(as_alice, world[0]).text
        assert sentence not in self.shown(as_alice, world[1]).text

    def test_draws_the_waveform_where_sound_was_measured_else_who_spoke_when(self, as_alice, world):
        peaks = [{"speaker": "customer", "peaks": [0, 50]}, {"speaker": "agent", "peaks": [100, 3]}]
        give_transcript(world[0], waveform=peaks)
        give_transcript(world[1])

        measured, spoken = (self.shown(as_alice, call) for call in world[:2])

        assert [a["class"] for a in measured.all("svg") if "lane" in a.get("class", "")] == [
            "lane agent",
            "lane customer",
        ]
        assert measured.all("path", id="lane-1")[0]["d"].startswith("M0.5 1.0v38.0M1.5 ")
        assert spoken.all("path", id="lane-1")[0]["d"] == "M3.00 10h3.00v20H3.00z"

    def test_has_no_player_for_a_call_that_came_as_text(self, as_alice, world):
        give_transcript(world[0], audio=False)

        found = self.shown(as_alice, world[0])

        assert not found.all("audio")
        assert "this call came as text" in found.text
        assert found.all("button", **{"class": "quote"})

    def test_says_what_the_retention_removed(self, as_alice, world):
        give_transcript(world[0])
        call = world[0]
        file = call.newest_file
        file.storage_key = file.playback_key = ""
        file.content_removed_at = file.transcript_removed_at = file.created_at
        file.save()
        file.transcript.delete()

        found = self.shown(as_alice, call)

        assert "The recording was removed on" in found.text
        assert "The call cannot be analyzed again." in found.text
        assert not found.all("audio")

    def test_shows_the_transcript_where_the_results_were_removed(self, as_alice, world, project):
        give_transcript(world[0])
        remove_results(project)

        found = self.shown(as_alice, world[0])

        assert "The results of this call were removed on" in found.text
        assert "5 days after the upload, as set in the retention of the project." in found.text
        assert "Good morning, Ana here." in found.text
        for untrue in ("has not completed yet", "No contact reason was found", "There is no transcript"):
            assert untrue not in found.text
        assert found.all("a", href=f"/upload/?project_id={project.pk}")
        assert not found.all("a", href=f"/calls/{world[0].pk}/review/")

    def test_says_so_when_there_is_no_transcript(self, as_alice, world):
        assert "There is no transcript of this call." in self.shown(as_alice, world[0]).text

    def test_leads_to_its_neighbours_in_the_filtered_list(self, as_alice, world):
        found = self.shown(as_alice, world[2], "?goal=true")

        assert "1 of 2" in found.text
        assert found.all("a", rel="next", href=f"/calls/{world[0].pk}/?goal=true")
        assert not found.all("a", rel="prev")

    def test_leads_across_the_ends_of_pages(self, as_alice, project):
        calls = bring(
            project, *(line(n, call_datetime=f"2026-01-{n:02d}T10:00:00+00:00") for n in range(1, 29))
        )

        last_of_first = self.shown(as_alice, calls[3])
        first_of_second = self.shown(as_alice, calls[2], "?page=2")

        assert last_of_first.all("a", rel="next", href=f"/calls/{calls[2].pk}/?page=2")
        assert first_of_second.all("a", rel="prev", href=f"/calls/{calls[3].pk}/")

    def test_stands_without_a_list(self, as_alice, world):
        assert self.shown(as_alice, world[0], "?search=zzz").all("h1")

    def test_says_where_its_results_come_from(self, as_alice, world):
        give_transcript(world[0], hosts=["asr.example"], redactions={"cards": 2})

        text = self.shown(as_alice, world[0]).text

        assert "imported from another system" in text
        assert "asr.example" in text
        assert "Card numbers: 2" in text

    def test_says_in_spanish_what_was_taken_out_and_what_was_transcribed(self, as_alice, world):
        give_transcript(world[0], engine="subtitles", redactions={"cards": 2})

        text = page(as_alice.get(f"/calls/{world[0].pk}/", headers={"accept-language": "es"})).text

        assert "Números de tarjeta: 2" in text
        assert "el propio archivo subido" in text

    def test_warns_of_a_poor_transcript(self, as_alice, world):
        give_transcript(world[0], quality={"ok": False, "reasons": ["Only 3 words."]})

        assert "The transcript is poor" in self.shown(as_alice, world[0]).text

    def test_shows_what_a_newer_upload_is_doing(self, as_alice, alice, project, world):
        from django.utils import timezone

        from callscope.analysis.models import AnalysisState, CallAnalysis
        from callscope.calls.models import UploadedFile

        call = world[0]
        CallAnalysis.objects.filter(call=call).update(is_newest=False)
        newer = UploadedFile.objects.create(
            project=project,
            call=call,
            original_filename=call.file_name,
            file_type="audio",
            created_at=timezone.now(),
        )
        CallAnalysis.objects.create(file=newer, call=call, project=project, copc_state=AnalysisState.QUEUED)
        call.newest_file = newer
        call.save()

        text = self.shown(as_alice, call).text

        assert "A newer upload of" in text
        assert "Scorecard : queued" in text
        assert "100.0 %" in text

    def test_says_that_an_analysis_without_results_failed(self, as_alice, world):
        from callscope.analysis.models import AnalysisState, CallAnalysis

        CallAnalysis.objects.filter(call=world[0]).update(
            is_live=False,
            copc_state=AnalysisState.FAILED,
            copc=None,
            errors={"calls_analysis_copc": "The quota is used up."},
        )

        text = self.shown(as_alice, world[0]).text

        assert "Scorecard : failed. The quota is used up." in text
        assert "The analysis of this call failed." in text
        assert "has not completed yet" not in text

    @pytest.mark.parametrize(("scorecard", "is_said"), [(None, True), ("QUEUED", False)])
    def test_says_that_an_analysis_without_a_rubric_failed(self, as_alice, world, scorecard, is_said):
        from callscope.analysis.models import AnalysisState, CallAnalysis

        CallAnalysis.objects.filter(call=world[0]).update(
            is_live=False,
            copc_state=AnalysisState[scorecard] if scorecard else None,
            copc=None,
            insights_state=AnalysisState.FAILED,
            insights=None,
            errors={"calls_analysis_insights": "The quota is used up."},
        )

        text = self.shown(as_alice, world[0]).text

        assert ("The analysis of this call failed." in text) == is_said
        assert ("has not completed yet" in text) != is_said

    def test_is_hidden_from_who_cannot_see_the_project(self, as_carol, world):
        assert as_carol.get(f"/calls/{world[0].pk}/").status_code == 404

    @pytest.mark.parametrize("number", ["0", "99999999999999999999999", "999999"])
    def test_answers_404_for_a_call_that_is_not_there(self, as_alice, world, number):
        assert as_alice.get(f"/calls/{number}/").status_code == 404


@pytest.mark.django_db
@pytest.mark.one_database
class TestSource:
    def test_says_how_sure_the_recognizer_was(self, as_alice, world):
        give_transcript(world[0])

        assert "Mean confidence 0.90" in page(as_alice.get(f"/calls/{world[0].pk}/")).text

    def test_says_nothing_of_it_where_the_engine_gives_none(self, as_alice, world):
        give_transcript(world[0], segments=[
            {"start": 0.5, "end": 2.0, "speaker": None, "text": "Hello?", "confidence": None}
        ])  # fmt: skip

        assert "Mean confidence" not in page(as_alice.get(f"/calls/{world[0].pk}/")).text


class TestWhatWasNotMet:
    RULE = {
        "any_of": ["thank you for calling", "welcome"],
        "applies_if": ["hello"],
        "within_seconds": 30,
    }  # fmt: skip

    @pytest.fixture
    def judged(self, project, world):
        """The perfect call of the world, but for a greeting that rules did not find."""
        document = dict(project.config)
        document["rubric"]["sections"][0]["criteria"][0]["rule"] = self.RULE
        project.config = configuration.parse(document).as_document()
        project.save()
        give_transcript(world[0], audio=False)
        analysis = CallAnalysis.objects.get(call=world[0])
        analysis.copc["criterion_scores"][0] |= {"answer": "not_met", "score": 0, "quote": ""}
        analysis.provenance = {"engine": "rules"}
        analysis.config_version = project.config_version
        analysis.save()
        return analysis

    def shown(self, client, analysis):
        return page(client.get(f"/calls/{analysis.call_id}/"))

    def test_says_why_it_applied_what_was_looked_for_and_where(self, as_alice, judged):
        found = self.shown(as_alice, judged)

        assert "It applied because of: 0:00 Hello?" in found.text
        assert "Looked for: thank you for calling , welcome" in found.text
        assert "It should have been said between 0:00 and 0:06" in found.text
        assert "Only what failed: 1 criterion" in found.text

    def test_says_that_a_rule_without_a_condition_applies_to_every_call(self, as_alice, project, judged):
        document = dict(project.config)
        document["rubric"]["sections"][0]["criteria"][0]["rule"] = {"any_of": ["welcome"]}
        project.config = configuration.parse(document).as_document()
        project.save()

        assert "It applies to every call." in self.shown(as_alice, judged).text

    def test_says_what_a_missed_prompt_looked_for(self, as_alice, carol, as_carol, judged):
        judged.no_protocol["missing_prompts"] = [{"id": "recording", "description": "Says it is recorded"}]
        judged.save()
        AgentUser.objects.create(
            project=judged.project,
            email=carol.email,
            agent=judged.call.agent,
            created_at=timezone.now(),
        )

        assert "Says it is recorded Looked for: recorded" in self.shown(as_alice, judged).text
        markup = as_alice.get(f"/calls/{judged.call_id}/").content.decode()
        assert 'Says it is recorded <span class="why">Looked for:' in markup  # a space: `text` adds one
        assert "Looked for: recorded" not in self.shown(as_carol, judged).text

    def test_keeps_the_phrases_from_the_agent_of_the_call(self, carol, as_carol, judged):
        call = judged.call
        AgentUser.objects.create(
            project=call.project, email=carol.email, agent=call.agent, created_at=timezone.now()
        )

        text = self.shown(as_carol, judged).text

        assert "It applied because of: 0:00 Hello?" in text
        assert "thank you for calling" not in text

    @pytest.mark.parametrize("provenance", [None, {"engine": "OpenAI-compatible (example.com)"}])
    def test_claims_nothing_of_what_others_judged(self, as_alice, judged, provenance):
        judged.provenance = provenance
        judged.save()

        text = self.shown(as_alice, judged).text

        assert "It applied because of" not in text
        assert "Looked for: The agent greets." in text  # the guideline

    def test_is_silent_of_criteria_that_were_met(self, as_alice, world):
        give_transcript(world[0], audio=False)

        text = page(as_alice.get(f"/calls/{world[0].pk}/")).text

        assert "Looked for" not in text
        assert "Only what failed" not in text
