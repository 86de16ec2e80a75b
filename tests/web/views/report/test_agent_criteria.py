"""The criteria of an agent: which of them are critical, and where that was an error."""

import pytest

from callscope.reviews.calibration.sessions import CalibrationPlan, open_calibration
from tests.web.conftest import bring, line, page

pytestmark = pytest.mark.django_db


class TestCriticalCriteria:
    @pytest.fixture
    def row(self, as_alice):
        def head_of(agent, name):
            html = as_alice.get(f"/agents/{agent}/").content.decode()
            return html.split(f"</span>{name}</a>", 1)[1].split("</th>")[0]

        return head_of

    def test_are_marked_in_words_and_by_a_sign(self, project, row):
        calls = bring(project, line(1))

        marked = row(calls[0].agent_id, "Verifies the caller")

        assert '<span class="mark dim"><svg class="icon"' in marked
        assert marked.endswith("</svg>critical</span>")
        assert "mark" not in row(calls[0].agent_id, "Greets")

    def test_lead_to_the_calls_with_a_critical_error(self, as_alice, project, row):
        calls = bring(
            project, line(1, identity=0), line(2), line(3, identity=0), line(4, identity=0, agent_name="Ben")
        )

        marked = row(calls[0].agent_id, "Verifies the caller")

        assert marked.endswith("</svg>2 critical errors</a>")
        address = marked.split('href="')[1].split('"')[0].replace("&amp;", "&")
        listed = page(as_alice.get(address))
        assert {a["title"] for a in listed.all("a", **{"class": "name"})} == {"call-1.wav", "call-3.wav"}

    def test_lead_nowhere_while_calls_wait_for_the_reader(self, alice, project, row):
        calls = bring(project, line(1, identity=0), *map(line, range(2, 6)))
        open_calibration(project, CalibrationPlan([calls[0].pk], [alice.email]), alice)

        marked = row(calls[0].agent_id, "Verifies the caller")

        assert marked.endswith("</svg>1 critical error</span>")
        assert "found=critical" not in marked
