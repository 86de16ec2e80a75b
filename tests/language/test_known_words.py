"""How many words of a text a dictionary has."""

from unicodedata import normalize

import pytest

from callscope.language.known_words import share_known
from callscope.samples.catalog import FOLDER
from callscope.transcription.subtitles import parse_subtitles

pytestmark = pytest.mark.one_database


class TestShareKnown:
    def test_counts_forms_contractions_and_any_case(self):
        text = "THAT'S what I've been told, they didn’t call: my neighbors' bills were corrected; it's odd."

        assert share_known([text, text]) == 1.0

    def test_knows_spanish_without_its_accents(self):
        for path in (FOLDER / "luz_de_ribera" / "calls").glob("*.srt"):
            texts = [cue.text for cue in parse_subtitles(path.read_bytes())]
            plain = [normalize("NFD", text).encode("ascii", "ignore").decode() for text in texts]

            assert share_known(plain) > 0.85, path.name

    def test_is_not_known_of_a_few_words(self):
        assert share_known(["Bonjour madame, comment allez-vous"]) is None
        assert share_known([]) is None
        assert share_known(["12 34 56 78"] * 20) is None

    def test_takes_no_language_for_one_that_it_has_no_dictionary_of(self):
        assert share_known(["the words of this call are all in English today"] * 4, language="xx") == 1.0

    @pytest.mark.parametrize("sample", ["copper_lane", "luz_de_ribera"])
    def test_is_high_in_every_transcript_of_the_samples(self, sample):
        for path in [*(FOLDER / sample / "calls").glob("*.srt"), *(FOLDER / sample / "calls").glob("*.vtt")]:
            share = share_known(cue.text for cue in parse_subtitles(path.read_bytes()))

            assert share is None or share > 0.9, path.name

    def test_is_high_in_every_typed_transcript_of_the_field(self, shared_data):
        for path in (shared_data / "star" / "transcripts").iterdir():
            assert share_known(cue.text for cue in parse_subtitles(path.read_bytes())) > 0.85, path.name
