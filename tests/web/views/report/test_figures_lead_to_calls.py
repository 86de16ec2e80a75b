"""Every figure of the report leads to the calls that explain it: from those calls alone it is the same."""

import copy
import csv
import datetime as dt
import html
import io
import random
import re
from fractions import Fraction
from html.parser import HTMLParser
from urllib.parse import parse_qs, urlsplit

import pytest

from callscope.accounts.models import User
from callscope.analysis.models import CallAnalysis
from callscope.calls.models import Agent
from callscope.calls.own_calls import link_user
from callscope.projects.services import configure_project, create_project
from callscope.reports.models import CallFact
from tests.effort import take_share
from tests.web.conftest import CONFIGURATION, bring, line, page, visitor_of

pytestmark = pytest.mark.django_db

WINDOW = "start_date=2026-03-09&end_date=2026-04-05"
PARTS = ("", "criteria/", "agents/", "reasons/", "trend/", "trend/?hours=score", "criteria/?order=lost")
TREND_FIGURES = (
    "calls",
    "goal_reached_pct",
    "critical_error_pct",
    "weighted_compliance",
    "criterion:identity",
)
SHARES = {  # filter in the address → the field that it asks about
    "critical": ("scored", lambda row: row["has_critical_error"] == "True"),
    "sentiment": ("sentiment", lambda row: row["sentiment"] == "negative"),
    "goal": ("goal_reached", lambda row: row["goal_reached"] == "True"),
}
DAYS = {"start_date": "2026-03-09", "end_date": "2026-04-05"}
FAILED = re.compile(r"(\d+) calls? did not meet it")
SLOT = re.compile(r'<a href="([^"]*)"><span>([^<]*)</span></a>')
NUMBER = re.compile(r"[\d,]+(\.\d)?")


class Figures(HTMLParser):
    """The links to calls whose text is a number: [(text, address, title of the cell)]."""

    def __init__(self, markup):
        super().__init__()
        self.found, self.address, self.title = [], "", ""
        self.feed(markup.split('id="main"')[1])

    def handle_starttag(self, tag, attributes):
        if tag == "td":
            self.title = dict(attributes).get("title", "")
        if tag == "a":
            self.address = dict(attributes).get("href", "")

    def handle_endtag(self, tag):
        if tag == "a":
            self.address = ""

    def handle_data(self, data):
        if self.address.startswith("/calls/") and NUMBER.fullmatch(data.strip()):
            self.found.append((data.strip(), self.address, self.title))


@pytest.fixture(scope="module")
def made(rows_of_module):
    """Alice and her project, made once with its calls: the tests only read them."""
    with rows_of_module():
        alice = User.objects.create_user("alice@example.com", "alice-password")
        project = create_project(alice, "Service line", document=CONFIGURATION)
        bring_calls(project)
        return alice, project


@pytest.fixture
def alice(made, db):
    return copy.deepcopy(made[0])


@pytest.fixture
def project(made, db):
    return copy.deepcopy(made[1])


def bring_calls(project):
    """80 calls over eight weeks by two agents and by none; some lack scores, outcome, reason or time."""
    dice = random.Random(3)
    document = {
        **CONFIGURATION,
        "no_protocol": {
            "prompts": [{"id": "recording", "text": "Says it is recorded", "any_of": ["recorded"]}],
            "mistakes": [{"id": "rude", "text": "Is rude", "any_of": ["whatever"]}],
        },
    }
    configure_project(project, document)
    lines = []
    for number in range(80):
        moment = dt.datetime(2026, 2, 16, tzinfo=dt.UTC) + dt.timedelta(hours=dice.randrange(8 * 168))
        rude, recorded = {"id": "rude", "description": "Is rude"}, {"id": "recording", "description": "Says"}
        fields = {
            "agent_name": dice.choice(["Ana Ruiz", "Ben Okafor", ""]),
            "call_datetime": moment.isoformat(),
            "call_datetime_source": dice.choice(["api", "api", "upload_time"]),
            "sentiment": dice.choice(["negative", "neutral", "positive", None]),
            "goal_reached": dice.choice([True, False, None]),
            "topic": dice.choice(["late fee", "outage", "no & signal", ""]),
            "no_protocol": dice.choice(
                [
                    {"mistakes": [rude], "missing_prompts": []},
                    {"mistakes": [], "missing_prompts": [recorded]},
                    None,
                ]
            ),
        }
        if number % 7 == 0:
            fields["copc"] = None
        applies = dice.random() < 0.7
        identity = dice.choice((0, 10, 20)) if applies else 20
        greeting = dice.choice((0, 5, 10))
        lines.append(line(number, greeting=greeting, identity=identity, applies=applies, **fields))
    bring(project, *lines)


@pytest.fixture(scope="module")
def listed():
    """What the lists say that were asked for so far: many figures lead to the same calls."""
    return {}


def list_calls(client, address, listed):
    """Return the calls of a list as rows, by the CSV that its page offers; ask each visitor's once."""
    asked = (client.session["_auth_user_id"], address)
    if asked not in listed:
        listed[asked] = ask_for_calls(client, address)
    return listed[asked]


def ask_for_calls(client, address):
    shown = client.get(address)
    assert shown.status_code == 200, address
    offered = [a["href"] for a in page(shown).all("a") if a.get("href", "").startswith("/calls/export.csv")]
    if not offered:
        assert re.search(r"None of the \d+ calls match", page(shown).text), address
        return []
    text = b"".join(client.get(offered[0]).streaming_content).decode().removeprefix("\ufeff")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert f"of {len(rows)}" in page(shown).text  # what the page says that it lists
    return rows


def count_again(client, address, listed):
    """Return the values that the calls of a list may be shown as, from the calls alone."""
    rows = list_calls(client, address, listed)
    query = {k: v[0] for k, v in parse_qs(urlsplit(address).query).items()}
    expected = {f"{len(rows):,}"}
    for name, (field, is_counted) in SHARES.items():
        if name in query:
            rest = "&".join(f"{k}={v}" for k, v in query.items() if k != name).replace("&&", "&")
            others = list_calls(
                client, f"/calls/?{rest}".replace(" ", "+").replace("no+&+", "no+%26+"), listed
            )
            base = [row for row in others if row["score_percentage" if field == "scored" else field]]
            assert all(is_counted(row) for row in rows)
            expected.add(show(100 * Fraction(len(rows), len(base))) if base else "–")
    analyses = CallAnalysis.objects.filter(call__in=[row["id"] for row in rows], is_live=True)
    scores = [each for one in analyses for each in (one.copc or {}).get("criterion_scores", [])]
    hours = sum(
        CallFact.objects.filter(call__in=analyses.values("call")).values_list("duration_us", flat=True)
    )
    expected.add(show(Fraction(hours, 3_600_000_000)))
    if query.get("scored") == "true" and rows:
        mean = sum(Fraction(row["score_percentage"]) for row in rows) / len(rows)
        expected |= {show(mean), f"{round(mean):d}"}  # maps show whole numbers
        points = (
            [Fraction(each["score"]) for each in scores],
            [Fraction(each["max_points"]) for each in scores],
        )
        expected.add(show(100 * sum(points[0]) / sum(points[1])))
    if "criterion" in query and "result" not in query and rows:
        of_it = [each for each in scores if each["criterion_id"] == query["criterion"]]
        assert len(of_it) == len(rows)
        shares = [Fraction(each["score"]) / Fraction(each["max_points"]) for each in of_it]
        mean = 100 * sum(shares) / len(shares)
        expected |= {show(mean), f"{round(mean):d}"}
    return expected


def show(value):
    return f"{float(round(value, 2)):.1f}"


def find_figures(client, address):
    shown = client.get(address)
    assert shown.status_code == 200
    return Figures(shown.content.decode()).found


class TestEveryFigure:
    @pytest.mark.parametrize("part", PARTS)
    def test_leads_to_the_calls_that_explain_it(self, as_alice, project, listed, part):
        joint = "&" if "?" in part else "?"
        found = find_figures(as_alice, f"/report/{part}{joint}project_id={project.pk}&{WINDOW}")

        assert len(found) >= 3
        for text, address, said in take_share(list(dict.fromkeys(found)), PARTS.index(part), one_in=2):
            explained = count_again(as_alice, address, listed)
            if failed := FAILED.search(
                said
            ):  # a percentage that leads to what it lacks says how many that are
                text = failed[1]
            assert text in explained, (text, address)

    @pytest.mark.parametrize("figure", TREND_FIGURES)
    def test_leads_from_each_week_of_the_wide_trend_to_its_calls(self, as_alice, project, listed, figure):
        shown = as_alice.get("/report/trend/", {"project_id": project.pk, "figure": figure, **DAYS})
        slots = SLOT.findall(shown.content.decode().split('class="slots"')[1].split("</figure>")[0])

        assert len(slots) == 4
        for address, said in slots:
            address, now = html.unescape(address), html.unescape(said).split("before, week")[0]
            explained = count_again(as_alice, address, listed)
            values = {*re.findall(r"(\d[\d.]*)\s%", now), *re.findall(r"(?:n|[Cc]alls)\s(\d+)\b", now)}
            assert values & explained, (said, address)

    def test_leads_agents_to_their_own_calls_alone(self, carol, project, listed):
        ana = Agent.objects.get(name="Ana Ruiz")
        link_user(project, carol.email, ana)
        as_carol = visitor_of(carol)

        for part in ("", "criteria/", "trend/", "trend/?hours=score"):
            joint = "&" if "?" in part else "?"
            found = find_figures(as_carol, f"/report/{part}{joint}project_id={project.pk}&{WINDOW}")
            assert found
            for text, address, _said in take_share(list(dict.fromkeys(found)), len(part), one_in=2):
                rows = list_calls(as_carol, address, listed)
                assert {row["agent"] for row in rows} <= {"Ana Ruiz"}
                assert text in count_again(as_carol, address, listed), (text, address)
