"""The talk measures of a call, each counted by hand."""

import pytest

from callscope.analysis.conversation.talk import measure_call
from callscope.transcription.audio.speech import measure_talk

pytestmark = pytest.mark.one_database


def cue(start, end, speaker, text="words"):
    return {"start": start, "end": end, "speaker": speaker, "text": text, "confidence": None}


def measure(*cues, speech=None, language="en", **options):
    return measure_call(list(cues), speech or {}, language=language, **options)


AGENT, CUSTOMER = "agent", "customer"


class TestTalkShare:
    def test_is_the_agents_part_of_all_speech(self):
        talk = measure(cue(0, 6, AGENT), cue(7, 9, CUSTOMER))

        assert (talk["basis"], talk["talk_share_pct"]) == ("cues", 75.0)

    def test_counts_cues_of_one_speaker_that_overlap_once(self):
        talk = measure(cue(0, 4, AGENT), cue(2, 6, AGENT), cue(8, 10, CUSTOMER))

        assert talk["talk_share_pct"] == 75.0

    @pytest.mark.parametrize(
        ("cues", "reason"),
        [
            ([], "no_speech"),
            ([cue(3, 3, AGENT)], "no_speech"),
            ([cue(0, 6, None)], "speakers_unknown"),
            ([cue(0, 6, AGENT), cue(6, 8, None)], "speakers_unknown"),
            ([cue(0, 6, AGENT)], "one_speaker"),
        ],
        ids=["empty", "no length", "no labels", "a label missing", "one speaker"],
    )
    def test_is_unknown_with_a_reason(self, cues, reason):
        talk = measure(*cues)

        assert talk["talk_share_pct"] is None
        assert talk["unknown"]["talk_share_pct"] == reason

    def test_of_sound_goes_by_what_was_heard_and_not_by_segments(self):
        heard = measure_talk({AGENT: [(0.0, 2.0)], CUSTOMER: [(3.0, 9.0)]}, duration_s=9.0)

        talk = measure(cue(0, 6, AGENT), cue(6, 9, CUSTOMER), speech=heard)

        assert (talk["basis"], talk["talk_share_pct"]) == ("sound", 25.0)

    def test_of_one_channel_is_unknown(self):
        heard = measure_talk({None: [(0.0, 2.0)]}, duration_s=9.0)

        talk = measure(cue(0, 2, None), speech=heard)

        assert (
            talk["unknown"]["talk_share_pct"] == talk["unknown"]["agent_interruptions"] == "speakers_unknown"
        )


class TestMonologue:
    def test_goes_on_over_short_pauses_and_short_words_of_the_other(self):
        talk = measure(
            cue(0, 5, AGENT), cue(5.5, 6, CUSTOMER, "Yes."), cue(8, 14, AGENT), cue(15, 20, CUSTOMER)
        )

        assert talk["longest_monologue_seconds"] == 14.0
        assert talk["longest_monologue_speaker"] == AGENT

    def test_ends_with_a_turn_of_the_other_and_with_a_silence(self):
        talk = measure(
            cue(0, 5, AGENT), cue(5, 7, CUSTOMER), cue(7, 9, AGENT), cue(13, 19, AGENT), cue(20, 22, CUSTOMER)
        )

        assert talk["longest_monologue_seconds"] == 6.0

    def test_is_unknown_without_speakers(self):
        talk = measure(cue(0, 6, None))

        assert talk["longest_monologue_seconds"] is talk["longest_monologue_speaker"] is None
        assert talk["unknown"]["longest_monologue_seconds"] == "speakers_unknown"


class TestSilence:
    def test_adds_up_pauses_of_more_than_three_seconds(self):
        talk = measure(cue(4, 5, None), cue(8, 9, None), cue(12.5, 14, AGENT), cue(20, 21, CUSTOMER))

        assert (talk["silence_seconds"], talk["silences"]) == (9.5, 2)

    def test_of_overlapping_cues_begins_after_the_last_of_them(self):
        talk = measure(cue(0, 10, AGENT), cue(2, 4, CUSTOMER), cue(14, 15, AGENT))

        assert (talk["silence_seconds"], talk["silences"]) == (4.0, 1)

    def test_of_an_empty_transcript_is_unknown(self):
        assert measure()["silence_seconds"] is None
        assert measure()["unknown"]["silences"] == "no_speech"


class TestInterruptions:
    def test_count_who_begins_while_the_other_talks(self):
        talk = measure(
            cue(0, 5, AGENT),
            cue(4, 8, CUSTOMER),
            cue(7, 9, AGENT),
            cue(8.8, 11, CUSTOMER),
            cue(12, 14, AGENT),
        )

        assert (talk["agent_interruptions"], talk["customer_interruptions"]) == (1, 1)

    def test_do_not_count_a_short_word(self):
        talk = measure(cue(0, 5, AGENT), cue(2, 2.9, CUSTOMER, "Yes."), cue(6, 8, CUSTOMER))

        assert (talk["agent_interruptions"], talk["customer_interruptions"]) == (0, 0)

    def test_are_unknown_where_no_cue_overlaps_another(self):
        talk = measure(cue(0, 5, AGENT), cue(5, 8, CUSTOMER))

        assert talk["agent_interruptions"] is talk["customer_interruptions"] is None
        assert talk["unknown"]["agent_interruptions"] == "no_overlap_in_cues"

    def test_in_sound_without_overlap_are_none(self):
        heard = measure_talk({AGENT: [(0.0, 2.0)], CUSTOMER: [(3.0, 9.0)]}, duration_s=9.0)

        talk = measure(cue(0, 2, AGENT), cue(3, 9, CUSTOMER), speech=heard)

        assert (talk["agent_interruptions"], talk["customer_interruptions"]) == (0, 0)


class TestSpeechRate:
    @pytest.mark.parametrize(
        ("language", "text"),
        [
            ("en", "Good morning, how can I help you today?"),
            ("es", "Buenos días, ¿en qué puedo ayudarle hoy?"),
        ],
    )
    def test_is_words_over_the_time_of_that_speaker(self, language, text):
        words = 8 if language == "en" else 7

        talk = measure(cue(0, 6, AGENT, text), cue(6, 8, CUSTOMER, "Hello."), language=language)

        assert talk["agent_words_per_minute"] == words * 10
        assert talk["unknown"]["customer_words_per_minute"] == "too_little_speech"

    def test_leaves_out_cues_without_length_and_what_was_redacted(self):
        talk = measure(cue(0, 6, AGENT, "one two [card number] three"), cue(6, 6, AGENT, "four five"))

        assert talk["agent_words_per_minute"] == 30.0

    def test_is_unknown_where_the_words_are(self):
        talk = measure(cue(0, 6, AGENT, "one two three"), is_half_heard=True)

        assert talk["unknown"]["agent_words_per_minute"] == talk["unknown"]["hold_seconds"] == "words_unknown"


class TestHold:
    @pytest.mark.parametrize(
        ("language", "announced", "seconds"),
        [
            ("en", "One moment, please.", 30.0),
            ("en", "Could you hold the line?", 30.0),
            ("es", "Un momento, por favor.", 30.0),
            ("es", "No cuelgue, voy a consultar.", 30.0),
            ("en", "Do you mind holding while I call the warehouse?", 30.0),
            ("en", "Hang on.", 30.0),
            ("en", "Can you wait there?", 30.0),
            ("en", "Give me two minutes.", 30.0),
            ("es", "Vale, un segundito.", 30.0),
            ("es", "Déjeme preguntar si hay un hueco.", 30.0),
            ("es", "¿Le importa esperar mientras lo miro?", 30.0),
            ("en", "That is all I know.", 0.0),
            ("en", "Thank you for holding.", 0.0),
            ("en", "It rang while I was out.", 0.0),
            ("es", "Gracias por esperar.", 0.0),
        ],
    )
    def test_is_a_long_silence_that_the_agent_announced(self, language, announced, seconds):
        talk = measure(
            cue(0, 3, AGENT, announced), cue(3.5, 4, CUSTOMER, "Okay."), cue(34, 36, AGENT), language=language
        )

        assert talk["hold_seconds"] == seconds

    def test_is_not_what_the_customer_says_or_a_short_silence(self):
        talk = measure(
            cue(0, 3, CUSTOMER, "One moment."), cue(20, 22, AGENT, "One moment."), cue(29, 30, AGENT)
        )

        assert talk["hold_seconds"] == 0.0

    def test_is_unknown_in_other_languages(self):
        talk = measure(cue(0, 3, AGENT, "Ein Moment."), cue(40, 41, AGENT), language="de")

        assert talk["unknown"]["hold_seconds"] == "language_unknown"
