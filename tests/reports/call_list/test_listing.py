"""The call list: every page of every list is the slice of a naively sorted one."""

import dataclasses

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reports.naive_report import live_calls, shift
from reports.story import DAYS, SCRIPT, Story, call_lines, window_of
from rest_framework.renderers import JSONRenderer

from callscope.analysis.models import CallAnalysis
from callscope.interfaces.api.serializers.calls import CallPage, encode_json
from callscope.reports.call_list import call_rows, counted_listing, listing, page_ranges, pagination
from callscope.reports.call_list.drilldown import DrilldownFilter
from callscope.reports.call_list.filters import CallFilters
from callscope.reports.call_list.listing import NoSuchPage, find_calls, iterate_calls
from callscope.reports.search import call_texts, samples
from callscope.reports.store.compaction import compact_all
from callscope.reports.window import ALL_TIME

FINDINGS = {
    "": lambda entry: True,
    "critical": lambda entry: entry.get("is_critical_error"),
    "evaluated": lambda entry: entry.get("applicability") == "evaluated",
    "not_applicable": lambda entry: entry.get("applicability") == "not_applicable",
}
ORDERINGS = ["call_datetime", "score_percentage", "mistake_count", "agent__name"]
ORDERINGS += ["talk_share", "silence_seconds", "longest_monologue", "interruptions"]
TALKED = {
    "talk_share": "talk_share_pct",
    "silence_seconds": "silence_seconds",
    "longest_monologue": "longest_monologue_seconds",
    "interruptions": "agent_interruptions",
}


def sort_value(call, ordering):
    match ordering:
        case "call_datetime":
            return call.at
        case "score_percentage":
            return None if call.score is None else round(call.score, 2)
        case "mistake_count":
            return None if call.no_protocol is None else len(call.no_protocol["mistakes"])
        case talk if talk in TALKED:
            return call.talk.get(TALKED[talk])
        case _:
            return None if call.agent is None else call.agent.name.casefold()


def is_behind(call, query, projects):
    """Whether the figure that the address names counts the call."""
    return (
        ("goal" not in query or call.goal is (query["goal"] == "true"))
        and ("scored" not in query or call.is_scored)
        and ("timed" not in query or call.hour is not None)
        and ("shift" not in query or shift(projects, call) == query["shift"])
        and ("topic" not in query or call.topic == query["topic"])
    )


def naive_ids(calls, query):
    """Filter and sort by plain Python; `query` is what stands in the address."""
    wanted = query.get("agent")
    chosen = [
        c
        for c in calls
        if wanted is None or (c.agent is None if wanted == "none" else c.agent and str(c.agent.pk) == wanted)
        if not query.get("sentiment") or c.sentiment == query["sentiment"]
        if not query.get("direction") or c.direction == query["direction"]
        if not query.get("critical") or c.is_critical
        if any(query.get("search", "").casefold() in field.casefold() for field in searched(c))
    ]
    ordering = query["ordering"].removeprefix("-")
    chosen.sort(key=lambda c: -c.id)
    valued = [c for c in chosen if sort_value(c, ordering) is not None]
    if query["ordering"].startswith("-"):
        valued.sort(key=lambda c: c.id)
        valued.sort(key=lambda c: sort_value(c, ordering), reverse=False)
        valued.reverse()
    else:
        valued.sort(key=lambda c: sort_value(c, ordering))
    return [c.id for c in valued] + [c.id for c in chosen if sort_value(c, ordering) is None]


def searched(call):
    return call.call.file_name, call.raw_topic, call.reason, call.call.caller_number, call.call.campaign


def pages_of(projects, window, filters):
    page = find_calls(projects, window, filters)
    found = [item.id for item in page.items]
    while page.next_number:
        page = find_calls(projects, window, filters, str(page.next_number))
        found += [item.id for item in page.items]
    return page.count, found


@pytest.fixture(params=[1000, 1])
def tiny_pages(request, monkeypatch):
    """Make few calls behave like many: pages of three, groups as soon as there are two.

    Projects and agents are read by one statement, and by one each; a search finds few, and too many.
    """
    monkeypatch.setattr(listing, "PAGE_SIZE", 3)
    monkeypatch.setattr(page_ranges, "NEAR_CALLS", 2)
    monkeypatch.setattr(counted_listing, "READ_COST", 1)
    monkeypatch.setattr(page_ranges, "PROJECTS_AT_ONCE", request.param)
    monkeypatch.setattr(counted_listing, "IDS_AT_ONCE", request.param)
    monkeypatch.setattr(counted_listing, "FIRST_NAMES", 2)
    monkeypatch.setattr(pagination, "CALLS_AT_ONCE", 2)
    monkeypatch.setattr(pagination, "MOST_WALKED", 3)
    monkeypatch.setattr(call_texts, "FEW", request.param)
    monkeypatch.setattr(call_texts, "MANY", 2 * request.param)
    monkeypatch.setattr(samples, "RARE_PIECES", 1)


@st.composite
def queries(draw):
    query = {"ordering": draw(st.sampled_from(["", "-"])) + draw(st.sampled_from(ORDERINGS))}
    optional = {
        "sentiment": st.sampled_from(["positive", "negative"]),
        "direction": st.sampled_from(["inbound", "outbound"]),
        "critical": st.just("true"),
        "agent": st.sampled_from(["none", "first"]),
        "search": st.sampled_from(
            ["c1", "T0", "STRASSE", "%", "_", "00_1%", "wav", "e", "ing str", "\ufdd0", "x" * 3000]
        ),
    }
    for name in draw(st.lists(st.sampled_from(sorted(optional)), unique=True, max_size=2)):
        query[name] = draw(optional[name])
    return query


# Calls behind a figure: what the sums keep together, and below the gap what they do not.
FIGURES = [
    {"goal": "true"}, {"goal": "false"}, {"scored": "true"}, {"timed": "true"},
    {"shift": "day"}, {"shift": "night"}, {"topic": "first"}, {"topic": "none of them"},
    {"shift": "day", "goal": "false"}, {"shift": "night", "critical": "true"},
    {"shift": "day", "sentiment": "negative"}, {"agent": "first", "goal": "true"},

    {"agent": "none", "goal": "true"}, {"shift": "night", "sentiment": "positive"},
    {"goal": "true", "scored": "true"}, {"goal": "true", "direction": "inbound"},
    {"topic": "first", "critical": "true"}, {"agent": "first", "shift": "day"},
]  # fmt: skip


@st.composite
def described_lines(draw):
    line = draw(call_lines())
    line["file_name"] = f"c{draw(st.integers(1, 30))}.wav"
    line["direction"] = draw(st.sampled_from(["", "inbound", "outbound"]))
    line["caller_number"] = draw(st.sampled_from(["", "+34911", "+34 600_1%"]))
    line["campaign"] = draw(st.sampled_from(["", "spring", "SPRING straße", "Frühling 100%"]))
    line["no_protocol"] = draw(
        st.sampled_from(
            [
                None,
                *(
                    {"mistakes": [{"id": "m", "description": "x"}] * n, "missing_prompts": []}
                    for n in range(3)
                ),
            ]
        )
    )
    return line


class TestCallList:
    @given(
        drawn=st.tuples(
            st.lists(described_lines(), min_size=1, max_size=12), st.lists(described_lines(), max_size=8)
        ),
        days=st.tuples(st.sampled_from([None, *DAYS]), st.sampled_from([None, *DAYS])),
        asked=st.lists(queries(), min_size=4, max_size=4),
        folds=st.booleans(),
    )
    @SCRIPT
    def test_shows_the_slices_of_the_naively_sorted_list(self, alice, tiny_pages, drawn, days, asked, folds):
        story = Story(alice)
        for turn, lines in enumerate(drawn):
            if lines:
                story.play("import", lines, turn)
                if folds:
                    compact_all()
        window = window_of(days)
        calls = [
            c
            for c in live_calls(story.projects)
            if (not window.start or c.day >= window.start) and (not window.end or c.day <= window.end)
        ]
        for query in asked:
            if query.get("agent") == "first":
                agents = [c.agent.pk for c in calls if c.agent]
                query = query | {"agent": str(min(agents, default=1))}
            filters = CallFilters.from_query(query)

            count, found = pages_of(story.projects, window, filters)

            assert found == naive_ids(calls, query)
            assert count == len(found)
            assert [item.id for item in iterate_calls(story.projects, window, filters)] == found

    @given(
        drawn=st.tuples(
            st.lists(described_lines(), min_size=1, max_size=12), st.lists(described_lines(), max_size=8)
        ),
        days=st.tuples(st.sampled_from([None, *DAYS]), st.sampled_from([None, *DAYS])),
        ordering=st.sampled_from(ORDERINGS),
        shifts=st.tuples(st.integers(0, 12), st.integers(0, 12)),
        folds=st.sampled_from([(), (0,), (1,), (0, 1)]),
    )
    @settings(SCRIPT, max_examples=SCRIPT.max_examples // 3)
    def test_shows_the_calls_behind_each_figure(
        self, alice, tiny_pages, drawn, days, ordering, shifts, folds
    ):
        story = Story(alice)
        for turn, lines in enumerate(drawn):
            story.play("set shifts", shifts[turn], turn)
            if lines:
                story.play("import", lines, turn)
            if turn in folds:
                compact_all()
        window = window_of(days)
        calls = [
            c
            for c in live_calls(story.projects)
            if (not window.start or c.day >= window.start) and (not window.end or c.day <= window.end)
        ]
        asked = [query | {"ordering": order} for query in FIGURES for order in ("-call_datetime", ordering)]
        for query in asked:
            if query.get("agent") == "first":
                query = query | {"agent": str(min((c.agent.pk for c in calls if c.agent), default=1))}
            if query.get("topic") == "first":
                query = query | {"topic": min((c.topic for c in calls if c.topic), default="T")}
            filters = dataclasses.replace(
                CallFilters.from_query(query), drilldown=DrilldownFilter.from_query(query)
            )

            count, found = pages_of(story.projects, window, filters)

            assert found == naive_ids([c for c in calls if is_behind(c, query, story.projects)], query)
            assert count == len(found)
            assert [item.id for item in iterate_calls(story.projects, window, filters)] == found

    @given(
        drawn=st.lists(described_lines(), min_size=1, max_size=14),
        ordering=st.sampled_from(["call_datetime", "-score_percentage", "agent__name"]),
        sentiment=st.sampled_from(["", "negative"]),
        folds=st.booleans(),
    )
    @SCRIPT
    def test_shows_the_calls_behind_each_figure_of_a_criterion(
        self, alice, tiny_pages, drawn, ordering, sentiment, folds
    ):
        story = Story(alice)
        story.play("import", drawn, 0)
        if folds:
            compact_all()
        plain = CallFilters.from_query({"ordering": ordering, "sentiment": sentiment})
        everything = [item.id for item in iterate_calls(story.projects, ALL_TIME, plain)]
        copc = {a.call_id: a.copc for a in CallAnalysis.objects.filter(is_live=True)}
        entries = {pk: (copc[pk] or {}).get("criterion_scores") or [] for pk in everything}
        for criterion in {e["criterion_id"] for of_call in entries.values() for e in of_call} | {"none"}:
            for found, counts in FINDINGS.items():
                drilldown = DrilldownFilter(criterion=criterion, outcome=found)
                filters = dataclasses.replace(plain, drilldown=drilldown)

                count, ids = pages_of(story.projects, ALL_TIME, filters)

                expected = [
                    pk
                    for pk in everything
                    if any(e["criterion_id"] == criterion and counts(e) for e in entries[pk])
                ]
                assert ids == expected == [i.id for i in iterate_calls(story.projects, ALL_TIME, filters)]
                assert count == len(ids)

    @given(line=described_lines(), names=st.lists(st.text(max_size=12), min_size=4, max_size=4))
    @SCRIPT
    def test_writes_the_text_of_an_item_as_the_renderer_would(self, alice, line, names):
        file_name, topic, agent, campaign = (name.replace("\x00", "") for name in names)
        texts = {
            "file_name": f"c{file_name}",
            "topic": f"t{topic}",
            "agent_name": agent,
            "campaign": campaign,
        }
        story = Story(alice)
        story.play("import", [line | texts], 0)

        (item,) = find_calls(story.projects, ALL_TIME, CallFilters()).items

        page = {"count": 1, "next": None, "previous": None, "results": [call_rows.item_json(item)]}
        assert encode_json(CallPage(1, None, None, [item])) == JSONRenderer().render(page)

    def test_searches_for_a_very_long_text(self, project, bring_in):
        name = "".join(chr(0x4E00 + n) for n in range(250))
        bring_in(project, {"file_name": name, "topic": "x"})

        assert find_calls([project], ALL_TIME, CallFilters(search=name)).count == 1
        assert find_calls([project], ALL_TIME, CallFilters(search=name + "x" * 9000)).count == 0

    def test_has_no_page_after_the_last(self, project, bring_in):
        bring_in(project, {"file_name": "c.wav", "topic": "x"})

        with pytest.raises(NoSuchPage):
            find_calls([project], ALL_TIME, CallFilters(), "2")
