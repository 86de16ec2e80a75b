"""What the lint finds in a rubric, and that it shows calls of the project alone."""

import pytest

from callscope.analysis.lint.lint import lint_configuration, lint_document
from callscope.calls.models import Call, UploadedFile
from callscope.projects import configuration
from callscope.projects.configuration import InvalidConfiguration
from callscope.projects.services import create_project
from callscope.transcription.models import Transcript

MET_BY_HALF = "rubric.sections[0].criteria[0].rule"


def document(*criteria, **more):
    whole = [
        {"id": f"c{n}", "name": f"Criterion {n}", "max_points": 10, **each} for n, each in enumerate(criteria)
    ]
    return {"rubric": {"sections": [{"name": "All", "criteria": whole}]}, **more}


def codes(*criteria, project=None):
    return [(f.path, f.code) for f in lint_document(document(*criteria), project)]


def greets(**rule):
    return {"name": "Greets and names the company", "rule": rule}


class TestWording:
    def test_finds_a_name_of_which_half_is_enough(self):
        [found] = lint_document(document(greets(any_of=["good morning", "acme"])))

        assert (found.path, found.code, found.severity) == (MET_BY_HALF, "met_by_half", "error")
        assert "all_of" in str(found.message)

    @pytest.mark.parametrize(
        "rule",
        [
            {"all_of": [["good morning"], ["acme"]]},
            {"all_of": [["good morning"], ["acme"], ["help"]], "at_least": 2},
            {"any_of": ["good morning"], "all_of": [["acme"]]},
            {"any_of": ["good morning and welcome to acme"]},
            {"any_of": ["good morning"], "before": {"any_of": ["your balance"]}},
            {"none_of": ["shut up"]},
        ],
    )
    def test_is_content_where_the_rule_asks_for_both(self, rule):
        assert codes(greets(**rule)) == []

    def test_counts_the_groups_that_are_needed(self):
        rule = {"all_of": [["good morning"], ["acme"]], "at_least": 1}

        assert codes(greets(**rule)) == [(MET_BY_HALF, "met_by_half")]

    def test_reads_the_guideline_where_the_name_says_little(self):
        criterion = {"guideline": "The agent greets and names the company.", "rule": {"any_of": ["hello"]}}

        [found] = lint_document(document(criterion))

        assert (found.code, found.severity) == ("guideline_met_by_half", "warning")

    def test_finds_criteria_that_nobody_judges(self):
        assert codes({}, {"rule": {"speaker": "agent"}}) == [
            ("rubric.sections[0].criteria[0]", "no_judge"),
            ("rubric.sections[0].criteria[1]", "no_judge"),
        ]

    def test_leaves_the_judging_to_a_model_where_there_is_one(self, monkeypatch):
        from types import SimpleNamespace

        from callscope.analysis.lint import lint

        monkeypatch.setattr(lint, "project_engines", lambda _config: SimpleNamespace(llm=object()))

        assert codes({}) == []

    def test_finds_phrases_of_two_criteria_or_of_two_groups(self):
        hello = {"rule": {"any_of": ["Hello!"]}}
        both = {"rule": {"all_of": [["hello"], ["welcome", "hello"]]}}

        assert codes(hello, hello) == [("rubric.sections[0].criteria[1].rule.any_of[0]", "shared_phrase")]
        assert ("rubric.sections[0].criteria[0].rule.all_of[1][1]", "phrase_in_two_groups") in codes(both)

    def test_finds_a_goal_without_description_and_its_phrases_that_are_there_twice(self):
        goal = {"description": "", "phrases": ["all sorted", {"pattern": "all sorted"}, "All sorted."]}

        found = lint_document(document({}, goal=goal))

        assert [(each.path, each.code) for each in found] == [
            ("rubric.sections[0].criteria[0]", "no_judge"),
            ("goal.description", "goal_without_description"),
            ("goal.phrases[2]", "phrase_twice"),
        ]

    def test_lets_a_greeting_open_and_close_a_call(self):
        opening = {"rule": {"within_seconds": 20, "any_of": ["thank you for calling"]}}
        closing = {"rule": {"last_seconds": 20, "any_of": ["thank you for calling"]}}

        assert codes(opening, closing) == []

    def test_finds_weights_classes_and_guidelines(self):
        rule = {"any_of": ["hello"]}
        small = {"max_points": 1, "critical": True, "guideline": "x" * 1201, "rule": rule}
        large = {"max_points": 99, "rule": {"any_of": ["bye"]}}

        assert codes(small, large) == [
            ("rubric.sections[0].criteria[0].critical_class", "critical_without_class"),
            ("rubric.sections[0].criteria[0].max_points", "weight_drowns"),
            ("rubric.sections[0].criteria[0].guideline", "long_guideline"),
        ]

    def test_finds_orders_that_no_call_can_follow(self):
        [found] = lint_document(document({"rule": {"any_of": ["a"], "before": {"criterion": "gone"}}}))

        assert (found.code, found.severity) == ("unknown_criterion", "error")
        assert "gone" in str(found.message)

    @pytest.mark.parametrize("wrong", [3, "x", [], {"rubric": 3}, {"nothing": 1}])
    def test_refuses_what_is_no_configuration(self, wrong):
        with pytest.raises(InvalidConfiguration):
            lint_document(wrong)

    def test_finds_nothing_in_an_empty_rubric(self):
        assert lint_document({}) == []


@pytest.mark.parametrize("number", range(4))
def test_samples_and_starters_promise_no_more_than_their_rules_ask_for(number):
    from callscope.interfaces.web.settings_parts.starts import STARTERS
    from callscope.samples.catalog import load_catalog

    paths = [*(s.config_path for s in load_catalog()), *sorted(STARTERS.glob("*.yaml"))]
    assert len(paths) == 4

    found = lint_configuration(configuration.parse_yaml(paths[number].read_bytes()))

    assert [(f.path, f.code) for f in found] == []


@pytest.fixture
def add_call():
    def add(project, number, *lines):
        """Add a call whose lines, of ten seconds each, take turns, the agent first."""
        from django.utils import timezone

        now = timezone.now()
        call = Call.objects.create(
            project=project,
            file_name=f"{number}.srt",
            name_stem=f"{number}",
            call_datetime=now,
            uploaded_at=now,
        )
        file = UploadedFile.objects.create(
            project=project, call=call, original_filename=call.file_name, file_type="srt", created_at=now
        )
        call.newest_file = file
        call.save()
        segments = [
            {"start": 10 * n, "end": 10 * n + 9, "speaker": ("agent", "customer")[n % 2], "text": line}
            for n, line in enumerate(lines)
        ]
        Transcript.objects.create(file=file, project=project, segments=segments, engine="subtitles")
        return call

    return add


class TestCalls:
    @pytest.fixture
    def spoken(self, project, add_call):
        """Six calls of 39 seconds; the customer of one wants to cancel."""
        return [
            add_call(
                project,
                number,
                "Good morning, this is Acme.",
                "I would like to cancel." if number == 3 else "My line is slow.",
                "I will look into that.",
                "Thanks for your help.",
            )
            for number in range(6)
        ]

    def found(self, project, **rule):
        whole = lint_document(document({"rule": rule}), project)
        return [(f.path.removeprefix(MET_BY_HALF).lstrip("."), f.code, sorted(f.calls)) for f in whole]

    def test_show_phrases_that_are_never_or_always_said(self, project, spoken):
        everyone = sorted(call.pk for call in spoken)

        assert self.found(project, any_of=["good morning", "welcome to the zoo"]) == [
            ("any_of[0]", "phrase_always_said", everyone),
            ("any_of[1]", "phrase_never_said", []),
        ]

    def test_show_phrases_of_the_other_side_as_never_said(self, project, spoken):
        assert self.found(project, any_of=["line is slow"]) == [("any_of[0]", "phrase_never_said", [])]

    def test_show_conditions_that_never_or_always_hold(self, project, spoken):
        rule = {"any_of": ["look into that"]}
        always = [("any_of[0]", "phrase_always_said", sorted(call.pk for call in spoken))]

        assert self.found(project, applies_if=["I want a refund"], **rule)[0] == (
            "applies_if", "never_applies", [],
        )  # fmt: skip
        assert self.found(project, applies_if=["good morning"], **rule)[0][1] == "always_applies"
        assert self.found(project, applies_if=["like to cancel"], **rule) == always

    def test_show_windows_that_fit_no_call(self, project, spoken):
        none = {"none_of": ["shut up"]}

        assert [c for _, c, _ in self.found(project, within_seconds=300, **none)] == ["window_covers_call"]
        assert [c for _, c, _ in self.found(project, last_seconds=5, **none)] == ["window_never_heard"]
        assert [c for _, c, _ in self.found(project, no_silence={"over_seconds": 60})] == [
            "silence_never_happens"
        ]
        assert self.found(project, within_seconds=15, **none) == []

    def test_are_left_out_where_there_is_no_time(self, project, spoken, monkeypatch):
        monkeypatch.setattr("callscope.analysis.lint.calls.SEARCH_S", -1.0)

        assert self.found(project, any_of=["welcome to the zoo"]) == []

    def test_need_enough_calls(self, project, spoken):
        Call.objects.filter(pk__in=[call.pk for call in spoken[:2]]).delete()

        assert self.found(project, any_of=["welcome to the zoo"]) == []

    def test_are_of_the_project_alone(self, alice, project, add_call, spoken):
        other = create_project(alice, "Other")
        for number in range(6):
            add_call(other, number, "Welcome to the zoo.", "Hello.")

        calls = {pk for _, _, shown in self.found(project, any_of=["good morning"]) for pk in shown}

        assert calls <= {call.pk for call in spoken}
        assert self.found(project, any_of=["welcome to the zoo"]) == [("any_of[0]", "phrase_never_said", [])]
