"""The configuration document: read whole or refused whole, with the path of each error."""

import pytest

from callscope.projects import configuration
from callscope.projects.configuration import WrongConfiguration

WHOLE = """
language: en
shift_hours: {day_start: 8, day_end: 20}
redact: [cards, security_codes]
vocabulary: [Callscope]
goal: {description: "The caller's issue is resolved", phrases: ["all set"]}
contact_reasons:
  mode: predefined
  codes: [{code: "Billing dispute", description: "A wrong invoice", phrases: ["wrong invoice"]}]
rubric:
  name: Inbound service
  on_critical_error: zero_score
  sections:
    - name: Opening
      criteria:
        - id: greeting
          name: Greets and names the company
          guideline: "Within 30 seconds the agent greets the caller."
          max_points: 10
          critical: false
          critical_class: null
          partial_credit: true
          may_not_apply: false
          applies_when: null
          rule: {speaker: agent, within_seconds: 30, any_of: ["good morning"], none_of: [], applies_if: []}
        - {id: identity, name: Checks identity, max_points: 2.5, critical: true, critical_class: compliance}
no_protocol:
  prompts: [{id: recording, text: "Says that the call is recorded", any_of: ["call is recorded"]}]
  mistakes: [{id: dismissive, text: "Dismisses the caller", speaker: agent, any_of: ["calm down"]}]
custom_questions: ["Did the caller mention a competitor?"]
"""


def messages(document) -> list[str]:
    with pytest.raises(WrongConfiguration) as refusal:
        configuration.parse(document)
    return refusal.value.messages()


def rubric(*criteria) -> dict:
    return {"rubric": {"sections": [{"name": "A", "criteria": list(criteria)}]}}


def criterion(**fields) -> dict:
    return {"id": "x", "name": "X", "max_points": 1, **fields}


class TestAWholeDocument:
    def test_comes_back_from_its_own_yaml(self):
        config = configuration.parse_yaml(WHOLE)

        assert configuration.parse_yaml(configuration.to_yaml(config)) == config
        assert configuration.parse(config.as_document()) == config

    def test_keeps_points_exact(self):
        config = configuration.parse_yaml(WHOLE)

        assert str(config.rubric.total_points) == "12.5"
        assert [c.id for _, c in config.rubric.criteria()] == ["greeting", "identity"]

    @pytest.mark.parametrize("document", [None, {}])
    def test_may_be_absent(self, document):
        assert configuration.parse(document).language == "en"


class TestAWrongDocument:
    @pytest.mark.parametrize(
        ("document", "message"),
        [
            ({"language": "fr"}, "language: must be en, es or auto, not 'fr'"),
            ({"languages": "en"}, "languages: is not a known setting"),
            ({"shift_hours": {"day_start": 24}}, "shift_hours.day_start: must be at most 23, not 24"),
            ({"shift_hours": {"day_start": True}}, "shift_hours.day_start: must be a number"),
            ({"redact": ["faces"]}, "redact[0]: must be cards"),
            ({"vocabulary": ["a\x00"]}, "vocabulary[0]: must not hold NUL characters"),
            ({"vocabulary": ["\ud800"]}, "vocabulary[0]: must not hold lone surrogates"),
            ({"custom_questions": ["a", "a"]}, 'custom_questions: the custom question "a" appears twice'),
            ({"contact_reasons": {"mode": "predefined"}}, 'contact_reasons: mode "predefined" needs'),
            ({"rubric": None}, "rubric: must be a mapping, not null"),
            (rubric(), "rubric.sections[0].criteria: must have at least 1 entry"),
            (rubric(criterion(max_points=0)), "rubric.sections[0].criteria[0].max_points: must be above 0"),
            (rubric(criterion(max_points=float("nan"))), "criteria[0].max_points: must be a number"),
            (rubric(criterion(max_points=10**4000)), "criteria[0].max_points: must be at most 1000000"),
            (rubric(criterion(max_points=1e-7)), "must not have more than 6 decimals"),
            (rubric(criterion(id="a b")), 'criteria[0].id: "a b" must be 1 to 64'),
            (rubric(criterion(), criterion()), 'rubric: the criterion id "x" appears twice'),
            (rubric(criterion(rule={"speaker": "bot"})), "criteria[0].rule.speaker: must be agent"),
            (
                rubric(criterion(rule={"within_seconds": 5, "last_seconds": 5})),
                "within_seconds and last_seconds exclude each other",
            ),
            ([], "the configuration must be a mapping, not a list"),
            ({1: 2}, "is not a known setting"),
        ],
    )
    def test_is_told_with_path_and_reason(self, document, message):
        (found,) = messages(document)

        assert message in found

    def test_tells_every_error_at_once(self):
        found = messages({"language": "fr", **rubric(criterion(max_points=-1, extra=1))})

        assert len(found) == 3

    @pytest.mark.parametrize(
        "text",
        [
            "a: [",
            "- 1",
            "language: en\nlanguage: es",
            "a: &x 1\nb: *x",
            "language: en\n---\nlanguage: es",
            "!!python/object:os.system x",
            "[" * 5000,
            "x: " + "9" * 6000,
            "? [a]\n: b",
            "\x00",
        ],
    )
    def test_is_told_when_it_is_no_yaml_to_be_read(self, text):
        with pytest.raises(WrongConfiguration):
            configuration.parse_yaml(text)

    def test_is_refused_when_it_is_too_large(self):
        with pytest.raises(WrongConfiguration, match="larger than"):
            configuration.parse_yaml("#" * (configuration.MAX_DOCUMENT_BYTES + 1))
