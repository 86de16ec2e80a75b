"""Real dialogues through the whole product: calls over HTTP, a manifest, a rubric from protocols."""

import csv
import datetime as dt
import json
import threading
from fractions import Fraction
from pathlib import Path

import pytest
from journeys_server import Installation, create_project, wait_until_analysed

from tests.effort import take_share

pytestmark = [pytest.mark.journey, pytest.mark.one_database]
LABELED = 60  # calls in the manifest
SHARE = 5  # of which `make test` uploads one
POLL_S = 0.2  # without a pause the server answers nothing but these requests


def rubric_from_protocols(folder: Path) -> dict:
    """One criterion a distinct required step, in the wording of the protocol."""
    steps: dict[str, str] = {}
    for path in sorted(folder.glob("*.json")):
        for step in json.loads(path.read_text("utf-8"))["required_steps"]:
            steps.setdefault(step["id"], step["agent_says"])
    criteria = [
        {
            "id": step,
            "name": said[:200],
            "guideline": f"The agent says: {said}",
            "max_points": 5,
            "rule": {"speaker": "agent", "any_of": [said]},
        }
        for step, said in steps.items()
    ]
    return {"rubric": {"name": "Protocols", "sections": [{"name": "Steps", "criteria": criteria}]}}


@pytest.fixture(scope="module")
def star(shared_data: Path) -> Path:
    return shared_data / "star"


@pytest.fixture(scope="module")
def world(star, tmp_path_factory):
    """The files uploaded around the manifest, everything analyzed, and what polling saw meanwhile."""
    installation = Installation(tmp_path_factory.mktemp("star") / "data")
    key = installation.owner_with_key()
    files = take_share(sorted((star / "transcripts").iterdir()), 0, one_in=SHARE)
    half = len(files) // 2
    with installation.served(workers=2) as server, server.client(key) as client:
        project = create_project(client, "STAR", rubric_from_protocols(star / "protocols"))
        seen: list[tuple[int, dict]] = []
        accepted: list[str] = []
        done = threading.Event()

        def poll() -> None:
            with server.client(key) as own:
                while not done.wait(POLL_S):
                    uploaded = len(accepted)
                    answer = own.get("/calls/api/analysis-status/", params={"project_id": project}).json()
                    seen.append((uploaded, answer))

        def upload(paths: list[Path]) -> None:
            for path in paths:
                with path.open("rb") as content:
                    answer = client.post(
                        "/api/files/", data={"project": project}, files={"file": (path.name, content)}
                    )
                assert answer.status_code == 201, answer.text
                accepted.append(path.name)

        upload(files[:half])
        with (star / "manifest.csv").open("rb") as content:
            manifest = client.post(
                f"/api/projects/{project}/call-manifest/", files={"file": ("manifest.csv", content)}
            )
        poller = threading.Thread(target=poll)
        poller.start()
        upload(files[half:])
        status = wait_until_analysed(client, project)
        done.set()
        poller.join()
        calls, page = [], f"/calls/api/calls/?project_id={project}"
        while page:
            answer = client.get(page).json()
            calls += answer["results"]
            page = answer["next"]
        yield {
            "client": client,
            "project": project,
            "manifest": manifest.json(),
            "status": status,
            "seen": seen,
            "calls": calls,
            "report": client.get("/calls/api/report/", params={"project_id": project}).json(),
            "files": {path.name for path in files},
            "details": [client.get(f"/calls/api/calls/{c['id']}/").json() for c in calls],
        }


class TestRealCalls:
    def test_match_the_manifest_before_and_after_upload(self, world):
        manifest = world["manifest"]

        assert manifest["matched"] == len(world["files"]) // 2
        assert len(manifest["unmatched"]) == LABELED - len(world["files"]) // 2
        assert manifest["errors"] == []

    def test_are_all_analysed(self, world):
        states = world["status"]["analysis_status"]

        number = len(world["files"])
        assert world["status"]["analyzed_calls"] == len(world["calls"]) == number >= LABELED // SHARE
        assert {name: s["completed"] for name, s in states.items()} == dict.fromkeys(states, number)

    def test_keep_in_progress_true_until_the_last_result(self, world):
        """A machine may analyse faster than it uploads; then there is an end between two uploads."""
        ended = [(uploaded, status) for uploaded, status in world["seen"] if not status["in_progress"]]

        assert len(world["seen"]) > len(ended)
        assert [status for uploaded, status in ended if status["analyzed_calls"] < uploaded] == []

    def test_carry_the_call_time_of_their_labels(self, world, star):
        with (star / "labels.csv").open(encoding="utf-8") as f:
            labels = {row["filename"]: row for row in csv.DictReader(f)}
        got = {c["file_name"]: dt.datetime.fromisoformat(c["call_datetime"]) for c in world["calls"]}

        wrong = []
        for name in world["files"]:
            row = labels[name]
            expected = row["call_datetime_utc"] or row["call_datetime_local_naive"]
            if not expected:
                continue
            moment = dt.datetime.fromisoformat(expected)
            if moment.tzinfo is None:
                moment = moment.replace(tzinfo=dt.UTC)
            if got[name] != moment:
                wrong.append((name, got[name], moment))
        assert wrong == []

    def test_give_a_headline_equal_to_a_naive_recomputation(self, world):
        copcs = [d["copc"] for d in world["details"] if d["copc"] and d["copc"]["criterion_scores"]]
        points = [sum(Fraction(str(s["score"])) for s in c["criterion_scores"]) for c in copcs]
        possible = [sum(Fraction(str(s["max_points"])) for s in c["criterion_scores"]) for c in copcs]
        mean = sum(p / m * 100 for p, m in zip(points, possible, strict=True)) / len(copcs)
        headline = world["report"]["headline"]

        assert headline["total_calls"] == len(world["files"])
        assert headline["scored_calls"] == len(copcs)
        assert abs(headline["average_score"] - float(mean)) <= 0.005
        assert abs(headline["weighted_compliance"] - float(sum(points) / sum(possible) * 100)) <= 0.005

    def test_give_a_scorecard_equal_to_a_naive_recomputation(self, world):
        for row in world["report"]["scorecard"]:
            scores = [
                s
                for d in world["details"]
                for s in (d["copc"] or {"criterion_scores": []})["criterion_scores"]
                if s["criterion_id"] == row["criterion_id"]
            ]
            assert row["calls"] == len(scores)
            assert row["critical_errors"] == sum(s["is_critical_error"] for s in scores)
            if scores:
                mean = (
                    sum(Fraction(str(s["score"])) / Fraction(str(s["max_points"])) for s in scores)
                    / len(scores)
                    * 100
                )
                assert abs(row["average_pct"] - float(mean)) <= 0.005

    def test_quote_only_what_stands_in_the_transcript(self, world):
        for call, detail in zip(world["calls"], world["details"], strict=True):
            transcript = world["client"].get(f"/api/transcripts/{call['file_id']}/").json()
            said = " ".join(s["text"] for s in transcript["segments"])
            for score in detail["copc"]["criterion_scores"]:
                if score["quote"]:
                    text = score["quote"].split("] ", 1)[1]
                    assert text.strip("…. ") in said, (call["file_name"], score)
