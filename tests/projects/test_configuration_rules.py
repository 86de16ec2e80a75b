"""The rule language in the configuration: what is taken, and what is refused with its path."""

import pytest

from callscope.projects import configuration
from callscope.projects.configuration import InvalidConfiguration

RULE = "rubric.sections[0].criteria[0].rule"
WHOLE = {
    "speaker": "agent",
    "any_of": ["offer", {"pattern": r"order \d+"}],
    "none_of": [{"pattern": "calm (down|yourself)"}],
    "all_of": [["good morning", {"pattern": "^hello"}], ["Acme"]],
    "at_least": 1,
    "before": {"criterion": "other"},
    "after": {"any_of": ["welcome"]},
    "not_within": {"seconds": 10, "any_of": ["discount"]},
    "no_silence": {"over_seconds": 60, "after": ["one moment"]},
}


def document(rule=None, *, other=None, **more):
    criteria = [
        {"id": "c", "name": "C", "max_points": 1, "rule": rule or {}},
        {"id": "other", "name": "O", "max_points": 1, "rule": other or {"any_of": ["offer"]}},
        {"id": "bare", "name": "B", "max_points": 1},
    ]
    return {"rubric": {"sections": [{"name": "A", "criteria": criteria}]}, **more}


def messages(given) -> list[str]:
    with pytest.raises(InvalidConfiguration) as refusal:
        configuration.parse(given)
    return refusal.value.messages()


class TestARule:
    def test_comes_back_whole_from_its_own_yaml(self):
        tracker = {"id": "competitor", "name": "Competitor", "rule": {"any_of": ["Vodafone"]}}
        config = configuration.parse(document(WHOLE, trackers=[tracker]))

        assert configuration.parse_yaml(configuration.to_yaml(config)) == config
        assert (
            config.as_document()["rubric"]["sections"][0]["criteria"][0]["rule"]["any_of"] == WHOLE["any_of"]
        )

    @pytest.mark.parametrize(
        ("rule", "path", "reason"),
        [
            ({"all_of": [["a"]], "at_least": 2}, ".at_least", "requires 2 groups, but all_of has 1"),
            ({"all_of": [["a"]], "at_least": 0}, ".at_least", "must be at least 1, not 0"),
            ({"all_of": [["a"]], "at_least": True}, ".at_least", "must be a number"),
            ({"any_of": ["a"], "at_least": 1}, ".at_least", "needs all_of, which is empty"),
            ({"all_of": [["a"]], "at_most": 1}, ".at_most", "needs any_of, which is empty"),
            ({"any_of": ["a"], "at_most": -1}, ".at_most", "must be at least 0, not -1"),
            ({"all_of": ["a"]}, ".all_of[0]", "must be a list, not 'a'"),
            ({"all_of": [[]]}, ".all_of[0]", "must have at least 1 entry"),
            ({"all_of": [["a"]] * 21}, ".all_of", "must have at most 20 entries, not 21"),
            ({"all_of": [["a", " "]]}, ".all_of[0][1]", "must not be blank"),
            ({"any_of": [5]}, ".any_of[0]", "must be a text, not 5"),
            ({"any_of": [{"pattern": "("}]}, ".any_of[0].pattern",
             "this pattern is not valid: missing ): ("),
            ({"any_of": [{"pattern": r"(a)\1"}]}, ".any_of[0].pattern",
             r"this pattern is not valid: invalid escape sequence: \1"),
            ({"any_of": [{"pattern": "(?=a)"}]}, ".any_of[0].pattern",
             "this pattern is not valid: invalid perl operator: (?="),
            ({"any_of": [{"pattern": "кот"}]}, ".any_of[0].pattern",
             'contains "к"; patterns are read in Latin letters'),
            ({"any_of": [{"pattern": ""}]}, ".any_of[0].pattern", "must not be blank"),
            ({"any_of": [{"words": "a"}]}, ".any_of[0].pattern", "is required"),
            ({"any_of": ["a"], "before": {}}, ".before", "needs either a criterion or any_of, not both"),
            ({"any_of": ["a"], "after": {"criterion": "other", "any_of": ["b"]}}, ".after",
             "needs either a criterion or any_of, not both"),
            ({"any_of": ["a"], "before": {"criterion": "nothing"}}, ".before.criterion",
             'there is no criterion with the id "nothing"'),
            ({"any_of": ["a"], "before": {"criterion": "c"}}, ".before.criterion",
             '"c" is this criterion itself'),
            ({"any_of": ["a"], "after": {"criterion": "bare"}}, ".after.criterion",
             'criterion "bare" has no rule that wants something said'),
            ({"none_of": ["a"], "before": {"any_of": ["b"]}}, ".before",
             "needs phrases that have to be said: all_of, or any_of without at_most"),
            ({"any_of": ["a"], "at_most": 2, "not_within": {}}, ".not_within",
             "needs phrases that have to be said: all_of, or any_of without at_most"),
            ({"any_of": ["a"], "speaker": "any", "not_within": {}}, ".not_within",
             'needs the speaker "agent" or "customer": "any" has no other side'),
            ({"no_silence": {"over_seconds": 0}}, ".no_silence.over_seconds", "must be above 0, not 0"),
            ({"no_silence": {}}, ".no_silence.over_seconds", "is required"),
        ],
    )  # fmt: skip
    def test_that_is_wrong_is_refused_with_its_path(self, rule, path, reason):
        assert messages(document(rule))[0] == f"{RULE}{path}: {reason}"

    def test_with_a_pattern_that_grows_too_large_is_refused(self):
        (message,) = messages(document({"any_of": [{"pattern": "(?:a{0,30}){0,30}"}]}))

        assert message.startswith(f"{RULE}.any_of[0].pattern: is too large a pattern: ")

    def test_whose_order_leads_back_is_refused(self):
        rule = {"any_of": ["a"], "before": {"criterion": "other"}}
        other = {"any_of": ["b"], "after": {"criterion": "c"}}

        assert messages(document(rule, other=other)) == [
            f"{RULE}.before.criterion: the order leads back to where it started: c → other → c",
            "rubric.sections[0].criteria[1].rule.after.criterion: "
            "the order leads back to where it started: other → c → other",
        ]

    def test_counts_the_phrases_of_its_groups_too(self):
        rule = {"all_of": [[f"p{n}" for n in range(400)]] * 13}

        assert messages(document(rule)) == ["rubric: has 5201 phrases in all; at most 5000 are allowed"]

    def test_has_so_many_patterns_at_most(self):
        patterns = [{"pattern": f"p{n}"} for n in range(300)]

        assert messages(document({"any_of": patterns, "none_of": patterns})) == [
            "has 600 patterns in all; at most 500 are allowed"
        ]


class TestATracker:
    @pytest.mark.parametrize(
        ("trackers", "message"),
        [
            ([{"id": "t", "name": "T"}], "trackers[0].rule: is required"),
            ([{"id": "t", "name": "T", "rule": {}}],
             "trackers[0].rule: has no phrases and no silence, so it would find nothing"),
            ([{"id": "t", "name": "T", "rule": {"any_of": ["a"]}}] * 2,
             'trackers: the tracker id "t" appears twice'),
            ([{"id": "t", "name": "T", "rule": {"any_of": ["a"], "after": {"criterion": "no"}}}],
             'trackers[0].rule.after.criterion: there is no criterion with the id "no"'),
        ],
    )  # fmt: skip
    def test_that_is_wrong_is_refused(self, trackers, message):
        assert messages(document(trackers=trackers)) == [message]
