"""Ten calls that the machine has judged."""

import json

import pytest

from callscope.projects import services

RUBRIC = {
    "rubric": {
        "name": "R",
        "sections": [
            {
                "name": "S",
                "criteria": [
                    {
                        "id": name,
                        "name": name.title(),
                        "guideline": "G",
                        "max_points": 10,
                        "rule": {"any_of": [name]},
                    }
                    for name in ("greeting", "offer")
                ],
            }
        ],
    }
}


def line(name, **points):
    scores = [
        {
            "criterion_id": criterion,
            "name": criterion.title(),
            "section": "S",
            "score": score,
            "max_points": 10,
            "applicability": "evaluated",
            "is_critical_error": False,
            "justification": "",
            "quote": "",
        }
        for criterion, score in points.items()
    ]
    return json.dumps({"file_name": name, "copc": {"criterion_scores": scores}})


@pytest.fixture
def calls(callscope, project, tmp_path):
    """Ten calls: the machine says met to the greeting in the first five, and to each offer."""
    services.configure_project(project, RUBRIC)
    file = tmp_path / "calls.jsonl"
    file.write_text("\n".join(line(f"c{n}.wav", greeting=10 if n < 5 else 0, offer=10) for n in range(10)))
    assert callscope.json("calls", "import", project.pk, file)["errors"] == []
    return project
