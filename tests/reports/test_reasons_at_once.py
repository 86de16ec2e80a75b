"""Reports and pages asked while contact reasons are regrouped: what was there before, or what comes after.

No answer holds some of both: not while a regrouping writes, and not when it commits between two queries.
"""

import dataclasses
import io
import json
import random
import re
import threading
import time
from collections import Counter

import pytest
from django.db import connection
from django.test import Client

from callscope.contact_reasons.clusters import clustering
from callscope.contact_reasons.models import CallReason, ContactReason
from callscope.pipeline.decisions import reason_edits
from callscope.pipeline.files import regrouping
from callscope.pipeline.transfer.importer import import_calls
from callscope.processes import crash_points
from callscope.reports.models import CallFact
from callscope.testing import run_due_jobs
from tests.contact_reasons.test_hierarchy import MATTERS, THINGS
from tests.effort import EFFORT

pytestmark = pytest.mark.django_db(transaction=True)

CALLS = 2000 * EFFORT
TOPICS = [f"my {thing} {matter} {time}" for thing in THINGS for matter in MATTERS for time in ("", "again")]
PATIENCE_S = 240
STEP = 3 if EFFORT == 1 else 1  # a change after each third query
# Of a reader after an answer: four that never rest take most of the time.
REST_S = 0.2 if EFFORT == 1 else 0.0
TOKENS = re.compile(rb'(csrfmiddlewaretoken" value=|"X-CSRFToken": )"[^"]*"')
# Within the transaction of a regrouping; at each one, readers have to answer once more.
WRITING = ("reason_rows", "reason_calls", "reason_headings", "reason_map", "reason_swap")


@pytest.fixture(autouse=True)
def words_alone(settings):
    """Another encoder takes longer and finds the same."""
    settings.ENVIRONMENT = dataclasses.replace(settings.ENVIRONMENT, embedder="words")


def bring_in(project, calls: int) -> None:
    lines = [
        json.dumps({"file_name": f"c{n}.wav", "topic": TOPICS[n % len(TOPICS)], "agent_name": f"A{n % 7}"})
        for n in range(calls)
    ]
    assert import_calls(project, io.BytesIO("\n".join(lines).encode()), by=project.owner).errors == []


def group_into(number: int, project, monkeypatch) -> None:
    monkeypatch.setattr(clustering, "choose_number", lambda tree, ties, spread: number)
    regrouping.request_regrouping([project])
    run_due_jobs()


def count_by_reason() -> Counter[str]:
    return Counter(CallFact.objects.values_list("topic__text", flat=True))


def addresses(project) -> list[str]:
    return [
        f"/calls/api/report/?project_id={project.pk}",
        f"/calls/api/reasons/?project_id={project.pk}",
        f"/calls/api/reasons/history/?project_id={project.pk}",
        f"/projects/{project.pk}/reasons/",
    ]


def ask(client: Client, address: str) -> bytes:
    answer = client.get(address)
    assert answer.status_code == 200, (address, answer.status_code)
    return TOKENS.sub(b"", answer.content)


class Reader:
    """Asks for one address over and over in a thread; keeps each answer that differs from the last."""

    def __init__(self, user, address: str) -> None:
        self.address, self.answers, self.turns = address, [], 0
        self.failures: list[BaseException] = []
        self._client = Client()
        self._client.force_login(user)
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._loop)

    def __enter__(self) -> "Reader":
        self._thread.start()
        self.wait_for_turns(2)
        return self

    def __exit__(self, *_) -> None:
        self._over.set()
        self._thread.join()

    def wait_for_turns(self, number: int) -> None:
        """Wait until so many answers have begun and ended after this moment."""
        due, deadline = self.turns + number + 1, time.monotonic() + PATIENCE_S
        while self.turns < due and not self.failures:
            assert time.monotonic() < deadline, f"{self.address} is not answered"
            time.sleep(0.01)

    def _loop(self) -> None:
        try:
            while not self._over.is_set():
                answer = ask(self._client, self.address)
                if not self.answers or answer != self.answers[-1]:
                    self.answers.append(answer)
                self.turns += 1
                self._over.wait(REST_S)
        except BaseException as error:
            self.failures.append(error)
        finally:
            connection.close()


class TestWhileARegroupingWrites:
    def test_every_answer_is_that_before_or_that_after(self, project, alice, monkeypatch):
        bring_in(project, CALLS)
        group_into(24, project, monkeypatch)
        counted = count_by_reason()
        readers = [Reader(alice, address) for address in addresses(project)]
        reached = []

        def reach_point(point: str) -> None:
            if point in WRITING and threading.current_thread() is threading.main_thread():
                reached.append(point)
                for reader in readers:
                    reader.wait_for_turns(1)

        # The page shows that a regrouping is requested; reading begins after that.
        monkeypatch.setattr(clustering, "choose_number", lambda tree, ties, spread: 9)
        regrouping.request_regrouping([project])
        for reader in readers:
            reader.__enter__()
        try:
            before = [reader.answers[-1] for reader in readers]
            with monkeypatch.context() as patch:
                patch.setattr(crash_points, "reach_point", reach_point)
                run_due_jobs()
            for reader in readers:
                reader.wait_for_turns(1)
        finally:
            for reader in readers:
                reader.__exit__()

        assert reached == list(WRITING)
        assert count_by_reason() != counted
        client = Client()
        client.force_login(alice)
        for reader, first in zip(readers, before, strict=True):
            assert reader.failures == []
            after = ask(client, reader.address)
            assert after != first, reader.address
            assert reader.answers == [first, after], reader.address


class TestWhenAChangeCommitsBetweenTwoQueries:
    def test_every_answer_is_that_before_or_that_after(self, project, alice, monkeypatch):
        bring_in(project, len(TOPICS))
        group_into(12, project, monkeypatch)
        client = Client()
        client.force_login(alice)

        for address in addresses(project):
            query = random.randrange(STEP)
            while True:
                before = ask(client, address)
                has_changed, answer = ask_while_it_changes(client, address, query, alice)
                if not has_changed:
                    break  # the answer takes fewer queries
                after = ask(client, address)
                assert answer in (before, after), (address, query)
                query += STEP
            assert query >= 3, address


def ask_while_it_changes(client: Client, address: str, number: int, by) -> tuple[bool, bytes]:
    """Return the answer, and whether there was a query of this number, after which reasons changed."""
    seen = 0

    def change() -> None:
        try:
            from_, into = CallReason.objects.order_by("reason").values_list("reason_id").distinct()[:2]
            calls = CallReason.objects.filter(reason=from_[0]).values_list("pk", flat=True)[:3]
            reason_edits.move_calls(into[0], calls, by)
            reason = ContactReason.objects.get(pk=into[0])
            reason_edits.edit_reason(reason.pk, {"name": f"{reason.name[:40]} {number}"}, by)
        finally:
            connection.close()

    def count(execute, sql, params, many, context):
        nonlocal seen
        found = execute(sql, params, many, context)
        if sql.startswith("SELECT"):
            seen += 1
            if seen == number + 1:
                thread = threading.Thread(target=change)
                thread.start()
                thread.join()
        return found

    with connection.execute_wrapper(count):
        answer = ask(client, address)
    return seen > number, answer
