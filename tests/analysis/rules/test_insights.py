"""The predefined contact reason of a call without a language model."""

from callscope.analysis.rules.insights import build_insights, choose_reason_code
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

    def test_is_empty_when_nothing_fits(self, talk, meaning):
        call = talk("customer: I want to speak about the weather forecast.")

        assert (
            choose_reason_code(
                parse(self.CONFIG).contact_reasons, extract_topic(call), call, meaning.embedder
            )
            == ""
        )

    def test_is_empty_in_open_ended_projects(self, talk, meaning):
        assert build_insights(parse({}), talk("customer: My invoice."), meaning)["contact_reason_code"] == ""
