"""What a language model reads of the settings."""

from callscope.analysis.llm.prompting import AnalysisRequest, build_instructions
from callscope.analysis.results import findings
from callscope.projects.configuration import parse


def instructions(codes):
    config = parse({"contact_reasons": {"mode": "predefined", "codes": codes}})
    return build_instructions(AnalysisRequest(config, (findings.INSIGHTS,), "en"))


class TestReasonCodes:
    def test_are_shown_with_what_callers_say(self):
        phrases = [f"lost my card {word}" for word in ["one", "two", "three", "four", "five", "six"]]

        shown = instructions([{"code": "Card lost", "phrases": phrases}])

        assert all(phrase in shown for phrase in phrases[:5])
        assert phrases[5] not in shown

    def test_without_phrases_are_shown_by_name_alone(self):
        assert '{"code": "Card lost"}' in instructions([{"code": "Card lost"}])
