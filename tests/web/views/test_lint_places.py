"""What the lint of the editor says about where a finding is: the criterion and the phrase, in words."""

import json

import pytest
from django.utils import translation

from callscope.interfaces.web.views.rubrics.lint import describe_place
from tests.web.conftest import CONFIGURATION, page, visitor_of

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
    }
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
    ],
)
def test_a_place_is_named_in_words(path, said):
    with translation.override("en"):
        assert describe_place(DOCUMENT, path) == said


@pytest.mark.django_db
@pytest.mark.parametrize(("language", "notes"), [("en", "note"), ("es", "observaci")])
def test_a_finding_leads_to_its_criterion_and_is_counted(alice, project, language, notes):
    document = json.loads(json.dumps(CONFIGURATION))
    document["rubric"]["sections"][0]["criteria"][0].update(critical=True, critical_class=None)
    visitor = visitor_of(alice, headers={"accept-language": language})

    shown = page(
        visitor.post(f"/projects/{project.pk}/lint/", {"document": document}, content_type="application/json")
    )

    places = [each["data-lint-place"] for each in shown.all("button")]
    assert places
    assert not any(place in shown.text for place in places if "criteria" in place)
    [counted] = [each["data-lint-notes"] for each in shown.all("p") if "data-lint-notes" in each]
    assert counted.startswith(f"{len(places)} {notes}")
