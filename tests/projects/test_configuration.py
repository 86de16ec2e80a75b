"""The configuration document: read whole or refused whole, with the path of each error."""

import copy

import pytest

from callscope.projects import configuration
from callscope.projects.configuration import InvalidConfiguration, ShiftHours
from callscope.projects.models import Project

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
    with pytest.raises(InvalidConfiguration) as refusal:
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

    def test_has_the_language_of_each_call_where_a_text_names_none(self):
        assert configuration.parse_yaml("rubric: {name: Sales}").language == "auto"
        assert configuration.parse_yaml("language: es").language == "es"

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
            ({"retention": {"recordings_days": 0}}, "retention.recordings_days: must be above 0, not 0"),
            ({"retention": {"results_days": "soon"}}, "retention.results_days: must be a whole number"),
            ({"retention": {"transcripts_days": True}}, "retention.transcripts_days: must be a number"),
            ({"retention": {"transcripts_days": 36_501}}, "transcripts_days: must be at most 36500"),
            ({"retention": {"audit_days": 9}}, "retention.audit_days: is not a known setting"),
            ({"redact": ["faces"]}, "redact[0]: must be cards"),
            ({"vocabulary": ["a\x00"]}, "vocabulary[0]: must not contain NUL characters"),
            ({"vocabulary": ["\ud800"]}, "vocabulary[0]: must not contain lone surrogates"),
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
                "within_seconds and last_seconds cannot be combined",
            ),
            ([], "the configuration must be a mapping, not a list"),
            ({1: 2}, "is not a known setting"),
        ],
    )
    def test_is_reported_with_path_and_reason(self, document, message):
        (found,) = messages(document)

        assert message in found

    def test_quotes_no_empty_value(self):
        assert messages({"retention": {"results_days": ""}}) == [
            "retention.results_days: must be a whole number"
        ]

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
    def test_is_reported_when_it_is_no_yaml_to_be_read(self, text):
        with pytest.raises(InvalidConfiguration):
            configuration.parse_yaml(text)

    @pytest.mark.parametrize("text", ['language: !!int ""', "language: !!bool x", "language: !!timestamp x"])
    def test_is_refused_when_a_tag_does_not_fit_its_text(self, text):
        with pytest.raises(InvalidConfiguration, match="not readable as YAML"):
            configuration.parse_yaml(text)

    @pytest.mark.parametrize("text", ["goal: {description: x", "a: 'x", "redact: [cards", "a:\n  - b\n c: d"])
    def test_is_refused_without_the_words_of_its_parser(self, text):
        with pytest.raises(InvalidConfiguration, match=r"line [0-9]+, column [0-9]+: ") as caught:
            configuration.parse_yaml(text)

        assert "<" not in str(caught.value)

    def test_is_refused_when_it_is_too_large(self):
        with pytest.raises(InvalidConfiguration, match="larger than"):
            configuration.parse_yaml("#" * (configuration.MAX_DOCUMENT_BYTES + 1))


class TestShiftHours:
    @pytest.mark.parametrize(
        ("start", "end", "day"),
        [
            (8, 20, [*range(8, 20)]),
            (22, 6, [*range(6), 22, 23]),
            (0, 23, [*range(23)]),
            (23, 0, [23]),
            (5, 4, [*range(4), *range(5, 24)]),
        ],
    )
    def test_contain_their_first_hour_and_not_their_last_even_over_midnight(self, start, end, day):
        hours = ShiftHours(day_start=start, day_end=end)

        assert [hour for hour in range(24) if hours.contains(hour)] == day

    @pytest.mark.parametrize(
        ("start", "end", "hours"), [(8, 20, None), (22, 21, 23), (22, 6, 8), (23, 1, 2), (22, 0, None)]
    )
    def test_are_counted_where_the_day_goes_on_after_midnight(self, start, end, hours):
        assert ShiftHours(day_start=start, day_end=end).hours_over_midnight == hours


class TestNumbersOfThousandsOfDigits:
    """Python refuses to print them in decimal."""

    @pytest.mark.parametrize("number", ["0x" + "f" * 5000, "-0x" + "f" * 5000, "0o" + "7" * 9000, "9" * 5000])
    def test_are_refused_with_a_sentence(self, number):
        with pytest.raises(InvalidConfiguration):
            configuration.parse_yaml(f"language: {number}")


class TestPhrasesInAll:
    def test_are_at_most_five_thousand(self):
        def rubric(count):
            criteria = [
                {
                    "id": f"c{n}",
                    "name": "C",
                    "max_points": 1,
                    "rule": {"any_of": ["a b"] * 250, "none_of": ["c"] * 250},
                }
                for n in range(count)
            ]
            return {"rubric": {"sections": [{"name": "S", "criteria": criteria}]}}

        assert configuration.parse(rubric(10)).rubric.criteria()
        with pytest.raises(InvalidConfiguration, match="has 5500 phrases in all; at most 5000 are allowed"):
            configuration.parse(rubric(11))

    def test_of_prompts_and_mistakes_count_together(self):
        items = [{"id": f"p{n}", "text": "P", "any_of": ["a"] * 500} for n in range(6)]

        assert configuration.parse({"no_protocol": {"prompts": items}})
        with pytest.raises(InvalidConfiguration, match="has 6000 phrases"):
            configuration.parse({"no_protocol": {"prompts": items, "mistakes": items}})

    def test_that_were_stored_before_the_limit_can_still_be_read(self):
        many = [f"phrase {n}" for n in range(500)]
        criteria = [
            {"id": f"c{n}", "name": f"C{n}", "max_points": 1, "rule": {"any_of": many}} for n in range(11)
        ]
        prompts = [{"id": f"p{n}", "text": f"P{n}", "any_of": many} for n in range(11)]
        document = {
            "rubric": {"sections": [{"name": "A", "criteria": criteria}]},
            "no_protocol": {"prompts": prompts},
        }

        assert len(configuration.parse(document, is_stored=True).rubric.sections[0].criteria) == 11
        with pytest.raises(InvalidConfiguration, match="has 5500 phrases"):
            configuration.parse(document)


def test_a_stored_document_is_parsed_once_for_each_content():
    document = configuration.parse({"language": "es"}).as_document()
    first = configuration.parse_stored(document)

    assert configuration.parse_stored(copy.deepcopy(document)) is first
    document["language"] = "en"
    assert configuration.parse_stored(document).language == "en"


def test_a_wrong_stored_document_is_refused_each_time():
    for _ in range(2):
        with pytest.raises(InvalidConfiguration):
            configuration.parse_stored({"language": 5})


def test_a_project_that_was_read_finds_what_was_parsed_of_it_by_the_document_alone(monkeypatch):
    parsed = []
    parse_stored = configuration.parse_stored
    monkeypatch.setattr(
        configuration, "parse_stored", lambda config: parsed.append(1) or parse_stored(config)
    )
    project = Project(config=configuration.parse({"language": "es"}).as_document())

    assert project.configuration is project.configuration
    assert len(parsed) == 1
    project.config = project.config | {"language": "en"}
    assert project.configuration.language == "en"
