"""Lint over the API: its fields, who may ask, and what it answers to what is no configuration."""

import pytest

pytestmark = pytest.mark.django_db

HALF = {
    "rubric": {
        "sections": [
            {
                "name": "Opening",
                "criteria": [
                    {
                        "id": "g",
                        "name": "Greets and names the company",
                        "max_points": 5,
                        "rule": {"any_of": ["good morning"]},
                    }
                ],
            }
        ]
    }
}


def test_answers_each_finding_with_exactly_these_fields(as_alice, project):
    answer = as_alice.post(f"/api/projects/{project.pk}/lint/", {"config": HALF}, format="json")

    assert answer.status_code == 200
    [found] = answer.json()["findings"]
    assert list(found) == ["path", "code", "severity", "message", "calls"]
    assert (found["path"], found["code"], found["severity"], found["calls"]) == (
        "rubric.sections[0].criteria[0].rule", "met_by_half", "error", [],
    )  # fmt: skip


def test_takes_yaml_and_by_default_the_stored_configuration(as_alice, project):
    import yaml

    url = f"/api/projects/{project.pk}/lint/"

    assert as_alice.post(url, {}, format="json").json() == {"findings": []}
    assert len(as_alice.post(url, {"config": yaml.dump(HALF)}, format="json").json()["findings"]) == 1
    as_alice.patch(f"/api/projects/{project.pk}/", {"config": HALF}, format="json")
    assert len(as_alice.post(url, {}, format="json").json()["findings"]) == 1


@pytest.mark.parametrize("config", [None, 3, "a: [", "", [], {"language": "fr"}, {"rubric": []}])
def test_refuses_what_is_no_configuration(as_alice, project, config):
    answer = as_alice.post(f"/api/projects/{project.pk}/lint/", {"config": config}, format="json")

    assert answer.status_code == 400
    assert list(answer.json()) == ["config"]


def test_is_for_those_who_may_change_the_project(as_bob, as_carol, project, bob_views):
    url = f"/api/projects/{project.pk}/lint/"

    assert as_bob.post(url, {}, format="json").status_code == 403
    assert as_carol.post(url, {}, format="json").status_code == 404
