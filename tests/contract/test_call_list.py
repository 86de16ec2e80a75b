"""The call list over HTTP equals the naive oracle's, whatever is filtered, searched and ordered."""

import json
from typing import Any

import pytest
from django.test import override_settings
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st
from oracles.call_list import PAGE, Asked, answers, call_list
from oracles.report import Oracle
from test_oracle import make_world, tried
from worlds import DAYS, ZONES, configs, filters, lines

from callscope.calls.models import Agent
from callscope.contact_reasons.models import ContactReason
from callscope.projects.models import Project


def every_page(client: Any, query: dict[str, str]) -> tuple[int, list[dict[str, Any]]]:
    """Follow `next` from the first page to the last; return the count and all items."""
    answer = client.get("/calls/api/calls/", query).json()
    count, items, previous = answer["count"], answer["results"], None
    while answer["next"]:
        assert len(answer["results"]) == PAGE
        previous, answer = answer, client.get(answer["next"]).json()
        assert answer["count"] == count
        assert client.get(answer["previous"]).json() == previous
        items += answer["results"]
    assert client.get("/calls/api/calls/", query | {"page": "last"}).json()["results"] == answer["results"]
    return count, items


def agent_ids(oracle: Oracle) -> dict[tuple[str, str], int]:
    """Return the oracle's identities with the ids that the product gave them."""
    ids = {}
    for key in oracle.names:
        kind, _, identity = key[1].partition(":")
        same = [
            a
            for a in Agent.objects.all()
            if (a.external_id if kind == "id" else "") == identity or kind == "name"
        ]
        same = [a for a in same if kind == "id" or (not a.external_id and a.name.casefold() == identity)]
        if len(same) == 1:
            ids[key] = same[0].pk
    return ids


class TestCallList:
    @given(
        documents=st.lists(configs(), min_size=2, max_size=2),
        drawn=st.tuples(st.lists(lines(), max_size=8), st.lists(lines(), min_size=15, max_size=45)),
        days=st.tuples(st.sampled_from([None, None, *DAYS]), st.sampled_from([None, None, *DAYS])),
        zone=st.sampled_from(ZONES),
        asked=st.lists(filters(), min_size=3, max_size=6),
        who=st.integers(0, 9),
        why=st.integers(0, 19),
    )
    @tried(10)
    def test_equals_the_oracle(self, alice, signed_in, documents, drawn, days, zone, asked, who, why):
        Project.objects.all().delete()
        alice.agents.all().delete()
        start, end = days if not (days[0] and days[1] and days[0] > days[1]) else days[::-1]
        with override_settings(TIME_ZONE=zone):
            timezone.deactivate()
            oracle = Oracle(make_world(alice, documents, drawn), zone)
            agents = [(key, str(pk)) for key, pk in agent_ids(oracle).items()] + [("none", "none")]
            for chosen in asked:
                agent, agent_id = agents[who % len(agents)] if who < 5 else (None, "")
                query = {k: v.isoformat() for k, v in (("start_date", start), ("end_date", end)) if v}
                query |= chosen | ({"agent": agent_id} if agent_id else {})
                reasons = list(ContactReason.objects.order_by("pk"))
                reason = reasons[why] if why < len(reasons) else None
                query |= {"reason": str(reason.pk)} if reason else {}

                count, items = every_page(signed_in, query)

                named = (reason.project_id, reason.name) if reason else None
                expected = call_list(oracle, Asked(start, end, agent, reason=named, **chosen))
                shown = [{k: v for k, v in item.items() if k not in ("id", "file_id")} for item in items]
                assert shown == expected, (query, json.dumps([shown, expected]))
                assert count == len(expected)
                assert len({item["id"] for item in items}) == count

    @given(
        documents=st.lists(configs(), min_size=2, max_size=2),
        drawn=st.lists(st.lists(lines(), max_size=12), min_size=2, max_size=2),
    )
    @tried(10)
    def test_of_custom_questions_equals_the_oracle(self, alice, signed_in, documents, drawn):
        Project.objects.all().delete()
        alice.agents.all().delete()
        oracle = Oracle(make_world(alice, documents, drawn), "UTC")

        answer = signed_in.get("/calls/api/custom-questions/").json()

        ids = [call.pop("call_analysis_id") for call in answer["calls"]]
        assert answer == answers(oracle)
        assert len(set(ids)) == len(ids)


@pytest.fixture
def signed_in(alice):
    from django.test import Client

    client = Client()
    client.force_login(alice, backend="callscope.accounts.sign_in.EmailBackend")
    return client
