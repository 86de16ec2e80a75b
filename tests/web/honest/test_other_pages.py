"""Pages of agents and reasons: no figure without the calls that it is taken over."""

import re

import pytest
from django.template.loader import render_to_string
from hypothesis import given, settings
from hypothesis import strategies as st

from callscope.calls.models import Agent
from callscope.interfaces.web.presenters.agent import build_figures
from callscope.projects.models import Project
from callscope.reports.details.agent_page import AgentPage
from callscope.reports.details.reason_detail import AgentLine, Mean, Rate, ReasonDetail
from callscope.reports.overview.course import Course
from callscope.reports.overview.coverage import COUNTED_OVER
from callscope.reports.window import Window
from tests.effort import count_examples
from tests.web.honest.report_data import headlines


class TestAgentPage:
    @pytest.mark.django_db
    @settings(max_examples=count_examples(25), deadline=None)
    @given(own=headlines, everyone=headlines, before=st.none() | headlines)
    def test_shows_no_percentage_and_no_change_without_its_calls(self, own, everyone, before):
        page = AgentPage(
            Agent(pk=1, name="Ana"), Project(pk=1, name="P"), Window(), own, [], [], [], [], {},
            everyone=everyone, previous=before,
        )  # fmt: skip

        for figure in build_figures(page, {}):
            base = COUNTED_OVER.get(figure.name)
            if base is None:
                continue
            said = figure.coverage + (figure.change.compared if figure.change else "")
            assert figure.value is None or f"{getattr(own, base)}" in said
            assert not figure.everyone or f"(n\u00a0{getattr(everyone, base)})" in figure.everyone
            if figure.change:
                now, then = map(int, re.findall(r"\d+", figure.change.compared))
                assert (now, then) == (getattr(own, base), getattr(before, base))


class TestReasonPage:
    def test_shows_no_share_and_no_average_without_its_calls(self):
        known = Rate(40, 10, 25.0, 14.2, 40.2)
        agents = [AgentLine(1, "Ana", 9, 80.0, 7)]
        figures = ReasonDetail(
            weeks=[], share=known, share_before=known, course=Course(2.5, False, "growing"),
            change_low_pct=1.0, change_high_pct=4.0, change_confidence_pct=95.0, compared_reasons=1,
            untimed_calls=0, untimed_project_calls=0, score=Mean(31, 82.0, 75.0, 88.0), negative=known,
            goal=known, agents=agents, quotes=[], neighbors=[],
        )  # fmt: skip

        context = {"figures": figures, "agents": [(each, each.name) for each in agents]}
        html = render_to_string("web/reasons/figures.html", context)

        facts = re.findall(r"<dd>(.*?)</dd>", html, re.DOTALL)
        percents = [fact for fact in facts if "&nbsp;%" in fact]
        assert len(percents) == 4
        assert all(re.search(r"10 of 40|31 calls", fact) for fact in percents)
        assert "10 of 40 calls then" in html  # of the change
        assert re.search(r"80\.0&nbsp;% <small [^>]*>n 7</small>", html)
