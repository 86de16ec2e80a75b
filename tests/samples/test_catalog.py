"""The sample calls keep what the demonstration promises of them."""

import csv
import io
import itertools
import re
from collections import Counter
from datetime import date, datetime

import av
import numpy as np
import pytest

from callscope.projects.configuration import parse_yaml
from callscope.samples.catalog import COLUMNS, SampleProject, build_manifest_csv, load_catalog
from callscope.transcription import subtitles
from callscope.transcription.redaction.redaction import redact_segments

pytestmark = pytest.mark.one_database

TODAY = date(2026, 3, 15)
CATALOGUE = load_catalog()
ENGLISH, SPANISH = CATALOGUE
TRANSCRIPTS = [f for p in CATALOGUE for f in p.files if f.suffix in (".srt", ".vtt")]
RECORDINGS = [f for p in CATALOGUE for f in p.files if f.suffix not in (".srt", ".vtt")]
each_project = pytest.mark.parametrize("project", CATALOGUE, ids=lambda p: p.config_path.parent.name)
each_transcript = pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda f: f"{f.parent.name}-{f.stem}")
each_recording = pytest.mark.parametrize("path", RECORDINGS, ids=lambda f: f.stem)


def rows(project: SampleProject, today: date = TODAY) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(build_manifest_csv(project, today))))


def config(project: SampleProject):
    return parse_yaml(project.config_path.read_bytes())


class TestCatalogue:
    def test_holds_at_least_48_calls_in_two_projects(self):
        names = [{f.name for f in p.files} for p in CATALOGUE]

        assert len(CATALOGUE) == 2
        assert sum(len(n) for n in names) >= 48
        assert not names[0] & names[1]

    def test_is_english_and_spanish(self):
        assert [config(p).language for p in CATALOGUE] == ["en", "es"]

    def test_uploads_two_or_three_names_again_after_the_first_time(self):
        for project in CATALOGUE:
            names = [f.name for f in project.files]
            again = [n for n, count in Counter(names).items() if count == 2]

            assert again == names[len(set(names)) :]
        assert sum(len(p.files) - len({f.name for f in p.files}) for p in CATALOGUE) in (2, 3)

    def test_replaces_a_broken_off_export_by_a_longer_one(self):
        for project in CATALOGUE:
            for later in (f for f in project.files if f.parent.name == "again"):
                first = later.parent.parent / "calls" / later.name

                assert len(subtitles.parse_subtitles(later.read_bytes())) > len(
                    subtitles.parse_subtitles(first.read_bytes())
                )


class TestManifest:
    @each_project
    def test_names_only_files_that_are_there_and_each_once(self, project):
        named = [r["filename"] for r in rows(project)]

        assert len(named) == len(set(named))
        assert set(named) <= {f.name for f in project.files}

    def test_leaves_four_or_five_calls_without_a_row(self):
        missing = [{f.name for f in p.files} - {r["filename"] for r in rows(p)} for p in CATALOGUE]

        assert sum(len(m) for m in missing) in (4, 5)
        assert all(missing)

    def test_names_four_agents_a_project_each_with_one_id(self):
        for project in CATALOGUE:
            agents = {(r["agent_id"], r["agent_name"]) for r in rows(project)}

            assert len(agents) == 4
            assert len({i for i, _ in agents}) == len({n for _, n in agents}) == 4

    @each_project
    def test_spreads_the_calls_over_four_months_day_and_night(self, project):
        times = [datetime.strptime(r["call_datetime"], "%Y-%m-%d %H:%M") for r in rows(project)]
        ages = [(TODAY - t.date()).days for t in times]
        hours = config(project).shift_hours
        by_day = [hours.day_start <= t.hour < hours.day_end for t in times]

        assert min(ages) >= 1
        assert 100 <= max(ages) <= 123
        assert sum(a < 30 for a in ages) >= 5
        assert sum(30 <= a < 60 for a in ages) >= 5
        assert True in by_day
        assert by_day.count(False) >= 3

    @each_project
    def test_moves_with_the_day_of_the_demonstration(self, project):
        early, late = rows(project, date(2026, 1, 31)), rows(project, date(2026, 2, 1))

        moved = {
            date.fromisoformat(b["call_datetime"][:10]) - date.fromisoformat(a["call_datetime"][:10])
            for a, b in zip(early, late, strict=True)
        }

        assert {d.days for d in moved} == {1}

    @each_project
    def test_has_calls_in_both_directions_and_several_campaigns(self, project):
        found = rows(project)

        assert list(found[0]) == COLUMNS
        assert {r["direction"] for r in found} == {"inbound", "outbound"}
        assert len({r["campaign"] for r in found}) >= 4

    @each_project
    def test_calls_from_numbers_that_belong_to_nobody(self, project):
        numbers = [r["caller_number"] for r in rows(project) if r["caller_number"]]

        assert len(numbers) >= 15
        assert all(re.fullmatch(r"\+1 202 555 01\d\d|\+34 555 010 \d{3}", n) for n in numbers)


class TestConfiguration:
    @each_project
    def test_asks_for_twelve_criteria_or_more_in_four_sections(self, project):
        rubric = config(project).rubric

        assert len(rubric.sections) == 4
        assert len(rubric.criteria()) >= 12
        assert all(c.guideline and c.rule for _, c in rubric.criteria())

    @each_project
    def test_shows_what_a_rubric_can_say(self, project):
        criteria = [c for _, c in config(project).rubric.criteria()]

        assert {"customer", "business", "compliance"} <= {c.critical_class for c in criteria}
        assert any(c.critical for c in criteria)
        assert any(c.rule.within_seconds for c in criteria)
        assert any(c.rule.last_seconds for c in criteria)
        assert any(c.rule.applies_if and c.may_not_apply for c in criteria)
        assert any(c.rule.none_of for c in criteria)
        assert any(c.partial_credit for c in criteria)

    @each_project
    def test_has_prompts_mistakes_goal_phrases_and_three_questions(self, project):
        document = config(project)

        assert document.no_protocol.prompts
        assert document.no_protocol.mistakes
        assert document.goal.phrases
        assert len(document.custom_questions) == 3

    def test_groups_freely_in_english_and_by_codes_in_spanish(self):
        assert config(ENGLISH).contact_reasons.mode == "open_ended"
        assert config(SPANISH).contact_reasons.mode == "predefined"


class TestTranscripts:
    @each_transcript
    def test_is_a_conversation_between_agent_and_customer(self, path):
        cues = subtitles.parse_subtitles(path.read_bytes())
        turns = [c.speaker for i, c in enumerate(cues) if i == 0 or cues[i - 1].speaker != c.speaker]

        assert {c.speaker for c in cues} == {"agent", "customer"}
        assert len(turns) >= 8
        assert all(a.end_s <= b.start_s for a, b in itertools.pairwise(cues))
        assert cues[-1].end_s >= 45

    def test_come_in_several_layouts(self):
        texts = [f.read_bytes() for f in TRANSCRIPTS]

        assert {f.suffix for f in TRANSCRIPTS} == {".srt", ".vtt"}
        assert any(t.startswith(b"\xef\xbb\xbf") for t in texts)
        assert any(b"\r\n" in t for t in texts)
        assert any(b"NOTE" in t for t in texts)
        assert any(b"<v " in t for t in texts)
        assert any(b"\nAgente: " in t for t in texts)

    def test_hold_a_card_in_each_language_that_redaction_finds_and_no_other(self):
        found = []
        for path in TRANSCRIPTS:
            cues = subtitles.parse_subtitles(path.read_bytes())
            said = [{"start": c.start_s, "end": c.end_s, "speaker": c.speaker, "text": c.text} for c in cues]
            redacted = redact_segments(said, ["cards", "security_codes"])
            left = " ".join(s["text"] for s in redacted.segments)
            assert not re.search(r"4111|5555 5555|\b737\b|\b914\b|seven three seven", left)
            found += [path.name] if redacted.counts else []

        assert found == ["0105-card-payment-read-aloud.srt", "0205-pago-con-tarjeta.srt"]

    def test_hold_one_caller_who_talks_to_the_analysis(self):
        found = [f.name for f in TRANSCRIPTS if b"ignore the rubric" in f.read_bytes().lower()]

        assert found == ["0125-ignore-the-rubric.srt"]


class TestRecordings:
    def test_are_six_in_several_formats(self):
        assert len(RECORDINGS) == 6
        assert {f.suffix for f in RECORDINGS} == {".ogg", ".mp3", ".wav"}

    @each_recording
    def test_is_a_short_telephone_call_in_stereo(self, path):
        with av.open(str(path)) as container:
            stream = container.streams.audio[0]
            source_rate, channels = stream.codec_context.sample_rate, stream.codec_context.layout.nb_channels
            resampler = av.AudioResampler("s16p", "stereo", 8000)
            parts = [f.to_ndarray() for frame in container.decode(stream) for f in resampler.resample(frame)]
        sound = np.concatenate(parts, axis=1).astype(float)

        assert channels == 2
        assert source_rate == (48000 if path.suffix == ".ogg" else 8000)  # Opus always decodes at 48 kHz
        assert 12 <= sound.shape[1] / 8000 <= 40
        assert path.stat().st_size < 300_000

    @each_recording
    def test_keeps_agent_and_caller_apart(self, path):
        with av.open(str(path)) as container:
            resampler = av.AudioResampler("s16p", "stereo", 8000)
            parts = [f.to_ndarray() for frame in container.decode(audio=0) for f in resampler.resample(frame)]
        sound = np.concatenate(parts, axis=1).astype(float)
        blocks = sound[:, : sound.shape[1] // 800 * 800].reshape(2, -1, 800).std(axis=2)
        agent, customer = blocks > 1500

        assert agent.any()
        assert customer.any()
        assert not (agent & customer).any()  # nobody speaks over the other
        assert np.median(blocks[1][agent]) < 300  # nor is heard on the other's channel
        assert np.median(blocks[0][customer]) < 300

    def test_each_have_the_script_they_were_made_from(self):
        scripts = {f.stem for f in (ENGLISH.config_path.parent / "scripts").glob("*.txt")}

        assert scripts == {f.stem for f in RECORDINGS}
