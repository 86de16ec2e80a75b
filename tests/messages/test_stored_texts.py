"""The English of the messages that are stored or answered: clients rely on it, and so do rows.

One that is reworded leaves its former sentence in former_texts.py.
"""

import pytest

from callscope.messages.message import Message

TEXTS = [
    (Message("empty_file"), "The file is empty."),
    (
        Message("unknown_content"),
        "The file is neither a recording that can be decoded nor an SRT or VTT transcript.",
    ),
    (
        Message("trial_exceeded", minutes="12.50", left="2.00", quota="60"),
        "This file has 12.50 minutes; 2.00 of the 60 minutes of the trial are left.",
    ),
    (
        Message("project_not_visible", value=7),
        "Project 7 does not exist or is not visible to you.",
    ),
    (
        Message(
            "other_content", kind=Message("kind_audio"), given=Message("kind_srt")
        ),
        "The file is a recording, not an SRT transcript as file_type says.",
    ),
    (
        Message("manifest_row", number=4, file="a.wav", reason=Message("blank_filename")),
        "row 4, a.wav: filename is blank",
    ),
    (
        Message("manifest_row_unnamed", number=4, reason=Message("lonely_filename")),
        "row 4, (no file name): nothing but a file name",
    ),
    (
        Message("manifest_no_columns", first="filename", second="call_datetime", found="a, b"),
        "The header has no column filename and no column call_datetime. It has: a, b.",
    ),
    (Message("few_words", count=1, least=10), "The transcript has 1 word; at least 10 are needed."),
    (Message("few_words", count=3, least=10), "The transcript has 3 words; at least 10 are needed."),
    (Message("only_agent"), "Only one side can be heard: the agent."),
    (Message("low_confidence", count="0.31", least="0.40"), "The mean confidence is 0.31, below 0.40."),
    (
        Message("short_recording", count="8.0", least="10"),
        "The recording has 8.0 s of sound; at least 10 s are needed.",
    ),
    (
        Message("private_failed", problem=Message("engine_slow", host="asr.example")),
        "The private transcriber failed; the recording was not sent anywhere else. "
        "asr.example did not finish in time.",
    ),
    (
        Message("llm_unavailable", host="llm.example", status=503),
        "The language model at llm.example is not available (HTTP 503).",
    ),
    (
        Message("analysis_crashed", value="KeyError"),
        "The analysis failed with an unexpected KeyError. See the log of the workers.",
    ),
    (Message("work_too_long", minutes="90"), "The work was not finished within 90 minutes."),
    (
        Message("invalid_date", value="2026-02-31"),
        '"2026-02-31" is not a date. Use YYYY-MM-DD.',
    ),
    (
        Message("but_is", rule=Message("not_allowed", allowed="en, es or auto"), value="'de'"),
        "must be en, es or auto, not 'de'",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("message", "text"), TEXTS, ids=[message.code for message, _ in TEXTS])
def test_stays_as_it_is(message, text):
    assert str(message) == text
