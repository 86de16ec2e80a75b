"""Trackers: where rules without points hold."""

from callscope.analysis.rules.trackers import follow_trackers
from callscope.engines.embeddings.built_in import BuiltInEmbedder
from callscope.projects.configuration import parse

COMPETITOR = {"speaker": "customer", "any_of": ["Vodafone", {"pattern": r"\borange\b"}]}


def followed(call, *rules):
    trackers = [{"id": f"t{n}", "name": "T", "rule": rule} for n, rule in enumerate(rules)]
    criterion = {"id": "offer", "name": "O", "max_points": 1, "rule": {"any_of": ["I can offer"]}}
    rubric = {"sections": [{"name": "A", "criteria": [criterion]}]}
    config = parse({"trackers": trackers, "rubric": rubric})
    return follow_trackers(config, call, BuiltInEmbedder())


class TestATracker:
    def test_keeps_every_place_with_speaker_and_time(self, talk):
        call = talk("customer: Vodafone is cheaper.", "agent: Vodafone?", "customer: Or Orange, say.")

        (found,) = followed(call, COMPETITOR)

        assert found == {
            "id": "t0",
            "quotes": [
                {"group": None, "text": "Vodafone is cheaper.", "speaker": "customer", "start": 0.0},
                {"group": None, "text": "Or Orange, say.", "speaker": "customer", "start": 10.0},
            ],
        }

    def test_that_does_not_hold_is_left_out(self, talk):
        assert followed(talk("customer: It is too dear.", "agent: Vodafone?"), COMPETITOR) == []

    def test_names_the_group_of_a_quote(self, talk):
        call = talk("agent: May I have your date of birth and your postcode?")

        (found,) = followed(call, {"all_of": [["date of birth"], ["postcode"]]})

        assert [quote["group"] for quote in found["quotes"]] == [0, 1]

    def test_may_stand_after_the_evidence_of_a_criterion(self, talk):
        rule = {"speaker": "customer", "any_of": ["too expensive"], "after": {"criterion": "offer"}}
        lines = ["agent: I can offer you ten euros.", "customer: That is too expensive."]

        assert len(followed(talk(*lines), rule)) == 1
        assert followed(talk(*reversed(lines)), rule) == []

    def test_counts_in_half_heard_speech_only_word_for_word(self, talk):
        quality = {"ok": False, "reasons": [], "half_heard": True}

        assert len(followed(talk("customer: vodafone", quality=quality), COMPETITOR)) == 1
        assert followed(talk("customer: orange", quality=quality), COMPETITOR) == []
