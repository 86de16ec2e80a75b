"""The predefined contact reason of a call without a language model."""

import pytest

from callscope.analysis.rules.insights import build_insights
from callscope.analysis.rules.reason_codes import choose_by_topic, choose_reason_code, explain_code
from callscope.analysis.rules.topics import extract_topic
from callscope.projects.configuration import parse


class TestReasonCode:
    CONFIG = {
        "contact_reasons": {
            "mode": "predefined",
            "codes": [
                {
                    "code": "Billing dispute",
                    "description": "An invoice is wrong or too high",
                    "phrases": ["my invoice"],
                },
                {"code": "Delivery", "description": "Where a parcel is, changing its address"},
            ],
        }
    }

    def test_goes_by_the_phrases_first(self, talk, meaning):
        call = talk("customer: I have a question about my invoice and the parcel.")

        assert (
            choose_reason_code(
                parse(self.CONFIG).contact_reasons, extract_topic(call), call, meaning.embedder
            )
            == "Billing dispute"
        )

    def test_and_by_the_description_else(self, talk, meaning):
        call = talk("customer: I want to change the address of my parcel.")

        assert (
            choose_reason_code(
                parse(self.CONFIG).contact_reasons, extract_topic(call), call, meaning.embedder
            )
            == "Delivery"
        )

    def test_and_by_the_phrases_as_examples(self, talk, meaning):
        codes = [
            {"code": "Cards", "phrases": ["my card was swallowed by the cash machine"]},
            {"code": "Parcels", "phrases": ["the parcel has not arrived yet"]},
        ]
        reasons = parse({"contact_reasons": {"mode": "predefined", "codes": codes}}).contact_reasons
        named = parse(
            {"contact_reasons": {"mode": "predefined", "codes": [{"code": c["code"]} for c in codes]}}
        ).contact_reasons
        topic = "the machine swallowed my card"

        assert choose_by_topic(reasons, [topic], "en", meaning.embedder) == ["Cards"]
        assert choose_by_topic(named, [topic], "en", meaning.embedder) == [""]

    def test_is_empty_when_nothing_fits(self, talk, meaning):
        call = talk("customer: I want to speak about the weather forecast.")

        assert (
            choose_reason_code(
                parse(self.CONFIG).contact_reasons, extract_topic(call), call, meaning.embedder
            )
            == ""
        )

    @pytest.mark.parametrize(
        ("phrases", "found"), [([], ""), (["stop my membership", "I want to end my contract"], "B7")]
    )
    def test_goes_by_what_its_phrases_mean_where_none_is_said(self, talk, meaning, phrases, found):
        codes = [{"code": "B7", "phrases": phrases}, {"code": "Opening hours"}]
        reasons = parse({"contact_reasons": {"mode": "predefined", "codes": codes}}).contact_reasons
        call = talk("customer: I want to cancel my subscription.")

        assert choose_reason_code(reasons, extract_topic(call), call, meaning.embedder) == found

    def test_is_empty_where_codes_are_only_of_the_same_trade(self, talk, meaning):
        codes = [{"code": "Card payment declined"}, {"code": "Transfer fee"}]
        reasons = parse({"contact_reasons": {"mode": "predefined", "codes": codes}}).contact_reasons
        call = talk("customer: I want to know when my new card arrives by post.")

        assert choose_reason_code(reasons, extract_topic(call), call, meaning.embedder) == ""

    def test_is_empty_in_open_ended_projects(self, talk, meaning):
        assert build_insights(parse({}), talk("customer: My invoice."), meaning)["contact_reason_code"] == ""


class TestTheEvidenceForACode:
    def explain(self, code, call, embedder):
        reasons = parse(TestReasonCode.CONFIG).contact_reasons
        return explain_code(reasons, code, extract_topic(call), call, embedder)

    def test_is_where_its_phrase_is_said(self, talk, meaning):
        call = talk("agent: How can I help?", "customer: Hello there.", "customer: It is about my invoice.")

        found = self.explain("Billing dispute", call, meaning.embedder)

        assert found.quote.endswith("It is about my invoice.")
        assert found.confidence == 1

    def test_is_what_the_topic_came_from_else(self, talk, meaning):
        call = talk("customer: Good morning.", "customer: I want to change the address of my parcel.")

        found = self.explain("Delivery", call, meaning.embedder)

        assert found.quote.endswith("I want to change the address of my parcel.")
        assert 0.3 <= found.confidence < 1

    def test_says_how_unlike_all_codes_a_call_under_other_is(self, talk, meaning):
        call = talk("customer: I want to speak about the weather forecast.")

        found = self.explain("", call, meaning.embedder)

        assert "weather" in found.quote
        assert found.confidence > 0.5
