"""A judged call with three criteria, and what a person says about it."""

from callscope.projects.services import configure_project
from callscope.testing import run_due_jobs
from tests.api.samples import named

TALK = b"""1
00:00:00,000 --> 00:00:04,000
Agent: Good morning, this is Ana speaking.

2
00:00:04,500 --> 00:00:12,000
Customer: My invoice is wrong and I want it corrected.

3
00:00:12,500 --> 00:00:20,000
Agent: I have corrected the invoice for you, all set.
"""
RUBRIC = {
    "rubric": {
        "on_critical_error": "zero_score",
        "sections": [
            {
                "name": "Opening",
                "criteria": [
                    {
                        "id": "greeting",
                        "name": "Greets",
                        "guideline": "The agent greets.",
                        "max_points": 10,
                        "rule": {"speaker": "agent", "any_of": ["good morning"]},
                    },
                    {
                        "id": "identity",
                        "name": "Verifies the caller",
                        "max_points": 20,
                        "critical": True,
                        "partial_credit": True,
                        "rule": {"speaker": "agent", "any_of": ["corrected the invoice"]},
                    },
                ],
            },
            {
                "name": "Closing",
                "criteria": [
                    {
                        "id": "offer",
                        "name": "Offers more help",
                        "max_points": 10,
                        "may_not_apply": True,
                        "rule": {"speaker": "agent", "any_of": ["anything else"]},
                    }
                ],
            },
        ],
    }
}
MET = {"greeting": "met", "identity": "met", "offer": "met"}


def change_rubric(**changes):
    """Return the rubric with the first criterion changed."""
    first, *others = RUBRIC["rubric"]["sections"]
    greeting, *rest = first["criteria"]
    sections = [{**first, "criteria": [{**greeting, **changes}, *rest]}, *others]
    return {"rubric": {**RUBRIC["rubric"], "sections": sections}}


def upload_judged(client, project, content=TALK, name="call.srt"):
    """Upload a call and let it be judged; return the id of the call."""
    given = {"project": project.pk, "file": named(content, name), "call_datetime": "2026-03-02T10:00:00Z"}
    answer = client.post("/api/files/", given, format="multipart")
    assert answer.status_code == 201, answer.content
    run_due_jobs()
    return answer.json()["call_id"]


def judge_call(client, project):
    """Configure the project and upload its call; return the id of the call."""
    configure_project(project, {**project.config, **RUBRIC}, project.owner)
    return upload_judged(client, project)


def list_answers(**answers):
    """Return the answers as they are sent; all criteria are met where nothing else is said."""
    return [{"criterion_id": name, "answer": answer} for name, answer in {**MET, **answers}.items()]


def review(client, call_id, *, state="submitted", criteria=None, **fields):
    """Send a review; return the answer."""
    body = {"criteria": list_answers() if criteria is None else criteria, "state": state, **fields}
    return client.post(f"/calls/api/{call_id}/reviews/", body, format="json")
