"""Numbers that are read out together, over fillers, sentences and segments."""

import pytest

from callscope.transcription.redaction.number_runs import collect_number_runs
from callscope.transcription.redaction.utterances import read_utterances

pytestmark = pytest.mark.one_database


def conversation(*turns, seconds=3.0):
    return [
        {"start": seconds * n, "end": seconds * n + 2, "speaker": speaker, "text": text, "confidence": None}
        for n, (speaker, text) in enumerate(turns)
    ]


def runs(*turns, **timing):
    return collect_number_runs(list(read_utterances(conversation(*turns, **timing))))


def digits(*turns, **timing):
    return [run.digits for run in runs(*turns, **timing)]


class TestRuns:
    def test_go_on_over_fillers(self):
        assert digits(("customer", "four five uh three and two")) == ["4532"]

    @pytest.mark.parametrize("text", ["4532. 1488", "4532, hold on, 1488", "4532... un momento... 1488"])
    def test_go_on_over_pauses(self, text):
        assert digits(("customer", text)) == ["45321488"]

    def test_end_at_any_other_word(self):
        assert digits(("customer", "four five perhaps three two")) == ["45", "32"]

    def test_are_those_of_one_speaker(self):
        said = [("customer", "four five"), ("agent", "twelve"), ("customer", "three two")]

        assert [(run.speaker, run.digits) for run in runs(*said)] == [
            ("customer", "45"), ("agent", "12"), ("customer", "32"),
        ]  # fmt: skip

    def test_end_after_a_minute(self):
        assert digits(("customer", "four five"), ("customer", "three two"), seconds=70.0) == ["45", "32"]

    @pytest.mark.parametrize(
        "text",
        [
            "$45", "45 euros", "45 a month", "one moment", "the three digits", "the other one", "una tarjeta",
            "March 14, 1982", "the 14th of March nineteen eighty two", "el 5 de mayo de 2024", "12/05/2024",
            "10:30", "at eleven twenty", "sobre las once y cuarenta", "since 2019", "1,299.50", "a 5pm call",
        ],
    )  # fmt: skip
    def test_leave_out_what_is_a_price_a_date_or_a_time(self, text):
        assert digits(("customer", text)) == []

    def test_know_their_chunks(self):
        (run,) = runs(("customer", "four five three two, 1488, oh three four three"))

        assert [size for _, size in run.chunks] == [4, 4, 4]

    def test_know_what_was_taken_back(self):
        assert [run.is_correction for run in runs(("customer", "4532, no, sorry, 4539"))] == [False, True]
