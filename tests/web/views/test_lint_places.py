"""What the lint of the editor says about where a finding is: the criterion and the phrase, in words."""

import json

import pytest
from django.utils import translation

from callscope.interfaces.web.views.rubrics.lint import describe_place
from tests.web.conftest import CONFIGURATION, bring, give_transcript, line, page, visitor_of

PHRASE = "thank you for calling"
DOCUMENT = {
    "rubric": {
        "sections": [
            {
                "name": "Opening",
                "criteria": [
                    {
                        "name": "Greets",
                        "max_points": 10,
                        "rule": {"any_of": [PHRASE], "all_of": [["hello", "hi"]]},
                    }
                ],
            }
        ]
    },
    "goal": {"description": "", "phrases": ["all sorted", "all sorted"]},
}
CRITERION = "rubric.sections[0].criteria[0]"


@pytest.mark.parametrize(
    ("path", "said"),
    [
        (CRITERION, "Greets"),
        (f"{CRITERION}.guideline", "Greets"),
        (f"{CRITERION}.rule", "Greets"),
        (f"{CRITERION}.rule.any_of[0]", f"Greets: the phrase “{PHRASE}”"),
        (f"{CRITERION}.rule.all_of[0][1]", "Greets: the phrase “hi”"),
        (f"{CRITERION}.rule.any_of[7]", "Greets"),
        ("rubric.sections[3].criteria[0]", "rubric.sections[3].criteria[0]"),
        ("topics", "topics"),
        ("goal.description", "Goal of the caller"),
        ("goal.phrases[1]", "Goal of the caller: the phrase “all sorted”"),
    ],
)
def test_a_place_is_named_in_words(path, said):
    with translation.override("en"):
        assert describe_place(DOCUMENT, path) == said


@pytest.mark.django_db
@pytest.mark.parametrize(("language", "findings"), [("en", "finding"), ("es", "hallazgo")])
def test_a_finding_leads_to_its_criterion_and_is_counted(alice, project, language, findings):
    document = json.loads(json.dumps(CONFIGURATION))
    document["rubric"]["sections"][0]["criteria"][0].update(critical=True, critical_class=None)
    visitor = visitor_of(alice, headers={"accept-language": language})

    shown = page(
        visitor.post(f"/projects/{project.pk}/lint/", {"document": document}, content_type="application/json")
    )

    places = [each["data-lint-place"] for each in shown.all("button")]
    assert places
    assert not any(place in shown.text for place in places if "criteria" in place)
    [counted] = [each["data-lint-count"] for each in shown.all("h3") if "data-lint-count" in each]
    assert counted.startswith(f"{len(places)} {findings}")
    assert shown.text.startswith(counted)


@pytest.mark.django_db
def test_phrases_that_no_call_said_are_one_table_and_few_calls_are_named_at_once(as_alice, project):
    for call in bring(project, *(line(number) for number in range(1, 7))):
        give_transcript(call)
    document = json.loads(json.dumps(CONFIGURATION))
    greets = document["rubric"]["sections"][0]["criteria"][0]
    greets["rule"] = {"any_of": ["good morning", "welcome to us", "pleased to meet you"]}

    shown = page(
        as_alice.post(
            f"/projects/{project.pk}/lint/", {"document": document}, content_type="application/json"
        )
    )

    assert "2 phrases that no call said" in shown.text
    assert shown.text.count("None of the last 6 calls has them") == 1
    assert "Greets welcome to us · pleased to meet you" in shown.text
    places = [each["data-lint-place"] for each in shown.all("button")]
    assert places.count("rubric.sections[0].criteria[0].rule.any_of[1]") == 1
    said_by_all = shown.text[shown.text.index("Greets: the phrase “good morning”") :]
    assert (
        said_by_all.index("call-4.wav") < said_by_all.index("3 more calls") < said_by_all.index("call-3.wav")
    )


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("language", "said", "calm"),
    [
        ("en", "1 finding in Rubric", "Nothing in “Goal of the caller” is misleading."),
        ("es", "1 hallazgo en Rúbrica", "Nada en «Objetivo de quien llama» induce a error."),
    ],
)
def test_a_part_shows_what_is_found_in_it_and_counts_the_rest(alice, project, language, said, calm):
    document = json.loads(json.dumps(CONFIGURATION))
    document["rubric"]["sections"][1]["criteria"][0].update(critical_class=None)
    for criteria in document["rubric"]["sections"]:
        criteria["criteria"][0]["rule"] = {"any_of": ["good morning"]}
        criteria["criteria"][0]["rule"]["any_of"] = [criteria["name"]]
    visitor = visitor_of(alice, headers={"accept-language": language})

    def show(part, document=document):
        sent = {"document": document, "part": part}
        return page(visitor.post(f"/projects/{project.pk}/lint/", sent, content_type="application/json"))

    rubric, goal = show("rubric"), show("goal")

    assert goal.text.strip() == f"{calm} {said}"
    assert [each["href"] for each in goal.all("a")] == [f"/projects/{project.pk}/settings/rubric/"]
    assert not goal.all("button")
    assert said not in rubric.text
    assert rubric.all("button")
    if language == "en":
        assert show("goal", {}).text.strip() == "Nothing in these settings is misleading."
        assert show("rubric", {}).text.strip() == "Nothing in this rubric is misleading."


@pytest.mark.django_db
def test_the_goal_shows_what_is_wrong_with_it_and_what_its_phrases_may_be(as_alice, project):
    document = {"goal": {"description": " ", "phrases": ["all sorted", "bye", "All sorted!"]}}
    sent = {"document": document, "part": "goal"}

    shown = page(as_alice.post(f"/projects/{project.pk}/lint/", sent, content_type="application/json"))
    form = page(as_alice.get(f"/projects/{project.pk}/settings/goal/"))

    assert [each["data-lint-place"] for each in shown.all("button")] == [
        "goal.description",
        "goal.phrases[2]",
    ]
    assert "Nothing says when the goal is reached" in shown.text
    assert "“All sorted!” is in this list twice." in shown.text
    [phrases] = form.all("textarea", id="f-goal-phrases")
    assert phrases["aria-describedby"] == "f-goal-phrases-hint"
    assert "One per line; /…/ is a pattern." in form.text
